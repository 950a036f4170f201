"""Intervals of means, studentised and corrected for skewness."""

import math
from typing import NamedTuple

import numpy as np

from mesocosm.evaluation.statistics.distribution import t_quantile, t_tail
from mesocosm.evaluation.statistics.limits import Limits, subtract

METHOD = "studentised, corrected for skewness (Hall)"
FEWEST = 30  # values: with fewer, none of the known methods covers skewed data
CAUTION = math.sqrt(30)  # how much more a skewed mean may miss: its skewness itself is uncertain


class Mean(NamedTuple):
    """A mean, and how it is distributed."""

    value: float
    error: float  # standard error
    skewness: float  # of the mean, not of the data
    df: float  # degrees of freedom


def mean_of_values(values: np.ndarray) -> Mean:
    """Give the mean of independent values."""
    count, mean = len(values), float(values.mean())
    apart = values - mean
    unit = float(np.abs(apart).max())  # whose squares neither vanish nor overflow
    if unit == 0.0:
        return Mean(mean, 0.0, 0.0, count - 1)
    apart = apart / unit
    deviation = math.sqrt(float((apart**2).sum()) / (count - 1))
    skewness = float(((apart / deviation) ** 3).mean())
    return Mean(mean, unit * deviation / math.sqrt(count), skewness / math.sqrt(count), count - 1)


def difference_of_means(first: Mean, second: Mean) -> Mean:
    """Give the difference of two independent means, as one: equal skewness cancels out."""
    error = math.hypot(first.error, second.error)
    parts = [(side.error / error, side) for side in (first, second)]
    skewness = sum(
        sign * part**3 * side.skewness for sign, (part, side) in zip((1, -1), parts, strict=True)
    )
    df = 1.0 / sum(part**4 / side.df for part, side in parts)  # Welch and Satterthwaite
    return Mean(first.value - second.value, error, skewness, df)


def limits_of(found: Mean, level: float) -> Limits:
    """Give the limits between which the true mean is.

    Hall's transformation makes the studentised mean almost symmetric. A skewed sample hides part of
    its tail: the more skewed it is, the wider the interval is made (`CAUTION`).
    """
    prob = (1.0 - level) / (1.0 + CAUTION * abs(found.skewness))
    quantile = t_quantile(1.0 - prob / 2.0, found.df)
    low, high = (
        found.value - found.error * _skewed(side * quantile, found.skewness) for side in (1.0, -1.0)
    )
    return Limits(found.value, low, high)


def difference_limits(first: Mean, second: Mean, level: float) -> Limits:
    """Give the limits of the difference of two independent means."""
    return subtract(limits_of(first, level), limits_of(second, level))


def p_value(found: Mean) -> float:
    """Give the probability of a mean so far from 0 if it were 0; agrees with `limits_of`."""
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
