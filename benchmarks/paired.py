"""Two checkouts beside each other: agent-steps per CPU-second, in turns, and the ratio of both.

    python -m benchmarks.paired OTHER_CHECKOUT [PRESET ...] [--rounds 15] [--out FILE]

The machine may be shared: each preset is played by one process per checkout, which take turns of
about a fifth of a second, and what counts is the median of the ratios of neighbouring turns.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

PRESETS = {
    "commons/default": 1024,
    "townlet/L0": 1024,
    "townlet/L3": 1024,
    "townlet/L5": 1024,
    "townlet/L7": 512,
    "island/standard": 16,
    "mettagrid/arena24": 64,
    "mettagrid/arena100": 32,
    "mettagrid/walls24": 64,
    "mettagrid/network": 64,
    "mettagrid/assembly": 64,
}
WORKER = """
import sys, time
import numpy as np
import mesocosm as meso
preset, envs = sys.argv[1], int(sys.argv[2])
env = meso.make(preset, num_envs=envs, seed=1)
env.reset()
rng = np.random.default_rng(3)
def draw():
    made = {n: r.action.sample(rng, (envs, r.num_agents)) for n, r in env.spec.roles.items()}
    return made if len(made) > 1 else next(iter(made.values()))
ready = [draw() for _ in range(16)]
def play(steps):
    begin = time.process_time()
    for t in range(steps):
        env.step(ready[t % 16])
    return time.process_time() - begin
play(32)
steps = max(int(0.2 / max(play(16) / 16, 1e-6)), 1)
print(steps * envs * env.spec.num_agents, flush=True)
for line in sys.stdin:
    print(play(steps) / steps, flush=True)
"""


class Player:
    """A process that plays one preset with one checkout, when asked."""

    def __init__(self, checkout: Path, preset: str, envs: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER, preset, str(envs)],
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": str(checkout), "MESOCOSM_QUIET": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._read()

    def _read(self) -> float:
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a player ended early")
        return float(line)

    def play(self) -> float:
        """Give the CPU-seconds of one step."""
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        return self._read()

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def compare(other: Path, preset: str, envs: int, rounds: int) -> dict[str, float]:
    """Play both checkouts in turns; a ratio above 1 means that this one is faster."""
    players = [Player(path, preset, envs) for path in (other, Path.cwd())]
    turns = [[player.play() for player in players] for _ in range(rounds)]
    for player in players:
        player.close()
    ratios = sorted(before / now for before, now in turns)
    best = [min(column) for column in zip(*turns, strict=True)]
    return {
        "best": best[0] / best[1],
        "ratio": statistics.median(ratios),
        "low": ratios[len(ratios) // 4],
        "high": ratios[-1 - len(ratios) // 4],
        "seconds_per_step": statistics.median(now for _, now in turns),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path)
    parser.add_argument("presets", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = {}
    for preset in given.presets or PRESETS:
        found[preset] = compare(
            given.other.resolve(), preset, PRESETS.get(preset, 64), given.rounds
        )
        row = found[preset]
        spread = f"({row['low']:.3f} .. {row['high']:.3f})  best {row['best']:.3f}"
        print(f"{preset:24} {row['ratio']:6.3f}  {spread}", flush=True)
    print(f"{'median':24} {statistics.median(row['ratio'] for row in found.values()):6.3f}")
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
