"""How lives went during training: returns, lengths and outcomes, from what was played."""

from typing import NamedTuple

import torch
from torch import Tensor

from mesocosm.core.spec import OUTCOMES
from mesocosm.learning.experience import Experience
from mesocosm.learning.ranks import Ranks


class Lives(NamedTuple):
    """The lives of one role that ended within some steps."""

    num: int
    mean_return: float  # NaN where none ended, as all that follow
    mean_length: float
    outcomes: dict[str, float]  # shares


class LifeCounter:
    """Adds up rewards and steps of every life, over as many rollouts as it lasts."""

    def __init__(self, experience: Experience) -> None:
        zero = torch.zeros(experience.rows, dtype=torch.float64, device=experience.reward.device)
        self.earned, self.lived = zero, zero.clone()

    def count(self, experience: Experience, ranks: Ranks) -> Lives:
        """Take a whole rollout in; give the lives that ended in it, on all ranks."""
        reward = experience.flat("reward").double()
        alive = experience.flat("valid")[:-1].double()
        earned = torch.cumsum(reward, 0) + self.earned
        lived = torch.cumsum(alive, 0) + self.lived
        ended = (experience.flat("ended") & experience.flat("valid")[:-1]).T
        row, step = ended.nonzero(as_tuple=True)  # row by row, in order of time
        at_end = torch.stack((earned[step, row], lived[step, row]))
        before = torch.zeros_like(at_end)
        same = row[1:] == row[:-1]
        before[:, 1:] = torch.where(same, at_end[:, :-1], 0.0)
        totals = at_end - before
        self.earned, self.lived = earned[-1].clone(), lived[-1].clone()
        if len(row):
            last = torch.ones_like(row, dtype=torch.bool)
            last[:-1] = ~same
            self.earned[row[last]] -= at_end[0, last]
            self.lived[row[last]] -= at_end[1, last]
        return _summary(totals, experience.flat("outcome")[step, row], ranks)


def _summary(totals: Tensor, outcome: Tensor, ranks: Ranks) -> Lives:
    outcomes = torch.bincount(outcome.long(), minlength=len(OUTCOMES)).double()
    count, earned, lived, *counts = ranks.sum(
        torch.cat((outcomes.new_full((1,), totals.shape[1]), totals.sum(1), outcomes))
    ).tolist()
    if count == 0:
        nan = float("nan")
        return Lives(0, nan, nan, dict.fromkeys(OUTCOMES[1:], nan))
    known = zip(OUTCOMES[1:], counts[1:], strict=True)
    shares: dict[str, float] = {name: number / count for name, number in known}
    return Lives(int(count), earned / count, lived / count, shares)
