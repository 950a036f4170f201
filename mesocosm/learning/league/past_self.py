"""Frozen networks that act for some rows of a role, in place of the one that learns."""

import copy
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from mesocosm.learning.experience import Experience
from mesocosm.learning.league.ratings import Player
from mesocosm.learning.league.seating import Seat
from mesocosm.learning.ppo import Learner

NOBODY = -2  # plays in a seat before the first past self has joined


class PastSelf:
    """A seat, and whoever plays in it: always the same tensors, whose content is exchanged."""

    def __init__(self, learner: Learner, seat: Seat) -> None:
        device = learner.experience.reward.device
        self.seat, self.player, self.games = seat, Player(seat.role, NOBODY), 0
        self.rows = torch.from_numpy(seat.mask.ravel().nonzero()[0]).to(device)
        self.network = copy.deepcopy(learner.network).requires_grad_(False)
        self.state = self.network.begin(self.rows.shape[0], device).actor

    def exchange(self, player: Player, weights: Mapping[str, Tensor]) -> None:
        """Let another self play from now on; it remembers nothing."""
        self.network.load_state_dict(weights)
        self.state.zero_()
        self.player, self.games = player, 0

    def act(self, t: int, experience: Experience, noise: Tensor) -> None:
        """Choose the actions of its rows at a step, over those that were chosen there.

        Args:
            noise: `[row, number]` of all rows.
        """

        def mine(name: str) -> Tensor:
            return experience.flat(name)[t].index_select(0, self.rows)

        obs, began = mine("obs").unsqueeze(0), mine("began").unsqueeze(0)
        numbers, state = self.network.act(obs, self.state, began)
        noise = noise.index_select(0, self.rows)
        choice, levels, _ = self.network.head.sample(numbers[0], mine("mask"), noise)
        experience.flat("choice")[t].index_copy_(0, self.rows, choice)
        experience.flat("levels")[t].index_copy_(0, self.rows, levels)
        self.state.copy_(state)


class PastSelves:
    """All past selves of a role that play now; a learner asks them to at every step.

    Their rows are neither valid nor acting in what was played: nothing is learnt from them.
    """

    def __init__(self, learner: Learner, seats: list[Seat]) -> None:
        self._learner, experience = learner, learner.experience
        self.selves = [PastSelf(learner, seat) for seat in seats]
        device = experience.reward.device
        masks = np.stack([seat.mask for seat in seats])
        self.taken = torch.from_numpy(masks.any(0)).to(device)  # bool [env, agent]
        self._free = ~self.taken
        shape = experience.reward.shape[:2]
        self.over = torch.zeros(shape, dtype=torch.bool, device=device)  # [step, env]
        self.reason = torch.zeros(shape, dtype=torch.int16, device=device)
        self._exclude(-1)

    def act(self, t: int, noise: Tensor) -> None:
        """Choose a step's actions for the rows that past selves play for."""
        for one in self.selves:
            one.act(t, self._learner.experience, noise)

    def observe(self, t: int) -> None:
        """Take note of which episodes a step ended, and leave past selves out of learning."""
        self.over[t] = self._learner.tensors.episode_over[:, 0]
        self.reason[t] = self._learner.tensors.episode_reason
        self._exclude(t + 1)

    def _exclude(self, t: int) -> None:
        experience = self._learner.experience
        experience.valid[t] &= self._free
        experience.acts[t] &= self._free
