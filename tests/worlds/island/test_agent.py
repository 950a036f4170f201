"""The structured info of a side, and agents that command through objects."""

import numpy as np
import pytest

from mesocosm.adapters import GymEnv, ZooParallelEnv
from mesocosm.core.errors import ActionError
from mesocosm.worlds.island.agent import CompetitionAgent, Domain, Faction, SimpleAgent

from .war import SIDES, part_of, wait, war

BEGAN = np.ones((1, 1), bool)
KEYS = {
    "step", "time_elapsed", "time_remaining", "faction", "total_entities", "my_entities_count",
    "detected_targets_count", "valid_masks", "refuel", "mission",
}  # fmt: skip
MISSION = {
    "my_casualties", "enemy_casualties", "force_ratio", "my_capture_progress",
    "my_capture_possible", "enemy_capture_progress", "enemy_capture_possible",
}  # fmt: skip


def check_info(info, faction):
    """Check the structure, and that the numbers fit together."""
    assert set(info) >= KEYS
    assert set(info["mission"]) >= MISSION
    assert info["faction"] == faction
    masks, mission = info["valid_masks"], info["mission"]
    assert info["my_entities_count"] == len(masks["controllable_entities"])
    assert info["detected_targets_count"] == len(masks["visible_targets"])
    assert info["total_entities"] == info["my_entities_count"] + mission["my_casualties"]
    assert set(masks["entity_target_matrix"]) == masks["controllable_entities"]
    assert all(
        group <= masks["visible_targets"] for group in masks["entity_target_matrix"].values()
    )
    assert info["time_elapsed"] == 10.0 * info["step"]
    assert set(info["refuel"]) == {"receivers", "providers"}
    assert isinstance(mission["my_capture_possible"], bool)


def test_gymnasium_and_pettingzoo_give_the_structured_info():
    one = GymEnv("island/skirmish", target="python", agent=1, policies={"legacy": "rush"})
    _, info = one.reset(seed=1)
    check_info(info, "DYNASTY")
    for _ in range(3):
        *_, info = one.step(one.action_space.sample(mask=info["action_mask"]))
        check_info(info, "DYNASTY")
    zoo = ZooParallelEnv("island/skirmish", target="python")
    _, infos = zoo.reset(seed=1)
    *_, infos = zoo.step({name: zoo.action_space(name).sample() for name in zoo.agents})
    mine, theirs = (infos[f"{side}_0"] for side in SIDES)
    check_info(mine, "LEGACY")
    check_info(theirs, "DYNASTY")
    assert mine["mission"]["my_casualties"] == theirs["mission"]["enemy_casualties"]
    assert mine["mission"]["my_capture_progress"] == theirs["mission"]["enemy_capture_progress"]


def agent_of(env, step, kind=CompetitionAgent, side=0):
    agent = kind(SIDES[side], env.config)
    agent.reset(env.spec.roles[SIDES[side]], 1, 0)
    name = SIDES[side]
    agent.act(step.obs[name], step.mask[name], dict(step.info[name]), BEGAN)
    return agent


def test_an_agent_sees_its_units_as_objects():
    env = war("standard")
    step = wait(env, 2)
    agent = agent_of(env, step)
    units = agent.get_all_entities()
    assert len(units) == 34
    assert len(agent.get_alive_entities()) == 34
    for unit in units:
        assert unit.pos[:2] == pytest.approx(env.truth("pos")[0, 0, unit.id], abs=1e-3)
        assert np.hypot(*unit.vel[:2]) == pytest.approx(
            env.truth("speed")[0, 0, unit.id] * 1e3, abs=1e-2
        )
        assert unit.faction is Faction.LEGACY
    ship = next(unit for unit in units if unit.code == "CVN")
    assert (ship.platform_domain, ship.name, ship.health) == (Domain.SURFACE, "Bastion", 1.0)
    assert len(agent.get_capture_capable_entities()) == 3
    assert agent.get_entity_by_id(59) is None
    assert not agent.is_entity_capturing(0)
    assert not agent.is_entity_refueling(0)


def test_an_agent_sees_groups_and_flags_and_nothing_of_the_other_side():
    env = war("standard")
    step = wait(env, 2)
    agent = agent_of(env, step, side=1)
    groups = agent.get_target_groups()
    known = set(env.truth("member")[0, 1].tolist()) - {-1}
    assert {group.id for group in groups} == known
    for group in groups:
        assert (group.faction, group.observer) == (Faction.LEGACY, Faction.DYNASTY)
        assert group.get_entity_count() == int((env.truth("member")[0, 1] == group.id).sum())
    flags = agent.get_flags()
    assert [flag["faction"] for flag in flags] == ["NEUTRAL", "LEGACY", "DYNASTY"]
    assert flags[0]["position"] == (0.0, 0.0)
    assert not flags[0]["is_being_captured"]
    assert not flags[0]["is_captured"]
    assert not hasattr(agent, "truth")


def test_an_agent_may_look_at_its_own_observation_and_order_by_name():
    class Mine(CompetitionAgent):
        def get_observation(self):
            return np.array([len(self.get_alive_entities()) / 50])

        def select_action(self, observation):
            assert observation.dtype == np.float32
            assert observation.shape == (1,)
            return {"action_type": 3, "entity_id": 2, "stealth_enabled": 1}

    env = war()
    step = wait(env)
    agent = Mine("legacy", env.config)
    agent.reset(env.spec.roles["legacy"], 1, 0)
    chosen = agent.act(step.obs["legacy"], step.mask["legacy"], dict(step.info["legacy"]), BEGAN)
    assert chosen[0, 0, [0, 1, 10]].tolist() == [3, 2, 1]
    with pytest.raises(ActionError, match="no part 'entity'"):
        agent._row({"entity": 3})


def test_the_simple_agent_captures_and_then_engages():
    env = war("standard")
    agent = SimpleAgent("legacy", env.config)
    agent.reset(env.spec.roles["legacy"], 1, 0)
    step, orders = wait(env), []
    for _ in range(8):
        told = dict(step.info["legacy"])
        chosen = agent.act(step.obs["legacy"], step.mask["legacy"], told, BEGAN)
        idle = env.spec.roles["dynasty"].action.noop((1, 1))
        step = env.step({"legacy": chosen, "dynasty": idle})
        assert part_of(env, step, 0)[1]["refused"] == 0
        orders.append(int(chosen[0, 0, 0]))
    assert orders[:3] == [5, 5, 5]
    assert 2 in orders[3:]
