"""Sum up lives: means with intervals over episodes, and how lives ended."""

import math
from typing import NamedTuple

import numpy as np

from mesocosm.core.spec import OUTCOMES
from mesocosm.evaluation.score import Scores

Z95 = 1.959963984540054  # of a normal distribution, both sides
FEWEST_EPISODES = 100  # for an interval: with fewer, this one would cover less than it says


class Estimate(NamedTuple):
    """A mean over lives, and its 95 % interval over episodes; NaN where there is none."""

    mean: float
    low: float = math.nan
    high: float = math.nan


class Summary(NamedTuple):
    """How the lives of one role went."""

    lives: int
    episodes: int
    finished: int  # of these episodes
    success: Estimate  # share of the lives
    total_return: Estimate
    length: Estimate  # in steps
    outcomes: dict[str, int]  # lives
    reasons: dict[str, int]  # lives, the most frequent first


def summarise(scores: Scores, role: str) -> Summary:
    """Sum up the lives of a role."""
    mine = scores.of_role(role)
    reasons = [scores.spec.reason_name(code) for code in mine.reason.tolist()]
    counts = {name: reasons.count(name) for name in dict.fromkeys(reasons)}
    ends = np.bincount(mine.outcome, minlength=len(OUTCOMES)).tolist()
    success = (mine.outcome == OUTCOMES.index("success")).astype(float)
    return Summary(
        lives=len(mine.env),
        episodes=scores.num_episodes,
        finished=scores.num_finished,
        success=estimate(success, mine.env),
        total_return=estimate(mine.total_return, mine.env),
        length=estimate(mine.length.astype(float), mine.env),
        outcomes={name: n for name, n in zip(OUTCOMES, ends, strict=True) if n},
        reasons=dict(sorted(counts.items(), key=lambda item: -item[1])),
    )


def estimate(values: np.ndarray, episode: np.ndarray) -> Estimate:
    """Give the mean of values, with an interval that holds if those of an episode hang together."""
    if not len(values):
        return Estimate(math.nan)
    mean = float(values.mean())
    episodes, at = np.unique(episode, return_inverse=True)
    count = len(episodes)
    if count < FEWEST_EPISODES:
        return Estimate(mean)
    if count == len(values) and bool(np.isin(values, (0.0, 1.0)).all()):
        return Estimate(mean, *wilson(mean, count))
    # a ratio of sums over episodes, linearised
    residual = np.bincount(at, weights=values - mean)
    spread = math.sqrt(float((residual**2).sum()) * count / (count - 1)) / len(values)
    return Estimate(mean, mean - Z95 * spread, mean + Z95 * spread)


def wilson(share: float, count: int) -> tuple[float, float]:
    """Give the score interval of a share of `count` independent trials."""
    square = Z95**2 / count
    centre = (share + square / 2) / (1 + square)
    half = Z95 / (1 + square) * math.sqrt(share * (1 - share) / count + square / (4 * count))
    return max(centre - half, 0.0), min(centre + half, 1.0)
