"""Recorded runs for tests: every level on, small worlds, two roles, turns, lives that end."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.testing.play import wild_actions

LEVELS = ("episode", "step", "agent", "event")
SHORT = {"core.max_steps": 9}


def all_on(verbosity="full", every=1, **more):
    """Switch every level on."""
    made = {}
    for level in LEVELS:
        at = f"instrumentation.{level}"
        made |= {f"{at}.enabled": True, f"{at}.verbosity": verbosity, f"{at}.every": every}
    return made | more


def play(env, steps, *, seed=0, first=True, odd=0.1):
    """Play steps that depend on their number alone, some of them invalid; give the last Step."""
    step = env.reset(seed=seed) if first is True else None
    for k in range(0 if first is True else first, steps):
        step = env.step(wild_actions(env, np.random.default_rng((7, k)), odd=odd))
    return step


@pytest.fixture
def run(tmp_path):
    """A recorded run of two roles whose episodes end, with everything on."""
    env = meso.make("commons/wardens", all_on() | SHORT, num_envs=5, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 40)
    return meso.open_run(tmp_path / "run")
