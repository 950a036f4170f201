"""What plays: a policy maps the observations of one role to actions."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mesocosm.core.spec import Role


@runtime_checkable
class Policy(Protocol):
    """Plays all agents of one role in all envs of a batch.

    A policy that needs the truth of the world says `privileged = True` and is given
    `truth(field_name)` as an attribute before `reset`; any other sees its arguments only.
    """

    privileged: bool

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        """Prepare for new episodes of a role."""

    def act(self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray]) -> Any:
        """Choose actions for `[env, agent]`."""


class RandomPolicy:
    """Plays valid actions drawn uniformly within the mask."""

    privileged = False

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        self._action = spec.action
        self._lead = (num_envs, spec.num_agents)
        self._rng = np.random.default_rng(seed)

    def act(self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray]) -> Any:
        return self._action.sample(self._rng, self._lead, mask)


class NoopPolicy:
    """Does nothing."""

    privileged = False

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        self._action = spec.action.noop((num_envs, spec.num_agents))

    def act(self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray]) -> Any:
        return self._action


GENERIC_POLICIES: dict[str, Callable[[], Policy]] = {"random": RandomPolicy, "noop": NoopPolicy}
