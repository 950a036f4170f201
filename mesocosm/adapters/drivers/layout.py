"""Lay out what one agent was given as a row of a `Received`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.core.action import Action
from mesocosm.core.adapter_driver import Received
from mesocosm.core.spec import Role

At = tuple[Any, int]  # an env or all of them, and an agent of the role


class Scripted:
    """A policy that plays what it is told to, for `[env, agent]` of one role."""

    privileged = False

    def __init__(self) -> None:
        self.plays: Any = None

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        """Forget nothing: it knows nothing."""

    def act(self, obs: Any, mask: Any, info: Any, began: Any) -> Any:
        """Give the actions that were set."""
        return self.plays


def flat_mask(role: Role, sample: Any) -> np.ndarray:
    """Lay a mask as `space.sample(mask=...)` takes it out as the env's mask row."""
    if not role.action.choices:
        return np.zeros(0, bool)
    mask = sample["choice"] if role.action.levels else sample
    parts = mask if len(role.action.choices) > 1 else (mask,)
    kept = [m for m, part in zip(parts, role.action.choices, strict=True) if part.masked]
    return np.concatenate([np.asarray(m, bool) for m in kept], axis=-1)


def put_info(made: Received, role: Role, at: At, info: Mapping[str, Any]) -> None:
    """Write down the declared info, the mask and the turn."""
    if made.info is None or made.mask is None or made.acting is None:
        raise AssertionError("made by blank()")
    for name, values in made.info.items():
        values[at] = info[name]
    if role.action.mask_size:
        made.mask[at] = flat_mask(role, info["action_mask"])
    made.acting[at] = info["acting"]


def put_final(made: Received, role: Role, at: At, obs: Any, info: Mapping[str, Any]) -> None:
    """Write down the last moment of something that ended."""
    if made.final_info is None or made.final_obs is None or made.final_mask is None:
        raise AssertionError("made by blank()")
    made.final_obs[at] = obs
    for name, values in made.final_info.items():
        values[at] = info[name]
    if role.action.mask_size:
        made.final_mask[at] = flat_mask(role, info["action_mask"])


def put_step(made: Received, at: At, step: tuple[Any, Any, Any, Any]) -> None:
    """Write down an observation, a reward and the flags of an end."""
    made.given[at] = True
    made.obs[at], made.reward[at], made.terminated[at], made.truncated[at] = step


def put_ending(made: Received, at: At, info: Mapping[str, Any]) -> None:
    """Write down why and how something ended."""
    if made.reason is None or made.outcome is None:
        raise AssertionError("made by blank()")
    made.reason[at], made.outcome[at] = info.get("reason", ""), info.get("outcome", "")


def one_action(action: Action, at: tuple[int, int]) -> Action:
    """Give the action of one agent in one env."""
    return Action(action.choice[at], action.level[at])
