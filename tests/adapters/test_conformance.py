"""Every preset passes the checkers that Gymnasium and PettingZoo ship."""

import warnings

import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import mesocosm
from mesocosm.adapters import GymEnv, GymVectorEnv, ZooAECEnv, ZooParallelEnv

each_preset = pytest.mark.parametrize("preset", mesocosm.presets())

# PettingZoo's advice, word for word, on spaces that a world is free to declare.
UNUSUAL_ACTION = (
    "Action space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete"
)
UNEQUAL_SPACES = "Agents have different observation space sizes"
UNEQUAL_SHAPES = "Observations are different shapes"


def advice(spec):
    """Say which pieces of advice follow from what the roles declare, and from nothing else."""
    roles = list(spec.roles.values())
    expected = set()
    for action in (role.action for role in roles):
        if len(action.choices) > 1 or (action.choices and action.levels):
            expected.add(UNUSUAL_ACTION)
    bounds = [(role.observation.low, role.observation.high) for role in roles]
    if len({tuple(bound.tobytes() for bound in pair) for pair in bounds}) > 1:
        expected.add(UNEQUAL_SPACES)
    if len({role.observation.shape for role in roles}) > 1:
        expected.add(UNEQUAL_SHAPES)
    return expected


def test_gymnasium_accepts_the_env(seat):
    check_env(GymEnv(**seat))


@each_preset
def test_gymnasium_accepts_the_env_as_configured(preset):
    check_env(GymEnv(preset))


def test_pettingzoo_accepts_the_parallel_env(case):
    parallel_api_test(ZooParallelEnv(**case))


@each_preset
def test_pettingzoo_accepts_the_parallel_env_as_configured(preset):
    parallel_api_test(ZooParallelEnv(preset))


def check_aec(env):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(env)
    assert {str(entry.message) for entry in caught} == advice(env._env._engine.spec)


def test_pettingzoo_accepts_the_aec_env_with_no_advice_but_on_declared_spaces(case):
    check_aec(ZooAECEnv(**case))


@each_preset
def test_pettingzoo_accepts_the_aec_env_as_configured(preset):
    check_aec(ZooAECEnv(preset))


def test_pettingzoo_finds_the_parallel_env_repeatable(case):
    parallel_seed_test(lambda: ZooParallelEnv(**case))


def test_pettingzoo_finds_the_aec_env_repeatable(case):
    seed_test(lambda: ZooAECEnv(**case))


def test_the_vector_env_says_how_it_resets():
    modes = {"same_step": "SAME_STEP", "next_step": "NEXT_STEP", "off": "DISABLED"}
    for name, member in modes.items():
        env = GymVectorEnv("commons", num_envs=2, autoreset=name, target="python")
        assert env.metadata["autoreset_mode"] is AutoresetMode[member]
