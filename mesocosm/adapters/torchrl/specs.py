"""Translate what a role declares into TorchRL's specs.

| a role's action    | spec of `(role, "action")`                | a batch of actions           |
|--------------------|-------------------------------------------|------------------------------|
| one choice         | `Categorical`                             | int64 `[env, agent]`         |
| several choices    | `MultiCategorical`                        | int64 `[env, agent, part]`   |
| levels only        | `Bounded`                                 | float32 `[env, agent, part]` |
| choices and levels | `Composite` with keys `"choice"`, `"level"` | one of each of the above   |
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torchrl.data import Bounded, Categorical, Composite, MultiCategorical, Unbounded

from mesocosm.core.observation import Layout
from mesocosm.core.spec import OUTCOMES, Role, Spec

CHOICE, LEVEL = "choice", "level"
DONE_KEYS = ("done", "terminated", "truncated")
ENDING_CODES = ("reason", "outcome", "generation")


def observation_spec(spec: Spec, *, info: bool) -> Composite:
    """Declare what each role's agents get beside rewards and endings, `[agent, ...]`."""
    return _by_role(spec, lambda role: _observation(spec, role, info))


def action_spec(spec: Spec) -> Composite:
    """Declare what each role's agents do; the table above says how."""
    return _by_role(spec, lambda role: {"action": _action(role)})


def reward_spec(spec: Spec) -> Composite:
    """Declare the rewards `[agent, 1]` of every role."""
    return _by_role(spec, lambda role: {"reward": Unbounded((1,), dtype=torch.float32)})


def done_spec(spec: Spec) -> Composite:
    """Declare endings: `[1]` of the episode, and `[agent, 1]` of every role's agents."""
    made = _by_role(spec, lambda role: {key: _flag() for key in DONE_KEYS})
    made.update({key: _flag() for key in DONE_KEYS})
    return made


def _by_role(spec: Spec, declare: Callable[[Role], dict[str, Any]]) -> Composite:
    return Composite(
        {
            role.name: Composite(declare(role)).expand(role.num_agents)
            for role in spec.roles.values()
        }
    )


def _flag() -> Categorical:
    return Categorical(2, shape=(1,), dtype=torch.bool)


def _observation(spec: Spec, role: Role, info: bool) -> dict[str, Any]:
    layout, choices = role.observation, role.action.choices
    made: dict[str, Any] = {"observation": _bounded(layout, slice(None), layout.shape)}
    made["mask"] = Categorical(2, shape=(), dtype=torch.bool)
    if choices:
        options = sum(len(part.options) for part in choices)
        made["action_mask"] = Categorical(2, shape=(options,), dtype=torch.bool)
    if info:
        told: dict[str, Any] = {
            entry.name: _bounded(role.info, role.info.span(entry.name), entry.shape)
            for entry in role.info.features
            if entry.size
        }
        told["reason"] = Categorical(len(spec.reasons) + 1, shape=(), dtype=torch.int16)
        told["outcome"] = Categorical(len(OUTCOMES), shape=(), dtype=torch.int8)
        told["generation"] = Unbounded((), dtype=torch.int32)
        made["info"] = Composite(told)
    return made


def _bounded(layout: Layout, span: slice, shape: tuple[int, ...]) -> Bounded:
    low, high = (
        torch.from_numpy(np.asarray(bound)[span].astype(layout.dtype).reshape(shape))
        for bound in (layout.low, layout.high)
    )
    return Bounded(low, high, shape=shape, dtype=low.dtype)


def _action(role: Role) -> Any:
    choices, levels = role.action.choices, role.action.levels
    made: dict[str, Any] = {}
    counts = [len(part.options) for part in choices]
    if choices:
        made[CHOICE] = Categorical(counts[0]) if len(counts) == 1 else MultiCategorical(counts)
    if levels:
        low, high = torch.tensor([(part.low, part.high) for part in levels]).T
        made[LEVEL] = Bounded(low, high, shape=(len(levels),), dtype=torch.float32)
    return Composite(made) if len(made) == 2 else next(iter(made.values()))
