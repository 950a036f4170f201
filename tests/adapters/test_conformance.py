"""Every preset passes the checkers that Gymnasium and PettingZoo ship."""

import warnings

import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import mesocosm
from mesocosm.adapters import GymEnv, GymVectorEnv, ZooAECEnv, ZooParallelEnv

SEATS = [
    (preset, role.first)
    for preset in mesocosm.presets()
    for role in mesocosm.config_spec(mesocosm.load_config(preset)).roles.values()
]
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
    if len({role.observation for role in roles}) > 1:
        expected.add(UNEQUAL_SPACES)
    if len({role.observation.shape for role in roles}) > 1:
        expected.add(UNEQUAL_SHAPES)
    return expected


@pytest.mark.parametrize(("preset", "agent"), SEATS)
def test_gymnasium_accepts_the_env(preset, agent):
    check_env(GymEnv(preset, agent=agent))


@each_preset
def test_pettingzoo_accepts_the_parallel_env(preset):
    parallel_api_test(ZooParallelEnv(preset))


@each_preset
def test_pettingzoo_accepts_the_parallel_env_with_deaths(preset):
    parallel_api_test(ZooParallelEnv(preset, {"core.upkeep": 3.0}))


@each_preset
@pytest.mark.parametrize("overrides", [{}, {"core.upkeep": 3.0}], ids=["calm", "deadly"])
def test_pettingzoo_accepts_the_aec_env_with_no_advice_but_on_declared_spaces(preset, overrides):
    env = ZooAECEnv(preset, overrides)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(env)
    assert {str(entry.message) for entry in caught} == advice(env.raw.spec)


@each_preset
def test_pettingzoo_finds_the_parallel_env_repeatable(preset):
    parallel_seed_test(lambda: ZooParallelEnv(preset))


@each_preset
def test_pettingzoo_finds_the_aec_env_repeatable(preset):
    seed_test(lambda: ZooAECEnv(preset))


@pytest.mark.parametrize("agent", [0, 2, 3], ids=["discrete", "box", "multidiscrete"])
def test_gymnasium_accepts_every_kind_of_action_space(mayfly, agent):
    check_env(GymEnv(mayfly(), agent=agent, target="python"))


def test_pettingzoo_accepts_agents_that_are_born_again(mayfly):
    parallel_api_test(ZooParallelEnv(mayfly(), target="python"))
    api_test(ZooAECEnv(mayfly(others=0), target="python"))
    parallel_seed_test(lambda: ZooParallelEnv(mayfly(), target="python"))
    seed_test(lambda: ZooAECEnv(mayfly(), target="python"))


def test_the_vector_env_says_how_it_resets():
    modes = {"same_step": "SAME_STEP", "next_step": "NEXT_STEP", "off": "DISABLED"}
    for name, member in modes.items():
        env = GymVectorEnv("commons", num_envs=2, autoreset=name, target="python")
        assert env.metadata["autoreset_mode"] is AutoresetMode[member]
