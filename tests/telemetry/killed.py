"""Play a recorded run until somebody kills this process: killed.py FOLDER STEPS [TARGET]."""

import sys
from pathlib import Path

import numpy as np

import mesocosm as meso
from mesocosm.testing.play import wild_actions

ON = {
    f"instrumentation.{level}.{key}": value
    for level in ("episode", "step", "agent", "event")
    for key, value in (("enabled", True), ("verbosity", "full"))
}
SETTINGS = ON | {"core.max_steps": 9, "instrumentation.part_steps": 64}


def environment(target="cpu"):
    return meso.make("commons/wardens", SETTINGS, num_envs=32, seed=5, target=target)


def play(env, first, steps):
    """Play steps whose actions depend on their number alone."""
    for k in range(first, steps):
        env.step(wild_actions(env, np.random.default_rng((3, k)), odd=0.1))


def main(folder, steps, target="cpu"):
    env = environment(target)
    again = Path(folder).exists()
    with meso.record(env, folder, resume=again) as recorder:
        first = recorder.catch_up()
        if not first:
            env.reset(seed=5)
        play(env, first, steps)
        print(sorted(env.digest().items()))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
