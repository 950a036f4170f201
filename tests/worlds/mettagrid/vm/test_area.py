"""Areas of effect."""

from games import EAST, NOOP, WEST, held, play, scripted_game
from parts import give, use


def test_area_acts_every_step_and_pays_presence_while_within():
    area = {"radius": 2, "mutations": [give(x=1)], "presence": {"y": 5}}
    env = scripted_game("@...A", a={"areas": [area]})
    seen = []
    for move in (EAST, EAST, NOOP, WEST):
        play(env, move)
        seen.append((held(env, "x")[0], held(env, "y")[0]))
    assert seen == [(0, 0), (1, 5), (2, 5), (2, 0)]


def test_effects_of_fixed_areas_are_summed_before_limits_apply():
    limits = {"limits": {"bag": {"base": 3, "resources": ["x"]}}}
    areas = [{"radius": 1, "mutations": [give(x=9)]}, {"radius": 1, "mutations": [give(x=-8)]}]
    env = scripted_game("@A", a={"areas": areas}, agent={"inventory": limits})
    play(env, NOOP)
    assert held(env, "x")[0] == 1


def test_area_follows_its_source_unless_fixed():
    others = {"kind": "tag", "tag": "type:agent"}
    for fixed, expected in ((True, [[1, 1], [1, 1]]), (False, [[1, 1], [2, 2]])):
        area = {"radius": 2, "fixed": fixed, "filters": [others], "mutations": [give(x=1)]}
        env = scripted_game("@.@....", agent={"areas": [area]})
        play(env, NOOP, NOOP)
        found = [held(env, "x")]
        for _ in range(2):
            play(env, EAST, EAST)
        found.append(held(env, "x"))
        assert found[0] == expected[0]
        assert (found[1] == [3, 3]) == (not fixed)


def test_area_ends_with_its_source_and_a_spawned_one_begins_a_step_later():
    area = {"radius": 3, "presence": {"y": 4}}
    take = {"kind": "resource_transfer", "resources": {"x": -1}, "remove_when_empty": True}
    thing = use(take) | {"inventory": {"initial": {"x": 1}}, "areas": [area]}
    env = scripted_game("@A", a=thing)
    play(env, NOOP)
    assert held(env, "y")[0] == 4
    play(env, EAST)
    assert held(env, "y")[0] == 0
    spray = {"kind": "raycast_spawn", "object": "b", "reach": 1, "directions": ["east"]}
    env = scripted_game("@A.", a=use(spray), b={"areas": [area]})
    play(env, EAST)
    assert held(env, "y")[0] == 0
    play(env, NOOP)
    assert held(env, "y")[0] == 4
