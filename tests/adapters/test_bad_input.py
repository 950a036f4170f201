"""What adapters are given wrongly is refused in one clear line."""

import numpy as np
import pytest

from mesocosm.adapters.gymnasium import GymEnv, GymVectorEnv
from mesocosm.adapters.pettingzoo import ZooAECEnv, ZooParallelEnv
from mesocosm.core.errors import ActionError, ConfigError, MesocosmError, UnknownName

MAKERS = {
    "gym": lambda: GymEnv("commons", target="python"),
    "gym vector": lambda: GymVectorEnv("commons", num_envs=2, target="python"),
    "zoo parallel": lambda: ZooParallelEnv("commons", target="python"),
    "zoo aec": lambda: ZooAECEnv("commons", target="python"),
}


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(
    ("seed", "words"),
    [
        (-1, "seed: must be between 0 and 9223372036854775807, got -1"),
        (1.5, "seed: must be an integer, got 1.5"),
        ("x", "seed: must be an integer, got 'x'"),
        (2**70, "seed: must be between 0 and"),
    ],
)
def test_a_seed_that_is_none_is_refused_and_the_env_goes_on(maker, seed, words):
    env = MAKERS[maker]()
    with pytest.raises(ConfigError, match=words):
        env.reset(seed=seed)
    env.reset(seed=np.int64(3))


@pytest.mark.parametrize("given", [[1, 2], None, 3, "up"])
def test_a_parallel_step_takes_a_dict_of_actions_only(given):
    env = MAKERS["zoo parallel"]()
    env.reset(seed=0)
    with pytest.raises(ActionError, match="actions must be a dict from agent to action, got"):
        env.step(given)


@pytest.mark.parametrize(
    ("maker", "call"),
    [
        ("gym vector", lambda env: env.step(env.action_space.sample())),
        ("zoo aec", lambda env: env.last()),
        ("zoo aec", lambda env: env.observe("harvester_0")),
    ],
)
def test_what_needs_an_episode_says_so_before_the_first_reset(maker, call):
    with pytest.raises(MesocosmError, match=r"call reset\(\)"):
        call(MAKERS[maker]())


@pytest.mark.parametrize("maker", [GymEnv, lambda *a, **k: GymVectorEnv(*a, num_envs=1, **k)])
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"agent": "0"}, "agent: must be an agent's number, got '0'"),
        ({"agent": 1.5}, "agent: must be an agent's number, got 1.5"),
        ({"policies": 3}, "policies: must map roles to policies, got 3"),
        ({"policies": {"harvester": 3}}, "policies.harvester: must be a policy or its name, got 3"),
    ],
)
def test_settings_of_the_wrong_kind_are_refused(maker, settings, words):
    with pytest.raises(ConfigError, match=words):
        maker("commons", target="python", **settings)


def test_options_and_modes_of_the_wrong_kind_are_refused():
    with pytest.raises(ConfigError, match=r"options: must be a dict, got \[1\]"):
        MAKERS["gym vector"]().reset(options=[1])
    with pytest.raises(UnknownName, match="no autoreset mode named"):
        GymVectorEnv("commons", num_envs=1, target="python", autoreset=["off"])
