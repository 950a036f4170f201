"""Settings chosen from specs."""

import pytest

import mesocosm
from mesocosm.learning.presets import MAX_BYTES, bytes_per_step, observation_kind, settings_for


@pytest.mark.parametrize(
    ("preset", "kind", "num_envs"),
    [
        ("townlet/L3", "dense", 1024),
        ("commons/wardens", "dense", 128),
        ("townlet/L6", "tables", 128),
        ("mettagrid/forage", "tokens", 64),
    ],
)
def test_settings_follow_the_kind_of_observation_and_the_number_of_agents(preset, kind, num_envs):
    spec = mesocosm.make(preset, num_envs=1, target="python").spec
    assert observation_kind(spec) == kind
    assert settings_for(spec).num_envs == num_envs


def test_actions_of_several_parts_get_a_smaller_bonus_for_entropy():
    one = settings_for(mesocosm.make("townlet/L6", num_envs=1, target="python").spec)
    several = settings_for(mesocosm.make("commons", num_envs=1, target="python").spec)
    assert (one.gamma, one.entropy) == (0.9995, 0.06)
    assert (several.gamma, several.entropy) == (0.99, 0.02)


@pytest.mark.parametrize("preset", ["island/standard", "mettagrid/talk", "mettagrid/arena100"])
def test_rollout_of_a_large_world_fits_into_memory(preset):
    spec = mesocosm.make(preset, num_envs=1, target="python").spec
    settings = settings_for(spec)
    assert settings.rows * bytes_per_step(spec) <= MAX_BYTES
    assert settings.minibatches <= settings.rows
