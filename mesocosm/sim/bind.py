"""Keep a batch's arguments in native form: a compiled step then unpacks nothing.

Handing seventy arrays to a compiled function costs 12 µs per call, far more than a step of one
env takes. They never change, so they are handed over once, and their headers kept in a buffer.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

PLACE_BYTES = 1 << 16
Alike = Sequence[Sequence[tuple[int, int, int]]]


def make_place() -> np.ndarray:
    """Allocate the buffer for one batch's arguments."""
    return np.zeros(PLACE_BYTES // 8, np.int64)


def native_kind(arguments: tuple[Any, ...]) -> str:
    """Name the types of arguments; code that fetches them back fits no others."""
    from numba import typeof

    return str(typeof(arguments))


def make_stash() -> Callable[..., Any]:
    """Make the compiled function that writes a tuple of arguments into a place."""
    from numba import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def stash(typing: Any, value: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            size = context.get_abi_sizeof(context.get_value_type(signature.args[0]))
            if size > PLACE_BYTES:
                raise MemoryError(f"arguments take {size} bytes, at most {PLACE_BYTES}")
            array = context.make_array(signature.args[1])(context, builder, values[1])
            pointer = builder.bitcast(array.data, values[0].type.as_pointer())
            builder.store(values[0], pointer)
            return context.get_dummy_value()

        return types.void(value, place), generate

    return stash


def make_fetch(arguments: tuple[Any, ...], alike: Alike = ()) -> Callable[..., Any]:
    """Make the compiled function that reads a tuple of such arguments back from a place.

    Args:
        alike: Groups of axes `(argument, array, axis)` that have one length in every batch: the
            compiler then computes `e * agents + a` once for them all, not once per array.
    """
    from numba import typeof
    from numba.extending import intrinsic

    kind = typeof(arguments)

    @intrinsic  # type: ignore[untyped-decorator]
    def fetch(typing: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, values[0])
            value = context.get_value_type(signature.return_type)
            loaded = builder.load(builder.bitcast(array.data, value.as_pointer()))
            for group in alike:
                paths = [(k, i, _shape_at(context, kind[k][i]), axis) for k, i, axis in group]
                length = builder.extract_value(loaded, paths[0])
                for path in paths[1:]:
                    loaded = builder.insert_value(loaded, length, path)
            return loaded

        return kind(place), generate

    return fetch


def _shape_at(context: Any, kind: Any) -> int:
    """Find where an array's header keeps its shape."""
    position: int = context.data_model_manager[kind].get_field_position("shape")
    return position
