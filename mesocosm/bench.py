"""Measure how fast an env steps, against what the same machine can copy."""

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mesocosm.build import make
from mesocosm.core.spec import Spec
from mesocosm.sim.engine import Engine

REPEATS = 5
ENOUGH_SECONDS = 0.2
MAX_STEPS = 20_000
COPY_BYTES = 1 << 27
NUM_ACTIONS = 8


class Timing(NamedTuple):
    """One repeat: what the process computed, and what the clock on the wall says."""

    cpu: float
    wall: float


def measure(preset: str, num_envs: int = 1024, target: str = "cpu") -> dict[str, Any]:
    """Measure one preset on one target with random actions; give plain numbers.

    Every repeat plays the same episodes, so the median is over equal work. An agent-step is a
    step of an agent that was alive in it. On `cuda` the work is not the process's own, so there
    is no rate per CPU-second and no comparison with a copy on the host.
    """
    env = make(preset, num_envs=num_envs, target=target)
    actions = _actions(env)
    steps = _enough(env, actions)
    agent_steps = _count(env, actions, steps)
    timings = [_time(lambda: _play(env, actions, steps), env) for _ in range(REPEATS)]
    cpu, wall = (statistics.median(column) for column in zip(*timings, strict=True))
    written = bytes_per_agent_step(env.spec)
    copy = None if target == "cuda" else copy_speed()
    return {
        "preset": preset,
        "target": target,
        "num_envs": num_envs,
        "num_agents": env.spec.num_agents,
        "steps": steps,
        "agent_steps": agent_steps,
        "agent_steps_per_cpu_second": None if target == "cuda" else agent_steps / cpu,
        "agent_steps_per_second": agent_steps / wall,
        "step_microseconds": wall / steps * 1e6,
        "bytes_per_agent_step": written,
        "copy_bytes_per_second": copy,
        "bandwidth_fraction": None if copy is None else agent_steps / cpu * written / copy,
    }


def bytes_per_agent_step(spec: Spec) -> float:
    """Count the observation, reward and mask that one agent is handed, averaged over agents."""
    total = 0
    for role in spec.roles.values():
        row = role.observation.size * np.dtype(role.observation.dtype).itemsize
        total += role.num_agents * (row + np.dtype(np.float32).itemsize + role.action.mask_size)
    return total / spec.num_agents


def copy_speed() -> float:
    """Measure how many bytes per CPU-second this machine copies from memory to memory."""
    source, out = np.ones(COPY_BYTES, np.uint8), np.zeros(COPY_BYTES, np.uint8)
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        np.copyto(out, source)
        seconds.append(time.process_time() - start)
    return COPY_BYTES / statistics.median(seconds)


def _actions(env: Engine) -> list[Any]:
    """Draw the actions beforehand: they are no part of what is measured."""
    rng, roles = np.random.default_rng(0), env.spec.roles
    made = []
    for _ in range(NUM_ACTIONS):
        drawn = {k: r.action.sample(rng, (env.num_envs, r.num_agents)) for k, r in roles.items()}
        made.append(drawn if len(drawn) > 1 else next(iter(drawn.values())))
    return made


def _play(env: Engine, actions: list[Any], steps: int) -> None:
    for k in range(steps):
        env.step(actions[k % NUM_ACTIONS])


def _time(play: Callable[[], None], env: Engine) -> Timing:
    env.reset(seed=0)
    cpu, wall = time.process_time(), time.perf_counter()
    play()
    _ = env.episode  # reading a number waits for a device to finish
    return Timing(time.process_time() - cpu, time.perf_counter() - wall)


def _enough(env: Engine, actions: list[Any]) -> int:
    """Find how many steps take long enough to time."""
    steps = 1
    while steps < MAX_STEPS:
        if _time(lambda count=steps: _play(env, actions, count), env).wall >= ENOUGH_SECONDS:  # type: ignore[misc]
            break
        steps *= 2
    return min(steps, MAX_STEPS)


def _count(env: Engine, actions: list[Any], steps: int) -> int:
    """Count the agent-steps of the episodes that every repeat plays."""
    step = env.reset(seed=0)
    total = 0
    for k in range(steps):
        before = _alive(step)
        step = env.step(actions[k % NUM_ACTIONS])
        total += before
    return total


def _alive(step: Any) -> int:
    """Count the agents that will play the next step; an env that just began has them all."""
    fresh = np.asarray(step.episode_over)[:, None]
    many = isinstance(step.terminated, dict)
    pairs = (
        zip(step.terminated.values(), step.truncated.values(), strict=True)
        if many
        else [(step.terminated, step.truncated)]
    )
    return sum(int((fresh | ~(np.asarray(a) | np.asarray(b))).sum()) for a, b in pairs)
