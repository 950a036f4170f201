"""Queries of handlers."""

import pytest
from games import EAST, held, play, scripted_game, try_actions
from parts import use, use_on_all

from mesocosm.worlds.mettagrid import IdMap


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
def test_query_finds_these_objects(query, expected):
    env = scripted_game("@A.B.B...B", a=use_on_all(query))
    assert try_actions(env, EAST) == [True]
    assert held(env, "x") == expected


def test_shuffled_query_reaches_all_and_repeats_with_the_same_seed():
    query = {"tag": "type:b", "shuffled": True, "most": 1}
    runs = []
    for _ in range(2):
        env = scripted_game("@A", "BB", "BB", a=use_on_all(query))
        for _ in range(20):
            play(env, EAST)
        runs.append(held(env, "x")[2:])
    assert runs[0] == runs[1]
    assert sum(runs[0]) == 20
    assert min(runs[0]) > 0


def test_giver_of_a_query_hands_out_until_it_has_nothing():
    query = {"kind": "query_inventory", "query": {"tag": "type:b"}, "giver": "actor"}
    mine = {"inventory": {"initial": {"x": 3}}}
    env = scripted_game("@ABB", a=use(query | {"resources": {"x": 2}}), agent=mine)
    play(env, EAST)
    assert held(env, "x") == [0, 0, 2, 1]


def tagged(env, tag):
    """List for every agent, then every object, whether it has a tag."""
    bit = IdMap(env.config.core).tag_names().index(tag)
    return [bool(x >> bit & 1) for x in env.truth("tag")[0, :, 0]]


def test_materialized_tags_change_only_when_recomputed():
    near = {"kind": "closure", "source": {"tag": "type:a"}, "candidates": {"tag": "type:b"},
            "edges": [{"kind": "max_distance", "radius": 2}]}  # fmt: skip
    push = use({"kind": "push_object"}, {"kind": "recompute_materialized_query", "prefix": "live"})
    env = scripted_game("A.@B...", b=push, materialized=[{"tag": "live", "query": near}])
    assert tagged(env, "live") == [False, True, False]
    env = scripted_game("A@B....", b=push, materialized=[{"tag": "live", "query": near}])
    assert tagged(env, "live") == [False, True, True]
    play(env, EAST)
    assert tagged(env, "live") == [False, True, False]
