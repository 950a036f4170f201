"""Where episodes and lives begin, found by following an env's steps."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from mesocosm.core.step import Step

TIME = "frame.t"  # in a snapshot: steps played of each env's episode


class Followed(Protocol):
    """What is asked of an env that is followed: its arrays, by their key in a snapshot."""

    def array(self, key: str) -> Any:
        """Find an array, where it lies."""

    def copy(self, array: Any) -> np.ndarray:
        """Copy an array to the host."""


class Beginnings:
    """Says at which observations an episode or a life begins, whatever the env's autoreset is.

    Policies get this as `began`. Give `follow` every Step of the env, those of resets too.
    """

    def __init__(self, env: Followed) -> None:
        self._env = env
        self._time: Any = None  # int [env], of the Step before
        self._generation: dict[str, np.ndarray] = {}
        self._began: dict[str, np.ndarray] = {}

    def follow(self, step: Step) -> Any:
        """Give bool [env, agent], by role if several: True where an episode or a life begins."""
        alone = not isinstance(step.generation, Mapping)
        parts = {"": step.generation} if alone else step.generation
        time = self._env.copy(self._env.array(TIME))
        last = np.full_like(time, -1) if self._time is None else self._time
        fresh = (time == 0)[:, None] | (self._time is None)
        # where only other envs were reset, the same moment is seen a second time
        again = ((time == last) & ~np.array(step.episode_over))[:, None]
        for name, part in parts.items():
            now = np.array(part)
            born = now > self._generation.get(name, now)
            self._began[name] = fresh | np.where(again, self._began.get(name, born), born)
            self._generation[name] = now
        self._time = time
        return self._began[""] if alone else dict(self._began)
