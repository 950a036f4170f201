"""Threads that compile at once: several make worlds, one compiles functions of its own.

    python -m benchmarks.threads [--rounds 20] [--worlds commons townlet island mettagrid]

Each round is a process with an empty cache. It fails if a thread fails, if a world steps otherwise
than in plain Python, if a function of the last thread gives a wrong answer, or if an attribute of
Numba that compiling replaces is not the original object afterwards.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

WORLDS = ("commons", "townlet/L3", "island/skirmish", "mettagrid/arena24")
ROUND = """
import json, sys, threading
import numba, numpy as np
import mesocosm as meso
from mesocosm.sim.compile.numba_patches import linked_once

worlds, failures, running = sys.argv[1:], [], threading.Event()
patches = linked_once("any")
originals = [getattr(patch.owner, patch.name) for patch in patches]
start = threading.Barrier(len(worlds) + 1)
made, functions = {}, 0

def make(preset):
    try:
        start.wait()
        made[preset] = meso.make(preset, num_envs=2, seed=5)
    except BaseException as error:
        failures.append(f"{preset}: {type(error).__name__}: {error}"[:300])

def compile_own():
    global functions
    try:
        start.wait()
        x = np.arange(10.0)
        while not running.is_set():
            k = functions
            last = numba.njit(lambda x: x[-1] + k)
            total = numba.njit(lambda x: x.sum() * k + np.sqrt(x[-2]))
            if last(x) != 9.0 + k or total(x) != 45.0 * k + 8.0 ** 0.5 or last(x[:4]) != 3.0 + k:
                failures.append(f"own function {k}: {last(x)} {total(x)}")
            functions += 1
    except BaseException as error:
        failures.append(f"own: {type(error).__name__}: {error}"[:300])

threads = [threading.Thread(target=make, args=(preset,)) for preset in worlds]
own = threading.Thread(target=compile_own)
for thread in (*threads, own):
    thread.start()
for thread in threads:
    thread.join()
running.set()
own.join()
for patch, original in zip(patches, originals):
    if getattr(patch.owner, patch.name) is not original:
        failures.append(f"{patch.owner.__name__}.{patch.name} is still replaced")
for preset, env in made.items():
    if env.driver.origin.source != "compiled":
        failures.append(f"{preset}: was {env.driver.origin.source}")
    plain = meso.make(preset, num_envs=2, seed=5, target="python")
    env.reset(), plain.reset()
    actions = {n: r.action.noop((2, r.num_agents)) for n, r in env.spec.roles.items()}
    actions = actions if len(actions) > 1 else next(iter(actions.values()))
    for _ in range(3):
        env.step(actions), plain.step(actions)
    if env.digest() != plain.digest():
        failures.append(f"{preset}: other results than in plain Python")
after = numba.njit(lambda x: x[-1])
if after(np.arange(5)) != 4:
    failures.append("a function compiled afterwards reads the wrong number")
print(json.dumps({"failures": failures, "worlds": len(made), "functions": functions}))
"""


def play_round(worlds):
    """Run one round in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="mesocosm-threads-") as cache:
        env = os.environ | {"MESOCOSM_CACHE_DIR": cache, "MESOCOSM_QUIET": "1"}
        code = [sys.executable, "-c", ROUND, *worlds]
        done = subprocess.run(code, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [""])[-1]
        return {"failures": [f"ended with {done.returncode}: {last}"], "worlds": 0, "functions": 0}
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--worlds", nargs="+", default=WORLDS)
    given = parser.parse_args()
    failed = worlds = functions = 0
    begin = time.monotonic()
    for k in range(given.rounds):
        found = play_round(given.worlds)
        failed += bool(found["failures"])
        worlds, functions = worlds + found["worlds"], functions + found["functions"]
        for failure in found["failures"]:
            print(f"round {k}: {failure}", flush=True)
    seconds = time.monotonic() - begin
    print(
        f"{given.rounds} rounds, {failed} failed; {worlds} worlds and {2 * functions} functions "
        f"compiled in {seconds:.0f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
