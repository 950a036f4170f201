"""Handlers of plain games."""

from games import EAST, OBJECTS, SOUTH, TAKE, game, held, play, positions, try_actions


def test_extractor_gives_until_empty_and_ore_is_conserved():
    env = game("@E", "C.")
    got = []
    for _ in range(4):
        play(env, EAST)
        got.append(held(env, "ore")[0])
        assert sum(held(env, "ore")) == 5
    assert got == [2, 4, 5, 5]
    play(env, SOUTH)
    assert held(env, "ore") == [4, 1, 0]  # the cog, the chest, the rest


def test_object_removed_when_empty_leaves_its_cell_free():
    take = [{"mutations": [TAKE | {"remove_when_empty": True}]}]
    objects = OBJECTS | {"ext": {"inventory": {"initial": {"ore": 2}}, "on_use": take}}
    env = game("@E", objects=objects)
    assert try_actions(env, EAST) == [True]
    assert positions(env)[1] == (-1, -1)
    play(env, EAST)
    assert positions(env)[0] == (0, 1)
