"""Measure how fast an env steps, against what the same machine can copy."""

import math
import statistics
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from mesocosm.build import make
from mesocosm.core.spec import Spec
from mesocosm.sim.engine import Engine

MAX_STEPS = 20_000
NUM_ACTIONS = 8


class Effort(NamedTuple):
    """How much is spent on one number."""

    seconds: float = 0.2
    repeats: int = 5
    copy_bytes: int = 1 << 27


FULL, QUICK = Effort(), Effort(seconds=0.001, repeats=2, copy_bytes=1 << 20)


class Timing(NamedTuple):
    """One repeat: what the process computed, and what the clock on the wall says."""

    cpu: float
    wall: float


class Workload:
    """Episodes to time: every repeat plays the same ones, with actions drawn beforehand.

    Agents die and episodes end, so batches of two sizes compare only over the same `steps` after
    a reset; a small batch then runs several laps, each with a seed of its own. Without `steps`
    one lap of as many steps as it takes is played.
    """

    def __init__(
        self,
        preset: str,
        num_envs: int,
        target: str = "cpu",
        *,
        steps: int | None = None,
        seconds: float = FULL.seconds,
        archetypes: str | Iterable[str] = (),
    ) -> None:
        self.preset, self.target = preset, target
        self.env = make(preset, num_envs=num_envs, target=target, archetypes=archetypes)
        self.actions = draw_actions(self.env)
        self.laps = 1
        self.steps = self._find_steps(seconds) if steps is None else steps
        if steps is not None:
            self.time()  # the first lap meets memory that was never touched
            self.laps = max(1, math.ceil(seconds / self.time().wall))
        self.agent_steps = self._count_agent_steps()

    def time(self) -> Timing:
        """Play every lap once; resets are not timed, those that end an episode are."""
        laps = [self._lap(seed) for seed in range(self.laps)]
        return Timing(sum(lap.cpu for lap in laps), sum(lap.wall for lap in laps))

    def result(self, timings: list[Timing], copy: float | None) -> dict[str, Any]:
        """Sum up repeats in plain numbers."""
        cpu, wall = (statistics.median(column) for column in zip(*timings, strict=True))
        on_host, written = self.target != "cuda", bytes_per_agent_step(self.env.spec)
        rate = self.agent_steps / cpu if on_host else None
        return {
            "preset": self.preset,
            "archetypes": self.env.provenance["archetypes"],
            "target": self.target,
            "num_envs": self.env.num_envs,
            "num_agents": self.env.spec.num_agents,
            "steps": self.steps * self.laps,
            "agent_steps": self.agent_steps,
            "agent_steps_per_cpu_second": rate,
            "agent_steps_per_second": self.agent_steps / wall,
            "step_microseconds": wall / self.steps / self.laps * 1e6,
            "step_cpu_microseconds": cpu / self.steps / self.laps * 1e6 if on_host else None,
            "bytes_per_agent_step": written,
            "copy_bytes_per_second": copy,
            "bandwidth_fraction": None if rate is None or not copy else rate * written / copy,
        }

    def _lap(self, seed: int) -> Timing:
        env, actions = self.env, self.actions
        env.reset(seed=seed)
        cpu, wall = time.process_time(), time.perf_counter()
        for k in range(self.steps):
            env.step(actions[k % NUM_ACTIONS])
        _ = env.driver.get(env.driver.f.control)  # reading a number waits for a device to finish
        return Timing(time.process_time() - cpu, time.perf_counter() - wall)

    def _find_steps(self, seconds: float) -> int:
        """Find how many steps take long enough to time."""
        self.steps = 1
        while self.steps < MAX_STEPS and self._lap(0).wall < seconds:
            self.steps *= 2
        return min(self.steps, MAX_STEPS)

    def _count_agent_steps(self) -> int:
        """Count the agent-steps that every repeat plays."""
        total = 0
        for seed in range(self.laps):
            step = self.env.reset(seed=seed)
            for k in range(self.steps):
                before = _count_alive(step)
                step = self.env.step(self.actions[k % NUM_ACTIONS])
                total += before
        return total


def measure(
    preset: str,
    num_envs: int = 1024,
    target: str = "cpu",
    effort: Effort = FULL,
    *,
    archetypes: str | Iterable[str] = (),
) -> dict[str, Any]:
    """Measure one preset on one target with random actions; give plain numbers.

    Every repeat plays the same episodes, so the median is over equal work. An agent-step is a
    step of an agent that was alive in it. On `cuda` the work is not the process's own, so there
    is no rate per CPU-second and no comparison with a copy on the host.
    """
    workload = Workload(preset, num_envs, target, seconds=effort.seconds, archetypes=archetypes)
    timings = [workload.time() for _ in range(effort.repeats)]
    return workload.result(timings, None if target == "cuda" else copy_speed(effort))


def bytes_per_agent_step(spec: Spec) -> float:
    """Count what one agent is handed, averaged: observation, reward, two flags and mask."""
    total = 0
    for role in spec.roles.values():
        row = role.observation.size * np.dtype(role.observation.dtype).itemsize
        handed = np.dtype(np.float32).itemsize + 2 * np.dtype(np.bool_).itemsize
        total += role.num_agents * (row + handed + role.action.mask_size)
    return total / spec.num_agents


def copy_speed(effort: Effort = FULL) -> float:
    """Measure how many bytes per CPU-second this machine copies from memory to memory."""
    source, out = np.ones(effort.copy_bytes, np.uint8), np.zeros(effort.copy_bytes, np.uint8)
    seconds = []
    for _ in range(effort.repeats + 1):
        start = time.process_time()
        np.copyto(out, source)
        seconds.append(time.process_time() - start)
    return effort.copy_bytes / statistics.median(seconds[1:])  # the first one finds the memory


def draw_actions(env: Engine) -> list[Any]:
    """Draw the actions beforehand: they are no part of what is measured."""
    rng, roles = np.random.default_rng(0), env.spec.roles
    made = []
    for _ in range(NUM_ACTIONS):
        drawn = {k: r.action.sample(rng, (env.num_envs, r.num_agents)) for k, r in roles.items()}
        made.append(drawn if len(drawn) > 1 else next(iter(drawn.values())))
    return made


def _count_alive(step: Any) -> int:
    """Count the agents that will play the next step; an env that just began has them all."""
    fresh = np.asarray(step.episode_over)[:, None]
    many = isinstance(step.terminated, dict)
    pairs = (
        zip(step.terminated.values(), step.truncated.values(), strict=True)
        if many
        else [(step.terminated, step.truncated)]
    )
    return sum(int((fresh | ~(np.asarray(a) | np.asarray(b))).sum()) for a, b in pairs)
