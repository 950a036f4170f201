"""Measure what is hardest for the statistics: rare shares of lives, and sides of unlike shape.

`python -m benchmarks.evaluation.hard_cases` draws episodes of several lives that hang together, in
which something happens rarely (beta-binomial), and counts how often the interval of the share
covers; and fewer than 30 episodes of two sides that have one mean and nothing else in common, and
counts how often they are told apart.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.written import table, write
from mesocosm.evaluation.statistics import resampling
from mesocosm.evaluation.statistics.describe import mean_of
from mesocosm.evaluation.statistics.sample import Sample, sample
from mesocosm.evaluation.statistics.verdict import NOT_DISTINGUISHABLE, compare

TRIALS, SEED, ALPHA = 1_000, 17, 0.05
EPISODES, LIVES, SHARES = (30, 60, 100), (2, 6, 10), (0.01, 0.02, 0.05, 0.98)
ALIKE = (0.1, 0.3, 1.0)  # of the beta distribution: the smaller, the more alike lives are
Draw = Callable[[np.random.Generator, int], np.ndarray]
Row = dict[str, Any]
SHAPES: dict[str, Draw] = {  # all of mean 1
    "constant": lambda rng, n: np.ones(n),
    "narrow": lambda rng, n: rng.normal(1.0, 0.2, n),
    "normal": lambda rng, n: rng.normal(1.0, 1.0, n),
    "exponential": lambda rng, n: rng.exponential(1.0, n),
    "gamma 0.5": lambda rng, n: 2.0 * rng.gamma(0.5, 1.0, n),
    "lognormal 1.5": lambda rng, n: rng.lognormal(-1.125, 1.5, n),
    "80 % zero": lambda rng, n: 5.0 * (rng.random(n) < 0.2),
}
PAIRS = (
    ("exponential", "constant", 10, 10), ("exponential", "narrow", 20, 20),
    ("gamma 0.5", "narrow", 29, 29), ("gamma 0.5", "narrow", 10, 10),
    ("exponential", "narrow", 8, 25), ("exponential", "normal", 10, 10),
    ("exponential", "exponential", 10, 10), ("normal", "normal", 10, 10),
    ("lognormal 1.5", "narrow", 29, 29), ("80 % zero", "narrow", 10, 10),
)  # fmt: skip


def measure_shares(trials: int) -> Iterator[Row]:
    """Count how often the interval of a rare share of lives covers it."""
    for episodes in EPISODES:
        for lives in LIVES:
            for share in SHARES:
                covered = [_coverage(episodes, lives, share, alike, trials) for alike in ALIKE]
                yield {"n": episodes, "lives": lives, "share": share, "covered": covered}


def _coverage(episodes: int, lives: int, share: float, alike: float, trials: int) -> float:
    rng = np.random.default_rng((SEED, episodes, lives))
    rare = min(share, 1.0 - share)
    episode, found = np.repeat(np.arange(episodes), lives), 0
    for _ in range(trials):
        chance = rng.beta(alike, alike * (1.0 - rare) / rare, episodes)
        hits = rng.random(len(episode)) < chance[episode]
        values = (hits if share == rare else ~hits).astype(float)
        made = mean_of(Sample(values, episode), kind="share")
        found += made.low <= share <= made.high
    return found / trials


def measure_shapes(trials: int) -> Iterator[Row]:
    """Count how often sides of one mean are told apart, also by exchanging alone."""
    for one, two, first, second in PAIRS:
        rng = np.random.default_rng((SEED, first, second))
        alone = together = 0
        for _ in range(trials):
            ours, theirs = SHAPES[one](rng, first), SHAPES[two](rng, second)
            alone += resampling.p_value_of_groups(ours, theirs) <= ALPHA
            verdict = compare(sample(ours), sample(theirs)).verdict
            together += verdict != NOT_DISTINGUISHABLE
        yield {"sides": f"{one} v {two}", "n": [first, second]} | {
            "exchanging": alone / trials, "verdict": together / trials,
        }  # fmt: skip


def write_parts(data: Row) -> list[str]:
    """Write the tables for people."""
    least = min(min(row["covered"]) for row in data["shares"])
    head = ("episodes", "lives", "share", *(f"alike {entry:g}" for entry in ALIKE))
    rows = [
        (str(r["n"]), str(r["lives"]), f"{r['share']:g}", *(f"{x:.1%}" for x in r["covered"]))
        for r in data["shares"]
    ]
    shapes = [
        (r["sides"], f"{r['n'][0]}, {r['n'][1]}", f"{r['exchanging']:.1%}", f"{r['verdict']:.1%}")
        for r in data["shapes"]
    ]
    told = ("sides", "episodes", "told apart by exchanging alone", "by our verdict")
    return [
        f"{data['trials']:,} trials in each cell, seed {SEED}.",
        "## Coverage of rare shares of lives (95 % said)",
        f"The least is {least:.1%}. The smaller `alike`, the more the lives of an episode are.",
        table(head, rows),
        "## Sides of equal means and unlike shape, told apart (5 % said)",
        table(told, shapes),
    ]


def main() -> None:
    """Measure, and write tables and raw numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    data: Row = {"trials": chosen.trials, "seed": SEED}
    data |= {"shares": list(measure_shares(chosen.trials))}
    data |= {"shapes": list(measure_shapes(chosen.trials))}
    write("hard_cases", "Hard cases", write_parts(data), data, chosen.out)


if __name__ == "__main__":
    main()
