"""Numbers of 24 bits, as MettaGrid keeps them."""

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule

SPLIT = 536870913.0  # 2**29 + 1
MOST_STAT = 2.0**40  # where 24 bits that grow by an amount stop growing


@rule
def single(x: float) -> float:
    """Round to the 24 bits that MettaGrid's own numbers have."""
    wide = x * SPLIT
    return wide - (wide - x)


@rule
def add_rounded(x: float, by: float) -> float:
    """Add to a statistic."""
    return clip(single(x + by), -MOST_STAT, MOST_STAT)
