"""Take actions in: check their structure, shape and dtype; never their values."""

from typing import Any

import numpy as np

from mesocosm.core.action import Action
from mesocosm.core.errors import ActionError
from mesocosm.core.spec import Role
from mesocosm.sim.targets.driver import Driver

DEVICE = "__cuda_array_interface__"
INT32 = np.iinfo(np.int32)


class Intake:
    """Copies one role's actions into its buffers."""

    def __init__(self, role: Role, driver: Driver, buffers: Any) -> None:
        self._role, self._driver = role, driver
        self._choice, self._level = buffers.choice, buffers.level
        self._composite = bool(role.action.choices) and bool(role.action.levels)
        self._buffer = buffers.choice if role.action.choices else buffers.level
        self._plain = type(self._buffer) is np.ndarray and not self._composite
        self._dtype, self._shape = self._buffer.dtype, self._buffer.shape

    def take(self, actions: Any) -> None:
        """Check and copy; raise `ActionError` before anything is written."""
        if (
            self._plain
            and type(actions) is np.ndarray
            and actions.dtype is self._dtype
            and actions.shape == self._shape
        ):
            self._buffer[...] = actions  # as in nearly every step
            return
        if self._composite:
            if not isinstance(actions, tuple) or len(actions) != 2:
                raise ActionError(
                    f"role {self._role.name!r}: has choices and levels, so actions must be "
                    f"Action(choice=..., level=...), got {type(actions).__name__}"
                )
            choice, level = Action(*actions)
            checked = self._check(choice, self._choice), self._check(level, self._level)
            self._driver.put(self._choice, checked[0])
            self._driver.put(self._level, checked[1])
            return
        self._driver.put(self._buffer, self._check(actions, self._buffer))

    def _check(self, given: Any, buffer: Any) -> Any:
        on_device = _is_on_device(given) and _is_on_device(buffer)
        array = given if on_device or type(given) is np.ndarray else self._convert(given)
        array = self._fit(array, buffer, tuple(array.shape))
        if array.dtype == buffer.dtype:
            return array
        kind = getattr(given, DEVICE)["typestr"][1] if on_device else array.dtype.kind
        if buffer.dtype == np.int32 and kind in "iu":
            return array if on_device else np.clip(array, INT32.min, INT32.max)
        if buffer.dtype == np.float32 and kind == "f":
            return array if on_device else _narrow(array)
        wanted = "integers (int32)" if buffer.dtype == np.int32 else "floats (float32)"
        raise ActionError(f"role {self._role.name!r}: expected {wanted}, got dtype {array.dtype}")

    def _convert(self, given: Any) -> np.ndarray:
        try:
            return np.asarray(given)
        except (TypeError, ValueError, RuntimeError, OverflowError) as error:
            name = type(given).__name__
            raise ActionError(f"role {self._role.name!r}: {name} is no array: {error}") from None

    def _fit(self, array: Any, buffer: Any, shape: tuple[int, ...]) -> Any:
        if shape == buffer.shape:
            return array
        if shape == buffer.shape[:-1] and buffer.shape[-1] == 1:
            return array.reshape(buffer.shape)
        text = "[env, agent, part]"
        raise ActionError(
            f"role {self._role.name!r}: actions must have shape {buffer.shape} {text}, got {shape}"
        )


def _is_on_device(array: Any) -> bool:
    """Whether an array lives on a GPU; a tensor may refuse to say (when it needs gradients)."""
    try:
        return hasattr(array, DEVICE)
    except RuntimeError:
        return False


def _narrow(array: np.ndarray) -> np.ndarray:
    """Round to float32; what is too large for it becomes infinite, and is handled as that."""
    with np.errstate(all="ignore"):
        return array.astype(np.float32)
