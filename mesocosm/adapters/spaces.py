"""Translate what a role declares into Gymnasium spaces, and their samples into actions.

| a role's action    | space                                  | sample                   |
|--------------------|----------------------------------------|--------------------------|
| one choice         | `Discrete`                             | an integer               |
| several choices    | `MultiDiscrete`                        | integers `[part]`        |
| levels only        | `Box`                                  | floats `[part]`          |
| choices and levels | `Dict` with keys `"choice"`, `"level"` | one of each of the above |
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from mesocosm.core.action import Action, ActionSpec, Choice
from mesocosm.core.errors import ActionError
from mesocosm.core.spec import Role

CHOICE, LEVEL = "choice", "level"
INT32 = np.iinfo(np.int32)
LOW, HIGH = np.int64(INT32.min), np.int64(INT32.max)
Parts = tuple[np.ndarray, np.ndarray]  # choices int32 [..., part], levels float32 [..., part]


def observation_space(role: Role) -> Any:
    """Give the Box of a role's observations, with the declared range of every number."""
    layout = role.observation
    low, high = (
        bound.astype(layout.dtype).reshape(layout.shape) for bound in (layout.low, layout.high)
    )
    return spaces.Box(low, high, dtype=np.dtype(layout.dtype).type)


def action_space(role: Role) -> Any:
    """Give the space of a role's actions; the table above says which."""
    action = role.action
    counts = [len(part.options) for part in action.choices]
    choice = spaces.Discrete(counts[0]) if len(counts) == 1 else None
    if len(counts) > 1:
        choice = spaces.MultiDiscrete(counts)
    if not action.levels:
        return choice
    low, high = np.array([(part.low, part.high) for part in action.levels], np.float32).T
    level = spaces.Box(low, high, dtype=np.float32)
    return level if choice is None else spaces.Dict({CHOICE: choice, LEVEL: level})


def sample_mask(action: ActionSpec, mask: np.ndarray) -> Any:
    """Give mask rows `[..., option]` in the form that `space.sample(mask=...)` takes.

    That is int8 `[..., option]` for one choice, a tuple of these for several, and a dict of the
    two keys where there are levels too (levels have no mask: None).
    """
    masks = action.mask_parts(mask)
    parts = tuple(
        masks[part.name].astype(np.int8) if part.masked else _permitted(part, mask.shape[:-1])
        for part in action.choices
    )
    choice = parts[0] if len(parts) == 1 else parts
    return {CHOICE: choice, LEVEL: None} if action.levels else choice


def _permitted(part: Choice, lead: tuple[int, ...]) -> np.ndarray:
    allowed = [k not in part.forbidden for k in range(len(part.options))]
    return np.broadcast_to(np.array(allowed, np.int8), (*lead, len(allowed))).copy()


def read_actions(role: Role, given: Any, lead: Sequence[int] = ()) -> Parts:
    """Split samples of a role's action space into choices and levels, as copies.

    Structure, shape and dtype are checked; values are not, for the engine handles them.
    """
    action = role.action
    choice, level = given, given
    if action.choices and action.levels:
        choice, level = _both(role, given)
    return (
        _numbers(role, choice, (*lead, len(action.choices)), "iu")
        if action.choices
        else np.zeros((*lead, 0), np.int32),
        _numbers(role, level, (*lead, len(action.levels)), "f")
        if action.levels
        else np.zeros((*lead, 0), np.float32),
    )


def _both(role: Role, given: Any) -> tuple[Any, Any]:
    if isinstance(given, Action):
        return given
    if isinstance(given, Mapping) and set(given) == {CHOICE, LEVEL}:
        return given[CHOICE], given[LEVEL]
    got = sorted(map(str, given)) if isinstance(given, Mapping) else type(given).__name__
    raise ActionError(
        f"role {role.name!r}: an action must be a dict with {CHOICE!r} and {LEVEL!r}, got {got}"
    )


def _numbers(role: Role, given: Any, shape: tuple[int, ...], kinds: str) -> np.ndarray:
    """Copy numbers of the expected shape and kind into the engine's dtype."""
    try:
        array = np.asarray(given)
    except (TypeError, ValueError) as error:
        name = type(given).__name__
        raise ActionError(f"role {role.name!r}: {name} is no array: {error}") from None
    if array.dtype.kind not in kinds:
        wanted = "integers" if kinds == "iu" else "floats"
        raise ActionError(f"role {role.name!r}: expected {wanted}, got dtype {array.dtype}")
    if shape[-1] == 1 and array.shape == shape[:-1]:
        array = array.reshape(shape)
    if array.shape != shape:
        raise ActionError(
            f"role {role.name!r}: an action must have shape {shape}, got {array.shape}"
        )
    if kinds == "iu":
        if array.dtype == np.int64:  # as in nearly every call; in place, for it is a copy
            clipped = np.maximum(array, LOW)
            return np.minimum(clipped, HIGH, out=clipped).astype(np.int32)
        return np.array(np.clip(array, INT32.min, INT32.max), np.int32)
    # A float64 beyond float32 becomes infinite, which the engine handles: no cause to warn.
    with np.errstate(over="ignore"):
        return array.astype(np.float32)
