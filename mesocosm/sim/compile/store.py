"""Compile `bits.store_word`: one store where bytes lie side by side, else byte by byte."""

import sys
from typing import Any

from mesocosm.sim import bits
from mesocosm.sim.compile.reference import Lowering, Toolkit, reference

LAST_BYTE = 7


def register_stores(kit: Toolkit) -> None:
    """Tell Numba how to compile it for a target."""
    made = reference("cuda" if kit.cuda else "cpu")
    lowering = Lowering(kit, made)

    @kit.extending.intrinsic  # type: ignore[untyped-decorator]
    def store_whole(typing: Any, row: Any, at: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            from llvmlite import ir

            row, at, word = values
            kind = ir.IntType(64)
            if context.enable_boundscheck:
                last = builder.add(at, ir.Constant(kind, LAST_BYTE))
                lowering.locate(context, builder, signature, (row, last))
            place = lowering.locate(context, builder, signature, (row, at))
            stored = builder.store(word, builder.bitcast(place, kind.as_pointer()))
            stored.align = 1
            return context.get_dummy_value()

        return kit.types.none(row, at, word), generate

    def store_word(row, at, word, count):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        if _lies_in_line(kit, made, row):
            return lambda row, at, word, count: store_whole(row, at, word)

        def store_bytes(row, at, word, count):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            for i in range(count):
                row[at + i] = (word >> (8 * i)) & 255

        return store_bytes

    kit.extending.overload(bits.store_word)(store_word)


def _lies_in_line(kit: Toolkit, made: Any, row: Any) -> bool:
    """Whether the bytes of a row follow each other in memory, and words begin with the lowest."""
    bytes_ = isinstance(row, (made.field, made.row)) and row.dtype == kit.types.uint8
    return bytes_ and not kit.cuda and sys.byteorder == "little"
