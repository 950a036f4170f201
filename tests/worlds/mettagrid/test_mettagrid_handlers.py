"""What handlers ask and do, one by one, as plain Python on small maps drawn as text."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid import IdMap
from mesocosm.worlds.mettagrid.client import tokens

NOOP, NORTH, SOUTH, WEST, EAST = range(5)
NAMES = {".": "empty", "@": "agent.agent", "#": "wall", "A": "a", "B": "b", "C": "c"}


def give(who="target", **amounts):
    return {"kind": "resource_delta", "who": who, "resources": amounts}


def game(rows, a=None, b=None, c=None, **core):
    text = "".join(rows)
    objects = {"wall": {"kind": "wall"}, "a": a or {}, "b": b or {}, "c": c or {}}
    made = {
        "num_agents": text.count("@"),
        "resources": ["x", "y", "z"],
        "vibes": ["default", "odd"],
        "tags": ["t", "u", "team:a", "team:b"],
        "objects": objects,
        "obs": {"width": 7, "height": 7, "num_tokens": 200},
        "map": {"kind": "ascii", "rows": rows, "legend": {k: NAMES[k] for k in sorted(set(text))}},
        **core,
    }
    config = {
        "schema": 1, "identity": {"world": "mettagrid", "version": 1}, "core": made,
        "layers": {}, "agents": {}, "instrumentation": {},
    }  # fmt: skip
    env = meso.make(config, target="python", autoreset="off")
    env.reset(seed=0)
    return env


def play(env, *actions):
    step = env.step(np.array(actions, np.int32).reshape(1, -1, 1))
    return (np.asarray(step.info["success"])[0] != 0).tolist()


def use(*mutations, filters=()):
    return {"on_use": [{"filters": list(filters), "mutations": list(mutations)}]}


def held(env, resource=0):
    return env.truth("amount")[0, :, resource].tolist()


def places(env):
    return [tuple(map(int, x)) for x in zip(env.truth("row")[0], env.truth("col")[0], strict=True)]


HAS_TWO = {"kind": "resource", "who": "actor", "resources": {"x": 1, "y": 1}}
IS_ODD = {"kind": "vibe", "who": "actor", "vibe": "odd"}


@pytest.mark.parametrize(
    ("condition", "initial", "expected"),
    [
        (HAS_TWO, {"x": 1}, False),
        (HAS_TWO | {"negate": True}, {"x": 1}, True),
        (HAS_TWO | {"negate": True}, {"x": 1, "y": 1}, False),
        ({"kind": "any_of", "inner": [IS_ODD, HAS_TWO]}, {"x": 1}, False),
        ({"kind": "any_of", "inner": [IS_ODD, HAS_TWO]}, {"x": 1, "y": 2}, True),
        ({"kind": "any_of", "negate": True, "inner": [IS_ODD, HAS_TWO]}, {"x": 1}, True),
        ({"kind": "tag_prefix", "prefix": "team:"}, {}, True),
        ({"kind": "tag_prefix", "who": "actor", "prefix": "team:"}, {}, False),
        ({"kind": "shared_tag_prefix", "prefix": "t"}, {}, False),
        ({"kind": "max_distance", "radius": 0}, {}, True),
        ({"kind": "max_distance", "radius": 2, "query": {"tag": "type:b"}}, {}, True),
        ({"kind": "max_distance", "radius": 1, "query": {"tag": "type:b"}}, {}, False),
        ({"kind": "max_distance", "radius": 0, "query": {"tag": "type:c"}}, {}, False),
        ({"kind": "periodic", "period": 2, "start": 1}, {}, True),
        ({"kind": "periodic", "period": 2, "start": 2}, {}, False),
        ({"kind": "target_is_usable"}, {}, True),
        ({"kind": "target_loc_empty"}, {}, False),
    ],
)
def test_a_condition_holds_or_not(condition, initial, expected):
    thing = use(filters=[condition]) | {"tags": ["team:a"]}
    env = game(["@A.B"], thing, agent={"inventory": {"initial": initial}})
    assert play(env, EAST) == [expected]


def test_a_handler_within_handlers_succeeds_as_a_whole():
    never = {"filters": [IS_ODD], "mutations": [give(z=1)]}
    inner = {"mode": "all", "handlers": [{"mutations": [give(x=1)]}, never]}
    whole = {"mode": "first", "handlers": [never, inner, {"mutations": [give(y=1)]}]}
    env = game(["@A"], {"on_use": [whole]})
    assert play(env, EAST) == [True]
    assert [held(env, k)[1] for k in range(3)] == [1, 0, 0]


def test_what_fails_ends_its_handler_and_the_next_is_tried():
    first = {"mutations": [give(x=1), {"kind": "spawn_object", "object": "b"}, give(x=5)]}
    env = game(["@A"], {"on_use": [first, {"mutations": [give(y=1)]}]})
    assert play(env, EAST) == [True]
    assert (held(env, 0)[1], held(env, 1)[1]) == (1, 1)


def everyone(query):
    return use({"kind": "query_inventory", "query": query, "resources": {"x": 1}})


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"tag": "type:b"}, [0, 0, 1, 1, 1]),
        ({"tag": "type:b", "most": 2}, [0, 0, 1, 1, 0]),
        ({"tag": "type:b", "filters": [{"kind": "max_distance", "radius": 5}]}, [0, 0, 1, 1, 0]),
        ({"tag": "type:agent"}, [1, 0]),
        (
            {"kind": "closure", "source": {"tag": "type:a"}, "candidates": {"tag": "type:b"},
             "edges": [{"kind": "max_distance", "radius": 2}]},
            [0, 1, 1, 1, 0],
        ),
        (
            {"kind": "raycast", "source": {"tag": "type:a"}, "reach": 9, "directions": ["east"]},
            [0, 0, 1, 1, 1],
        ),
        (
            {"kind": "raycast", "source": {"tag": "type:a"}, "reach": 9, "directions": ["east"],
             "blockers": [{"kind": "tag", "tag": "type:b"}], "include_blocker": False},
            [0, 0, 0, 0, 0],
        ),
        (
            {"kind": "filtered", "source": {"kind": "raycast", "source": {"tag": "type:a"},
             "reach": 4}, "filters": [{"kind": "tag", "tag": "type:b"}]},
            [0, 0, 1, 1, 0],
        ),
    ],
)  # fmt: skip
def test_a_query_finds(query, expected):
    env = game(["@A.B.B...B"], everyone(query))
    assert play(env, EAST) == [True]
    assert held(env) == expected


def test_a_drawn_query_takes_each_in_turn_and_the_same_with_the_same_seed():
    query = {"tag": "type:b", "shuffled": True, "most": 1}
    runs = []
    for _ in range(2):
        env = game(["@A", "BB", "BB"], everyone(query))
        for _ in range(20):
            play(env, EAST)
        runs.append(held(env)[2:])
    assert runs[0] == runs[1]
    assert sum(runs[0]) == 20
    assert min(runs[0]) > 0


def test_a_giver_hands_out_what_it_has():
    query = {"kind": "query_inventory", "query": {"tag": "type:b"}, "giver": "actor"}
    mine = {"inventory": {"initial": {"x": 3}}}
    env = game(["@ABB"], use(query | {"resources": {"x": 2}}), agent=mine)
    play(env, EAST)
    assert held(env) == [0, 0, 2, 1]


def test_what_appears_takes_the_place_and_hides_what_it_holds_upstream():
    take = {"kind": "resource_transfer", "resources": {"x": -1}, "remove_when_empty": True}
    thing = use(take, {"kind": "spawn_object", "object": "b"}) | {
        "inventory": {"initial": {"x": 1}}
    }
    for conformance, seen in (("spec", True), ("upstream", False)):
        env = game(["@A"], thing, {"inventory": {"initial": {"y": 3}}}, conformance=conformance)
        assert play(env, EAST) == [True]
        step = env.step(np.zeros((1, 1, 1), np.int32))
        ids = IdMap(env.config.core)
        told = tokens.decode(np.asarray(step.obs)[0, 0], ids)
        assert any(token.feature == "inv:y" for token in told) == seen
        tags = [token.value for token in told if token.feature == "tag"]
        assert ids.tag_names().index("type:b") in tags


def test_no_more_appears_than_there_is_room_for():
    spray = {"kind": "raycast_spawn", "object": "b", "reach": 9, "directions": ["east"]}
    for most, number in ((0, 4), (2, 2)):
        env = game(["@A...."], use(spray), max_spawned=most)
        play(env, EAST)
        assert sum(row >= 0 for row, _ in places(env)[2:]) == number


def test_rays_stop_where_something_blocks_and_pass_what_does_not():
    spray = {"kind": "raycast_spawn", "object": "b", "reach": 9, "directions": ["east"]}
    for blockers, number in (([], 3), ([{"kind": "tag", "tag": "type:wall"}], 1)):
        env = game(["@A.#.."], use(spray | {"blockers": blockers}))
        play(env, EAST)
        assert sum(row >= 0 for row, _ in places(env)) == 3 + number


def test_what_is_pushed_moves_on_until_something_is_in_the_way():
    env = game(["@A.#"], use({"kind": "push_object"}, {"kind": "relocate"}))
    assert play(env, EAST) == [True]
    assert places(env)[:2] == [(0, 1), (0, 2)]
    assert env.truth("moved")[0].tolist() == [True]
    assert play(env, EAST) == [False]


def test_a_new_target_is_seen_from_the_actor():
    aim = {"kind": "set_relative_target", "direction": "southeast"}
    env = game(["@A", ".B"], use(aim, give(x=1)))
    play(env, EAST)
    assert held(env) == [0, 0, 1]
    env = game(["@A", ".."], use(aim, {"kind": "relocate"}))
    assert play(env, EAST) == [True]
    assert places(env)[0] == (1, 1)
    env = game(["@A"], use(aim))
    assert play(env, EAST) == [False]


def test_a_thing_is_put_beside_the_first_with_a_free_side():
    beside = {"kind": "query_place_adjacent", "who": "target", "query": {"tag": "type:b"}}
    env = game(["@A.#", "..#B", "...#"], use(beside))
    play(env, EAST)
    assert places(env)[1] == (0, 1)
    env = game(["@A.#", "..#B", "...."], use(beside))
    play(env, EAST)
    assert places(env)[1] == (2, 3)


def test_tags_that_a_query_gives_are_worked_out_at_first_and_when_asked():
    near = {"kind": "closure", "source": {"tag": "type:a"}, "candidates": {"tag": "type:b"},
            "edges": [{"kind": "max_distance", "radius": 2}]}  # fmt: skip
    push = use({"kind": "push_object"}, {"kind": "recompute_materialized_query", "prefix": "live"})
    env = game(["A.@B..."], None, push, materialized=[{"tag": "live", "query": near}])
    live = IdMap(env.config.core).tag_names().index("live")
    tagged = lambda: [bool(x >> live & 1) for x in env.truth("tag")[0, :, 0]]  # noqa: E731
    assert tagged() == [False, True, False]
    env = game(["A@B...."], None, push, materialized=[{"tag": "live", "query": near}])
    assert tagged() == [False, True, True]
    play(env, EAST)
    assert tagged() == [False, True, False]


def test_after_a_use_the_actor_may_do_something_and_can_spoil_it():
    after = {"mutations": [give("actor", y=1)]}
    env = game(["@A"], use(give("actor", x=1)), agent={"on_after_use": after})
    assert play(env, EAST) == [True]
    assert (held(env, 0)[0], held(env, 1)[0]) == (1, 1)
    env = game(["@A"], use(), agent={"on_after_use": {"mutations": [{"kind": "push_object"}]}})
    assert play(env, EAST) == [False]


def test_cogs_can_be_used_and_change_places():
    env = game(["@@"], agent={"on_use": {"mutations": [{"kind": "swap"}]}})
    assert play(env, EAST, NOOP) == [True, True]
    assert places(env) == [(0, 1), (0, 0)]
    assert env.truth("moved")[0].tolist() == [True, True]


def test_handlers_of_moves_come_first_and_look_along_the_way():
    far = {"kind": "max_distance", "radius": 3}
    handler = {"filters": [far, {"kind": "tag", "tag": "type:a"}], "mutations": [give(x=1)]}
    env = game(["@..A"], actions={"handlers": [handler]})
    assert play(env, EAST) == [True]
    assert held(env) == [0, 1]
    assert places(env)[0] == (0, 0)
    env = game(["@..B"], actions={"handlers": [handler]})
    assert play(env, EAST) == [True]
    assert places(env)[0] == (0, 1)


def test_a_use_within_a_handler_runs_the_targets_own():
    handler = {"filters": [IS_ODD], "mutations": [{"kind": "use_target"}, give(y=1)]}
    env = game(["@A"], use(give(x=1)), actions={"handlers": [handler]}, agent={"vibe": 1})
    assert play(env, EAST) == [True]
    assert (held(env, 0)[1], held(env, 1)[1]) == (1, 1)


def test_events_happen_in_order_and_fall_back():
    query = {"tag": "type:b", "filters": [{"kind": "resource", "resources": {"x": 1}}]}
    events = {
        "late": {"targets": {"tag": "type:a"}, "steps": [2], "priority": 1,
                 "mutations": [give(x=2)]},
        "miss": {"targets": query, "steps": [2, 3], "fallback": "other", "mutations": [give(x=1)]},
        "other": {"targets": {"tag": "type:b"}, "most": 1, "mutations": [give(x=1)]},
    }  # fmt: skip
    env = game(["@ABB"], events=events)
    play(env, NOOP)
    assert held(env) == [0, 0, 0, 0]
    play(env, NOOP)
    assert held(env)[:2] == [0, 2]
    assert sum(held(env)[2:]) == 1
    play(env, NOOP)
    assert sorted(held(env)[2:]) == [0, 2]


def test_every_step_something_happens_to_cogs_and_to_the_game():
    tick = {"mutations": [give("actor", x=1)]}
    whole = everyone({"tag": "type:a"})["on_use"][0]
    env = game(["@A"], agent={"on_tick": tick}, on_tick=whole)
    for _ in range(3):
        play(env, NOOP)
    assert held(env) == [3, 3]


def test_an_attack_is_resisted_by_who_can_pay_for_it():
    attack = {"kind": "attack", "weapons": {"x": 2}, "armor": {"y": 1}, "defense": {"z": 1},
              "on_success": [give(y=9)]}  # fmt: skip
    mine = {"inventory": {"initial": {"x": 2}}}
    for z, left, gained in ((3, 3, 10), (4, 0, 1)):
        thing = use(attack) | {"inventory": {"initial": {"y": 1, "z": z}}}
        env = game(["@A"], thing, agent=mine)
        play(env, EAST)
        assert (held(env, 2)[1], held(env, 1)[1]) == (left, gained)


def test_clearing_a_group_of_nothing_clears_everything():
    limits = {"limits": {"all": {"base": 9, "resources": []}}}
    thing = use({"kind": "clear_inventory", "limit": "all"})
    env = game(["@A"], thing | {"inventory": {"initial": {"x": 1, "z": 2}}},
               agent={"inventory": limits})  # fmt: skip
    play(env, EAST)
    assert env.truth("amount")[0, 1].tolist() == [0, 0, 0]


def test_an_area_acts_on_those_within_and_entering_it_pays_once():
    area = {"radius": 2, "mutations": [give(x=1)], "presence": {"y": 5}}
    env = game(["@...A"], {"areas": [area]})
    seen = []
    for move in (EAST, EAST, NOOP, WEST):
        play(env, move)
        seen.append((held(env, 0)[0], held(env, 1)[0]))
    assert seen == [(0, 0), (1, 5), (2, 5), (2, 0)]


def test_what_fixed_areas_do_adds_up_before_limits_cut_it():
    limits = {"limits": {"bag": {"base": 3, "resources": ["x"]}}}
    areas = [{"radius": 1, "mutations": [give(x=9)]}, {"radius": 1, "mutations": [give(x=-8)]}]
    env = game(["@A"], {"areas": areas}, agent={"inventory": limits})
    play(env, NOOP)
    assert held(env)[0] == 1


def test_an_area_goes_with_its_source_or_stays_and_asks_its_filters():
    others = {"kind": "tag", "tag": "type:agent"}
    for fixed, expected in ((True, [[1, 1], [1, 1]]), (False, [[1, 1], [2, 2]])):
        area = {"radius": 2, "fixed": fixed, "filters": [others], "mutations": [give(x=1)]}
        env = game(["@.@...."], agent={"areas": [area]})
        play(env, NOOP, NOOP)
        found = [held(env)]
        for _ in range(2):
            play(env, EAST, EAST)
        found.append(held(env))
        assert found[0] == expected[0]
        assert (found[1] == [3, 3]) == (not fixed)


def test_an_area_ends_with_its_source_and_one_that_appears_begins_a_step_later():
    area = {"radius": 3, "presence": {"y": 4}}
    take = {"kind": "resource_transfer", "resources": {"x": -1}, "remove_when_empty": True}
    thing = use(take) | {"inventory": {"initial": {"x": 1}}, "areas": [area]}
    env = game(["@A"], thing)
    play(env, NOOP)
    assert held(env, 1)[0] == 4
    play(env, EAST)
    assert held(env, 1)[0] == 0
    spray = {"kind": "raycast_spawn", "object": "b", "reach": 1, "directions": ["east"]}
    env = game(["@A."], use(spray), {"areas": [area]})
    play(env, EAST)
    assert held(env, 1)[0] == 0
    play(env, NOOP)
    assert held(env, 1)[0] == 4


@pytest.mark.parametrize(
    ("core", "message"),
    [
        ({"a": use({"kind": "spawn_object", "object": "q"})}, "mutations.0.object: no object"),
        ({"a": everyone({"kind": "closure"})}, "query.source: a query of kind 'closure' needs"),
        ({"a": everyone({"tag": ""})}, "query.tag: a query by tag needs one"),
        ({"a": everyone({"tag": "nobody"})}, "no tag named 'nobody'"),
    ],
)
def test_a_handler_that_names_nothing_known_is_refused(core, message):
    with pytest.raises(ConfigError, match=message):
        game(["@A"], **core)
