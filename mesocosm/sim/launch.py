"""Run rules on a target: as they are, compiled by Numba for the CPU, or for CUDA."""

import contextlib
import importlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from mesocosm.core.errors import ConfigError, TargetError, hint
from mesocosm.core.spec import Spec
from mesocosm.core.world import World
from mesocosm.sim import bits, rng
from mesocosm.sim.cache import cache_directory
from mesocosm.sim.cells import wrap
from mesocosm.sim.compose import compose
from mesocosm.sim.layering import Layering
from mesocosm.sim.peek import register_peeks
from mesocosm.sim.rule import APART, COLD, RULES, here
from mesocosm.sim.vet import vet

TARGETS = ("python", "cpu", "cuda")
JIT_OPTIONS = {"nogil": True, "_nrt": False, "error_model": "numpy"}
# A call that is not inlined copies every array header in `s, f, p`: eight times slower.
INLINE: dict[str, dict[str, Any]] = {
    "cpu": {
        "forceinline": True,
        "_nrt": False,
        "error_model": "numpy",
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
    },
    "cuda": {"forceinline": True},
}
ENTRIES = ("bind", "drive_bound")  # of a composed module: all else is inlined into these
_registered: dict[str, set[int]] = {"cpu": set(), "cuda": set()}
_modules: dict[str, ModuleType] = {}


def check_target(target: str) -> None:
    """Reject a target that does not exist, or that this machine does not have."""
    if target not in TARGETS:
        raise TargetError(f"no target named {target!r}.{hint(target, TARGETS)}")
    if target != "python" and importlib.util.find_spec("numba") is None:
        raise TargetError(f"target {target!r} needs numba: pip install mesocosm")
    if target == "cuda":
        from mesocosm.sim.cuda import check_cuda

        check_cuda()


def register(target: str) -> None:
    """Tell Numba about every rule that it has not seen yet."""
    module = "numba.cuda.extending" if target == "cuda" else "numba.extending"
    extending = importlib.import_module(module)
    seen = _registered[target]
    if not seen:
        _register_words(extending)
        kinds = "numba.cuda.types" if target == "cuda" else "numba.core.types"
        register_peeks(extending, importlib.import_module(kinds))
        _register_here(extending, target)
    for function in RULES:
        if id(function) not in seen:
            seen.add(id(function))
            options = INLINE[target]
            if id(function) in COLD:
                options = {key: value for key, value in options.items() if key != "forceinline"}
            if id(function) in APART and target == "cpu":  # unset, it is the caller's
                options = options | {"forceinline": False}
            if options:
                extending.register_jitable(**options)(function)
            else:  # called with nothing, it would take the function for its options
                extending.register_jitable(function)


def _register_words(extending: Any) -> None:
    """Compile `u64` and `i64` as casts."""
    import numpy as np

    def u64(x):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lambda x: np.uint64(x)  # noqa: PLW0108 (Numba wants a function)

    def i64(x):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lambda x: np.int64(x)  # noqa: PLW0108

    extending.overload(rng.u64)(u64)
    extending.overload(rng.i64)(i64)
    _register_lowest(extending)


