"""The difference of two means: an interval where one is known to cover, and a p value."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mesocosm.evaluation.statistics import resampling, shares, studentised
from mesocosm.evaluation.statistics.describe import FEWEST, Kind, few
from mesocosm.evaluation.statistics.estimate import LEVEL, Estimate, without_interval
from mesocosm.evaluation.statistics.limits import Limits, p_value
from mesocosm.evaluation.statistics.sample import Sample

ENDS = ("value", "low", "high")
# How the p value was found where there is no interval. Exchanging tests whether the sides are alike
# in everything; sides of equal means and unlike skewness are told apart too often by that alone.
EXCHANGED = "exchanged at random, and studentised"


class Difference(NamedTuple):
    """How much higher the first mean is than the second."""

    estimate: Estimate
    p: float  # of no difference; NaN if it cannot be tested
    episodes: tuple[int, int]  # that were compared, of either side
    paired: bool


def pair_up(first: Sample, second: Sample) -> tuple[Sample, Sample]:
    """Keep the episodes that both have played."""
    both = np.intersect1d(first.episode, second.episode)
    return first.of_episodes(both), second.of_episodes(both)


def difference_of(
    first: Sample, second: Sample, *, paired: bool = False, kind: Kind = "auto"
) -> Difference:
    """Compare two means.

    Args:
        paired: Whether episodes of the same id began alike (common random numbers).
    """
    if paired:
        first, second = pair_up(first, second)
    counts = first.num_episodes, second.num_episodes
    if min(counts) < 2:
        why = "each side needs at least 2 episodes" + (" that both have played" if paired else "")
        return Difference(without_interval(first.mean - second.mean, why), math.nan, counts, paired)
    if kind == "share":
        first.check_share()
        second.check_share()
    single = first.is_single() and second.is_single()
    scale = _scale_of_two(first, second, kind)
    if scale is not None and (single or not paired):
        found = _shares(_rescale(first, scale), _rescale(second, scale), paired)
        span = scale[1] - scale[0]
        made = found[0]._replace(**{k: span * getattr(found[0], k) for k in ENDS})
        found = made, found[1]
    elif paired:
        found = _paired(first.episode_values() - second.episode_values())
    else:
        found = _unpaired(first.episode_values(), second.episode_values())
    return Difference(*found, counts, paired)


def _scale_of_two(first: Sample, second: Sample, kind: Kind) -> tuple[float, float] | None:
    """Give the two values that both sides have alone, lower and higher; None if there are more."""
    both = np.unique(np.concatenate([first.values, second.values]))
    if kind == "share" or (kind == "auto" and np.isin(both, (0.0, 1.0)).all()):
        return 0.0, 1.0
    if len(both) != 2 or min(first.num_episodes, second.num_episodes) < FEWEST:
        return None
    if not (first.has_two_values() or second.has_two_values()):
        return None  # each side has a value of its own
    return float(both[0]), float(both[1])


def _rescale(found: Sample, scale: tuple[float, float]) -> Sample:
    return Sample((found.values == scale[1]).astype(float), found.episode)


def _shares(first: Sample, second: Sample, paired: bool) -> tuple[Estimate, float]:
    if not paired:
        return _from_limits(
            lambda level: shares.difference_limits(first, second, level), shares.UNPAIRED
        )
    differences = first.episode_means() - second.episode_means()  # one life each: 0 and 1 exactly
    limits = shares.paired_limits(differences, LEVEL)
    made = Estimate(float(differences.mean()), *limits, LEVEL, shares.PAIRED)
    return made, shares.paired_p_value(differences)


def _paired(differences: np.ndarray) -> tuple[Estimate, float]:
    value, count = float(differences.mean()), len(differences)
    scale = float(np.abs(differences).max())
    if scale == 0.0:
        return without_interval(value, "every pair is equal"), 1.0
    if float(np.ptp(differences)) <= 1e-12 * scale:
        return without_interval(value, "all pairs differ by the same"), 2.0 ** (1 - count)
    mean = studentised.mean_of_values(differences)
    if count < FEWEST:
        made = without_interval(value, few(count))._replace(method=EXCHANGED)
        return made, max(resampling.p_value_of_signs(differences), studentised.p_value(mean))
    found = studentised.limits_of(mean, LEVEL)
    made = Estimate(value, found.low, found.high, LEVEL, studentised.METHOD)
    return made, studentised.p_value(mean)


def _unpaired(first: np.ndarray, second: np.ndarray) -> tuple[Estimate, float]:
    value, count = float(first.mean() - second.mean()), min(len(first), len(second))
    scale = max(float(np.abs(first).max()), float(np.abs(second).max()))
    if max(float(np.ptp(first)), float(np.ptp(second))) <= 1e-12 * scale:
        if abs(value) <= 1e-12 * scale:
            return without_interval(value, "all values are equal up to rounding"), 1.0
        rarest = math.lgamma(len(first) + len(second) + 1)
        rarest -= math.lgamma(len(first) + 1) + math.lgamma(len(second) + 1)
        return without_interval(value, "each side's values are equal"), 2.0 * math.exp(-rarest)
    ours, theirs = (studentised.mean_of_values(side) for side in (first, second))
    if count < FEWEST:
        made = without_interval(value, few(count))._replace(method=EXCHANGED)
        unlike = studentised.p_value(studentised.difference_of_means(ours, theirs))
        return made, max(resampling.p_value_of_groups(first, second), unlike)
    return _from_limits(
        lambda level: studentised.difference_limits(ours, theirs, level), studentised.METHOD
    )


def _from_limits(limits_at: Callable[[float], Limits], method: str) -> tuple[Estimate, float]:
    """Give an estimate whose p value is that at which its limits leave 0 out."""
    made = Estimate(*limits_at(LEVEL), LEVEL, method)
    return made, 1.0 if made.value == 0.0 else p_value(limits_at)
