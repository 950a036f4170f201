"""Measure the presets in this process: speed over batch sizes, the cost of a call, memory."""

import os
import statistics
import time
from typing import NamedTuple

import numpy as np

from mesocosm import bench
from mesocosm.build import make

EMPTY_CALLS = 2000
STEPS_SECONDS = 4.0  # what one lap of the largest batch may take
FEWEST_STEPS = 8


class Plan(NamedTuple):
    """What a run measures, and how long it may take over it."""

    sizes: tuple[int, ...] = (1024, 4096, 65536)
    steps: int = 64
    effort: bench.Effort = bench.Effort(seconds=0.5)
    processes: int = 5  # fresh ones per number
    cold: bool = True


FULL = Plan()
QUICK = Plan(sizes=(8, 32), steps=4, effort=bench.QUICK, processes=1, cold=False)


def free_memory():
    """Give the bytes that can still be allocated, as far as the system says."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 4 << 30


def bytes_per_env(env):
    """Count the bytes of the arrays that grow with the number of envs, by their part."""
    parts = {"state": [env.driver.s], "frame": [env.driver.f], "roles": list(env.driver.roles)}
    counted = {
        part: sum(array.nbytes for holder in holders for array in _per_env(holder, env.num_envs))
        for part, holders in parts.items()
    }
    counted["events"] = env.driver.f.event.nbytes
    counted["frame"] -= counted["events"]
    return {part: total / env.num_envs for part, total in counted.items()}


def _per_env(holder, num_envs):
    return [x for x in holder if isinstance(x, np.ndarray) and x.ndim and x.shape[0] == num_envs]


def memory(preset):
    """Say what one env of a preset occupies."""
    parts = bytes_per_env(make(preset, num_envs=997))  # a size that no table has
    return {"bytes_per_env": sum(parts.values()), "parts": parts}


def fitting(plan, per_env):
    """Keep the batch sizes for which there is memory, with room for actions and for others."""
    return [size for size in plan.sizes if size * per_env * 2 < free_memory()] or plan.sizes[:1]


def common_steps(preset, sizes, plan):
    """Choose how many steps every batch plays, so that the largest ends in time."""
    probe = bench.Workload(preset, sizes[0], steps=FEWEST_STEPS, seconds=0.0)
    per_env_step = probe.time().wall / FEWEST_STEPS / sizes[0]
    most = int(STEPS_SECONDS / per_env_step / sizes[-1])
    return max(min(plan.steps, most), min(plan.steps, FEWEST_STEPS))


def batches(preset, plan, per_env, copy):
    """Measure every batch size in turns, so that a noisy minute hits them all."""
    sizes = fitting(plan, per_env)
    steps = common_steps(preset, sizes, plan)
    workloads = [
        bench.Workload(preset, size, steps=steps, seconds=plan.effort.seconds) for size in sizes
    ]
    rounds = [[workload.time() for workload in workloads] for _ in range(plan.effort.repeats)]
    measured = [
        workload.result([timings[k] for timings in rounds], copy)
        for k, workload in enumerate(workloads)
    ]
    return {
        "steps_per_lap": steps,
        "batches": measured,
        "left_out": sorted(set(plan.sizes) - set(sizes)),
        "cost_ratio": _ratio(workloads, rounds),
    }


def _ratio(workloads, rounds):
    """Compare the cost of an agent-step in the largest batch with the smallest, round by round."""
    small, large = workloads[0].agent_steps, workloads[-1].agent_steps
    return statistics.median(
        (timings[-1].cpu / large) / (timings[0].cpu / small) for timings in rounds
    )


def call(preset, effort):
    """Measure one `env.step` of a single env, and a call that finds nothing to do."""
    workload = bench.Workload(preset, 1, seconds=effort.seconds)
    timings = [workload.time() for _ in range(effort.repeats)]
    result = workload.result(timings, None)
    return {
        "step_microseconds": result["step_cpu_microseconds"],
        "empty_microseconds": min(_empty(workload.env) for _ in range(effort.repeats)),
        "agent_steps_per_cpu_second": result["agent_steps_per_cpu_second"],
    }


def _empty(env):
    # no public call does nothing: this one hands the compiled step no envs at all
    drive, words = env.driver.drive, env.driver._words
    start = time.process_time()
    for _ in range(EMPTY_CALLS):
        drive(words, 0, 0)
    return (time.process_time() - start) / EMPTY_CALLS * 1e6
