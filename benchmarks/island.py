"""Measure island: env-steps per CPU-second, and how far that is above plain Python."""

import statistics
import sys
import time

import numpy as np

from benchmarks.plain import PlainWar
from mesocosm.build import make, policy
from mesocosm.core.beginnings import Beginnings

SIDES = ("legacy", "dynasty")
PLAIN_STEPS, REPEATS = 40, 3


def record(preset, names, num_envs, steps, seed=0):
    """Play bots once; keep their actions, so that only the world is timed."""
    env = make(preset, num_envs=num_envs, seed=seed)
    players = [policy("island", name) for name in names]
    for k, (side, player) in enumerate(zip(SIDES, players, strict=True)):
        player.reset(env.spec.roles[side], num_envs, seed + k)
    step, kept, beginnings = env.reset(), [], Beginnings(env)
    for _ in range(steps):
        began = beginnings.follow(step)
        actions = {
            side: player.act(step.obs[side], step.mask[side], dict(step.info[side]), began[side])
            for side, player in zip(SIDES, players, strict=True)
        }
        kept.append({side: np.array(action) for side, action in actions.items()})
        step = env.step(actions)
    return env, kept


def measure(preset="island/standard", names=("rush", "rush"), num_envs=128, steps=300):
    """Time the recorded war, compiled in a batch and in plain Python alone."""
    env, actions = record(preset, names, num_envs, steps)
    rates = []
    for _ in range(REPEATS):
        env.reset(seed=0)
        start = time.process_time()
        for action in actions:
            env.step(action)
        rates.append(num_envs * steps / (time.process_time() - start))
    units = float(env.truth("num_units").mean())
    single, kept = record(preset, names, 1, steps)
    single.reset(seed=0)
    for action in kept[: steps // 4]:
        single.step(action)
    plain = PlainWar(single)
    part = kept[steps // 4 : steps // 4 + PLAIN_STEPS]
    start = time.process_time()
    for action in part:
        plain.step([action[side][0, 0].tolist() for side in SIDES])
    plain_rate = len(part) / (time.process_time() - start)
    fast = statistics.median(rates)
    return {"preset": preset, "policies": " against ".join(names), "num_envs": num_envs} | {
        "steps": steps,
        "units_per_side": units,
        "env_steps_per_cpu_second": round(fast),
        "plain_env_steps_per_cpu_second": round(plain_rate, 1),
        "ratio": round(fast / plain_rate),
    }


def main():
    for names in (("noop", "noop"), ("rush", "rush"), ("random_valid", "random_valid")):
        print(measure(names=names), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
