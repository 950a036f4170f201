"""Every example runs, and what it prints is what it promises."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = ["--target", "python", "--num-envs", "4", "--total-steps", "1024"]


@pytest.mark.parametrize("name", ["cleanrl_ppo", "jax_dlpack"])
def test_a_learner_tells_of_every_update(name, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]([*SMALL, "--preset", "townlet/L1"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1024 // (4 * 64)
    assert all("return" in line and "steps/s" in line for line in lines)


@pytest.mark.slow
def test_rllibs_own_ppo_trains():
    line = [sys.executable, str(EXAMPLES / "rllib_ppo.py"), "--iterations", "3"]
    made = subprocess.run(line, capture_output=True, text=True, check=True, cwd=EXAMPLES.parent)
    lines = made.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["1", "2", "3"]
    assert all("mean return" in line for line in lines)


def test_the_jax_example_trains_all_agents_of_a_role():
    train = runpy.run_path(str(EXAMPLES / "jax_dlpack.py"))["train"]
    sizes = []

    def watch(steps, params, rollout):
        sizes.append((steps, rollout.arrays["obs"].shape))

    train("townlet/L6", total_steps=2048, num_envs=2, target="python", watch=watch)
    assert sizes == [(0, (64, 16, 79)), (1024, (64, 16, 79))]


def test_the_jax_example_shares_its_rollout_without_a_copy():
    import jax
    import numpy as np

    aligned = runpy.run_path(str(EXAMPLES / "jax_dlpack.py"))["aligned"]
    array = aligned((3, 5), np.float32)
    shared = jax.dlpack.from_dlpack(array, copy=False)
    array[1, 2] = 7.0
    assert shared[1, 2] == 7.0
