"""Read numbers by address: one small compiled function then serves every world's arrays.

A function that takes a world's arrays as arguments is compiled for exactly these, which takes
seconds. A table of addresses has one type, whatever it leads to.
"""

from typing import Any, NoReturn

from mesocosm.core.errors import TargetError

# the kinds of numbers, as a table of addresses holds them
INT8, INT16, INT32, INT64, FLOAT32, FLOAT64, BOOL, UINT8 = range(8)
KINDS = {
    "int8": INT8,
    "int16": INT16,
    "int32": INT32,
    "int64": INT64,
    "float32": FLOAT32,
    "float64": FLOAT64,
    "bool": BOOL,
    "uint8": UINT8,
}


def _only_compiled() -> NoReturn:
    raise TargetError("an address means something to compiled code only")


def int8_at(address: int) -> int:
    """Read one number."""
    _only_compiled()


def int16_at(address: int) -> int:
    """Read one number."""
    _only_compiled()


def int32_at(address: int) -> int:
    """Read one number."""
    _only_compiled()


def int64_at(address: int) -> int:
    """Read one number."""
    _only_compiled()


def float32_at(address: int) -> float:
    """Read one number."""
    _only_compiled()


def float64_at(address: int) -> float:
    """Read one number."""
    _only_compiled()


def byte_at(address: int) -> int:
    """Read one number."""
    _only_compiled()


def word_at(address: int) -> int:
    """Read one number."""
    _only_compiled()


def register_reads(extending: Any, types: Any) -> None:
    """Tell Numba how to compile them."""
    kinds = {
        int8_at: types.int8,
        int16_at: types.int16,
        int32_at: types.int32,
        int64_at: types.int64,
        float32_at: types.float32,
        float64_at: types.float64,
        byte_at: types.uint8,
        word_at: types.uint64,
    }
    for function, kind in kinds.items():
        _register(extending, function, kind)


def _register(extending: Any, function: Any, kind: Any) -> None:
    @extending.intrinsic  # type: ignore[untyped-decorator]
    def read(typing: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            pointer = context.get_value_type(signature.return_type).as_pointer()
            loaded = builder.load(builder.inttoptr(values[0], pointer))
            loaded.align = 1  # a row may begin anywhere
            return loaded

        return kind(address), generate

    def choose(address):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lambda address: read(address)  # noqa: PLW0108 (Numba wants a function)

    extending.overload(function)(choose)
