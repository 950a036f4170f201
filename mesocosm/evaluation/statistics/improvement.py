"""How probable it is that an episode of one side goes better than one of the other."""

import math

import numpy as np

from mesocosm.evaluation.statistics import shares
from mesocosm.evaluation.statistics.difference import pair_up
from mesocosm.evaluation.statistics.estimate import LEVEL, Estimate, without_interval
from mesocosm.evaluation.statistics.sample import Sample

UNPAIRED = "exact for the smaller side (Birnbaum)"


def probability_of_improvement(first: Sample, second: Sample, *, paired: bool = False) -> Estimate:
    """Give the probability that an episode of the first is higher; a tie counts as a half.

    Args:
        paired: Whether to compare episodes of the same id only.
    """
    if paired:
        first, second = pair_up(first, second)
    ours, theirs = first.episode_means(), second.episode_means()
    trials = min(len(ours), len(theirs))
    if not trials:
        return without_interval(math.nan, "there is nothing to compare")
    if paired:
        share = float((ours > theirs).mean() + (ours == theirs).mean() / 2)
    else:
        ordered = np.sort(theirs)
        below = np.searchsorted(ordered, ours, "left") + np.searchsorted(ordered, ours, "right")
        share = float(below.mean()) / (2 * len(theirs))
    method = shares.EXACT if paired else UNPAIRED
    return Estimate(share, *shares.limits(share, trials, LEVEL), LEVEL, method)
