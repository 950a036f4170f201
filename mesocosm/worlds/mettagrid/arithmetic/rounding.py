"""Numbers of 24 bits, as MettaGrid keeps them."""

import math

from mesocosm.sim.rule import rule

SPLIT = 536870913.0  # 2**29 + 1
MOST_STAT = 2.0**40  # where 24 bits that grow by an amount stop growing
INFINITE_FROM = 2.0**128 - 2.0**103  # rounds to infinity
LEAST_NORMAL = 2.0**-126  # below, numbers have fewer bits
TINY_GRID = 1.5 * 2.0**-97  # with this added, the last bit is worth 2**-149


@rule
def single(x: float) -> float:
    """Round to the 24 bits that MettaGrid's own numbers have; beyond 32 bits is infinity."""
    size = abs(x)
    if LEAST_NORMAL <= size < INFINITE_FROM:
        wide = x * SPLIT
        return wide - (wide - x)
    if size < LEAST_NORMAL:
        return (x + TINY_GRID) - TINY_GRID
    if x > 0.0:
        return math.inf
    return -math.inf if x < 0.0 else math.nan


@rule
def add_rounded(x: float, by: float) -> float:
    """Add to a statistic; by itself, what is counted does not grow beyond `MOST_STAT`."""
    return single(x + by)
