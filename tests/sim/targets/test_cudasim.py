"""The CUDA kernels under Numba's simulator: launch geometry, on the smallest presets."""

import os

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import TargetError
from mesocosm.testing.play import outputs, wild_actions

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


def compare(preset, overrides, mode, num_envs=3, steps=7):
    envs = [
        meso.make(preset, overrides, num_envs=num_envs, target=target, seed=2, autoreset=mode)
        for target in ("python", "cuda")
    ]
    steps_seen = [env.reset() for env in envs]
    rng = np.random.default_rng(0)
    for _ in range(steps):
        first, second = (outputs(env, step) for env, step in zip(envs, steps_seen, strict=True))
        assert all(first[key].tobytes() == second[key].tobytes() for key in first)
        assert envs[0].digest() == envs[1].digest()
        actions = wild_actions(envs[0], rng)
        steps_seen = [env.step(actions) for env in envs]


def needs_a_gpu():
    with pytest.raises(TargetError, match="target 'cuda' needs an NVIDIA GPU"):
        meso.make("commons", target="cuda")


@pytest.mark.parametrize("mode", ["same_step", "next_step", "off"])
def test_kernels_play_as_python_does_or_say_that_there_is_no_gpu(mode):
    if not SIMULATED:
        needs_a_gpu()
        return
    compare("probe/line", {"core.max_steps": 3, "core.num_agents": 2}, mode)
    compare("commons/wardens", {"core.max_steps": 3, "core.num_agents": 4}, mode)
    compare("island/skirmish", {"core.max_steps": 2}, mode, num_envs=2, steps=4)


def test_chosen_envs_restart_on_the_device_or_there_is_no_gpu():
    if not SIMULATED:
        needs_a_gpu()
        return
    env = meso.make("probe/line", target="cuda", num_envs=3)
    env.reset()
    env.reset(envs=np.array([True, False, True]))
    assert env.episode.tolist() == [1, 0, 1]
