"""Run rules on a target: as they are, compiled by Numba for the CPU, or for CUDA."""

import importlib
import importlib.util
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from mesocosm.core.errors import ConfigError, TargetError, hint
from mesocosm.core.extra import install_command
from mesocosm.core.spec import Spec
from mesocosm.core.world import World
from mesocosm.sim.compile import progress
from mesocosm.sim.compile.cache import cache_directory, code_name, is_kept, rules_of
from mesocosm.sim.compile.code_cache import CodeCache
from mesocosm.sim.compile.register import register
from mesocosm.sim.compile.specialise import specialise
from mesocosm.sim.compile.vet import vet
from mesocosm.sim.layering import Layering
from mesocosm.sim.targets.cells import wrap

TARGETS = ("python", "cpu", "cuda")
JIT_OPTIONS = {"nogil": True, "_nrt": False, "error_model": "numpy"}
_modules: dict[str, ModuleType] = {}
_loading = threading.RLock()


def check_target(target: str) -> None:
    """Reject a target that does not exist, or that this machine does not have."""
    if target not in TARGETS:
        raise TargetError(f"no target named {target!r}.{hint(target, TARGETS)}")
    if target != "python" and importlib.util.find_spec("numba") is None:
        raise TargetError(f"target {target!r} needs numba: {install_command()}")
    if target == "cuda":
        from mesocosm.sim.targets.cuda import check_cuda

        check_cuda()


def launch(function: Callable[..., Any], target: str, *, cache: bool = False) -> Callable[..., Any]:
    """Make a rule callable on NumPy arrays, on a target (on `cuda` as a single thread)."""
    check_target(target)
    if target == "python":
        return lambda *arguments: function(*(wrap(value) for value in arguments))
    register(target)
    if target == "cuda":
        from mesocosm.sim.targets.cuda import launch_once

        return launch_once(function)
    import numba

    compiled = numba.njit(cache=cache, **JIT_OPTIONS)(function)
    if cache:
        compiled._cache = CodeCache(compiled._cache)
    compiled.compile = _linked_once(compiled)
    made: Callable[..., Any] = compiled
    return made


def _linked_once(compiled: Any) -> Callable[..., Any]:
    """Compile what calls rules in the way that rules are: they are never linked one by one."""
    from mesocosm.sim.compile.numba_patches import applied, linked_once

    compile_plainly, name = compiled.compile, compiled.py_func.__qualname__

    def compile_linked(signature: Any) -> Any:
        with applied(linked_once(name)):
            return compile_plainly(signature)

    return compile_linked


def step_module(
    world: World, spec: Spec, target: str, *, kinds: str = "", layering: Layering | None = None
) -> tuple[ModuleType, bool]:
    """Load a world's composed step; say whether its compiled form may be in the cache.

    Args:
        kinds: The types of the step's arguments, where code is compiled for exactly these.
    """
    text, name = step_code(world, spec, target, kinds=kinds, layering=layering)
    path = cache_directory(name) / f"{world.name}_step.py"
    if target != "python" and str(path) not in _modules:
        vet(world)
    return load_module(path, text), is_kept(name)


def step_code(
    world: World, spec: Spec, target: str, *, kinds: str = "", layering: Layering | None = None
) -> tuple[str, str]:
    """Write a world's composed step; give its text and the name of its compiled code."""
    hooks = None if layering is None else layering.hooks
    text = specialise(world, spec, hooks, cuda=target == "cuda")
    options = f"{sorted(JIT_OPTIONS.items())} lean {kinds}"
    return text, code_name(world.name, rules_of(world), text, options, target)


def load_module(path: Path, text: str) -> ModuleType:
    """Load generated text as a module that lies in the cache, once."""
    key = str(path)
    with _loading:
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
    progress.announce(world.name, target)
