"""Prepare policies for an env, and ask them for actions."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.core.policy import Policy, check_policy
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine


def to_host(value: Any) -> Any:
    """Copy arrays to where scripted policies and counters can read them."""
    if isinstance(value, Mapping):
        return {name: to_host(entry) for name, entry in value.items()}
    return np.asarray(value)


def begin_episodes(
    env: Engine, policies: Mapping[str, Policy], seed: int, policy_seed: int | None = None
) -> Step:
    """Prepare every role's policy, by the env's seed if not said, and start the first episodes."""
    first = seed if policy_seed is None else policy_seed
    for index, (name, policy) in enumerate(policies.items()):
        if check_policy(policy).privileged:
            vars(policy)["truth"] = env.truth
        policy.reset(env.spec.roles[name], env.num_envs, first + index)
    return env.reset(seed=seed)


def choose_actions(policies: Mapping[str, Policy], step: Step, began: Any) -> Any:
    """Ask every role's policy."""
    if len(policies) == 1:
        (policy,) = policies.values()
        return policy.act(to_host(step.obs), to_host(step.mask), to_host(step.info), began)
    return {
        name: policy.act(
            to_host(step.obs[name]),
            to_host(step.mask[name]),
            to_host(step.info[name]),
            began[name],
        )
        for name, policy in policies.items()
    }
