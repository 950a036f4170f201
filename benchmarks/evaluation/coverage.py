"""Measure how often intervals cover the truth, on simulated episodes.

`python -m benchmarks.evaluation.coverage` draws 2,000 samples for every distribution and number of
episodes, and counts how often an interval is given, how often it covers, and how wide it is, beside
Student's t and the percentile bootstrap. Methods see the values alone.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.evaluation.distributions import BEYOND, PROMISED, Distribution, coin, lognormal
from mesocosm.evaluation.statistics.describe import (
    estimate_iqm,
    estimate_mean,
    estimate_median,
)
from mesocosm.evaluation.statistics.difference import difference_of
from mesocosm.evaluation.statistics.estimate import Estimate
from mesocosm.evaluation.statistics.improvement import probability_of_improvement
from mesocosm.evaluation.statistics.sample import Sample, sample, seed_values

RESULTS = Path(__file__).parent.parent / "results" / "evaluation"
COUNTS, TRIALS, SEED = (5, 10, 30, 100), 2_000, 17
REQUIRED = 0.93
ESTIMATES: dict[str, Callable[..., Estimate]] = {
    "mean": estimate_mean,
    "median": estimate_median,
    "iqm": estimate_iqm,
}
# paired, the shorter tail of one hides the longer tail of the other
WILD = (lognormal(1.0), lognormal(1.5))
Row = dict[str, Any]


def measure(found: list[Estimate], truth: float) -> Row:
    """Count intervals, how many cover the truth, and how wide they are."""
    given = [entry for entry in found if entry.has_interval]
    row: Row = {"trials": len(found), "given": len(given) / len(found)}
    if given:
        near = 1e-12 * (1.0 + abs(truth))
        row["coverage"] = float(
            np.mean([entry.low - near <= truth <= entry.high + near for entry in given])
        )
        row["width"] = float(np.median([entry.width for entry in given]))
        row["method"] = given[0].method
    else:
        row["why"] = found[0].why
    return row


def references(values: np.ndarray, truth: float) -> Row:
    """Measure Student's t and the percentile bootstrap of the mean: values [trial, episode]."""
    count, mean = values.shape[1], values.mean(1)
    reach = stats.t.ppf(0.975, count - 1) * values.std(1, ddof=1) / np.sqrt(count)
    drawn = np.random.default_rng(SEED).multinomial(count, np.full(count, 1 / count), 1000)
    low, high = np.quantile(values @ drawn.T / count, (0.025, 0.975), axis=1)
    return {
        "t_coverage": float((np.abs(mean - truth) <= reach).mean()),
        "t_width": float(np.median(2 * reach)),
        "percentile_coverage": float(((low <= truth) & (truth <= high)).mean()),
        "percentile_width": float(np.median(high - low)),
    }


def measure_single(entry: Distribution, trials: int) -> Iterator[Row]:
    """Measure mean, median and interquartile mean of one sample."""
    truths = entry.truths()
    for count in COUNTS:
        values = entry.draw(np.random.default_rng((SEED, count)), (trials, count))
        for name, estimate in ESTIMATES.items():
            if entry.kind == "0/1" and name == "iqm":
                continue  # it says nothing about 0 and 1
            row = measure([estimate(part) for part in values], truths[name])
            more = references(values, truths["mean"]) if name == "mean" else {}
            about = {"kind": entry.kind, "name": entry.name, "n": count, "of": name}
            yield about | row | more


def clustered(rng: np.random.Generator, episodes: int) -> Sample:
    """Draw up to 8 lives of each episode, that share most of their luck; their mean is 0."""
    lives = rng.integers(1, 9, episodes)
    episode = np.repeat(np.arange(episodes), lives)
    luck = rng.exponential(1.0, episodes) - 1.0
    return Sample(luck[episode] + 0.3 * rng.normal(size=len(episode)), episode)


def clustered_share(rng: np.random.Generator, episodes: int) -> Sample:
    """Draw 6 lives of each episode, that mostly end alike; 0.26 of all succeed."""
    episode = np.repeat(np.arange(episodes), 6)
    alike = (rng.random(episodes) < 0.2)[episode]
    return Sample((alike ^ (rng.random(len(episode)) < 0.1)).astype(float), episode)


def trained(rng: np.random.Generator, seeds: int) -> Sample:
    """Draw 50 episodes of each training seed: 3 of 10 seeds fail; the mean over seeds is 0.7."""
    seed = np.repeat(np.arange(seeds), 50)
    level = (rng.random(seeds) < 0.7) + 0.1 * rng.normal(size=seeds)
    return seed_values(level[seed] + rng.exponential(0.5, len(seed)) - 0.5, seed)


