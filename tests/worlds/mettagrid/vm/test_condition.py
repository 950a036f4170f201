"""Conditions of handlers."""

import pytest
from games import EAST, NOOP, PAY, WALL, held, mining_game, play, scripted_game, stats, try_actions
from parts import const, count_of, stat, use

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
def test_condition_decides_whether_a_use_succeeds(condition, initial, expected):
    thing = use(filters=[condition]) | {"tags": ["team:a"]}
    env = scripted_game("@A.B", a=thing, agent={"inventory": {"initial": initial}})
    assert try_actions(env, EAST) == [expected]


def test_game_value_condition_stops_uses_once_a_written_statistic_exceeds_it():
    hits = {"kind": "sum", "of": [stat("hits"), const(1.0)]}
    changes = [
        {"kind": "set_stat", "who": "actor", "stat": "hits", "source": hits},
        {
            "kind": "add_value",
            "who": "actor",
            "stat": "all",
            "scope": "game",
            "source": stat("hits"),
        },
        {"kind": "add_value", "who": "actor", "resource": "hp", "source": const(2.7)},
        {"kind": "set_stat", "who": "target", "stat": "hits", "source": const(9.0)},
    ]
    few = {"kind": "game_value", "who": "actor", "value": const(2.0), "least": stat("hits")}
    ext = {"on_use": [{"filters": [few], "mutations": changes}]}
    env = mining_game(objects=WALL | {"ext": ext})
    found = [try_actions(env, EAST, NOOP)[0] for _ in range(4)]
    assert found == [True, True, True, False]
    assert stats(env, 0)["hits"] == 3.0
    assert stats(env)["all"] == 1.0 + 2.0 + 3.0
    assert held(env, "hp")[0] == 6


def test_condition_on_a_query_count_sees_tags_of_earlier_uses():
    few = {"kind": "game_value", "who": "actor", "value": count_of("hurt"), "least": const(1.0)}
    mark = {"kind": "add_tag", "who": "actor", "tag": "hurt"}
    handlers = [{"filters": [few], "mutations": [PAY]}, {"mutations": [mark]}]
    env = mining_game(objects=WALL | {"ext": {"on_use": handlers}}, tags=["hurt"])
    for expected in (3, 2, 1):
        play(env, EAST, NOOP)
        assert held(env, "energy")[0] == expected
