"""Handlers within handlers, of uses, of moves and after uses."""

from games import (
    EAST,
    NOOP,
    WALL,
    WEST,
    config,
    held,
    inventory,
    positions,
    scripted_game,
    try_actions,
)
from parts import give, use

import mesocosm as meso

IS_ODD = {"kind": "vibe", "who": "actor", "vibe": "odd"}


def test_nested_handler_succeeds_if_one_of_all_succeeds():
    never = {"filters": [IS_ODD], "mutations": [give(z=1)]}
    inner = {"mode": "all", "handlers": [{"mutations": [give(x=1)]}, never]}
    whole = {"mode": "first", "handlers": [never, inner, {"mutations": [give(y=1)]}]}
    env = scripted_game("@A", a={"on_use": [whole]})
    assert try_actions(env, EAST) == [True]
    assert inventory(env, 1) == {"x": 1}


def test_failed_mutation_ends_its_handler_and_the_next_is_tried():
    first = {"mutations": [give(x=1), {"kind": "spawn_object", "object": "b"}, give(x=5)]}
    env = scripted_game("@A", a={"on_use": [first, {"mutations": [give(y=1)]}]})
    assert try_actions(env, EAST) == [True]
    assert inventory(env, 1) == {"x": 1, "y": 1}


def test_after_use_handler_runs_and_its_failure_fails_the_use():
    after = {"mutations": [give("actor", y=1)]}
    env = scripted_game("@A", a=use(give("actor", x=1)), agent={"on_after_use": after})
    assert try_actions(env, EAST) == [True]
    assert inventory(env) == {"x": 1, "y": 1}
    env = scripted_game(
        "@A", a=use(), agent={"on_after_use": {"mutations": [{"kind": "push_object"}]}}
    )
    assert try_actions(env, EAST) == [False]


def test_agent_used_by_another_swaps_places_with_it():
    env = scripted_game("@@", agent={"on_use": {"mutations": [{"kind": "swap"}]}})
    assert try_actions(env, EAST, NOOP) == [True, True]
    assert positions(env) == [(0, 1), (0, 0)]
    assert env.truth("moved")[0].tolist() == [True, True]


def test_agent_of_a_caste_that_may_not_use_others_does_not_and_that_is_an_event():
    made = config(
        "@@",
        resources=["x"],
        objects=WALL,
        order="auto",
        agent={"on_use": {"mutations": [{"kind": "swap"}]}},
    )
    power = {
        "intensity": 1.0,
        "castes": {"low": {}, "high": {}},
        "assign": {"cog": ["low", "high"]},
        "matrix": {"low": {"high": []}},
    }
    env = meso.make(made, {"layers.power": power}, target="python", autoreset="off")
    env.reset(seed=0)
    assert try_actions(env, EAST, NOOP) == [False, True]
    assert positions(env) == [(0, 0), (0, 1)]
    barred = [event for event in env.events() if event["kind"] == "barred_link"]
    assert [(event["actor"], event["target"]) for event in barred] == [(0, 1)]
    assert try_actions(env, NOOP, WEST) == [True, True]
    assert positions(env) == [(0, 1), (0, 0)]


def test_move_handler_that_matches_along_the_way_replaces_the_move():
    far = {"kind": "max_distance", "radius": 3}
    handler = {"filters": [far, {"kind": "tag", "tag": "type:a"}], "mutations": [give(x=1)]}
    env = scripted_game("@..A", actions={"handlers": [handler]})
    assert try_actions(env, EAST) == [True]
    assert held(env, "x") == [0, 1]
    assert positions(env)[0] == (0, 0)
    env = scripted_game("@..B", actions={"handlers": [handler]})
    assert try_actions(env, EAST) == [True]
    assert positions(env)[0] == (0, 1)


def test_use_target_runs_the_on_use_handler_of_the_target():
    handler = {"filters": [IS_ODD], "mutations": [{"kind": "use_target"}, give(y=1)]}
    env = scripted_game("@A", a=use(give(x=1)), actions={"handlers": [handler]}, agent={"vibe": 1})
    assert try_actions(env, EAST) == [True]
    assert inventory(env, 1) == {"x": 1, "y": 1}
