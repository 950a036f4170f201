"""A role as a whole: what all its agents get or do, at the price of one."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mesocosm.adapters.spaces import sample_mask
from mesocosm.core.spec import Role
from mesocosm.core.step import Step

INTEGER_TYPES = {int, np.int64, np.int32}
INT32 = np.iinfo(np.int32)
LOW, HIGH = int(INT32.min), int(INT32.max)
Columns = tuple[list[Any], ...]  # observations, rewards, terminations, truncations, infos


def plain_choices(
    role: Role, names: Sequence[str], actions: Mapping[str, Any]
) -> np.ndarray | None:
    """Gather plain integers for a role of one choice; None if they are something else."""
    if len(role.action.choices) != 1 or role.action.levels:
        return None
    values = [actions[name] for name in names]
    if not set(map(type, values)) <= INTEGER_TYPES:
        return None
    clipped = [min(max(value, LOW), HIGH) for value in values]
    return np.array(clipped, np.int32).reshape(1, -1, 1)


def whole_columns(role: Role, part: Step) -> Columns | None:
    """Copy what every agent of a role gets in the middle of an episode; None if it has levels."""
    if role.action.levels:
        return None
    told = {name: _rows(values[0]) for name, values in part.info.items()}
    choices = role.action.choices
    if len(choices) == 1 and choices[0].masked:
        told["action_mask"] = list(part.mask[0].astype(np.int8))
    elif choices:
        mask = sample_mask(role.action, part.mask[0])
        rows = [list(array) for array in (mask if isinstance(mask, tuple) else (mask,))]
        told["action_mask"] = rows[0] if len(rows) == 1 else list(zip(*rows, strict=True))
    told["acting"] = part.acting[0].tolist()
    keys = tuple(told)
    infos = [dict(zip(keys, row, strict=False)) for row in zip(*told.values(), strict=False)]
    flags = (part.reward[0].tolist(), part.terminated[0].tolist(), part.truncated[0].tolist())
    return (list(np.array(part.obs[0])), *flags, infos)


def _rows(values: np.ndarray) -> list[Any]:
    """Copy one entry per agent; a single number becomes plain Python."""
    if values.ndim == 1:
        made: list[Any] = values.tolist()
        return made
    if values.size == 0:  # nothing that could be shared by mistake
        return [np.array(values[0])] * len(values)
    return list(np.array(values))
