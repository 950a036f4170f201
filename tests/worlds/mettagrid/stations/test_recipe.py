"""Assemblers and chests of the classic profile, with numbers worked out by hand."""

import pytest
from games import EAST, NOOP, NORTH, WEST, classic_game, game, held, inventory, play, try_actions
from parts import recipe


def moved(env, agent, row, col):
    snapshot = env.save()
    snapshot["row"][0, agent], snapshot["col"][0, agent] = row, col
    return snapshot


@pytest.mark.parametrize(
    ("have", "need", "left"),
    [
        ((5, 1, 9), 9, [1, 0, 5]),  # a third is 3: who has 1 gives it, the others 4 each
        ((9, 9, 9), 5, [7, 7, 8]),  # what does not divide falls on those who come first
        ((1, 0, 0), 1, [0, 0, 0]),
        ((9, 2, 0), 10, [1, 0, 0]),
        ((2, 2, 2), 6, [0, 0, 0]),
        ((2, 9, 0), 5, [0, 6, 0]),  # without the last, half of 5 is 2: just what the first has
    ],
)
def test_agents_around_an_assembler_share_its_inputs(have, need, left):
    protocols = [recipe({"ore": need}, {"heart": 1})]
    env = classic_game(
        "@@@", ".A.", agents=[{"ore": x} for x in have], asm={"protocols": protocols}
    )
    env.load(moved(env, 0, 1, 0))  # the first stands west of it: the order is W, then N, NE
    assert try_actions(env, EAST, NOOP, NOOP)[0]
    assert held(env, "ore")[:3] == left
    assert held(env, "heart")[:3] == [1, 0, 0]


def test_remainder_of_shared_inputs_falls_on_the_actor_then_by_rows():
    """From the east the order is E, SW, S, SE, NW, N, NE, W: the remainder falls on E and SW."""
    protocols = [recipe({"ore": 4}, {"heart": 1})]
    kinds = [{"ore": 9}, {"ore": 9}, {"ore": 9}]
    env = classic_game("@..", ".A@", "@..", agents=kinds, asm={"protocols": protocols})
    assert try_actions(env, NOOP, WEST, NOOP)[1]
    assert held(env, "ore")[:3] == [8, 7, 8]  # 4 over 3: 2 from E, 1 from SW, 1 from NW
    assert try_actions(env, NOOP, WEST, NOOP)[1]
    assert held(env, "ore")[:3] == [7, 5, 7]


def test_recipe_with_two_vibes_pays_the_agents_showing_them():
    protocols = [recipe({}, {"heart": 5}, vibes=["make", "give"])]
    env = classic_game("@A@", "@..", agents=[{}, {}, {}], asm={"protocols": protocols})
    play(env, "change_vibe_make", "change_vibe_give", NOOP)
    env.load(moved(env, 2, 1, 1))
    assert try_actions(env, NOOP, NOOP, NORTH)[2]
    # from the south the order is S, SE, NW, N, NE, W, E: the one in the west comes first
    assert held(env, "heart")[:3] == [3, 2, 0]


def test_recipe_with_the_default_vibe_is_open_to_all():
    protocols = [recipe({}, {"heart": 1}, vibes=["default"])]
    env = classic_game("@A", agents=[{}], asm={"protocols": protocols})
    assert try_actions(env, EAST) == [True]


def test_second_agent_enables_the_recipe_with_min_agents_two():
    protocols = [recipe({}, {"ore": 1}), recipe({}, {"heart": 1}, min_agents=2)]
    env = classic_game("@A.", "..@", agents=[{}, {}], asm={"protocols": protocols})
    play(env, EAST, NOOP)
    assert (held(env, "ore")[0], held(env, "heart")[0]) == (0, 1)
    alone = classic_game("@A", agents=[{}], asm={"protocols": protocols})
    play(alone, EAST)
    assert (held(alone, "ore")[0], held(alone, "heart")[0]) == (1, 0)


