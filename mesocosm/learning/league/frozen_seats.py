"""A fixed policy, of whatever kind, that acts for some rows of a role in place of who learns."""

from typing import Any

import numpy as np
import torch

from mesocosm.core.errors import ConfigError
from mesocosm.core.policy import Policy, check_policy
from mesocosm.learning.policies.answer import read_answer
from mesocosm.learning.ppo import Learner


class FrozenSeats:
    """Plays a policy for some agents of a role; nothing is learnt from their rows.

    The policy sees the whole role, as if it played all of it, and knows nothing of who learns.

    Args:
        taken: bool `[env, agent]`; for whom it plays.
        info: What the role is told: the arrays of the env's steps, which it writes anew.
    """

    def __init__(
        self, learner: Learner, policy: Policy, taken: np.ndarray, info: Any, seed: int
    ) -> None:
        if learner.experience.reward.is_cuda:
            raise ConfigError("a frozen policy plays on the host: use --target cpu")
        self._learner, self._policy, self._info = learner, check_policy(policy), info
        self._taken, self._free = taken, torch.from_numpy(~taken)
        self._policy.reset(learner.role, taken.shape[0], seed)
        self._exclude(-1)

    def act(self, t: int, noise: torch.Tensor) -> None:
        """Put the policy's actions over those that were chosen for its rows."""
        experience, role = self._learner.experience, self._learner.role
        obs, mask, began = (getattr(experience, x)[t].numpy() for x in ("obs", "mask", "began"))
        given = self._policy.act(obs, mask, self._info, began)
        num_envs, num_agents = self._taken.shape
        who = type(self._policy).__name__
        choice, level = read_answer(given, role, (num_envs, num_agents), who)
        head = self._learner.network.head
        middle, half = head.level_middle.numpy(), head.level_half.numpy()
        scaled = (level - middle) / np.where(half > 0.0, half, 1.0)
        experience.choice[t].numpy()[self._taken] = choice[self._taken]
        experience.levels[t].numpy()[self._taken] = scaled[self._taken]

    def observe(self, t: int) -> None:
        """Leave the policy's rows out of learning."""
        self._exclude(t + 1)

    def _exclude(self, t: int) -> None:
        experience = self._learner.experience
        experience.valid[t] &= self._free
        experience.acts[t] &= self._free
