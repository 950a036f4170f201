"""An adapter opens an env by the contract: versions, parts by role, recording, no engine."""

import numpy as np
import pytest

import mesocosm
from mesocosm.adapters import open_env
from mesocosm.core.adapter import CONTRACT_VERSION
from mesocosm.core.errors import ConfigError, MesocosmError


def opened(source="commons/wardens", **options):
    return open_env(source, contract=CONTRACT_VERSION, target="python", **options)


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (CONTRACT_VERSION + 1, "written for version 2 .* has version 1: install a newer Mesocosm"),
        (0, "contract: must be a version from 1 on, got 0"),
        ("1", "contract: must be a version from 1 on, got '1'"),
    ],
)
def test_another_version_of_the_contract_is_refused(version, words):
    with pytest.raises(ConfigError, match=words):
        open_env("commons", contract=version, target="python")


def test_parts_are_the_steps_of_the_raw_env_by_role():
    env, raw = (
        opened(num_envs=3, seed=4),
        mesocosm.make("commons/wardens", num_envs=3, seed=4, target="python"),
    )
    parts, step = env.reset(), raw.reset()
    rng = np.random.default_rng(0)
    for _ in range(5):
        for name, part in parts.items():
            assert np.array_equal(part.obs, step.obs[name])
            assert np.array_equal(part.mask, step.mask[name])
            assert np.array_equal(part.episode_over, step.episode_over)
            with pytest.raises(ValueError, match="read-only"):
                part.reward[...] = 1.0
        actions = {
            name: role.action.sample(rng, (3, role.num_agents))
            for name, role in env.spec.roles.items()
        }
        parts, step = env.step(actions), raw.step(actions)


def test_nothing_public_leads_to_an_engine_or_to_truth():
    env = opened()
    names = [name for name in dir(env) if not name.startswith("_")]
    assert not {"truth", "load", "save", "raw", "engine", "driver"} & set(names)
    assert not any(isinstance(getattr(env, name), mesocosm.sim.engine.Engine) for name in names)


def test_a_recording_is_finished_by_close_and_verifies(tmp_path):
    env = opened(record=tmp_path / "run", num_envs=2)
    env.reset(seed=3)
    noop = {name: role.action.noop((2, role.num_agents)) for name, role in env.spec.roles.items()}
    for _ in range(4):
        env.step(noop)
    env.close()
    env.close()
    run = mesocosm.open_run(tmp_path / "run")
    proof = run.verify(target="python")
    assert (proof.holds, proof.num_equal) == (True, 4)
    with pytest.raises(MesocosmError, match="is closed"):
        env.step(noop)


def test_a_recording_is_finished_when_its_env_is_forgotten(tmp_path):
    env = opened(record=tmp_path / "run")
    env.reset(seed=3)
    del env
    assert mesocosm.open_run(tmp_path / "run").status == "finished"


def test_a_central_critic_knows_what_agents_see_and_declared_truth_only():
    env, more = opened("commons"), opened("commons", critic=["stock"])
    parts, _ = env.reset(seed=1), more.reset(seed=1)
    seen = parts["harvester"].obs.reshape(1, -1)
    assert np.array_equal(env.critic_state(), seen)
    assert np.array_equal(more.critic_state()[:, : seen.shape[1]], seen)
    for one in (env, more):
        low, high = one.critic_bounds()
        assert low.shape == high.shape == one.critic_state()[0].shape
        assert (low <= one.critic_state()).all()
        assert (one.critic_state() <= high).all()
    with pytest.raises(ConfigError, match=r"critic: no truth field named 'stok'\. Did you mean"):
        opened("commons", critic=["stok"])


def test_what_a_world_cannot_show_is_refused_in_one_line():
    env, lake = opened("probe"), opened("commons")
    for one in (env, lake):
        one.reset(seed=0)
    with pytest.raises(ConfigError, match="probe cannot be drawn: its WORLD has no scene"):
        env.scene()
    with pytest.raises(ConfigError, match="probe cannot be written: its WORLD has no text"):
        env.text()
    assert "lake" in lake.text()
