"""Step an env by actions that already lie in its arrays, as learners do millions of times."""

from typing import Any

import numpy as np

from mesocosm.core.errors import MesocosmError
from mesocosm.sim.engine import Engine


class DirectPlay:
    """Steps an env that was reset, without a check of what it plays."""

    def __init__(self, env: Engine) -> None:
        if not env.started:
            raise MesocosmError("call reset() before an env is played")
        self._env, self._driver = env, env.driver

    def actions(self, role: str) -> tuple[Any, Any]:
        """Give the arrays that a role's choices and levels are played from, to be written."""
        pair = self._env.buffers[role].choice, self._env.buffers[role].level
        choice, level = (
            array if isinstance(array, np.ndarray) else self._driver.share(array) for array in pair
        )
        return choice, level

    def step(self) -> None:
        """On the host: step the envs."""
        self._env.run_step()

    def enqueue(self, stream: int) -> None:
        """On a GPU: put a step of all envs on a CUDA stream, and do not wait.

        The stream may be capturing it, and must not run while others use the env.
        """
        if self._env.watcher is not None:
            raise MesocosmError("an env that is recorded cannot be queued on a GPU")
        self._driver.enqueue_on(stream)
