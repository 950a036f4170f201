"""Intervals of shares, and of their differences, that hold for any number of episodes."""

import math

import numpy as np

from mesocosm.evaluation.statistics.distribution import (
    beta_quantile,
    normal_quantile,
    normal_tail,
    t_quantile,
)
from mesocosm.evaluation.statistics.limits import Limits, subtract
from mesocosm.evaluation.statistics.sample import Sample
from mesocosm.evaluation.statistics.studentised import FEWEST

EXACT = "exact (Clopper and Pearson)"
CLUSTERED = "exact, for as many independent lives as these are worth (Korn and Graubard)"
UNPAIRED = "from both shares' exact intervals (Newcombe)"
DOUBT = 0.5  # episodes
PAIRED = "paired shares (Bonett and Price)"


def limits(share: float, trials: float, level: float) -> tuple[float, float]:
    """Give the exact interval of a share of independent trials; `trials` need not be whole."""
    tail, hits = (1.0 - level) / 2.0, share * trials
    misses = trials - hits
    low = beta_quantile(tail, hits, misses + 1.0) if hits > 1e-9 else 0.0
    high = beta_quantile(1.0 - tail, hits + 1.0, misses) if misses > 1e-9 else 1.0
    return low, high


def worth(found: Sample, level: float) -> float:
    """Say how many independent lives would tell as much about a share as these do."""
    episodes, lives, share = found.num_episodes, len(found.values), found.mean
    if found.is_single():
        return float(lives)
    if episodes < FEWEST or not 0.0 < share < 1.0:
        return float(episodes)  # as if the lives of an episode were all alike
    ratio = t_quantile(0.5 + level / 2, lives - 1) / t_quantile(0.5 + level / 2, episodes - 1)
    return min(float(lives), lives / _design_effect(found) * ratio**2)


def _design_effect(found: Sample) -> float:
    """Say how many lives it takes to tell as much as an independent one.

    Few episodes tell how alike their lives are where a share is rare: only those in which the rarer
    thing happened at all. To them `DOUBT` episodes are added whose lives are all alike.
    """
    _, at = np.unique(found.episode, return_inverse=True)
    lives, hits = np.bincount(at), np.bincount(at, weights=found.values)
    telling = min(np.count_nonzero(hits), np.count_nonzero(hits < lives))
    variance = float(found.episode_values().var(ddof=1)) / len(lives)
    seen = max(variance * len(found.values) / (found.mean * (1.0 - found.mean)), 1.0)
    worst = float((lives**2).sum() / lives.sum())
    return (telling * seen + DOUBT * worst) / (telling + DOUBT)


def share_limits(found: Sample, level: float) -> tuple[float, float]:
    """Give the interval of a share of lives."""
    return limits(found.mean, worth(found, level), level)


def difference_limits(first: Sample, second: Sample, level: float) -> Limits:
    """Give the interval of the difference of two shares, from the interval of each."""
    one, two = (Limits(side.mean, *share_limits(side, level)) for side in (first, second))
    return subtract(one, two)


def paired_limits(differences: np.ndarray, level: float) -> tuple[float, float]:
    """Give the interval of the mean of differences that are -1, 0 or 1."""
    middle, error = _paired(differences)
    reach = normal_quantile(0.5 + level / 2) * error
    return float(max(middle - reach, -1.0)), float(min(middle + reach, 1.0))


def paired_p_value(differences: np.ndarray) -> float:
    """Give the p value that agrees with `paired_limits`."""
    middle, error = _paired(differences)
    return min(1.0, 2.0 * normal_tail(abs(middle) / error))


def _paired(differences: np.ndarray) -> tuple[float, float]:
    """Give the difference and its standard error, with one more pair of either kind."""
    pairs = len(differences) + 2.0
    won, lost = ((np.count_nonzero(differences == side) + 1.0) / pairs for side in (1.0, -1.0))
    return won - lost, math.sqrt((won + lost - (won - lost) ** 2) / pairs)
