"""What work by Ray costs beside the work itself: starting, importing, loading code, each shard.

Everything is measured on a local Ray. Where other programs share the machine, CPU seconds tell
more than the clock.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.evaluation.written import table
from mesocosm.build import make
from mesocosm.distributed.cluster import Cluster, count_cores, open_cluster
from mesocosm.distributed.executor import RayExecutor
from mesocosm.evaluation.arena.arena import Arena, Conditions
from mesocosm.evaluation.arena.entrant import parse_entrants
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.evaluation.jobs.job import LOCAL, Tell
from mesocosm.resolve import resolve

RESULTS = Path(__file__).parent / "results"
PRESET, ENTRANTS = "townlet/L3", ("greedy", "trained/L3")
MIB = 1 << 20
MACHINES, CORES = 100, 16  # of the cluster that is estimated


@dataclass(frozen=True)
class Probe:
    """A job that says when and at what cost its worker came to it.

    Args:
        size: Bytes of what it sends back.
        preset: What it makes an env of, to see how long that takes; empty: none.
    """

    size: int = 0
    preset: str = ""
    name: str = "probe"
    files: Mapping[str, str] = field(default_factory=dict)
    outputs: Sequence[Path] = ()
    local_needs: Sequence[str] = ()
    cores: int = 1
    target: str = "cpu"

    def move(self, places: Mapping[str, str]) -> "Probe":
        return self

    def run(self, tell: Tell) -> dict[str, Any]:
        found: dict[str, Any] = {"pid": os.getpid(), "age": _age(), "cpu": time.process_time()}
        for turn in ("first", "again") if self.preset else ():
            begun, cpu = time.perf_counter(), time.process_time()
            make(self.preset, num_envs=64, autoreset="off").reset(seed=1)
            found |= {turn: time.perf_counter() - begun, f"{turn}_cpu": time.process_time() - cpu}
        found["bytes"] = os.urandom(self.size)
        found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return found


def _age() -> float:
    """Say how long ago this process began."""
    ticks = float(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    up = float(Path("/proc/uptime").read_text().split()[0])
    return up - ticks / os.sysconf("SC_CLK_TCK")


def _timed(call: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    begun, cpu = time.perf_counter(), time.process_time()
    found = call()
    seconds = time.perf_counter() - begun
    return found, {"seconds": seconds, "driver_cpu": time.process_time() - cpu}


def _do(executor: RayExecutor, jobs: Sequence[Any]) -> list[Any]:
    return [result for _, result in executor.run(jobs, lambda k, share: None)]


def measure_jobs(cluster: Cluster, count: int) -> dict[str, Any]:
    """Measure fresh workers, jobs that do nothing, and what comes back."""
    executor = RayExecutor(cluster, num_shards=None, say=print)
    make(PRESET, num_envs=64, autoreset="off")  # compiled now, if it never was
    fresh, first = _timed(lambda: _do(executor, [Probe(preset=PRESET)]))
    _do(executor, [Probe()] * 8 * cluster.num_cpus)  # all workers have begun
    _, empty = _timed(lambda: _do(executor, [Probe()] * count))
    sizes = {}
    for size in (MIB, 16 * MIB):
        _do(executor, [Probe(size=size)])
        turns = [_timed(lambda s=size: _do(executor, [Probe(size=s)]))[1] for _ in range(5)]
        sizes[size] = statistics.median(turn["seconds"] for turn in turns)
    kept = {name: value for name, value in fresh[0].items() if name not in ("bytes", "pid")}
    return {
        "worker": kept | {"until_result": first["seconds"]},
        "empty_job": {name: value / count for name, value in empty.items()},
        "transfer": {str(size): seconds for size, seconds in sizes.items()},
    }


def measure_evaluation(cluster: Cluster, episodes: int, num_envs: int) -> dict[str, Any]:
    """Measure an evaluation in one process, and by Ray; both must give the same."""
    resolved = resolve(PRESET)
    made: dict[str, Any] = {}
    for name in ("warm", "local", "ray"):
        shards = RayExecutor(cluster, num_shards=None, say=print) if name != "local" else LOCAL
        conditions = Conditions((resolved,), Episodes(episodes, num_envs=num_envs))
        arena = Arena(conditions, parse_entrants(ENTRANTS, resolved.spec), executor=shards)
        lineups = [((k,) * resolved.spec.num_agents, 0) for k in range(len(ENTRANTS))]
        _, made[name] = _timed(lambda a=arena, x=lineups: a.play_all(x))
        made[name]["returns"] = [float(bout.returns().sum()) for bout in arena.bouts]
    if made["local"]["returns"] != made["ray"]["returns"]:
        raise SystemExit("Ray gave other returns than one process")
    bouts = [json.dumps(bout.lives["total_return"].tolist()) for bout in arena.bouts]
    count = len(ENTRANTS) * -(-episodes // num_envs)
    workers = min(cluster.num_cpus, count)
    return {
        "shards": count,
        "workers": workers,
        "local_seconds": made["local"]["seconds"],
        "local_cpu": made["local"]["driver_cpu"],
        "ray_seconds": made["ray"]["seconds"],
        "driver_cpu_per_shard": made["ray"]["driver_cpu"] / count,
        "returns_bytes": sum(map(len, bouts)),
    }


def estimate(found: Mapping[str, Any]) -> dict[str, float]:
    """Say what a hundred machines would need, from what was measured."""
    worker, driver = found["worker"], found["evaluation"]["driver_cpu_per_shard"]
    begin = worker["cpu"] + worker["first_cpu"]
    cores = MACHINES * CORES
    return {
        "machines": MACHINES,
        "cores": cores,
        "begin_cpu": begin,
        "shards_per_second": 1 / driver,
        "least_shard_seconds": cores * driver,
        "shard_seconds_for_10_percent": 9 * begin,
    }


def write(found: Mapping[str, Any], out: Path) -> None:
    """Write the figures, and a table of them."""
    worker, job, played = found["worker"], found["empty_job"], found["evaluation"]
    each = "each shard"
    rows: list[tuple[str, float, float | None, str]] = [
        ("start of a local Ray", found["start"]["seconds"], None, "once"),
        ("a worker: process and imports", worker["age"], worker["cpu"], "once per core"),
        ("load of cached code, first env", worker["first"], worker["first_cpu"],
         "once per core and world"),
        ("an env once that is loaded", worker["again"], worker["again_cpu"], each),
        ("a job that does nothing, there and back", job["seconds"], job["driver_cpu"], each),
        ("a shard of an evaluation, for the driver", played["driver_cpu_per_shard"],
         played["driver_cpu_per_shard"], each),
        *((f"{int(size) // MIB} MiB of results", seconds, None, "each shard that has as much")
          for size, seconds in found["transfer"].items()),
        ("end of a local Ray", found["end"]["seconds"], None, "once"),
    ]  # fmt: skip
    cells = [(a, f"{b:.4f}", "" if c is None else f"{c:.4f}", d) for a, b, c, d in rows]
    later = found["estimate"]
    parts = [
        "# What work by Ray costs",
        f"{found['machine']}, {found['cores']} cores, load {found['load']:.1f} when it began; "
        f"{PRESET}, target cpu.",
        table(("what", "seconds", "CPU seconds", "how often"), cells),
        f"An evaluation in {played['shards']} shards on {played['workers']} workers took "
        f"{played['ray_seconds']:.2f} s, in one process {played['local_seconds']:.2f} s, with "
        f"equal results. A worker had {worker['memory'] / MIB:.0f} MiB.",
        f"On {later['machines']} machines of {CORES} cores one driver can hand out and take back "
        f"{later['shards_per_second']:.0f} shards a second: with {later['cores']:,} cores a shard "
        f"should last {later['least_shard_seconds']:.0f} s or more. Every core begins with "
        f"{later['begin_cpu']:.1f} CPU seconds of imports and code; where it then works for "
        f"{later['shard_seconds_for_10_percent']:.0f} s, these are a tenth.",
        "Made by `python -m benchmarks.distributed`.",
    ]
    out.mkdir(parents=True, exist_ok=True)
    (out / "distributed.md").write_text("\n\n".join(parts) + "\n")
    (out / "distributed.json").write_text(json.dumps(found, indent=1) + "\n")


def main() -> None:
    """Measure all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--jobs", type=int, default=200, help="that do nothing")
    parser.add_argument("--episodes", type=int, default=512)
    parser.add_argument("--num-envs", type=int, default=32)
    asked = parser.parse_args()
    found: dict[str, Any] = {"machine": platform.machine(), "cores": count_cores()}
    found["load"] = os.getloadavg()[0]
    paths = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])
    context = open_cluster(variables={"PYTHONPATH": paths})
    cluster, found["start"] = _timed(context.__enter__)
    try:
        found |= measure_jobs(cluster, asked.jobs)
        found["evaluation"] = measure_evaluation(cluster, asked.episodes, asked.num_envs)
    finally:
        _, found["end"] = _timed(lambda: context.__exit__(None, None, None))
    found["estimate"] = estimate(found)
    write(found, asked.out)
    print((asked.out / "distributed.md").read_text())


if __name__ == "__main__":
    from benchmarks.distributed import main as run_here  # workers find its classes by this name

    run_here()
