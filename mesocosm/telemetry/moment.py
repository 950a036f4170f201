"""Read an env after a step: what the levels share, on the host."""

from typing import Any

import numpy as np

from mesocosm.sim.engine import Engine


class Now:
    """The step that was just played, and where every env stood before it.

    In `same_step` an env whose episode ended is already in the next one: what the episode was is
    in what was latched before the step.
    """

    def __init__(self, env: Engine, *, turns: bool) -> None:
        self.env, self._turns = env, turns
        self.step = -1
        lead = (env.num_envs, env.spec.num_agents)
        self.env_id = env.copy(env.driver.f.env_id)
        self.returns = np.zeros(lead)  # float64 [env, agent], of the episode so far
        self.episode_before = np.zeros(env.num_envs, np.int64)
        self.t_before = np.zeros(env.num_envs, np.int64)
        self.acting_before = np.zeros(lead, bool)
        self._was_over = np.zeros(env.num_envs, bool)
        self.ended: np.ndarray | None = None  # bool [env]; None is nowhere
        self.renewed: np.ndarray | None = None  # bool [env]; None is nowhere
        self.events: np.ndarray | None = None  # float64 [event, column], as the journal reads them
        self.entropy: np.ndarray | None = None  # float32 [env, agent]

    def read(self, name: str) -> np.ndarray:
        """Read an array of the frame."""
        return self.env.host(getattr(self.env.driver.f, name))

    def advance(self) -> None:
        """Take in a step: who ended, who began anew, what everybody earned."""
        self.step += 1
        over, episode = self.read("over"), self.read("episode")
        renewed = episode != self.episode_before
        self.renewed = renewed if renewed.any() else None
        ended = over & ~self._was_over
        self.ended = ended if ended.any() else None
        self._was_over = over & ~renewed
        self.returns += self.read("reward")

    def settle(self) -> None:
        """Latch where every env stands, after the levels have read the step."""
        if self.renewed is not None:
            self.returns[self.renewed] = 0.0
        self.entropy = None
        self._latch()

    def begin(self, chosen: np.ndarray) -> None:
        """Take in a reset of the chosen envs."""
        self.returns[chosen] = 0.0
        self._was_over[chosen] = False
        self._latch()

    def _latch(self) -> None:
        self.episode_before[:] = self.read("episode")
        self.t_before[:] = self.read("t")
        if self._turns:
            self.acting_before[:] = self.read("acting")


def agents_of(value: Any, env: Engine) -> np.ndarray:
    """Put an array per role side by side, in agent order."""
    parts = value.values() if isinstance(value, dict) else [value]
    return np.concatenate([np.asarray(part) for part in parts], axis=1)