@pytest.mark.parametrize(("reach", "works"), [(1, False), (2, True)])
def test_chest_within_search_distance_gives_inputs(reach, works):
    asm = {"protocols": [recipe({"ore": 3}, {"heart": 1})], "chest_search_distance": reach}
    env = classic_game("@A..", "...D", agents=[{"ore": 1}], asm=asm)
    assert try_actions(env, EAST) == [works]
    # half of 3 is 1: the agent has no more, and the chest gives the rest
    assert held(env, "ore")[:3:2] == ([0, 2] if works else [1, 4])


def test_partial_use_rounds_inputs_up_and_outputs_down():
    protocols = [recipe({"energy": 3}, {"ore": 4}, cooldown=10)]
    asm = {"protocols": protocols, "allow_partial_usage": True}
    env = classic_game("@A", agents=[{"energy": 20}], asm=asm)
    assert try_actions(env, EAST) == [True]
    assert (held(env, "energy")[0], held(env, "ore")[0]) == (17, 4)
    assert try_actions(env, EAST) == [False]  # a tenth of 4 is nothing
    assert try_actions(env, NOOP) == [True]
    # three tenths: 1 of 3, rounded up; 1 of 4, rounded down
    assert try_actions(env, EAST) == [True]
    assert (held(env, "energy")[0], held(env, "ore")[0]) == (16, 5)


def test_partial_use_adds_outputs_in_reverse_order():
    """MettaGrid copies a scaled recipe into a new map, which turns the order round."""
    protocols = [recipe({}, {"ore": 2, "heart": 2}, cooldown=2)]
    asm = {"protocols": protocols, "allow_partial_usage": True}
    env = classic_game("@A@", agents=[{}, {}], asm=asm)
    ore, heart = map(env.config.core.resources.index, ("ore", "heart"))
    assert try_actions(env, EAST, NOOP)[0]
    assert try_actions(env, NOOP, WEST)[1]
    assert env.truth("held")[0, :2, :2].tolist() == [[ore, heart], [heart, ore]]


def test_recipe_without_outputs_works_while_cooling_down():
    asm = {"protocols": [recipe({"energy": 2}, {}, cooldown=4)], "allow_partial_usage": True}
    env = classic_game("@A", agents=[{"energy": 9}], asm=asm)
    assert [try_actions(env, EAST)[0] for _ in range(3)] == [True, True, True]
    assert held(env, "energy")[0] == 9 - 2 - 1 - 1


def test_assembler_refuses_an_actor_without_room_for_its_output():
    kind = {
        "inventory": {"initial": {"ore": 5}, "limits": {"o": {"base": 5, "resources": ["ore"]}}}
    }
    env = classic_game("@A", agents=[kind], asm={"protocols": [recipe({"ore": 1}, {"ore": 2})]})
    assert try_actions(env, EAST) == [False]
    assert held(env, "ore")[0] == 5


def test_assembler_fails_while_cooling_down_and_after_its_last_use():
    protocols = [recipe({"energy": 2}, {"ore": 1}, cooldown=2)]
    asm = {"kind": "assembler", "max_uses": 2, "protocols": protocols}
    env = game(
        "@A",
        profile="classic",
        objects={"asm": asm},
        agent={"inventory": {"initial": {"energy": 9}}},
    )
    found = [try_actions(env, EAST)[0] for _ in range(6)]
    assert found == [True, False, True, False, False, False]
    assert inventory(env) == {"energy": 5, "ore": 2}


def test_deposit_that_does_not_fit_a_chest_is_lost():
    chest = {
        "vibe_transfers": {"default": {"ore": 3, "heart": -2}},
        "inventory": {"limits": {"o": {"base": 2, "resources": ["ore"]}}},
    }
    env = classic_game("@C", agents=[{"ore": 5}], chest=chest)
    assert try_actions(env, EAST) == [True]
    assert held(env, "ore")[:2] == [2, 2]
    assert try_actions(env, EAST) == [False]  # nothing arrives, and yet it is gone
    assert held(env, "ore")[:2] == [0, 2]
