"""Where episodes and lives begin, found by following an env's steps."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.core.env import Env
from mesocosm.core.step import Step


class Beginnings:
    """Says at which observations an episode or a life begins, whatever the env's autoreset is.

    Policies get this as `began`. Give `follow` every Step of the env once, in order.
    """

    def __init__(self, env: Env) -> None:
        self._autoreset = env.autoreset
        self._generation: dict[str, np.ndarray] = {}
        self._began: dict[str, np.ndarray] = {}
        self._over = np.zeros(0, bool)

    def follow(self, step: Step, envs: Any = None) -> Any:
        """Give bool [env, agent], by role if several: True where an episode or a life begins here.

        Args:
            envs: For a Step that came of a reset, which envs were reset (bool [env], or True for
                all); the first Step needs no saying.
        """
        alone = not isinstance(step.generation, Mapping)
        parts = {"": step.generation} if alone else step.generation
        generation = {name: np.array(part) for name, part in parts.items()}
        over = np.array(step.episode_over)
        fresh = self._restarted(over, envs)[:, None]
        for name, now in generation.items():
            if not self._generation or envs is None:
                born = now > self._generation.get(name, now)
            else:
                born = self._began[name]  # what was not reset is seen a second time
            self._began[name] = born | fresh
        self._generation, self._over = generation, over
        return self._began[""] if alone else dict(self._began)

    def _restarted(self, over: np.ndarray, envs: Any) -> np.ndarray:  # bool [env]
        """Say in which envs this Step shows the first observation of an episode."""
        if not self._generation:
            return np.ones(over.shape, bool)
        if envs is not None:
            return np.broadcast_to(np.asarray(envs, bool), over.shape)
        if self._autoreset == "same_step":
            return over
        return self._over if self._autoreset == "next_step" else np.zeros(over.shape, bool)
