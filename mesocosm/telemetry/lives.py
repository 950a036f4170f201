"""The lives of agents: when each began, how many there were, and which ended in a step."""

from typing import NamedTuple

import numpy as np


class EndedLives(NamedTuple):
    """The lives that ended in a step, in the order of envs and agents."""

    env: np.ndarray  # int64 [life]
    agent: np.ndarray  # int64 [life]
    number: np.ndarray  # int64 [life]: which one in its slot, from 0
    began: np.ndarray  # int64 [life]: steps of the episode played before it
    length: np.ndarray  # int64 [life]
    earned: np.ndarray  # float64 [life]


class Lives:
    """Follows the life in every slot; in an episode's last step every life has ended."""

    def __init__(self, num_envs: int, num_agents: int) -> None:
        lead = (num_envs, num_agents)
        self.count = np.zeros(num_envs, np.int64)  # lives of the episode that have ended
        self._number, self._began = np.zeros(lead, np.int64), np.zeros(lead, np.int64)
        self._earned_before = np.zeros(lead)  # in its slot, before the life began
        self._renewed = np.zeros(num_envs, bool)

    def begin(self, chosen: np.ndarray) -> None:
        """Start the chosen envs (bool [env]) from zero."""
        self.count[chosen] = 0
        self._number[chosen], self._began[chosen], self._earned_before[chosen] = 0, 0, 0.0
        self._renewed[chosen] = False

    def end(self, ended: np.ndarray, t_before: np.ndarray, returns: np.ndarray) -> EndedLives:
        """Take in who ended (bool [env, agent]) in a step, and what all earned in the episode."""
        self.begin(self._renewed)  # only now: the episode that ended was still to be read
        env, agent = np.nonzero(ended)
        self.count += ended.sum(axis=1)
        began = self._began[env, agent]
        return EndedLives(
            env,
            agent,
            number=self._number[env, agent],
            began=began,
            length=t_before[env] + 1 - began,
            earned=returns[env, agent] - self._earned_before[env, agent],
        )

    def renew(self, renewed: np.ndarray) -> None:
        """Note in which envs (bool [env]) the next episode has begun."""
        self._renewed[:] = renewed

    def bear(self, generation: np.ndarray, t_before: np.ndarray, returns: np.ndarray) -> None:
        """Note the lives that began in a step: there the generation rose."""
        born = (generation > self._number) & ~self._renewed[:, None]
        if born.any():
            self._number[born] = generation[born]
            self._began[born] = np.broadcast_to(t_before[:, None] + 1, born.shape)[born]
            self._earned_before[born] = returns[born]
