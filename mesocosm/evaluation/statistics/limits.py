"""The limits of a difference from those of both sides, and p values from limits."""

import math
from collections.abc import Callable
from typing import NamedTuple

SMALLEST = 1e-12  # p value that is told apart from 0
HALVINGS = 40


class Limits(NamedTuple):
    """A value between its limits."""

    value: float
    low: float
    high: float


def subtract(first: Limits, second: Limits) -> Limits:
    """Give the limits of a difference: each side errs on its own (Newcombe; MOVER)."""
    value = first.value - second.value
    low = value - math.hypot(first.value - first.low, second.high - second.value)
    high = value + math.hypot(first.high - first.value, second.value - second.low)
    return Limits(value, low, high)


def p_value(limits_at: Callable[[float], Limits]) -> float:
    """Give the smallest p at which the limits leave 0 out.

    Args:
        limits_at: Gives the limits at a level.
    """
    small, large = math.log(SMALLEST), 0.0
    for _ in range(HALVINGS):
        middle = (small + large) / 2
        found = limits_at(1.0 - math.exp(middle))
        if found.low <= 0.0 <= found.high:
            small = middle
        else:
            large = middle
    return math.exp(large)
