"""Clipping: where it starts, how it spreads, what ends it, and whose random numbers it draws."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.worlds.mettagrid import IdMap
from mesocosm.worlds.mettagrid.arithmetic.twister import (
    draw_below,
    draw_real,
    next_word,
    seed_twister,
)
from mesocosm.worlds.mettagrid.client import tokens
from mesocosm.worlds.mettagrid.compile.classic import length_scale
from mesocosm.worlds.mettagrid.game.hash_order import text_hash, text_order

NOOP, NORTH, SOUTH, WEST, EAST = range(5)
LEGEND = {".": "empty", "@": "agent.agent", "A": "asm", "S": "stuck", "I": "immune"}
MAKE = {"inputs": {"ore": 1}, "outputs": {"heart": 1}, "cooldown": 3}
FREE = {"inputs": {"energy": 2}, "outputs": {"ore": 1}, "cooldown": 2}
PRY = {"inputs": {"ore": 3}}


def clipped(*rows, clipper=None, **core):
    kind = {"kind": "assembler", "protocols": [MAKE], "max_uses": 4}
    made = {
        "profile": "classic",
        "conformance": "upstream",
        "num_agents": sum(row.count("@") for row in rows),
        "agent": {"inventory": {"initial": {"energy": 9, "ore": 9}}},
        "objects": {
            "asm": kind,
            "stuck": kind | {"start_clipped": True},
            "immune": kind | {"clip_immune": True},
        },
        "obs": {"width": 5, "height": 5, "num_tokens": 100},
        "map": {
            "kind": "ascii", "rows": list(rows),
            "legend": {char: LEGEND[char] for char in sorted(set("".join(rows)))},
        },
        **core,
    }  # fmt: skip
    if clipper is not None:
        made["clipper"] = {"unclipping": [FREE]} | clipper
    config = {
        "schema": 1, "identity": {"world": "mettagrid", "version": 1}, "core": made,
        "layers": {}, "agents": {}, "instrumentation": {},
    }  # fmt: skip
    return meso.make(config, target="python", autoreset="off")


def play(env, *actions):
    return env.step(np.array(actions, np.int32).reshape(1, -1, 1))


def worked(step):
    return (np.asarray(step.info["success"])[0] != 0).tolist()


def shown(env, step, row, col):
    found = tokens.decode(np.asarray(step.obs)[0, 0], IdMap(env.config.core))
    at = [entry for entry in found if (entry.row, entry.col) == (row, col)]
    return [(entry.feature, entry.value) for entry in at if entry.feature != "tag"]


def is_clipped(env):
    return env.truth("clipped")[0].tolist()


def test_what_is_clipped_shows_what_unclips_it_but_not_in_the_first_observation():
    env = clipped("@S", clipper={})
    step = env.reset(seed=0)
    assert shown(env, step, 2, 3) == [("clipped", 1), ("remaining_uses", 4)]
    step = play(env, NOOP)
    assert shown(env, step, 2, 3) == [
        ("clipped", 1), ("remaining_uses", 4), ("protocol_input:energy", 2),
        ("protocol_output:ore", 1),
    ]  # fmt: skip
    plain = clipped("@S", clipper={}, conformance="spec")
    assert ("protocol_input:energy", 2) in shown(plain, plain.reset(seed=0), 2, 3)


def test_unclipping_pays_cools_down_and_is_no_use():
    env = clipped("@S", clipper={})
    env.reset(seed=0)
    step = play(env, EAST)
    assert worked(step) == [True]
    assert env.truth("amount")[0, 0].tolist() == [7, 10, 0]
    assert shown(env, step, 2, 3) == [
        ("cooldown_remaining", 2), ("remaining_uses", 4), ("protocol_input:ore", 1),
        ("protocol_output:heart", 1),
    ]  # fmt: skip
    assert [worked(play(env, EAST))[0] for _ in range(2)] == [False, True]
    assert env.truth("uses")[0, 1] == 1


def test_who_has_no_room_can_still_unclip():
    kind = {
        "inventory": {"initial": {"energy": 9}, "limits": {"o": {"base": 0, "resources": ["ore"]}}}
    }
    env = clipped("@S", clipper={}, agent=kind)
    env.reset(seed=0)
    assert worked(play(env, EAST)) == [True]
    assert env.truth("amount")[0, 0].tolist() == [7, 0, 0]


def test_without_a_clipper_what_is_clipped_stays_so():
    env = clipped("@S")
    env.reset(seed=0)
    step = play(env, EAST)
    assert worked(step) == [False]
    assert shown(env, step, 2, 3) == [("clipped", 1), ("remaining_uses", 4)]


def test_clipping_stops_the_cooling_of_what_it_clips():
    env = clipped("@A", clipper={"period": 1})
    env.reset(seed=0)
    step = play(env, EAST)
    assert worked(step) == [True]
    assert is_clipped(env) == [False, True]
    assert "cooldown_remaining" not in dict(shown(env, step, 2, 3))
    assert worked(play(env, EAST)) == [True]  # what unclips works at once
    assert is_clipped(env) == [False, True]  # and the next clipping comes in the same step


def test_the_immune_are_never_clipped():
    env = clipped("@.II", clipper={"period": 1})
    env.reset(seed=0)
    for _ in range(5):
        play(env, NOOP)
    assert is_clipped(env) == [False, False, False]


def test_all_are_clipped_one_per_period_and_then_no_more():
    env = clipped("@A.A", "..A.", clipper={"period": 1})
    env.reset(seed=0)
    found = []
    for _ in range(5):
        play(env, NOOP)
        found.append(sum(is_clipped(env)))
    assert found == [1, 2, 3, 3, 3]


def test_clipping_spreads_by_distance_in_powers_of_two():
    """With length scale 1 and cutoff 2: beside what is clipped 2, two cells away 1, beyond none."""
    env = clipped("@...SAA.A", clipper={"period": 1, "length_scale": 1, "cutoff": 2})
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
def test_the_clipper_draws_from_a_copy_of_the_programs_random_numbers(seed):
    """Two start clipped, in the order of the map; then a period, a weight and a protocol each."""
    clipper = {"period": 2, "length_scale": 1, "cutoff": 1, "unclipping": [FREE, PRY, MAKE]}
    env = clipped("@.A.", "SA..", "...S", clipper=clipper)
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


@pytest.mark.parametrize(
    ("area", "count", "scale"), [(100, 4, 2), (1600, 20, 4), (81, 81, 1), (10000, 1, 50)]
)
def test_the_length_scale_is_half_the_root_of_the_sparsity(area, count, scale):
    assert length_scale(area, count) == scale


def test_draws_are_those_of_the_programs_standard_library():
    words = np.zeros(625, np.int64)
    seed_twister(words, 42)
    assert [draw_below(words, 3) for _ in range(5)] == [1, 2, 2, 0, 2]
    assert [draw_below(words, 3) + 1 for _ in range(3)] == [3, 2, 2]
    assert [draw_below(words, 17) + 1 for _ in range(3)] == [3, 8, 3]
    sums = np.array([10 / 14, 13 / 14, 1.0])
    found = [int(np.searchsorted(sums, draw_real(words))) for _ in range(20)]
    assert found == [0, 1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert next_word(words) == 2655947709
    seed_twister(words, 3)
    assert draw_real(words) == 0.070724880451056613


def test_texts_hash_as_in_the_programs_standard_library():
    assert text_hash("heart.amount") == 8235450180373438056
    assert text_hash("") == 6142509188972423790
    assert text_hash("a") == 4993892634952068459
    keys = ["heart.amount", "ore.amount", "energy.amount", "carbon.gained", "a.b"]
    assert text_order(keys) == [
        "a.b", "carbon.gained", "ore.amount", "energy.amount", "heart.amount",
    ]  # fmt: skip