def measure_grouped(trials: int) -> Iterator[Row]:
    """Measure lives of episodes, and episodes of training seeds."""
    kinds = {
        "lives of episodes": (clustered, 0.0, estimate_mean),
        "share of lives of episodes": (clustered_share, 0.26, estimate_mean),
        "mean over training seeds": (trained, 0.7, estimate_mean),
        "median over training seeds": (trained, None, estimate_median),
    }
    for name, (draw, truth, estimate) in kinds.items():
        if truth is None:
            true = float(np.median(draw(np.random.default_rng(0), 40_000).values))
        else:
            true = truth
        for count in COUNTS:
            rng = np.random.default_rng((SEED, count))
            found = [
                estimate(part.values, part.episode) for part in _draws(draw, rng, count, trials)
            ]
            yield {"kind": "grouped", "name": name, "n": count} | measure(found, true)


def _draws(draw: Any, rng: np.random.Generator, count: int, trials: int) -> Iterator[Sample]:
    for _ in range(trials):
        yield draw(rng, count)


def measure_differences(trials: int) -> Iterator[Row]:
    """Measure differences of means and of shares, and probabilities of improvement."""
    by_name = {entry.name: entry for entry in PROMISED}
    pairs = [(by_name[one], by_name[two]) for one, two in (
        ("normal", "normal"), ("exponential", "exponential"), ("lognormal 1.0", "normal"),
        ("lognormal 1.0", "exponential"), ("30% low", "15% low"), ("80 % zero", "exponential"),
    )]  # fmt: skip
    pairs += [(coin(one), coin(two)) for one, two in ((0.02, 0.02), (0.02, 0.1), (0.5, 0.3))]
    pairs += [WILD]
    for one, two in pairs:
        above = _probability(one, two)
        for count in COUNTS:
            rng = np.random.default_rng((SEED, count))
            for paired in (False, True):
                sides = [_sides(one, two, rng, count, paired) for _ in range(trials)]
                about = {"name": f"{one.name} - {two.name}", "n": count, "paired": paired}
                about["promised"] = not (paired and (one, two) == WILD)
                found = [difference_of(*side, paired=paired).estimate for side in sides]
                yield {"kind": "difference"} | about | measure(found, one.mean - two.mean)
                if not paired:  # pairs that share luck have another probability
                    chances = [probability_of_improvement(*side) for side in sides]
                    yield {"kind": "improvement"} | about | measure(chances, above)


def _sides(
    one: Distribution, two: Distribution, rng: np.random.Generator, count: int, paired: bool
) -> tuple[Sample, Sample]:
    """Draw both sides; paired numbers share their luck, where they are not 0 and 1."""
    first, second = (entry.draw(rng, (count,)) for entry in (one, two))
    if paired and one.kind != "0/1":
        luck = rng.normal(0.0, 2.0, count)
        first, second = first + luck, second + luck
    return sample(first), sample(second)


def _probability(one: Distribution, two: Distribution) -> float:
    rng = np.random.default_rng(0)
    first, second = one.draw(rng, (1_000_000,)), two.draw(rng, (1_000_000,))
    return float((first > second).mean() + (first == second).mean() / 2)


def measure_all(trials: int) -> list[Row]:
    """Measure everything."""
    rows = []
    for promised, entries in ((True, PROMISED), (False, BEYOND)):
        for entry in entries:
            print(f"{entry.kind}: {entry.name}", flush=True)
            rows += [row | {"promised": promised} for row in measure_single(entry, trials)]
    for more in (measure_grouped, measure_differences):
        print(more.__name__, flush=True)
        rows += [{"promised": True} | row for row in more(trials)]
    return rows


def main() -> None:
    """Measure, and write tables and raw numbers."""
    from benchmarks.evaluation.coverage_table import write_tables

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    rows = measure_all(chosen.trials)
    chosen.out.mkdir(parents=True, exist_ok=True)
    data = {"trials": chosen.trials, "seed": SEED, "required": REQUIRED, "rows": rows}
    (chosen.out / "coverage.json").write_text(json.dumps(data, indent=1) + "\n")
    text = write_tables(data)
    (chosen.out / "coverage.md").write_text(text)
    print(text.split("\n\n")[2])


if __name__ == "__main__":
    main()
