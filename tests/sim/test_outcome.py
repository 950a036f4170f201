"""An episode that nobody is left in counts as what became of everybody."""

from types import SimpleNamespace

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.spec import OUTCOMES
from mesocosm.sim.stages import shared_outcome


@pytest.mark.parametrize(
    ("agents", "episode"),
    [
        (["success", "success"], "success"),
        (["failure", "failure"], "failure"),
        (["none", "success", "none"], "success"),
        (["success", "failure"], "neutral"),
        (["success", "neutral"], "neutral"),
        (["timeout", "timeout"], "neutral"),
        (["none", "none"], "neutral"),
    ],
)
def test_the_outcome_is_what_all_who_lived_share(agents, episode):
    codes = np.array([[OUTCOMES.index(name) for name in agents]], np.int8)
    assert OUTCOMES[shared_outcome(SimpleNamespace(outcome=codes), 0)] == episode


def last_step(preset, overrides):
    env = meso.make(preset, overrides, num_envs=2, target="python", autoreset="off")
    (role,) = env.spec.roles.values()
    step = env.reset(seed=0)
    for _ in range(60):
        step = env.step(role.action.noop((2, role.num_agents)))
    reasons = [env.spec.reason_name(int(code)) for code in step.episode_reason]
    return reasons, [OUTCOMES[code] for code in step.episode_outcome]


def test_when_all_residents_retired_the_episode_is_a_success():
    town = {"core.lifespan": 5, "core.num_agents": 3}
    assert last_step("townlet/L7", town) == (["no_agents"] * 2, ["success"] * 2)


def test_when_all_harvesters_starved_the_episode_is_a_failure():
    lake = {"core.initial_wealth": 0.8, "core.initial_stock": 1.0}
    assert last_step("commons", lake) == (["no_agents"] * 2, ["failure"] * 2)
