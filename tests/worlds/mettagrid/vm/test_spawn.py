"""Objects that appear during a game."""

from games import EAST, NOOP, play, positions, read_tokens, scripted_game, try_actions
from parts import use

from mesocosm.worlds.mettagrid import IdMap


def test_spawned_object_shows_its_inventory_except_in_upstream_conformance():
    take = {"kind": "resource_transfer", "resources": {"x": -1}, "remove_when_empty": True}
    thing = use(take, {"kind": "spawn_object", "object": "b"}) | {
        "inventory": {"initial": {"x": 1}}
    }
    for conformance, seen in (("spec", True), ("upstream", False)):
        env = scripted_game(
            "@A", a=thing, b={"inventory": {"initial": {"y": 3}}}, conformance=conformance
        )
        assert try_actions(env, EAST) == [True]
        found = read_tokens(env, play(env, NOOP))
        assert any(token.feature == "inv:y" for token in found) == seen
        tags = [token.value for token in found if token.feature == "tag"]
        assert IdMap(env.config.core).tag_names().index("type:b") in tags


def test_spawning_stops_at_max_spawned():
    spray = {"kind": "raycast_spawn", "object": "b", "reach": 9, "directions": ["east"]}
    for most, number in ((0, 4), (2, 2)):
        env = scripted_game("@A....", a=use(spray), max_spawned=most)
        play(env, EAST)
        assert sum(row >= 0 for row, _ in positions(env)[2:]) == number


def test_spawning_ray_stops_at_a_blocker_and_skips_other_objects():
    spray = {"kind": "raycast_spawn", "object": "b", "reach": 9, "directions": ["east"]}
    for blockers, number in (([], 3), ([{"kind": "tag", "tag": "type:wall"}], 1)):
        env = scripted_game("@A.#..", a=use(spray | {"blockers": blockers}))
        play(env, EAST)
        assert sum(row >= 0 for row, _ in positions(env)) == 3 + number
