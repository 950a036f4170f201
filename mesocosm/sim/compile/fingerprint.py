"""What compiled code depends on, as text and as a digest: equal wherever the same code would arise.

Of a world, comments, docstrings and where a checkout lies are no part of it; a rule's code, what it
calls, and every constant that either reads are. The engine and the layers count as whole files.
"""

import enum
import hashlib
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

PACKAGE = Path(__file__).resolve().parents[2]
SHARED_SOURCES = ("sim", "layers", "core")
PACKAGES = {"cpu": ("numba", "llvmlite", "numpy")}
CUDA_PACKAGES = (*PACKAGES["cpu"], "numba-cuda")
# where code lies and for which CPU it is: the index of a cache has the latter
OTHERWISE_KNOWN = ("NUMBA_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")

Function = Callable[..., Any]


def fingerprint(functions: Iterable[Function], text: str, options: str, target: str) -> str:
    """Digest all that code compiled from these functions and this text depends on."""
    digest = hashlib.sha256()
    parts = [text, target, options, *_surroundings()]
    parts += [*shared_sources(PACKAGE), *describe_code(functions)]
    parts += [f"{name}={_version(name)}" for name in PACKAGES.get(target, CUDA_PACKAGES)]
    for part in parts:
        digest.update(f"{len(part)} {part}\n".encode())
    return digest.hexdigest()


@cache
def shared_sources(package: Path) -> tuple[str, ...]:
    """Read what every world is compiled with, sub-folders included: each file's name and text."""
    found = [(package / folder).rglob("*.py") for folder in SHARED_SOURCES]
    paths = sorted(path for folder in found for path in folder)
    return tuple(f"{path.relative_to(package).as_posix()}\n{path.read_text()}" for path in paths)


def _surroundings() -> Iterator[str]:
    yield f"{sys.implementation.cache_tag} {sys.platform} {platform.machine()}"
    for name in sorted(os.environ):
        if name.startswith("NUMBA_") and name not in OTHERWISE_KNOWN:
            yield f"{name}={os.environ[name]}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def describe_code(functions: Iterable[Function]) -> Iterator[str]:
    """Tell everything that compiling these functions would freeze: code, callees, constants."""
    for function in reached_functions(functions):
        yield f"{function.__module__}.{function.__qualname__}"
        yield frozen((function.__defaults__, function.__kwdefaults__))
        for code in _codes(function.__code__):
            yield _instructions(function, code)
        for value in _reached(function):
            if not isinstance(value, FunctionType):
                yield frozen(value)


def reached_functions(functions: Iterable[Function]) -> Iterator[FunctionType]:
    """List functions and all that they name, directly or not, each once."""
    waiting: list[Any] = list(functions)
    seen: set[int] = set()
    while waiting:
        function = waiting.pop()
        if id(function) not in seen:
            seen.add(id(function))
            yield function
            waiting += [value for value in _reached(function) if isinstance(value, FunctionType)]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


def _instructions(function: FunctionType, code: CodeType) -> str:
    """Write a piece of code, without its place and its docstring."""
    constants = [value for value in code.co_consts if not isinstance(value, CodeType)]
    if code is function.__code__ and constants and constants[0] == function.__doc__:
        constants[0] = None
    names = (code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return f"{code.co_code.hex()} {frozen(constants)} {names} {counts}"


def _reached(function: Any) -> Iterator[Any]:
    """Give what a function closes over, the globals it names, and what it names of modules."""
    for cell in function.__closure__ or ():
        try:
            yield _unwrapped(cell.cell_contents)
        except ValueError:  # nothing is in it yet
            continue
    for code in _codes(function.__code__):
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, ModuleType):
                yield from _of_module(value, code.co_names, {id(value)})
            else:
                yield _unwrapped(value)


def _of_module(module: ModuleType, names: tuple[str, ...], seen: set[int]) -> Iterator[Any]:
    """Give what a module, and modules in it, have under these names: `tables.RANGE`, `a.b.C`."""
    for name in names:
        value = getattr(module, name, None)
        if not isinstance(value, ModuleType):
            yield _unwrapped(value)
        elif id(value) not in seen:
            yield from _of_module(value, names, seen | {id(value)})


def _unwrapped(value: Any) -> Any:
    """Give the function that a compiled one was made of."""
    inner = getattr(value, "py_func", None)
    return inner if isinstance(inner, FunctionType) else value


def frozen(value: Any) -> str:  # noqa: PLR0911 (one line per kind)
    """Write a constant so that any change of it shows, and nothing else does."""
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, type):
        members = [(one.name, one.value) for one in value] if issubclass(value, enum.Enum) else ()
        fields = getattr(value, "_fields", ())
        return f"{_name(value)} {fields} {frozen(members)}"
    if isinstance(value, enum.Enum):
        return f"{_name(type(value))} {value.name} {frozen(value.value)}"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__} {sorted(map(frozen, value))}"
    if isinstance(value, Mapping):
        return f"{_name(type(value))} {[(frozen(k), frozen(v)) for k, v in value.items()]}"
    if isinstance(value, tuple | list):
        return f"{_name(type(value))} {[frozen(entry) for entry in value]}"
    if isinstance(value, FunctionType | BuiltinFunctionType):
        return _name(value)
    plain = isinstance(value, int | float | complex | str | bytes | None)
    return repr(value) if plain else type(value).__name__


def _name(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"
