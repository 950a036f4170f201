"""The environment contract, on one page."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from mesocosm.core.spec import Spec
from mesocosm.core.step import Step


class Env(ABC):
    """A batch of `num_envs` independent episodes of one world, stepped together.

    Lifecycle. `reset(seed=s)` starts episode 0 of seed s in every env; `reset()` starts the
    next episode of each. A finished episode resets itself as `autoreset` says: `same_step`
    (`obs` is the new episode's first, `final_obs` the old one's last), `next_step` (the next
    call ignores its actions and resets), or `off` (it stays finished).

    Results depend on (config, seed, env index, episode index) and the actions, on nothing else:
    a batch of n equals n batches of 1, on every target, with any number of threads.

    Actions are intents. Their structure, shape and dtype are checked; their values never raise
    but are handled as the world declares (`spec.invalid`), and counted in `violations`.

    Ending. `terminated` is an end inside the world, `truncated` an end imposed from outside;
    both are sticky. An ended agent gets zero reward, the declared absent observation and a
    mask with only the no-op; in the step it ends it still gets its last observation. An episode
    ends by its own rule or when no active agent remains; then its outcome is success or failure
    if that was everybody's, else neutral.

    State is never handed out: observations, masks, info and `truth` are copies or projections.
    """

    spec: Spec
    config: Any
    num_envs: int
    target: str
    autoreset: str

    @abstractmethod
    def reset(self, *, seed: int | None = None, envs: np.ndarray | None = None) -> Step:
        """Start new episodes, in all envs or where `envs` (bool [env]) is True."""

    @abstractmethod
    def step(self, actions: Any) -> Step:
        """Play one step: an array if there is one role, `{role: array}` if several."""

    @abstractmethod
    def save(self) -> dict[str, Any]:
        """Copy all truth into a plain dict of NumPy arrays plus `_meta`."""

    @abstractmethod
    def load(self, snapshot: dict[str, Any]) -> Step:
        """Continue from a snapshot, which may have been edited within the declared ranges."""

    @abstractmethod
    def truth(self, name: str) -> Any:
        """Copy a truth field, or a derived one that is exposed: labels, never part of a Step."""

    @abstractmethod
    def explain(self, *, env: int, agent: int) -> dict[str, float]:
        """Give the reward terms of the last step, which sum to the reward."""

    @abstractmethod
    def events(self) -> list[dict[str, Any]]:
        """Drain the events written since the last call, in (t, env, index) order."""
