"""Save and load random layered states of every world: nothing changes, now or in later steps.

`python -m benchmarks.snapshots --count 2000` draws settings of the layers, plays into a random
state, saves it, loads it into a twin and plays both on: state, frame, observations, masks, info,
digests and the next three steps must be equal, byte for byte. The env itself is loaded too.
"""

import argparse
import sys
import time
from collections import Counter

import numpy as np

import mesocosm as meso
from mesocosm.testing.layered import DRAWS, draw_layers
from mesocosm.testing.play import wild_actions
from mesocosm.testing.reload import changed_by_load

STATES_PER_ENV = 10
NUM_ENVS = 2
SHORT = 12  # steps of every other config's episodes, so that states at an end are met


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="states in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--world", action="append", help="only these worlds")
    parser.add_argument("--target", default="cpu")
    return parser.parse_args()


class Tally:
    """What was covered in one world, and what differed."""

    def __init__(self):
        self.states = self.envs = self.over = 0
        self.presets, self.layers, self.moved = Counter(), Counter(), Counter()
        self.odd = {}

    def show(self, world):
        on = ", ".join(f"{name} {self.layers[name]}" for name in DRAWS)
        presets = ", ".join(f"{name.partition('/')[2]} {n}" for name, n in self.presets.items())
        print(f"{world}: {self.states} states of {self.envs} configs, {self.over} just over")
        print(f"  presets: {presets}\n  layers on: {on}")
        print(f"  fields that were not as after a reset: {len(self.moved)}: ", end="")
        print(", ".join(sorted(self.moved)))
        for name, places in self.odd.items():
            print(f"  DIFFERS {len(places)} times, first {places[0]}: {name}")


def visit(preset, seed, count, target, tally):
    """Draw a config of a preset and check some of its states."""
    rng = np.random.default_rng(seed)
    layers = draw_layers(preset, rng)
    drawn = [name.removeprefix("layers.") for name in layers]
    if seed % 2:
        layers["core.max_steps"] = SHORT
    mode = ("same_step", "next_step", "off")[seed % 3]
    options = {"num_envs": NUM_ENVS, "target": target, "autoreset": mode}
    env = meso.make(preset, layers, seed=seed, **options)
    twin = meso.make(preset, layers, seed=seed + 1, first_env=5, **options)
    step = env.reset()
    tally.envs += 1
    tally.layers.update(drawn)
    first = env.save()
    for k in range(count):
        for _ in range(int(rng.integers(1, 12))):
            step = env.step(wild_actions(env, rng, step, odd=0.05))
        saved = env.save()
        tally.states += 1
        tally.presets[preset] += 1
        tally.over += bool(np.asarray(step.episode_over).any())
        moved = [key for key in saved if key != "_meta" and (saved[key] != first[key]).any()]
        tally.moved.update(moved)
        for name in changed_by_load(env, twin, seed=seed * 1000 + k):
            tally.odd.setdefault(name, []).append((preset, seed, k))


def main():
    options, begun = parse(), time.time()
    worlds = options.world or sorted({name.partition("/")[0] for name in meso.presets()})
    bad = 0
    for w, world in enumerate(worlds):
        tally = Tally()
        presets = meso.presets(world)
        left = options.count // len(worlds) + (w < options.count % len(worlds))
        number = 0
        while left > 0:
            count = min(left, STATES_PER_ENV)
            seed = options.seed + number
            visit(presets[number % len(presets)], seed, count, options.target, tally)
            left, number = left - count, number + 1
        tally.show(world)
        bad += sum(map(len, tally.odd.values()))
    print(f"{options.count} states, {bad} differences, {time.time() - begun:.0f} s")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
