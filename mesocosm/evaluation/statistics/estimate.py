"""A number with its interval, or with the reason why it has none."""

import math
from typing import NamedTuple

LEVEL = 0.95  # what intervals say that they cover


class Estimate(NamedTuple):
    """A value and its interval; where there is none, its limits are NaN and `why` says why."""

    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = LEVEL
    method: str = ""
    why: str = ""

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def width(self) -> float:
        """How wide the interval is; NaN if there is none."""
        return self.high - self.low


def without_interval(value: float, why: str) -> Estimate:
    """Give a value alone."""
    return Estimate(value, why=why)
