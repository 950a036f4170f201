"""How many episodes it takes to tell two policies apart."""

import math

import numpy as np

from mesocosm.evaluation.statistics import resampling, shares, studentised
from mesocosm.evaluation.statistics.distribution import normal_quantile
from mesocosm.evaluation.statistics.sample import Sample

POWER = 0.9  # with so many episodes a difference is found this often
ASSURANCE = 0.8  # that the spread is no larger than what is planned with
FEWEST = 2  # episodes of either side to plan with
MOST = 10**12  # episodes that are still a number


def episodes_needed(
    first: Sample, second: Sample, margin: float, *, paired: bool = False, alpha: float = 0.05
) -> int | None:
    """Say how many episodes of each side would show a difference of `margin` in 9 of 10 cases.

    Gives None where that cannot be said: too little was played, or the margin is 0.

    Args:
        paired: Whether they will be paired, as these were: by their ids.
        alpha: How rarely equal ones may be told apart, corrected for many comparisons.
    """
    if not margin > 0.0 or min(first.num_episodes, second.num_episodes) < FEWEST:
        return None
    if paired:
        groups = [first.episode_values() - second.episode_values()]
        weights, fewest = [1.0], resampling.fewest_pairs(alpha)
    else:
        groups = [first.episode_values(), second.episode_values()]
        weights, fewest = [1.0, -1.0], resampling.fewest_members(alpha)
    is_share = first.is_share() and second.is_share() and (not paired or first.is_single())
    if is_share:
        variance = _shares_variance(first, second, paired)
    else:
        variance = sum(map(_variance, groups))
    if variance == 0.0:
        return None  # what has not varied yet says nothing of how it may
    count = _enough(variance, _skewness(groups, weights), margin, alpha)
    if is_share:  # exact intervals are a little wider (Fleiss)
        count *= (1.0 + math.sqrt(1.0 + 4.0 / (count * margin))) ** 2 / 4.0
    return max(fewest, math.ceil(count)) if count < MOST else None


def _enough(variance: float, skewness: float, margin: float, alpha: float) -> float:
    """Solve for the number at which a difference of `margin` is found with `POWER`."""
    count = 1.0
    for _ in range(20):  # the caution against skewness falls with the number
        wary = 1.0 + studentised.CAUTION * abs(skewness) / math.sqrt(max(count, 1.0))
        reach = normal_quantile(1.0 - alpha / (2.0 * wary))
        count = variance * ((reach + normal_quantile(POWER)) / margin) ** 2 + reach**2 / 4
    return count


def _variance(group: np.ndarray) -> float:
    """Give a variance that the true one is unlikely to exceed."""
    found = float(group.var(ddof=1))
    if found == 0.0:
        return 0.0
    peaked = float(((group - group.mean()) ** 4).mean()) / float(group.var()) ** 2
    spread = math.sqrt(max(peaked - 1.0, 2.0) / len(group))  # of its logarithm
    return found * math.exp(normal_quantile(ASSURANCE) * spread)


def _shares_variance(first: Sample, second: Sample, paired: bool) -> float:
    """Give the largest variance of a difference of shares that their intervals allow."""
    level = 2.0 * ASSURANCE - 1.0
    if paired:  # it is at most the share of pairs that differ
        unlike = float((first.episode_values() != second.episode_values()).mean())
        return shares.limits(unlike, first.num_episodes, level)[1]
    total = 0.0
    for found in (first, second):
        low, high = shares.share_limits(found, level)
        nearest = min(max(low, 0.5), high)
        total += nearest * (1.0 - nearest) * found.num_episodes / shares.worth(found, level)
    return total


def _skewness(groups: list[np.ndarray], weights: list[float]) -> float:
    """Give the skewness of the difference of one episode of each side."""
    spread = math.sqrt(sum(float(group.var()) for group in groups))
    if spread == 0.0:
        return 0.0
    third = sum(
        weight**3 * float(((group - group.mean()) ** 3).mean())
        for group, weight in zip(groups, weights, strict=True)
    )
    return third / spread**3
