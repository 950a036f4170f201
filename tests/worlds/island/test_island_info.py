"""The structured info, the agents' objects, and scenarios that are refused."""

import numpy as np
import pytest
from war import SIDES, part_of, wait, war

import mesocosm as meso
from mesocosm.adapters import GymEnv, ZooParallelEnv
from mesocosm.core.errors import ActionError, ConfigError
from mesocosm.worlds.island.agent import CompetitionAgent, Domain, Faction, SimpleAgent
from mesocosm.worlds.island.scenario import generate

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
    agent.act(step.obs[name], step.mask[name], dict(step.info[name]))
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
    chosen = agent.act(step.obs["legacy"], step.mask["legacy"], dict(step.info["legacy"]))
    assert chosen[0, 0, [0, 1, 10]].tolist() == [3, 2, 1]
    with pytest.raises(ActionError, match="no part 'entity'"):
        agent._row({"entity": 3})


def test_the_simple_agent_captures_and_then_engages():
    env = war("standard")
    agent = SimpleAgent("legacy", env.config)
    agent.reset(env.spec.roles["legacy"], 1, 0)
    step, orders = wait(env), []
    for _ in range(8):
        chosen = agent.act(step.obs["legacy"], step.mask["legacy"], dict(step.info["legacy"]))
        idle = env.spec.roles["dynasty"].action.noop((1, 1))
        step = env.step({"legacy": chosen, "dynasty": idle})
        assert part_of(env, step, 0)[1]["refused"] == 0
        orders.append(int(chosen[0, 0, 0]))
    assert orders[:3] == [5, 5, 5]
    assert 2 in orders[3:]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("core.laydown.forces.0.unit", "MFR", "no 'MFR'. Did you mean 'MRF'"),
        ("core.laydown.base.depth", 1.0, "bases and the island must be"),
        ("core.max_entities", 5, "more than the 5 ids"),
        ("core.laydown.forces.0.depth", 900.0, "is off a map"),
        ("core.physics.tiers", [5.0, 1.0, 10.0, 500.0], "must be positive and rise"),
        ("core.physics.stand_off", [0.99, 0.75, 0.5, 0.2], "must be at most launch"),
        ("core.laydown.wing.0.unit", "SAM", "is no aircraft"),
        ("core.units.0.load", {"AAM_X": 2}, "no 'AAM_X'"),
        ("core.units.0.cruise", 900.0, "aircraft need altitude and 0 < cruise <= top"),
    ],
)
def test_scenarios_that_cannot_be_played_are_refused_in_words(path, value, message):
    config = meso.load_config("island/skirmish").model_dump(mode="json", by_alias=True)
    at, *_ = [config]
    *keys, last = path.split(".")
    for key in keys:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[last] = value
    with pytest.raises(ConfigError) as caught:
        meso.load_config(config)
    assert message in str(caught.value)


def test_the_order_in_which_a_load_is_written_does_not_matter():
    config = meso.load_config("island/skirmish").model_dump(mode="json", by_alias=True)
    for unit in config["core"]["units"]:
        unit["load"] = dict(sorted(unit["load"].items()))
    tables = [
        meso.make(source, target="python").host_params.load
        for source in ("island/skirmish", config)
    ]
    assert (tables[0] == tables[1]).all()


def test_generated_scenarios_are_seeded_valid_and_playable():
    made = [generate(seed) for seed in range(12)]
    assert made == [generate(seed) for seed in range(12)]
    assert len({str(laydown) for laydown in made}) == 12
    for laydown in made:
        meso.load_config("island/standard", {"core.laydown": laydown})
    small = generate(3, units=10, map_km=400.0)
    env = war("skirmish", {"laydown": small, "max_entities": 40})
    wait(env, 3)
    assert env.truth("num_units")[0, 0] == sum(force["count"] for force in small["forces"])
