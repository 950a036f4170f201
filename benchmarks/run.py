"""Measure every preset, a fresh start and the peers; print tables, and write JSON.

`python -m benchmarks.run --out benchmarks/results/cpu.json` is a full run, `--quick` a check that
everything can be measured.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import mesocosm as meso
from benchmarks import peers, reference, speed, start, table
from mesocosm import bench
from mesocosm.cli.shared.output import console, print_sections

PACKAGES = ("numpy", "numba", "llvmlite", "pydantic")
REFERENCE = "commons/default"
BESIDE = 1024  # our batch in the comparison with peers


def versions():
    """Name what was measured with."""
    found = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {"mesocosm": meso.__version__, "python": platform.python_version(), **found}


def machine():
    """Describe the machine as far as numbers depend on it."""
    about = {"system": platform.system(), "kind": platform.machine(), "cores": os.cpu_count()}
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return about | {"processor": names[0] if names else platform.processor()}


def measure_preset(preset, plan, copy):
    """Measure everything about one preset."""
    memory = speed.memory(preset)
    size = plan.sizes[0]
    memory |= {"peak_num_envs": size, "peak_bytes": start.peak_bytes(preset, size)}
    return {
        "preset": preset,
        "num_agents": meso.config_spec(meso.load_config(preset)).num_agents,
        **speed.batches(preset, plan, memory["bytes_per_env"], copy),
        "call": speed.call(preset, plan.effort),
        "memory": memory,
    }


def measure_peer(name, reference, plan):
    """Measure one peer, and our reference right after it."""
    found = peers.measure(name, plan.effort)
    if found["status"] != "measured":
        return found
    rates = {
        "ours_batched": _ours(reference, BESIDE, plan.effort),
        "ours_single": _ours(reference, 1, plan.effort),
    }
    theirs = found["agent_steps_per_cpu_second"]
    ratios = {f"{key}_ratio": value / theirs for key, value in rates.items()}
    return found | {"reference": reference} | rates | ratios


def _ours(preset, num_envs, effort):
    return bench.measure(preset, num_envs, effort=effort)["agent_steps_per_cpu_second"]


def jobs(options, plan, result):
    """List what is to be done, each with the place where its result goes."""
    chosen = options.presets or meso.presets()
    copy = result["copy_bytes_per_second"]
    for name in chosen:
        yield name, lambda name=name: result["presets"].append(measure_preset(name, plan, copy))
    yield "import", lambda: result["start"].update(imports=start.importing(plan.processes))
    yield (
        "first env",
        lambda: result["start"].update(making=start.making(plan.processes, cold=plan.cold)),
    )
    if reference.PRESET in chosen:
        yield "plain Python", lambda: result.update(reference=reference.measure(plan.effort))
    for name in peers.PEERS:
        yield (
            f"peer {name}",
            lambda name=name: result["peers"].append(measure_peer(name, options.reference, plan)),
        )


def measure(options):
    """Do it all under a progress bar."""
    plan = speed.QUICK if options.quick else speed.FULL
    result = {
        "command": " ".join(["python -m benchmarks.run", *sys.argv[1:]]),
        "date": datetime.now(UTC).date().isoformat(),
        "quick": options.quick,
        "versions": versions(),
        "machine": machine(),
        "copy_bytes_per_second": bench.copy_speed(plan.effort),
        "presets": [],
        "start": {},
        "peers": [],
    }
    todo = list(jobs(options, plan, result))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console(stderr=True)) as progress:
        task = progress.add_task("", total=len(todo))
        for name, job in todo:
            progress.update(task, description=name)
            job()
            progress.advance(task)
    return result


def main():
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("presets", nargs="*", help="presets; all of every world if none")
    parser.add_argument("--quick", action="store_true", help="small numbers that mean nothing")
    parser.add_argument("--out", type=Path, help="write the results as JSON")
    parser.add_argument("--reference", default=REFERENCE, help="what peers are compared with")
    options = parser.parse_args()
    for preset in [*options.presets, options.reference]:
        meso.load_config(preset)
    result = measure(options)
    print_sections(table.cpu_sections(result))
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
