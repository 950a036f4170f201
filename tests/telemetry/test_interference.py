"""Watching changes nothing: not one bit, on any target, in any world."""

import numpy as np
import pytest
from recording import LEVELS

import mesocosm as meso
from mesocosm.testing.play import outputs, wild_actions

ALL = {
    f"instrumentation.{level}.{key}": value
    for level in LEVELS
    for key, value in (("enabled", True), ("verbosity", "full"))
}
FIRST = [f"{world}/{meso.presets(world)[0].partition('/')[2]}" for world in meso.world_names()]
PRESETS = sorted({*FIRST, "commons/wardens", "commons/turns", "townlet/L8"})
STEPS = 40
# in plain Python: their episodes are longer than that anyway, and every step logs the same things
FEW_STEPS = {"island/attrition": 12, "mettagrid/arena100": 12}


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("mode", ["same_step", "next_step", "off"])
@pytest.mark.parametrize("preset", PRESETS)
def test_trajectories_are_bit_identical_with_all_logging_on_and_off(preset, mode, target, tmp_path):
    settings = {"num_envs": 3, "target": target, "autoreset": mode}
    bare, watched = meso.make(preset, **settings), meso.make(preset, ALL, **settings)
    with meso.record(watched, tmp_path / "run"):
        first, second = bare.reset(seed=5), watched.reset(seed=5)
        for k in range(FEW_STEPS.get(preset, STEPS) if target == "python" else STEPS):
            actions = wild_actions(bare, np.random.default_rng(k), odd=0.1)
            first, second = bare.step(actions), watched.step(actions)
            one, other = outputs(bare, first), outputs(watched, second)
            assert all(one[key].tobytes() == other[key].tobytes() for key in one)
            if k % 7 == 0:
                assert bare.events() == watched.events()
            over = np.array(first.episode_over)
            if mode == "off" and over.any():
                bare.reset(envs=over)
                watched.reset(envs=over)
        assert bare.digest() == watched.digest()
        assert bare.events() == watched.events()


LAYERED = {
    "commons/trust": {"harvest_rate": {"goal": 0.2, "rate": -0.5, "every": 3}},
    "townlet/gossip": {"move_cost": {"goal": 0.5, "rate": 1.0, "every": 3}},
}


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("preset", LAYERED)
def test_reputation_and_adaptation_are_watched_without_a_trace(preset, target, tmp_path):
    layers = {
        "layers.uncertainty.intensity": 1.0,
        "layers.uncertainty.adaptation": LAYERED[preset],
    }
    settings = {"num_envs": 3, "target": target}
    bare = meso.make(preset, layers, **settings)
    watched = meso.make(preset, ALL | layers, **settings)
    with meso.record(watched, tmp_path / "run"):
        bare.reset(seed=5)
        watched.reset(seed=5)
        for k in range(30):
            actions = wild_actions(bare, np.random.default_rng(k), odd=0.1)
            one = outputs(bare, bare.step(actions))
            other = outputs(watched, watched.step(actions))
            assert all(one[key].tobytes() == other[key].tobytes() for key in one)
        assert bare.digest() == watched.digest()
        assert any(name.startswith("layer.") for name in bare.digest())
        assert bare.events() == watched.events()
    run = meso.open_run(tmp_path / "run")
    assert run.verify("cpu").holds
    kinds = run.query("SELECT DISTINCT kind FROM event").to_pydict()["kind"]
    assert "rule_change" in kinds
    moment = run.visit(env=1, step=20, target="python")
    next(iter(moment))
    assert any(name.startswith("layer.") for name in moment.truth())


def test_the_caller_loses_as_many_events_with_a_watcher_as_without(tmp_path):
    few = {"instrumentation.max_events": 3}
    envs = [meso.make("commons/wardens", few, num_envs=4, target="python") for _ in range(2)]
    with meso.record(envs[1], tmp_path / "run"):
        for env in envs:
            env.reset(seed=1)
            for k in range(30):
                env.step(wild_actions(env, np.random.default_rng(k)))
        assert envs[0].events() == envs[1].events()
        assert envs[0].dropped_events == envs[1].dropped_events > 0


def test_a_recorded_env_runs_the_very_function_that_an_unrecorded_one_runs(tmp_path):
    bare, watched = meso.make("commons", num_envs=2), meso.make("commons", ALL, num_envs=2)
    assert bare.driver.drive is watched.driver.drive
    with meso.record(watched, tmp_path / "run"):
        watched.reset()
        watched.step(wild_actions(watched, np.random.default_rng(0)))
        assert bare.driver.drive is watched.driver.drive
        assert len(watched.driver.drive.signatures) == 1
    assert bare.driver.drive is watched.driver.drive
    assert watched.watcher is None


def test_what_is_logged_does_not_change_what_a_config_does():
    from mesocosm.config.identity import behaviour_hash, config_hash

    plain, logged = meso.load_config("commons"), meso.load_config("commons", ALL)
    assert behaviour_hash(plain) == behaviour_hash(logged)
    assert config_hash(plain) != config_hash(logged)
