"""What tests of telemetry share: settings with every level on, and steps to play."""

import numpy as np

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
