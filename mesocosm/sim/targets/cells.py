"""Arrays whose elements read as Python numbers, so that plain Python computes as compiled code."""

from typing import Any

import numpy as np


class Cells:
    """A view of an array: elements are int, float or bool, rows are `Cells` again."""

    __slots__ = ("_array", "_item", "_ndim", "shape")

    def __init__(self, array: np.ndarray) -> None:
        self._array, self._item = array, array.item
        self._ndim, self.shape = array.ndim, array.shape

    def __getitem__(self, index: Any) -> Any:
        try:  # an element, as almost always: three times as fast as what follows
            if type(index) is tuple:
                if min(index) >= 0 and len(index) == self._ndim:
                    return self._item(*index)
            elif index >= 0 and self._ndim == 1:
                return self._item(index)
        except TypeError:
            pass  # no integer: the array itself says so
        refuse_negative(index)
        value = self._array[index]
        return Cells(value) if isinstance(value, np.ndarray) else value.item()

    def __setitem__(self, index: Any, value: Any) -> None:
        if (min(index) if type(index) is tuple else index) < 0:
            refuse_negative(index)
        self._array[index] = value

    def __len__(self) -> int:
        return len(self._array)


def refuse_negative(index: Any) -> None:
    """Stop at an index that compiled code takes as it is, and Python from the end."""
    if (min(index) if isinstance(index, tuple) else index) < 0:
        raise IndexError(f"index {index} is negative: rules count from the front, from 0")


def wrap(value: Any) -> Any:
    """Wrap every array inside a (nested) NamedTuple."""
    if isinstance(value, np.ndarray):
        return Cells(value)
    if isinstance(value, tuple):
        return rebuild_tuple(value, [wrap(entry) for entry in value])
    return value


def rebuild_tuple(like: tuple[Any, ...], entries: list[Any]) -> Any:
    """Make a tuple of the same class with other entries."""
    return type(like)(*entries) if hasattr(like, "_fields") else tuple(entries)
