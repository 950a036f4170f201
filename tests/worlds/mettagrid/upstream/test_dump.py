"""Config objects of MettaGrid say more than their JSON: what is a minimum, which filters count."""

import pytest

from mesocosm.worlds.mettagrid.upstream import import_config
from mesocosm.worlds.mettagrid.upstream.dump import dumped

mettagrid_config = pytest.importorskip(
    "mettagrid.config.mettagrid_config", reason="MettaGrid has no wheel for this Python"
)
NEAR = {"filter_type": "max_distance", "target": "target", "radius": 2}


def model_with_sum(filters):
    from mettagrid.config.game_value import QueryCountValue, SumGameValue
    from mettagrid.config.query import Query
    from mettagrid.config.reward_config import AgentReward

    made = mettagrid_config.MettaGridConfig.EmptyRoom(num_agents=1, width=5, height=5)
    query = Query(source="type:agent", filters=filters)
    reward = AgentReward(reward=SumGameValue(values=[QueryCountValue(query=query)]))
    made.game.agent.rewards = {"near": reward}
    return made


def filters_of(config):
    core = import_config(config)["core"]
    return core["agent"]["rewards"]["near"]["value"]["of"][0]["query"]["filters"]


def test_query_in_a_sum_keeps_its_filters_if_it_comes_as_an_object():
    model = model_with_sum([NEAR])
    assert [entry["kind"] for entry in filters_of(model)] == ["max_distance"]
    assert [entry["kind"] for entry in filters_of(dumped(model))] == ["max_distance"]


def test_query_in_a_sum_has_no_filters_if_it_comes_as_json():
    assert filters_of(model_with_sum([NEAR]).model_dump(mode="json")) == []