def _register_lowest(extending: Any) -> None:
    """Compile `lowest` as one instruction."""
    from llvmlite import ir
    from numba.core import types

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def trailing(typing: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.cttz(values[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.int64), generate

    def lowest(x):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lambda x: trailing(x)  # noqa: PLW0108

    extending.overload(bits.lowest)(lowest)


def _register_here(extending: Any, target: str) -> None:
    """Compile `here` as nothing: on the CPU behind an empty piece of assembly."""

    def plain(index):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lambda index: index

    if target != "cpu":
        extending.overload(here)(plain)
        return
    from llvmlite import ir
    from numba import types

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def hidden(typing: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kind = ir.FunctionType(values[0].type, [values[0].type])
            return builder.asm(kind, "", "=r,0", values, side_effect=True)

        return types.intp(types.intp), generate

    def opaque(index):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return lambda index: hidden(index)  # noqa: PLW0108

    extending.overload(here, inline="always")(opaque)


def _keep_apart(module: Any) -> None:
    """Forbid the compiler to copy the rules that are to be called."""
    names = [f"{made.__module__}.{made.__name__}" for made in RULES if id(made) in APART]
    marks = ["".join(f"{len(part)}{part}" for part in name.split(".")) for name in names]
    for function in module.functions:
        if any(f"_ZN{mark}" in function.name for mark in marks):
            function.add_function_attribute("noinline")


@contextlib.contextmanager
def optimised_once() -> Iterator[None]:
    """Make machine code of a module's entries only, not of every rule on the way to them.

    Numba optimises and emits each function again in every function that it is inlined into: two
    thirds of the time that compiling takes, measured.
    """
    from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen

    optimise = CPUCodeLibrary._optimize_final_module
    emit = CPUCodeLibrary._finalize_final_module
    set_env = JITCPUCodegen.set_env

    def optimise_entry(library: Any) -> None:
        if library.name in ENTRIES:
            _keep_apart(library._final_module)
            optimise(library)

    def emit_entry(library: Any) -> None:
        if library.name in ENTRIES:
            emit(library)
        else:
            library._finalize_dynamic_globals()
            library._finalized = True

    def set_known_env(codegen: Any, name: str, env: Any) -> None:
        if codegen._engine.is_symbol_defined(name):
            set_env(codegen, name, env)

    CPUCodeLibrary._optimize_final_module = optimise_entry
    CPUCodeLibrary._finalize_final_module = emit_entry
    JITCPUCodegen.set_env = set_known_env
    try:
        yield
    finally:
        CPUCodeLibrary._optimize_final_module = optimise
        CPUCodeLibrary._finalize_final_module = emit
        JITCPUCodegen.set_env = set_env


@contextlib.contextmanager
def lean_code() -> Iterator[None]:
    """Compile without LLVM's loop vectoriser, and without Python's meaning of negative indices.

    Rules loop over a few agents, meters or slots: preparing vectors and checking that arrays do
    not overlap costs more than the loops do (a quarter of a step, measured). And asking of every
    index whether it is negative costs another quarter; the python target refuses such an index.
    """
    from numba import config, types
    from numba.np import arrayobj

    def as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, types.intp)

    before = config.LOOP_VECTORIZE, arrayobj.fix_integer_index
    config.LOOP_VECTORIZE, arrayobj.fix_integer_index = 0, as_it_is
    try:
        yield
    finally:
        config.LOOP_VECTORIZE, arrayobj.fix_integer_index = before


def launch(function: Callable[..., Any], target: str, *, cache: bool = False) -> Callable[..., Any]:
    """Make a rule callable on NumPy arrays, on a target (on `cuda` as a single thread)."""
    check_target(target)
    if target == "python":
        return lambda *arguments: function(*(wrap(value) for value in arguments))
    register(target)
    if target == "cuda":
        from mesocosm.sim.cuda import launch_once

        return launch_once(function)
    import numba

    compiled = numba.njit(cache=cache, **JIT_OPTIONS)(function)
    if cache:
        _keep_if_possible(compiled)
    made: Callable[..., Any] = compiled
    return made


def _keep_if_possible(compiled: Any) -> None:
    """Let code run that cannot be kept: a full disk costs the next process time, not this one."""
    keep = compiled._cache.save_overload

    def save(signature: Any, result: Any) -> None:
        try:
            keep(signature, result)
        except OSError as error:
            said = error.strerror or error
            print(f"mesocosm: compiled code is not kept: {said}", file=sys.stderr, flush=True)

    compiled._cache.save_overload = save


def step_module(
    world: World, spec: Spec, target: str, *, kinds: str = "", layering: Layering | None = None
) -> tuple[ModuleType, bool]:
    """Load a world's composed step; say whether its compiled form may be in the cache.

    Args:
        kinds: The types of the step's arguments, where code is compiled for exactly these.
    """
    text = compose(world, spec, layering, cuda=target == "cuda")
    options = f"{target} {sorted(JIT_OPTIONS.items())} lean {kinds}"
    directory = cache_directory(world, text, options)
    path = directory / f"{world.name}_step.py"
    if target != "python" and str(path) not in _modules:
        vet(world)
    warm = any((directory / "__pycache__").glob("*.nbi"))
    return load_module(path, text), warm


def load_module(path: Path, text: str) -> ModuleType:
    """Load generated text as a module that lies in the cache, once."""
    key = str(path)
    if key not in _modules:
        _write_once(path, text)
        module = ModuleType(f"mesocosm_{path.stem}_{path.parent.name.replace('-', '_')}")
        module.__file__ = key
        sys.modules[module.__name__] = module
        exec(compile(text, key, "exec"), module.__dict__)  # noqa: S102 (our own text)
        _modules[key] = module
    return _modules[key]


def _write_once(path: Path, text: str) -> None:
    """Put the module on disk for debuggers and Numba, whole or not at all."""
    if path.is_file() and path.read_text() == text:
        return
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.replace(name, path)
    except OSError as error:
        said = f"cannot be written: {error.strerror or error}"
        raise ConfigError(f"{path.parent}: {said}; MESOCOSM_CACHE_DIR names another") from error


def announce(world: World, target: str) -> None:
    """Say once that compiling takes a moment."""
    if not os.environ.get("MESOCOSM_QUIET"):
        message = f"mesocosm: compiling {world.name} for {target} (once; the result is cached) ..."
        print(message, file=sys.stderr, flush=True)
