"""Scripted players of commons."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mesocosm.core.action import Action
from mesocosm.core.policy import Policy
from mesocosm.core.spec import Role
from mesocosm.worlds.commons.declare import EFFORT, FINE_AMOUNT, FINE_TARGET, FIRST_FINED

DROUGHT_NOTICE = 3  # steps before a drought in which the oracle stops fishing


class Steady:
    """Fishes hard while the lake is fuller than a threshold; a warden fines the greediest."""

    privileged = False

    def __init__(self, threshold: float = 0.5) -> None:
        self._threshold = threshold

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        self._spec = spec
        self._idle: Any = spec.action.noop((num_envs, spec.num_agents))

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        choice, level = self._idle.choice.copy(), self._idle.level.copy()
        stock = obs[..., self._spec.observation.offsets["stock"]]
        if self._spec.name == "harvester":
            level[..., EFFORT] = stock > self._threshold
        else:
            catches = obs[..., self._spec.observation.span("catches")]
            greediest = FIRST_FINED + catches.argmax(-1)
            choice[..., FINE_TARGET] = greediest * (stock < self._threshold)
            level[..., FINE_AMOUNT] = 1.0
        return Action(choice, level)


class Oracle(Steady):
    """Knows when the drought will come, and lets the lake fill up before it."""

    privileged = True
    truth: Callable[[str], np.ndarray]

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        choice, level = super().act(obs, mask, info, began)
        if self._spec.name == "harvester":
            ahead = self.truth("drought_at") - self.truth("clock")
            level[(ahead >= 0) & (ahead < DROUGHT_NOTICE), :, EFFORT] = 0.0
        return Action(choice, level)


POLICIES: dict[str, Callable[[], Policy]] = {
    "steady": Steady,
    "greedy": lambda: Steady(threshold=-1.0),
    "oracle": Oracle,
}
