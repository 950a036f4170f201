"""Edit snapshots at random, load them and play on: each is safe, or refused by name.

`python -m benchmarks.edits --count 20000` edits over every preset of every world, in processes of
their own, with compiled code that checks its indices. What ends a process is a crash, and counted
with its seed. Half of the edits have layers that are drawn on top. `--worker --preset P --seed S
--layers L --count 1` plays one edit again, `--target python` in a form that a debugger can follow.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter

import numpy as np

import mesocosm as meso
from mesocosm.core.errors import BoundsError, SnapshotError
from mesocosm.testing.edits import draw_edit
from mesocosm.testing.layered import draw_layers
from mesocosm.testing.play import outputs, wild_actions

STEPS = 3
NUM_ENVS = 2
EDITS_PER_STATE = 10


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="edits in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--world", action="append", help="only these worlds")
    parser.add_argument("--preset", help="only this one")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--layers", type=int, default=0, help="draw layers by this seed; 0: none")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


class Player:
    """Brings an env into random states, and tries edits of them."""

    def __init__(self, preset, target, layers):
        drawn = draw_layers(preset, np.random.default_rng(layers)) if layers else {}
        self.env = meso.make(preset, drawn, num_envs=NUM_ENVS, target=target, seed=1)
        self.state = -1
        self.base = None

    def try_edit(self, seed):
        """Make one edit; say what became of it."""
        self.reach(seed // EDITS_PER_STATE)
        rng = np.random.default_rng((seed, 1))
        edited, chosen = draw_edit(self.env, self.base, rng)
        found = {"seed": seed, "fields": chosen if len(chosen) < 6 else ["(all)"]}
        try:
            self.env.load(edited)
            for _ in range(STEPS):
                step = self.env.step(wild_actions(self.env, rng, odd=0.1))
        except SnapshotError as error:
            named = str(error).partition(":")[0].partition("[")[0].removeprefix("snapshot.")
            known = named in edited
            return found | {"result": "refused" if known else "unnamed", "by": named}
        except BoundsError as error:
            return found | {"result": "outside", "error": str(error)}
        except Exception as error:
            return found | {"result": "raised", "error": f"{type(error).__name__}: {error}"}
        shown = outputs(self.env, step)
        odd = [key for key, value in shown.items() if not np.isfinite(value).all()]
        if odd:
            return found | {"result": "not finite", "error": ", ".join(odd)}
        return found | {"result": "accepted", "again": self.loads_again()}

    def reach(self, state):
        """Play to one of the states that edits begin with."""
        if state == self.state:
            return
        self.state = state
        rng = np.random.default_rng((state, 0))
        step = self.env.reset(seed=state)
        for _ in range(int(rng.integers(0, 30))):
            step = self.env.step(wild_actions(self.env, rng, step, odd=0.02))
        self.base = self.env.save()

    def loads_again(self):
        try:
            self.env.load(self.env.save())
        except SnapshotError as error:
            return str(error).partition(":")[0].partition("[")[0]
        return ""


def work(options):
    player = Player(options.preset, options.target, options.layers)
    for seed in range(options.seed, options.seed + options.count):
        print(json.dumps({"begun": seed}), flush=True)
        print(json.dumps(player.try_edit(seed)), flush=True)


def run_preset(preset, first, count, target, layers):
    """Try edits in a process of its own; begin another after a crash."""
    found, seed, last = [], first, first + count
    while seed < last:
        command = [sys.executable, "-m", "benchmarks.edits", "--worker", "--preset", preset]
        command += ["--seed", str(seed), "--count", str(last - seed), "--target", target]
        command += ["--layers", str(layers)]
        env = os.environ | {"NUMBA_BOUNDSCHECK": "1", "MESOCOSM_QUIET": "1"}
        made = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
        lines = [json.loads(line) for line in made.stdout.splitlines() if line.startswith("{")]
        results = [line for line in lines if "result" in line]
        found += results
        begun = [line["begun"] for line in lines if "begun" in line]
        if made.returncode == 0:
            break
        if not begun:
            raise SystemExit(f"{preset}: {made.stderr[-2000:]}")
        if len(begun) > len(results):
            said = made.stderr.strip().splitlines()[-1:] or [""]
            what = f"exit {made.returncode}: {said[0]}"
            found.append({"seed": begun[-1], "fields": [], "result": "crash", "error": what})
        seed = begun[-1] + 1
    return [row | {"layers": layers} for row in found]


def report(world, rows):
    """Print what became of a world's edits, by result and by field."""
    results = Counter(row["result"] for _, row in rows)
    print(f"{world}: {len(rows)} edits: " + ", ".join(f"{n} {r}" for r, n in results.items()))
    fields = {}
    for _, row in rows:
        for name in row["fields"]:
            counts = fields.setdefault(name, Counter())
            counts[row["result"]] += 1
    for name in sorted(fields):
        print(f"  {name}: " + ", ".join(f"{n} {r}" for r, n in fields[name].items()))
    refused = Counter(row["by"] for _, row in rows if row["result"] == "refused")
    print("  refused by: " + (", ".join(f"{k} {n}" for k, n in refused.items()) or "nothing"))
    again = Counter(row["again"] for _, row in rows if row.get("again"))
    if again:
        print("  left their range within the steps played: " + ", ".join(map(str, again.items())))
    errors = {}
    for preset, row in rows:
        if "error" in row:
            place = f"{preset} --seed {row['seed']} --layers {row['layers']}"
            errors.setdefault((row["result"], row["error"]), []).append(place)
    for (result, error), places in errors.items():
        print(f"  {result} {len(places)} times, first {places[0]}: {error}")


def main():
    options = parse()
    if options.worker:
        work(options)
        return
    presets = [options.preset] if options.preset else meso.presets()
    if options.world:
        presets = [name for name in presets if name.partition("/")[0] in options.world]
    share, rest = divmod(options.count, len(presets))
    by_world, begun = {}, time.time()
    for k, preset in enumerate(presets):
        count = share + (k < rest)
        rows = []
        for layers, part in ((options.layers, count - count // 2), (k + 1, count // 2)):
            rows += run_preset(preset, options.seed, part, options.target, layers)
        results = dict(Counter(row["result"] for row in rows))
        print(f"{preset}: {results}, {time.time() - begun:.0f} s", file=sys.stderr, flush=True)
        by_world.setdefault(preset.partition("/")[0], []).extend((preset, row) for row in rows)
    for world, rows in by_world.items():
        report(world, rows)
    every = [row for rows in by_world.values() for _, row in rows]
    bad = [row for row in every if row["result"] not in ("accepted", "refused")]
    print(f"{len(every)} edits, {len(bad)} neither safe nor refused, {time.time() - begun:.0f} s")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
