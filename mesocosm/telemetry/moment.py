"""Read an env after a step: what the levels share, on the host."""

from typing import Any

import numpy as np

from mesocosm.sim import ledger
from mesocosm.sim.engine import Engine

READ = ("over", "episode", "t", "reward", "episode_ending", "episode_outcome", "violations")


class Now:
    """The step that was just played, and where every env stood before it.

    In `same_step` an env whose episode ended is already in the next one: what the episode was is
    in what was noted before the step.

    Args:
        turns: Whether to note whose actions count.
    """

    def __init__(self, env: Engine, *, turns: bool) -> None:
        envs, agents = env.num_envs, env.spec.num_agents
        self.env, self._turns = env, turns
        self.step = -1
        self.env_id = env.copy(env.driver.f.env_id)
        self.returns = np.zeros((envs, agents))  # float64, of the episode so far
        self._episodes, self._times = np.zeros((2, 2, envs), np.int64)
        self.episode_before, self.t_before = self._episodes[0], self._times[0]
        self._flags = np.zeros(envs, np.int64)
        self._finished = np.zeros((envs, ledger.FINISHED_WIDTH), np.int64)
        self._totals, self._counts = np.zeros((envs, agents)), np.zeros(2, np.int64)
        self.acting_before = np.zeros((envs, agents), bool)
        self._note = env.bookkeeper("note")
        books = (self._episodes, self._times, self._flags, self.returns)
        self._books = (*books, self._finished, self._totals, self._counts)
        frame = env.driver.f
        self._frame = tuple(getattr(frame, name) for name in READ)
        self.on_host = isinstance(frame.over, np.ndarray)
        self.events: np.ndarray | None = None  # float64 [event, column], as the journal reads them
        self.entropy: np.ndarray | None = None  # float32 [env, agent]

    def read(self, name: str) -> np.ndarray:
        """Read an array of the frame."""
        return self.env.host(getattr(self.env.driver.f, name))

    def advance(self) -> None:
        """Take in a step: who ended, who began anew, what everybody earned."""
        self.step += 1
        frame = self._frame if self.on_host else map(self.env.host, self._frame)
        self._note(*frame, *self._books)

    @property
    def finished(self) -> np.ndarray:  # int64 [episode, column]
        """The episodes that ended in the step, in env order."""
        return self._finished[: self._counts[ledger.NUM_ENDED]]

    @property
    def totals(self) -> np.ndarray:  # float64 [episode, agent]
        """What the agents earned in each of these."""
        return self._totals[: self._counts[ledger.NUM_ENDED]]

    @property
    def ended(self) -> np.ndarray | None:  # bool [env]
        """Where an episode ended; None is nowhere."""
        return self._flags & ledger.ENDED != 0 if self._counts[ledger.NUM_ENDED] else None

    @property
    def renewed(self) -> np.ndarray | None:  # bool [env]
        """Where an episode began; None is nowhere."""
        return self._flags & ledger.RENEWED != 0 if self._counts[ledger.NUM_RENEWED] else None

    def settle(self) -> None:
        """Note whose turn it is, after the levels have read the step."""
        self.entropy = None
        if self._turns:
            self.acting_before[:] = self.read("acting")

    def begin(self, chosen: np.ndarray) -> None:
        """Take in a reset of the chosen envs."""
        self.returns[chosen] = 0.0
        self._flags[chosen] = 0
        self._episodes[1], self._times[1] = self.read("episode"), self.read("t")
        self.settle()


def agents_of(value: Any) -> np.ndarray:
    """Put an array per role side by side, in agent order."""
    parts = value.values() if isinstance(value, dict) else [value]
    return np.concatenate([np.asarray(part) for part in parts], axis=1)
