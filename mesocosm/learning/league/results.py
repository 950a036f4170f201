"""How the episodes of a league ended, and what each side of them was worth."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from mesocosm.core.spec import OUTCOMES
from mesocosm.learning.experience import Experience

SUCCESS, FAILURE = OUTCOMES.index("success"), OUTCOMES.index("failure")
PAST, NOW = 0, 1  # sides of a role
Score = tuple[float, ...]


class Finished(NamedTuple):
    """The episodes that ended in a rollout, by env and in order of time."""

    env: np.ndarray  # int64 [episode]
    reason: np.ndarray  # int16 [episode]
    counts: np.ndarray  # bool [episode]; whether the same networks played all of it
    sums: np.ndarray  # float64 [episode, role, side, 2]: outcome and return, means over agents

    def score(self, episode: int, role: int, side: int) -> Score:
        """Give what compares sides where nobody wins: returns, and of equal ones the outcomes."""
        outcome, earned = self.sums[episode, role, side].tolist()
        return earned, outcome


def worth_of_sides(experience: Experience, taken: Tensor) -> Tensor:
    """Give what each step brought a role's past selves and those who learn, on average.

    Args:
        taken: bool `[env, agent]`; for whom past selves play.

    Returns:
        float64 `[step, env, side, 2]`: successes less failures, and reward.
    """
    ended, outcome = experience.ended, experience.outcome
    points = ((outcome == SUCCESS).double() - (outcome == FAILURE).double()) * ended
    worth = torch.stack((points, experience.reward.double()), -1)
    sides = torch.stack((taken, ~taken)).double()  # [side, env, agent]
    weights = sides / sides.sum(-1, keepdim=True).clamp_min(1.0)
    return torch.einsum("teac,sea->tesc", worth, weights)


class EpisodeScores:
    """Adds up what every side is worth over whole episodes, however many rollouts they last."""

    def __init__(self, num_envs: int, num_roles: int, device: torch.device | str) -> None:
        self.sums = torch.zeros((num_envs, num_roles, 2, 2), dtype=torch.float64, device=device)
        self.whole = np.ones(num_envs, bool)  # whether the same networks played the episode so far

    def count(self, worth: Tensor, over: Tensor, reason: Tensor) -> Finished:
        """Take a rollout in; give the episodes that ended in it.

        Args:
            worth: `[step, env, role, side, 2]`.
            over: bool `[step, env]`.
            reason: int16 `[step, env]`.
        """
        total = torch.cumsum(worth, 0) + self.sums
        env, step = over.T.nonzero(as_tuple=True)  # env by env, in order of time
        at_end = total[step, env]
        again = env[1:] == env[:-1]  # whether an episode ended there before
        before = torch.zeros_like(at_end)
        before[1:] = at_end[:-1] * again[:, None, None, None]
        last = torch.ones_like(env, dtype=torch.bool)
        last[:-1] = ~again
        self.sums = total[-1].clone()
        self.sums[env[last]] -= at_end[last]
        where = env.cpu().numpy()
        counts = self.whole[where]
        counts[1:] |= again.cpu().numpy()
        self.whole[where] = True
        sums = (at_end - before).cpu().numpy()
        return Finished(where, reason[step, env].cpu().numpy(), counts, sums)
