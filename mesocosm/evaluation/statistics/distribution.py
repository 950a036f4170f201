"""Quantiles and tails of the distributions that the intervals are made from."""

from typing import Any

from mesocosm.core.extra import missing_extra


def _special() -> Any:
    try:
        from scipy import special
    except ImportError as error:
        raise missing_extra("statistics need SciPy", "eval") from error
    return special


def normal_quantile(prob: float) -> float:
    """Give the value below which a standard normal variable falls with this probability."""
    return float(_special().ndtri(prob))


def normal_tail(value: float) -> float:
    """Give the probability that a standard normal variable is above a value."""
    return float(_special().ndtr(-value))


def t_quantile(prob: float, df: float) -> float:
    """Give the quantile of Student's t distribution."""
    return float(_special().stdtrit(df, prob))


def t_tail(value: float, df: float) -> float:
    """Give the probability that Student's t is above a value."""
    return float(_special().stdtr(df, -value))


def beta_quantile(prob: float, a: float, b: float) -> float:
    """Give the quantile of a beta distribution."""
    return float(_special().betaincinv(a, b, prob))


def binomial_cumulative(count: int, trials: int, prob: float) -> float:
    """Give the probability of at most `count` successes."""
    return float(_special().bdtr(count, trials, prob))
