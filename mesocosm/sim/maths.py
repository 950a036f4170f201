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


@rule
def lesser(x: float, y: float) -> float:
    """Give the smaller number, x when they are equal (`min` differs on CUDA for 0.0 and -0.0)."""
    if y < x:
        return y
    return x


@rule
def greater(x: float, y: float) -> float:
    """Give the larger number, x when they are equal (`max` differs on CUDA for 0.0 and -0.0)."""
    if y > x:
        return y
    return x
