"""Policies that play the agents whom nobody controls from outside."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.core.adapter import AdapterEnv
from mesocosm.core.errors import ConfigError, short, unknown
from mesocosm.core.policy import Policy, check_policy
from mesocosm.learning.policies.load import load_policy

Policies = Mapping[str, Policy | str]


class Players:
    """One policy for every role of an env; random where none is given."""

    def __init__(self, env: AdapterEnv, given: Policies | None) -> None:
        given = given or {}
        if not isinstance(given, Mapping):
            raise ConfigError(f"policies: must map roles to policies, got {short(given)}")
        for name in given:
            if name not in env.spec.roles:
                raise unknown("role", name, env.spec.roles)
        self._env, self._seed, self._resets = env, env.seed, -1
        self._policies = {
            name: env.admit(_policy(name, given.get(name, "random"), env.spec.world))
            for name in env.spec.roles
        }

    def reset(self, seed: int | None) -> None:
        """Let all begin anew, as the env did."""
        self._seed, self._resets = (self._seed, self._resets + 1) if seed is None else (seed, 0)
        for k, (name, policy) in enumerate(self._policies.items()):
            policy.reset(self._env.spec.roles[name], self._env.num_envs, self.word(k))
        self._env.began()  # which must be asked at every moment

    def word(self, k: int) -> int:
        """Draw the k-th seed of this beginning: one for each policy, then for others."""
        words = np.random.SeedSequence((self._seed, self._resets, k))
        return int(words.generate_state(1, np.uint32)[0])

    def act(self, role: str) -> Any:
        """Give the actions of all agents of a role."""
        part = self._env.parts[role]
        began = self._env.began()[role]
        return self._policies[role].act(part.obs, part.mask, part.info, began)


def _policy(role: str, chosen: Any, world: str) -> Policy:
    if isinstance(chosen, str):
        return load_policy(chosen, world).policy
    if not hasattr(chosen, "act"):
        raise ConfigError(f"policies.{role}: must be a policy or its name, got {short(chosen)}")
    return check_policy(chosen)
