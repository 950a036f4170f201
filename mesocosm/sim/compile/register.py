"""Tell Numba about rules: how they are typed and compiled, for the CPU and for CUDA."""

import threading
from collections.abc import Callable
from typing import Any

from mesocosm.sim import bits, rng
from mesocosm.sim.compile.memory import register_reads
from mesocosm.sim.compile.progress import rule_compiled
from mesocosm.sim.compile.reference import toolkit
from mesocosm.sim.compile.store import register_stores
from mesocosm.sim.rule import RULES

OPTIONS: dict[str, dict[str, Any]] = {
    "cpu": {
        "nopython": True,
        "_nrt": False,
        "error_model": "numpy",
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
    },
    "cuda": {"nopython": True},
}
_registered: dict[str, set[int]] = {"cpu": set(), "cuda": set()}
_lock = threading.Lock()


def register(target: str) -> None:
    """Tell Numba about every rule that it has not seen yet."""
    kit = toolkit(target)
    with _lock:  # whoever comes second must find all of it done
        seen = _registered[target]
        if not seen:
            _register_words(kit.extending)
            _register_lowest(kit)
            register_stores(kit)
            register_reads(kit.extending, kit.types)
        for function in tuple(RULES):
            if id(function) not in seen:
                _register_rule(kit, function, OPTIONS[target])
                seen.add(id(function))


def _register_rule(kit: Any, function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Compile a rule once for whole numbers of all widths, as arrays hold them and as counted.

    A caller widens what it hands over; compiled code computes with 64 bits in any case.
    """
    types, templates = kit.types, kit.templates
    narrow = (types.int8, types.int16, types.int32)

    def choose(*given: Any, **named: Any) -> Any:
        return function

    made = templates.make_overload_template(function, choose, options, False, "never")

    class Widened(made):  # type: ignore[misc,valid-type]
        def generic(self, given: Any, named: Any) -> Any:
            wide = tuple(types.int64 if kind in narrow else kind for kind in given)
            signature = super().generic(wide, named)
            rule_compiled(function)
            return signature

    Widened.__name__ = made.__name__
    templates.infer(Widened)
    templates.infer_global(function, types.Function(Widened))


def _register_words(extending: Any) -> None:
    """Compile `u64` and `i64` as casts."""
    import numpy as np

    def u64(x):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lambda x: np.uint64(x)  # noqa: PLW0108 (Numba wants a function)

    def i64(x):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lambda x: np.int64(x)  # noqa: PLW0108

    extending.overload(rng.u64)(u64)
    extending.overload(rng.i64)(i64)


def _register_lowest(kit: Any) -> None:
    """Compile `lowest` as one instruction."""
    from llvmlite import ir

    @kit.extending.intrinsic  # type: ignore[untyped-decorator]
    def trailing(typing: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.cttz(values[0], ir.Constant(ir.IntType(1), 0))

        return kit.types.int64(kit.types.int64), generate

    def lowest(x):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lambda x: trailing(x)  # noqa: PLW0108

    kit.extending.overload(bits.lowest)(lowest)
