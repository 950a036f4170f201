"""One's own agent as a learner's view: what it looks at, and what it pays for."""

from typing import Any, Protocol

import numpy as np

from mesocosm.adapters.controlled_agent import ControlledAgent
from mesocosm.core.adapter import AdapterEnv
from mesocosm.core.errors import ConfigError, short
from mesocosm.core.spec import Role


class OwnAgent(Protocol):
    """What is asked of an agent class through which one learns; made with a role and a config.

    `get_observation` and `calculate_reward` are called after `receive`, which gives what the agent
    received, as a batch of one, and nothing else.
    """

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        """Prepare for a new episode."""

    def receive(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> None:
        """Take in what the agent received: `[1, 1, ...]`."""

    def get_observation(self) -> np.ndarray:
        """Give what a learner looks at."""

    def calculate_reward(self, reward: float) -> float:
        """Give what a learner is paid for a step, of which the world's own is given."""


METHODS = ("reset", "receive", "get_observation", "calculate_reward")


def make_own_agent(kind: Any, role: Role, config: Any) -> OwnAgent:
    """Make an agent of a class."""
    lacking = [name for name in METHODS if not callable(getattr(kind, name, None))]
    if not isinstance(kind, type) or lacking:
        raise ConfigError(
            f"agent: must be an agent's number, or a class with {', '.join(METHODS)}, "
            f"such as a subclass of CompetitionAgent; got {short(kind)}"
        )
    made: OwnAgent = kind(role.name, config)
    return made


class OwnView:
    """An agent that looks at what the controlled agent of the first env receives."""

    def __init__(self, kind: Any, controlled: ControlledAgent, env: AdapterEnv) -> None:
        self._controlled = controlled
        self.agent = make_own_agent(kind, controlled.role, env.config)

    def reset(self, seed: int) -> np.ndarray:
        """Begin an episode; give its first observation."""
        self.agent.reset(self._controlled.role, 1, seed)
        return self.observe()

    def observe(self) -> np.ndarray:
        """Take in what was received, and give what the agent makes of it."""
        self.agent.receive(*self._controlled.received(0))
        return np.array(self.agent.get_observation(), np.float32)

    def pay(self, reward: float) -> float:
        """Give what the agent makes of a reward."""
        return float(self.agent.calculate_reward(reward))
