"""How many episodes it takes to tell two policies apart."""

import math
from collections.abc import Callable

import numpy as np

from mesocosm.evaluation.statistics import resampling, shares, studentised
from mesocosm.evaluation.statistics.distribution import normal_quantile
from mesocosm.evaluation.statistics.limits import Limits, subtract
from mesocosm.evaluation.statistics.sample import Sample
from mesocosm.evaluation.statistics.studentised import Mean

POWER = 0.9  # with so many episodes a difference is found this often
ASSURANCE = 0.9  # that the spread is no larger than what is planned with
FEWEST = 2  # episodes of either side to plan with
MOST = 10**12  # episodes that are still a number
Plan = Callable[[float], tuple[Limits, float]]  # limits of a difference, and its standard error


def episodes_needed(
    first: Sample, second: Sample, margin: float, *, paired: bool = False, alpha: float = 0.05
) -> int | None:
    """Say how many episodes of each side would show a difference of `margin` in 9 of 10 cases.

    Gives None where that cannot be said: too little was played, nothing varied, or the margin is 0.

    Args:
        paired: Whether they will be paired, as these were: by their ids.
        alpha: How rarely equal ones may be told apart, corrected for many comparisons.
    """
    if not margin > 0.0 or min(first.num_episodes, second.num_episodes) < FEWEST:
        return None
    is_share = first.is_share() and second.is_share() and (not paired or first.is_single())
    level = 1.0 - alpha
    if is_share:
        plan = _plan_pairs(first, second, level) if paired else _plan_shares(first, second, level)
    else:
        ours, theirs = first.episode_values(), second.episode_values()
        groups = [ours - theirs] if paired else [ours, theirs]
        if not any(np.ptp(group) > 1e-12 * np.abs(group).max() for group in groups):
            return None
        plan = _plan_means(groups, level)
    rarest = resampling.fewest_pairs if paired else resampling.fewest_members
    return _search(plan, margin, rarest(alpha))


def _search(plan: Plan, margin: float, fewest: int) -> int | None:
    """Find the number of episodes at which a difference of `margin` is found with `POWER`."""

    def is_enough(count: int) -> bool:
        limits, error = plan(float(count))
        reach = max(limits.value - limits.low, limits.high - limits.value)
        return reach + normal_quantile(POWER) * error <= margin

    high = fewest
    while not is_enough(high):
        high *= 2
        if high > MOST:
            return None
    low = fewest if high == fewest else high // 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle + 1, high)
    return high


def _plan_means(groups: list[np.ndarray], level: float) -> Plan:
    """Plan with the spread and the skewness of one group of pairs, or of two sides."""
    known = [(_deviation(group), _skewness(group)) for group in groups]

    def plan(count: float) -> tuple[Limits, float]:
        root = math.sqrt(count)
        means = [Mean(0.0, spread / root, skew / root, count - 1.0) for spread, skew in known]
        found = [studentised.limits_of(mean, level) for mean in means]
        limits = found[0] if len(found) == 1 else subtract(*found)
        return limits, math.hypot(*(mean.error for mean in means))

    return plan


def _plan_shares(first: Sample, second: Sample, level: float) -> Plan:
    """Plan with the least favourable shares that are likely."""
    known = [
        (_least_favourable(found), shares.worth(found, level) / found.num_episodes)
        for found in (first, second)
    ]

    def plan(count: float) -> tuple[Limits, float]:
        found = [
            Limits(share, *shares.limits(share, count * worth, level)) for share, worth in known
        ]
        variance = sum(share * (1.0 - share) / (count * worth) for share, worth in known)
        return subtract(*found), math.sqrt(variance)

    return plan


def _least_favourable(found: Sample) -> float:
    """Give the share nearest to one half that is likely."""
    low, high = shares.share_limits(found, 2.0 * ASSURANCE - 1.0)
    return min(max(low, 0.5), high)


def _plan_pairs(first: Sample, second: Sample, level: float) -> Plan:
    """Plan with the largest share of unlike pairs that is likely."""
    unlike = float((first.episode_means() != second.episode_means()).mean())
    most = shares.limits(unlike, first.num_episodes, 2.0 * ASSURANCE - 1.0)[1]

    def plan(count: float) -> tuple[Limits, float]:
        error = math.sqrt(most / count)
        reach = normal_quantile(0.5 + level / 2.0) * error
        return Limits(0.0, -reach, reach), error

    return plan


def _deviation(group: np.ndarray) -> float:
    """Give a standard deviation that the true one is unlikely to exceed."""
    unit, apart = _in_units(group)
    if unit == 0.0:
        return 0.0
    found = unit * float(apart.std(ddof=1))
    peaked = float((apart**4).mean()) / float(apart.var()) ** 2
    spread = math.sqrt(max(peaked - 1.0, 2.0) / len(group))  # of the logarithm of the variance
    return found * math.exp(normal_quantile(ASSURANCE) * spread / 2.0)


def _skewness(group: np.ndarray) -> float:
    """Give the skewness of the values."""
    unit, apart = _in_units(group)
    return float(((apart / apart.std()) ** 3).mean()) if unit else 0.0


def _in_units(group: np.ndarray) -> tuple[float, np.ndarray]:
    """Give how far values are from their mean, in units of the farthest one."""
    apart = group - group.mean()
    unit = float(np.abs(apart).max())
    return unit, apart / (unit or 1.0)
