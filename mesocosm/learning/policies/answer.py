"""Read what a policy answered: arrays of choices and levels, or an error that says why not."""

from typing import Any

import numpy as np

from mesocosm.core.errors import PolicyError
from mesocosm.core.spec import Role

INT32 = np.iinfo(np.int32)
Answer = tuple[np.ndarray, np.ndarray]  # int32 [env, agent, choice], float32 [env, agent, level]


def read_answer(given: Any, role: Role, lead: tuple[int, int], who: str) -> Answer:
    """Give choices and levels `[env, agent, part]` of what `act` returned."""
    action = role.action
    choice = level = given
    if action.choices and action.levels:
        if not isinstance(given, tuple) or len(given) != 2:
            raise PolicyError(
                f"{who}: act must give Action(choice=..., level=...), got {type(given).__name__}"
            )
        choice, level = given
    made = np.zeros((*lead, 0), np.int32), np.zeros((*lead, 0), np.float32)
    if action.choices:
        found = _array(choice, (*lead, len(action.choices)), "iu", f"{who}: choices")
        made = np.clip(found, INT32.min, INT32.max).astype(np.int32), made[1]
    if action.levels:
        found = _array(level, (*lead, len(action.levels)), "f", f"{who}: levels")
        with np.errstate(over="ignore"):  # becomes infinite, which the env handles
            made = made[0], found.astype(np.float32)
    return made


def _array(given: Any, shape: tuple[int, ...], kinds: str, who: str) -> np.ndarray:
    try:
        array = np.asarray(given)
    except Exception as error:
        raise PolicyError(f"{who} must be an array, got {type(given).__name__}: {error}") from None
    if array.dtype.kind not in kinds:
        wanted = "integers" if kinds == "iu" else "floats"
        raise PolicyError(f"{who} must be {wanted}, got dtype {array.dtype}")
    if shape[-1] == 1 and array.shape == shape[:-1]:
        array = array.reshape(shape)
    if array.shape != shape:
        raise PolicyError(f"{who} must be of shape {shape} [env, agent, part], got {array.shape}")
    return array
