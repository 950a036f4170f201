"""Where compiled code lives between processes, and what makes it stale."""

import atexit
import contextlib
import hashlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from mesocosm.core.world import Rule, World

PACKAGE = Path(__file__).resolve().parent.parent
SHARED_SOURCES = ("sim", "layers", "core")


@cache
def _temporary_root() -> Path:
    """Make a directory for this process alone, removed at its end."""
    path = Path(tempfile.mkdtemp(prefix="mesocosm-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def cache_root() -> Path:
    """Find the directory for compiled code, making it private to this user."""
    named = os.environ.get("MESOCOSM_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    root = Path(named) if named else Path(home) / "mesocosm"
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return _temporary_root()
    return root if os.access(root, os.W_OK) else _temporary_root()


@contextlib.contextmanager
def one_at_a_time(directory: Path) -> Iterator[None]:
    """Let one process compile into a directory; others wait, and find what it made."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ImportError, OSError):  # no locks here: each compiles for itself
            import fcntl

            lock = held.enter_context((directory / "lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def rules_of(world: World) -> list[Rule]:
    """List a world's own rules."""
    own = [rule for role in world.rules.roles.values() for rule in vars(role).values()]
    return [rule for rule in [*own, *vars(world.rules).values()] if callable(rule)]


def describe_code(functions: Iterable[Rule]) -> Iterator[str]:
    """Tell everything that compiling these functions would freeze: code, callees, constants."""
    waiting, seen = list(functions), set()
    while waiting:
        function = waiting.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        yield f"{function.__module__}.{function.__qualname__}"
        for code in _codes(function.__code__):
            constants = [value for value in code.co_consts if not isinstance(value, CodeType)]
            yield f"{code.co_code.hex()} {constants} {code.co_names} {code.co_varnames}"
            for value in _reached(function, code.co_names):
                if isinstance(value, FunctionType):
                    waiting.append(value)
                else:
                    yield _frozen(value)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


def _reached(function: Any, names: tuple[str, ...]) -> Iterator[Any]:
    """Give the globals that code names, and what it names of modules among them."""
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            yield from (getattr(value, other, None) for other in names)
        else:
            yield value


def _frozen(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}"
    plain = isinstance(value, int | float | str | tuple | bytes | None)
    return repr(value) if plain else type(value).__name__


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def cache_directory(world: World, text: str, options: str) -> Path:
    """Name the directory of one world, one set of sources and versions, one way to compile."""
    digest = hashlib.sha256(f"{text}\n{options}".encode())
    for folder in SHARED_SOURCES:
        for path in sorted((PACKAGE / folder).glob("*.py")):
            digest.update(path.read_bytes())
    for line in describe_code(rules_of(world)):
        digest.update(line.encode())
    for package in ("numba", "llvmlite", "numpy", "numba-cuda"):
        digest.update(f"{package}={_version(package)}".encode())
    digest.update(f"{sys.version}{platform.machine()}".encode())
    for name in sorted(os.environ):
        if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR":
            digest.update(f"{name}={os.environ[name]}".encode())
    path = cache_root() / f"{world.name}-{digest.hexdigest()[:20]}"
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path
