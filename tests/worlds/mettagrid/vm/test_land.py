"""Land: what happens to agents on it."""

from typing import Any

import numpy as np

import mesocosm as meso
from mesocosm.worlds.mettagrid.compile import plan
from mesocosm.worlds.mettagrid.upstream import import_config

MARK = {"mutation_type": "add_tag", "target": "actor", "tag": "t"}


def marked_land(**more: Any) -> Any:
    """Return a game in which land gets a tag at every step of the agent on it."""
    game = {
        "resource_names": ["ore"],
        "tags": ["t"],
        "num_agents": 1,
        "agents": [{"tags": ["team:a"], "territory_controls": [{"territory": "land"}]}],
        "territories": {
            "land": {"tag_prefix": "team:", "presence": {"here": {"mutations": [MARK]}}}
        },
        "events": {
            "e": {
                "name": "e",
                "timesteps": [1000],
                "target_query": {"query_type": "query", "source": "t", "filters": []},
            }
        },
        "map_builder": {
            "type": "mettagrid.map_builder.ascii.AsciiMapBuilder.Config",
            "map_data": [["@", "."], [".", "."]],
            "char_to_map_name": {},
        },
    }
    return meso.make(import_config({"game": game}), target="python", **more)


def test_list_of_a_tag_has_marked_land_once_for_each_time_and_is_saved():
    env = marked_land()
    env.reset()
    for number in range(1, 4):
        env.step(np.zeros((1, 1, 1), np.int32))
        env.load(env.save())
        assert env.truth("listed")[0, 0, :5].tolist() == [
            number,
            *[1] * number,
            *[0] * (4 - number),
        ]


def test_list_of_a_tag_that_is_full_ends_the_episode(monkeypatch):
    monkeypatch.setattr(plan, "PROXY_ROOM", 1)
    env = marked_land(autoreset="off")
    env.reset()
    noop = np.zeros((1, 1, 1), np.int32)
    reasons = [int(env.step(noop).episode_reason[0]) for _ in range(3)]
    assert [env.spec.reason_name(k) for k in reasons if k] == ["query_overflow"]
    assert reasons[:2] == [0, 0]


def test_land_that_nobody_claims_belongs_to_nobody():
    presence = {"here": {"mutations": [{"mutation_type": "resource_delta", "deltas": {"ore": 1}}]}}
    game = {
        "resource_names": ["ore"],
        "num_agents": 1,
        "agents": [{"tags": ["team:a"]}],
        "territories": {"land": {"tag_prefix": "team:", "presence": presence}},
        "map_builder": {
            "type": "mettagrid.map_builder.ascii.AsciiMapBuilder.Config",
            "map_data": [["@", "."], [".", "."]],
            "char_to_map_name": {},
        },
    }
    env = meso.make(import_config({"game": game}), target="python")
    env.reset()
    for _ in range(3):
        env.step(np.zeros((1, 1, 1), np.int32))
    assert not np.asarray(env.truth("amount")).any()
