"""Arithmetic that gives the same bits on every target: comparisons and our own polynomials."""

from mesocosm.sim.rule import rule


@rule
def clip(x: float, low: float, high: float) -> float:
    """Keep a number inside [low, high]."""
    if x < low:
        return low
    if x > high:
        return high
    return x
