"""What plays: a policy maps the observations of one role to actions."""

import inspect
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mesocosm.core.errors import PolicyError
from mesocosm.core.spec import Role

ARGUMENTS = ("obs", "mask", "info", "began")  # of `Policy.act`


@runtime_checkable
class Policy(Protocol):
    """Plays all agents of one role in all envs of a batch.

    A policy that needs the truth of the world says `privileged = True` and is given
    `truth(field_name)` as an attribute before `reset`; any other sees its arguments only.

    A policy that knows how sure it is may have a method `entropy()`, which gives a number for each
    `[env, agent]` of its last `act`; recordings keep it.
    """

    privileged: bool

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        """Prepare for new episodes of a role."""

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        """Choose actions for `[env, agent]`.

        Args:
            began: bool [env, agent], True where an episode or a life begins with this
                observation: whatever is remembered there is of someone else.
        """


def check_policy(policy: Any, name: str = "") -> Policy:
    """Give what was handed in as a policy, if it is one."""
    who = name or type(policy).__name__
    if not isinstance(policy, Policy):
        raise PolicyError(f"{who} is no policy: it needs privileged, reset and act")
    signature = inspect.signature(policy.act)
    try:
        signature.bind(*ARGUMENTS)
    except TypeError:
        wanted, got = ", ".join(ARGUMENTS), ", ".join(signature.parameters)
        raise PolicyError(
            f"{who}: act must take ({wanted}), it takes ({got}). Add began: bool [env, agent], "
            f"True where an episode or a life begins"
        ) from None
    return policy


class RandomPolicy:
    """Plays valid actions drawn uniformly within the mask."""

    privileged = False

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        self._action = spec.action
        self._lead = (num_envs, spec.num_agents)
        self._rng = np.random.default_rng(seed)

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        return self._action.sample(self._rng, self._lead, mask)


class NoopPolicy:
    """Does nothing."""

    privileged = False

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        self._action = spec.action.noop((num_envs, spec.num_agents))

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        return self._action


GENERIC_POLICIES: dict[str, Callable[[], Policy]] = {"random": RandomPolicy, "noop": NoopPolicy}
