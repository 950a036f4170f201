"""Measure what a fresh process pays: importing, a first env, and its memory at the peak."""

import json
import os
import statistics
import subprocess
import sys
import tempfile

HEAVY = ("numba", "torch", "gymnasium", "pyarrow")
PRESET = "commons"

PEAK = """
def peak():
    # not getrusage: a child inherits its parent's peak there
    try:
        lines = open("/proc/self/status").read().splitlines()
        return next(int(x.split()[1]) for x in lines if x.startswith("VmHWM")) * 1024
    except OSError:
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
"""
IMPORT = """
import json, sys, time
start = time.perf_counter()
import mesocosm
seconds = time.perf_counter() - start
loaded = [name for name in sys.argv[1].split(",") if name in sys.modules]
print(json.dumps({"seconds": seconds, "loaded": loaded, "peak_bytes": peak()}))
"""
MAKE = """
import json, sys, time
start = time.perf_counter()
import mesocosm
imported = time.perf_counter()
env = mesocosm.make(sys.argv[1], num_envs=int(sys.argv[2]))
made = time.perf_counter()
env.reset()
step = time.perf_counter()
from mesocosm.bench import draw_actions
for action in draw_actions(env) * int(sys.argv[3]):
    env.step(action)
print(json.dumps({"import": imported - start, "make": made - imported,
                  "seconds": made - start, "reset": step - made, "peak_bytes": peak()}))
"""


def fresh(script, *arguments, cache=None):
    """Run a script in a new interpreter; give what it printed, read as JSON."""
    surroundings = {**os.environ, "MESOCOSM_QUIET": "1"}
    if cache is not None:
        surroundings["MESOCOSM_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-c", PEAK + script, *map(str, arguments)],
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"a fresh process failed: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def importing(processes):
    """Time `import mesocosm`, and name the heavy packages that it pulls in."""
    runs = [fresh(IMPORT, ",".join(HEAVY)) for _ in range(processes)]
    return {
        "seconds": statistics.median(run["seconds"] for run in runs),
        "fastest_seconds": min(run["seconds"] for run in runs),
        "heavy_packages": runs[0]["loaded"],
        "peak_bytes": max(run["peak_bytes"] for run in runs),
    }


def making(processes, *, cold):
    """Time a first env: with nothing compiled yet, and with everything in the cache."""
    if not cold:
        fresh(MAKE, PRESET, 1, 0)  # fills the user's own cache, where it is not full
        return {"cold_seconds": None, **_warm(processes, None)}
    with tempfile.TemporaryDirectory(prefix="mesocosm-bench-") as cache:
        first = fresh(MAKE, PRESET, 1, 0, cache=cache)
        return {"cold_seconds": first["seconds"], **_warm(processes, cache)}


def _warm(processes, cache):
    runs = [fresh(MAKE, PRESET, 1, 0, cache=cache) for _ in range(processes)]
    return {
        "warm_seconds": statistics.median(run["seconds"] for run in runs),
        "warm_fastest_seconds": min(run["seconds"] for run in runs),
        "warm_make_seconds": statistics.median(run["make"] for run in runs),
    }


def peak_bytes(preset, num_envs, rounds=8):
    """Measure the peak memory of a process that plays a batch for a while."""
    return fresh(MAKE, preset, num_envs, rounds)["peak_bytes"]
