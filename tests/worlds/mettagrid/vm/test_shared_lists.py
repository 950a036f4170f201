"""Queries share the interpreter's lists, except those that others run within."""

from typing import Any

from games import EAST, NOOP, held, play, scripted_game
from parts import give, use, use_on_all

CLOSURE = {
    "kind": "closure",
    "source": {"tag": "type:a"},
    "candidates": {"tag": "type:b"},
    "edges": [{"kind": "max_distance", "radius": 2}],
}
NEAR_B = {"kind": "max_distance", "radius": 9, "query": {"tag": "type:b"}}


def num_lists(env: Any) -> int:
    return int(env.state("pile").shape[1])


def test_handlers_need_no_more_lists_than_the_largest_of_them():
    one = scripted_game("@AB", a=use_on_all(CLOSURE))
    many = scripted_game("@AB", a=use_on_all(CLOSURE), b=use_on_all(CLOSURE), c=use_on_all(CLOSURE))
    assert num_lists(one) == num_lists(many) == 3


def test_targets_of_an_event_outlive_the_queries_of_its_effect():
    gift = {"kind": "query_inventory", "query": {"tag": "type:c"}, "resources": {"y": 1}}
    event = {"steps": [1], "targets": {"tag": "type:b"}, "filters": [NEAR_B],
             "mutations": [gift, give(x=1)]}  # fmt: skip
    env = scripted_game("@CCCBBB", events={"e": event})
    play(env, NOOP)
    assert held(env, "x") == [0, 1, 1, 1, 0, 0, 0]
    assert held(env, "y") == [0, 0, 0, 0, 3, 3, 3]


def test_condition_of_a_filter_outlives_the_queries_within_it():
    inner = {"tag": "type:b", "filters": [NEAR_B | {"query": {"tag": "type:a"}, "radius": 2}]}
    query = {"tag": "type:b", "filters": [NEAR_B | {"query": inner, "radius": 1}]}
    env = scripted_game("@A.BB.B", a=use_on_all(query))
    play(env, EAST)
    assert held(env, "x") == [0, 0, 1, 1, 0]


def test_those_who_lost_a_tag_are_kept_while_their_handlers_ask():
    ask = {"kind": "query_inventory", "query": {"tag": "type:a"}, "resources": {"y": 1}}
    near = {"tag": "type:b", "filters": [{"kind": "resource", "resources": {"z": 1}}]}
    again = {"kind": "recompute_materialized_query", "prefix": "net"}
    take = {"kind": "query_inventory", "query": {"tag": "type:b"}, "resources": {"z": -1}}
    b = {"inventory": {"initial": {"z": 1}}, "on_tag_remove": {"net": {"mutations": [ask]}}}
    env = scripted_game("@ABBB", a=use(take, again), b=b, tags=["net"],
                        materialized=[{"query": near, "tag": "net"}])  # fmt: skip
    play(env, EAST)
    assert held(env, "y") == [0, 3, 0, 0, 0]


def test_values_told_by_one_query_are_told_of_each_resource():
    hub = {"tag": "type:a"}
    values = {
        f"all:{name}": {"value": {"kind": "query_inventory", "resource": name, "query": hub}}
        for name in ("x", "y", "z")
    }
    a = {"inventory": {"initial": {"x": 3, "y": 4, "z": 5}}}
    env = scripted_game("@AA", a=a, obs={"width": 3, "height": 3, "num_tokens": 60,
                                         "values": values})  # fmt: skip
    play(env, NOOP)
    assert env.state("glimpse")[0, 0, -3:].tolist() == [6.0, 8.0, 10.0]
