"""Mean, median and interquartile mean, each with an interval where one is known to cover."""

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from mesocosm.evaluation.statistics import shares, studentised
from mesocosm.evaluation.statistics.distribution import binomial_cumulative
from mesocosm.evaluation.statistics.estimate import LEVEL, Estimate, without_interval
from mesocosm.evaluation.statistics.resampling import resampled_middles
from mesocosm.evaluation.statistics.sample import Sample, sample

Kind = Literal["auto", "share", "number"]
FEWEST = studentised.FEWEST
FEWEST_MEDIAN = 5  # episodes: the smallest and the largest of five miss the median in 1 of 16 cases
RESAMPLED_TAIL = 0.5  # of the tails is left out by percentiles, which are too narrow by themselves
CUT = 0.25  # of the values at either end, for the interquartile mean


class Description(NamedTuple):
    """Where the values of a sample lie."""

    lives: int
    episodes: int
    mean: Estimate  # over lives
    median: Estimate  # of the episodes' means
    iqm: Estimate  # interquartile mean of the episodes' means


def describe(values: Any, episode: Any = None, *, kind: Kind = "auto") -> Description:
    """Give mean, median and interquartile mean.

    Args:
        values: A number for every life; or a number for every training seed (`seed_values`).
        episode: Which episode each life belongs to; each has its own if not said.
        kind: `share` if the values can only be 0 or 1, `number` if they can be others, `auto` to
            take what is 0 and 1 throughout as a share.
    """
    found = sample(values, episode)
    return Description(
        len(found.values),
        found.num_episodes,
        mean_of(found, kind=kind),
        median_of(found),
        iqm_of(found),
    )


def estimate_mean(
    values: Any, episode: Any = None, *, kind: Kind = "auto", level: float = LEVEL
) -> Estimate:
    """Give the mean over lives and its interval over episodes; arguments as of `describe`."""
    return mean_of(sample(values, episode), kind=kind, level=level)


def estimate_median(values: Any, episode: Any = None) -> Estimate:
    """Give the median of the episodes' means and its interval."""
    return median_of(sample(values, episode))


def estimate_iqm(values: Any, episode: Any = None) -> Estimate:
    """Give the mean of the middle half of the episodes' means and its interval."""
    return iqm_of(sample(values, episode))


def estimate_share(hits: int, trials: int, level: float = LEVEL) -> Estimate:
    """Give the share of independent trials that were hits, and its interval."""
    if trials < 1:
        return without_interval(math.nan, "there is nothing to count")
    return Estimate(
        hits / trials, *shares.limits(hits / trials, trials, level), level, shares.EXACT
    )


def mean_of(found: Sample, *, kind: Kind = "auto", level: float = LEVEL) -> Estimate:
    """Give the mean of a sample and its interval."""
    count = found.num_episodes
    if not count:
        return without_interval(math.nan, "there are no values")
    if kind == "share":
        found.check_share()
    if kind == "share" or (kind == "auto" and found.is_share()):
        method = shares.EXACT if found.is_single() else shares.CLUSTERED
        return Estimate(found.mean, *shares.share_limits(found, level), level, method)
    if count < FEWEST:
        return without_interval(found.mean, few(count))
    if found.has_two_values():
        return _rescaled(found, level)
    return _mean_of_numbers(found, level)


def _mean_of_numbers(found: Sample, level: float) -> Estimate:
    parts = found.episode_values()
    if float(np.ptp(parts)) <= 1e-12 * float(np.abs(parts).max()):
        return without_interval(found.mean, "all episodes are equal")
    made = studentised.limits_of(studentised.mean_of_values(parts), level)
    return Estimate(found.mean, made.low, made.high, level, studentised.METHOD)


def _rescaled(found: Sample, level: float) -> Estimate:
    """Give the mean of two values, such as of victories and defeats, by the share of the higher."""
    lowest, highest = float(found.values.min()), float(found.values.max())
    share = Sample((found.values == highest).astype(float), found.episode)
    made = mean_of(share, kind="share", level=level)
    low, high = (lowest + (highest - lowest) * end for end in (made.low, made.high))
    return made._replace(value=found.mean, low=low, high=high)


def few(count: int) -> str:
    """Say why so few values have no interval of a mean."""
    return (
        f"{count} episodes or seeds are too few: below {FEWEST} no method covers the mean of "
        "skewed or two-peaked values"
    )


def median_of(found: Sample, level: float = LEVEL) -> Estimate:
    """Give the median and the interval of the sign test: exact for any distribution."""
    ordered = np.sort(found.episode_means())
    count = len(ordered)
    if not count:
        return without_interval(math.nan, "there are no values")
    middle = float(np.median(ordered))
    if count < FEWEST_MEDIAN:
        why = f"{count} episodes or seeds are too few: {FEWEST_MEDIAN} are needed"
        return without_interval(middle, why)
    cut = 0  # values left out at either end
    while 2.0 * binomial_cumulative(cut + 1, count, 0.5) <= 1.0 - level:
        cut += 1
    covered = 1.0 - 2.0 * binomial_cumulative(cut, count, 0.5)
    limits = float(ordered[cut]), float(ordered[count - 1 - cut])
    return Estimate(middle, *limits, min(covered, level), "exact (sign test)")


def iqm_of(found: Sample, level: float = LEVEL) -> Estimate:
    """Give the interquartile mean and its percentile interval over resamples."""
    ordered = np.sort(found.episode_means())
    count = len(ordered)
    if not count:
        return without_interval(math.nan, "there are no values")
    cut = int(CUT * count)
    kept = ordered[cut : count - cut]
    middle = float(kept.mean())
    if count < FEWEST:
        return without_interval(middle, few(count))
    if found.is_share() or float(np.ptp(kept)) <= 1e-12 * abs(middle):
        return without_interval(middle, "the middle half of the values has no spread of its own")
    tail = (1.0 - level) / 2.0 * RESAMPLED_TAIL
    low, high = np.quantile(resampled_middles(ordered, cut), (tail, 1.0 - tail))
    return Estimate(middle, float(low), float(high), level, "percentile bootstrap")
