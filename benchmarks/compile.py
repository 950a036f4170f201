"""What compiling costs: CPU-seconds of a cold start, plain and layered, for every set of rules.

    python -m benchmarks.compile [--out FILE] [--repeat 3]

Each figure is the CPU time of a new process with an empty cache, from before `import mesocosm` to a
made env; the start of one that finds its code is listed beside it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PAIRS = {
    "commons": ("commons/default", "commons/trust"),
    "townlet": ("townlet/L3", "townlet/plague"),
    "island": ("island/standard", "island/coalition"),
    "mettagrid, plain": ("mettagrid/arena24", "mettagrid/toll"),
    "mettagrid, scripted": ("mettagrid/network", None),
    "mettagrid, classic": ("mettagrid/assembly", None),
}
CHILD = """
import sys, time
begin = time.process_time()
import mesocosm as meso
meso.make(sys.argv[1], num_envs=2, seed=1)
print(time.process_time() - begin)
"""


def start(preset, cache):
    """Make one env in a new process; give its CPU-seconds."""
    environment = {**os.environ, "MESOCOSM_CACHE_DIR": cache, "MESOCOSM_QUIET": "1"}
    command = [sys.executable, "-c", CHILD, preset]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def measure(preset, repeat):
    """Give the median of cold starts, and of warm ones."""
    cold, warm = [], []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(start(preset, cache))
            warm.append(start(preset, cache))
    return statistics.median(cold), statistics.median(warm)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    print(f"{'world':22} {'plain':>8} {'layered':>8} {'ratio':>6} {'warm':>6}   CPU-seconds")
    rows = {}
    for name, (plain, layered) in PAIRS.items():
        first, warm = measure(plain, given.repeat)
        second = measure(layered, given.repeat)[0] if layered else None
        rows[name] = {"plain": first, "layered": second, "warm": warm}
        more = f"{second:8.1f} {second / first:6.2f}" if second else f"{'':15}"
        print(f"{name:22} {first:8.1f} {more} {warm:6.2f}", flush=True)
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
