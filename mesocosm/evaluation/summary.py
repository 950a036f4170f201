"""Sum up lives: means with intervals over episodes, and how lives ended."""

from typing import NamedTuple

import numpy as np

from mesocosm.core.spec import OUTCOMES
from mesocosm.evaluation.score import Scores
from mesocosm.evaluation.statistics.describe import estimate_mean
from mesocosm.evaluation.statistics.estimate import Estimate


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
        success=estimate_mean(success, mine.env, kind="share"),
        total_return=estimate_mean(mine.total_return, mine.env, kind="number"),
        length=estimate_mean(mine.length, mine.env, kind="number"),
        outcomes={name: n for name, n in zip(OUTCOMES, ends, strict=True) if n},
        reasons=dict(sorted(counts.items(), key=lambda item: -item[1])),
    )
