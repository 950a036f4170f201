"""Clipping: where it starts, how it spreads, what ends it, and its random numbers."""

import numpy as np
import pytest
from games import CLASSIC, EAST, NOOP, game, inventory, play, read_tokens, succeeded, try_actions

from mesocosm.worlds.mettagrid.arithmetic.twister import draw_below, seed_twister

MAKE = {"inputs": {"ore": 1}, "outputs": {"heart": 1}, "cooldown": 3}
FREE = {"inputs": {"energy": 2}, "outputs": {"ore": 1}, "cooldown": 2}
PRY = {"inputs": {"ore": 3}}


def clipped_game(*rows, clipper=None, **core):
    kind = {"kind": "assembler", "protocols": [MAKE], "max_uses": 4}
    made = CLASSIC | {
        "agent": {"inventory": {"initial": {"energy": 9, "ore": 9}}},
        "objects": {
            "asm": kind,
            "stuck": kind | {"start_clipped": True},
            "immune": kind | {"clip_immune": True},
        },
    }
    if clipper is not None:
        made["clipper"] = {"unclipping": [FREE]} | clipper
    return game(*rows, **made | core)


def shown(env, step, row, col):
    """List the features of a cell but its tags."""
    at = [entry for entry in read_tokens(env, step) if (entry.row, entry.col) == (row, col)]
    return [(entry.feature, entry.value) for entry in at if entry.feature != "tag"]


def is_clipped(env):
    return env.truth("clipped")[0].tolist()


def test_clipped_assembler_shows_its_unclipping_protocol_after_the_first_step():
    env = clipped_game("@S", clipper={})
    step = env.reset(seed=0)
    assert shown(env, step, 2, 3) == [("clipped", 1), ("remaining_uses", 4)]
    step = play(env, NOOP)
    assert shown(env, step, 2, 3) == [
        ("clipped", 1), ("remaining_uses", 4), ("protocol_input:energy", 2),
        ("protocol_output:ore", 1),
    ]  # fmt: skip
    plain = clipped_game("@S", clipper={}, conformance="spec")
    assert ("protocol_input:energy", 2) in shown(plain, plain.reset(seed=0), 2, 3)


def test_unclipping_pays_and_cools_down_but_counts_as_no_use():
    env = clipped_game("@S", clipper={})
    step = play(env, EAST)
    assert succeeded(step) == [True]
    assert inventory(env) == {"energy": 7, "ore": 10}
    assert shown(env, step, 2, 3) == [
        ("cooldown_remaining", 2), ("remaining_uses", 4), ("protocol_input:ore", 1),
        ("protocol_output:heart", 1),
    ]  # fmt: skip
    assert [try_actions(env, EAST)[0] for _ in range(2)] == [False, True]
    assert env.truth("uses")[0, 1] == 1


def test_agent_without_room_for_the_output_can_unclip():
    kind = {
        "inventory": {"initial": {"energy": 9}, "limits": {"o": {"base": 0, "resources": ["ore"]}}}
    }
    env = clipped_game("@S", clipper={}, agent=kind)
    assert try_actions(env, EAST) == [True]
    assert inventory(env) == {"energy": 7}


def test_clipped_assembler_stays_clipped_in_a_game_without_clipper():
    env = clipped_game("@S")
    step = play(env, EAST)
    assert succeeded(step) == [False]
    assert shown(env, step, 2, 3) == [("clipped", 1), ("remaining_uses", 4)]


def test_clipping_ends_the_cooldown():
    env = clipped_game("@A", clipper={"period": 1})
    step = play(env, EAST)
    assert succeeded(step) == [True]
    assert is_clipped(env) == [False, True]
    assert "cooldown_remaining" not in dict(shown(env, step, 2, 3))
    assert try_actions(env, EAST) == [True]  # what unclips works at once
    assert is_clipped(env) == [False, True]  # and the next clipping comes in the same step


def test_immune_assembler_is_never_clipped():
    env = clipped_game("@.II", clipper={"period": 1})
    for _ in range(5):
        play(env, NOOP)
    assert is_clipped(env) == [False, False, False]


def test_one_assembler_is_clipped_per_period_until_all_are():
    env = clipped_game("@A.A", "..A.", clipper={"period": 1})
    found = []
    for _ in range(5):
        play(env, NOOP)
        found.append(sum(is_clipped(env)))
    assert found == [1, 2, 3, 3, 3]


def test_clipping_spreads_with_weights_halved_per_cell_up_to_the_cutoff():
    """With length scale 1 and cutoff 2: beside what is clipped 2, two cells away 1, beyond none."""
    env = clipped_game("@...SAA.A", clipper={"period": 1, "length_scale": 1, "cutoff": 2})
    counts = {0: 0, 1: 0, 2: 0}
    for seed in range(300):
        env.reset(seed=seed)
        play(env, NOOP)
        (found,) = (k for k, on in enumerate(is_clipped(env)[1:4]) if on)
        counts[found] += 1
    assert counts[2] == 0
    assert 160 < counts[0] < 240
    assert counts[0] + counts[1] == 300


@pytest.mark.parametrize("seed", [0, 1, 42])
def test_clipper_draws_from_a_copy_of_mettagrids_random_numbers(seed):
    """Two start clipped, in the order of the map; then a period, a weight and a protocol each."""
    clipper = {"period": 2, "length_scale": 1, "cutoff": 1, "unclipping": [FREE, PRY, MAKE]}
    env = clipped_game("@.A.", "SA..", "...S", clipper=clipper)
    env.reset(seed=seed)
    words = np.zeros(625, np.int64)
    seed_twister(words, seed)
    assert env.truth("unclip")[0].tolist()[3:] == [draw_below(words, 3) for _ in range(2)]
    places = [(0, 2), (1, 1), (1, 0), (2, 3)]  # of things 1 and 2, that are free, and 3 and 4
    weights = [sum(max(abs(r - y), abs(c - x)) <= 1 for y, x in places[2:]) for r, c in places[:2]]
    assert weights == [0, 1]  # only the second has something clipped beside it, which weighs 1
    free = [1, 2]
    for _ in range(4):
        play(env, NOOP)
        if draw_below(words, 2) == 0 and free:
            if 2 in free:
                assert draw_below(words, 1) == 0  # a weight of 1 in all
                free.remove(2)
                chosen = 2
            else:
                assert draw_below(words, 1) == 0  # now (1, 1) reaches (0, 2)
                free.remove(1)
                chosen = 1
            assert env.truth("unclip")[0, chosen] == draw_below(words, 3)
        assert is_clipped(env) == [False, 1 not in free, 2 not in free, True, True]
