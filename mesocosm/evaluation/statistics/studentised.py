"""Intervals of means and of their differences, studentised and corrected for skewness."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mesocosm.evaluation.statistics.distribution import t_quantile, t_tail

METHOD = "studentised, corrected for skewness (Hall)"
FEWEST = 30  # values of each group: with fewer, none of the known methods covers skewed data
CAUTION = math.sqrt(30)  # how much more a skewed estimate may miss: its own skewness is uncertain


class Contrast(NamedTuple):
    """A weighted sum of the means of independent groups, and how it is distributed."""

    value: float
    error: float  # standard error
    skewness: float  # of `value`, not of the data
    df: float  # degrees of freedom (Welch, Satterthwaite)
    fewest: int  # values in the smallest group


def contrast(groups: Sequence[np.ndarray], weights: Sequence[float]) -> Contrast:
    """Add up weighted means: one group for a mean, weights 1 and -1 for a difference."""
    value = variance = third = shares = 0.0
    for group, weight in zip(groups, weights, strict=True):
        count, mean = len(group), float(group.mean())
        apart = group - mean
        part = weight**2 * float((apart**2).sum()) / (count - 1) / count
        value += weight * mean
        variance += part
        third += weight**3 * float((apart**3).mean()) / count**2
        shares += part**2 / (count - 1)
    if variance == 0.0:
        return Contrast(value, 0.0, 0.0, 1.0, min(map(len, groups)))
    skewness = third / variance**1.5
    return Contrast(
        value, math.sqrt(variance), skewness, variance**2 / shares, min(map(len, groups))
    )


def interval(found: Contrast, level: float) -> tuple[float, float]:
    """Give the limits between which the true value is.

    Hall's transformation makes the studentised value almost symmetric. A skewed sample hides part
    of its tail: the more skewed it is, the wider the interval is made (`CAUTION`).
    """
    prob = (1.0 - level) / (1.0 + CAUTION * abs(found.skewness))
    quantile = t_quantile(1.0 - prob / 2.0, found.df)
    low, high = (
        found.value - found.error * _skewed(side * quantile, found.skewness) for side in (1.0, -1.0)
    )
    return low, high


def p_value(found: Contrast) -> float:
    """Give the probability of a value so far from 0 if it were 0; agrees with `interval`."""
    symmetric = _symmetric(found.value / found.error, found.skewness)
    widened = 1.0 + CAUTION * abs(found.skewness)
    return min(1.0, 2.0 * t_tail(abs(symmetric), found.df) * widened)


def _symmetric(value: float, skewness: float) -> float:
    """Transform a studentised value so that it is almost symmetric (Hall 1992)."""
    return value + skewness * value**2 / 3 + skewness**2 * value**3 / 27 + skewness / 6


def _skewed(value: float, skewness: float) -> float:
    """Undo `_symmetric`."""
    if abs(skewness) < 1e-6:
        return value
    return 3.0 / skewness * (math.cbrt(1.0 + skewness * (value - skewness / 6)) - 1.0)
