"""Lay a batch's arguments out as one block of words, which compiled code reads by reference.

A step gets `s, f, p` and the roles' buffers: hundreds of arrays. By value each call would copy the
header of every one of them. So the headers are written once into a block of 64-bit words, and
rules are handed its address: an array is the word that holds its address, and its lengths.

The classes of these tuples declare their axes: `Annotated[np.ndarray, "int16 [env, thing, 2]"]`.
A number is compiled in; a name is one word that all arrays over that axis share, so that the
compiler computes `e * things + k` once for them all; anything else (`..`, `2 * thing`, `agent or
0`) is a word of its own, and so is every length of an array that is declared `or empty`.

On CUDA the env is the innermost axis in memory, so that neighbouring threads, one per env, read
neighbouring numbers.
"""

import hashlib
import math
import re
import struct
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, get_type_hints

import numpy as np

from mesocosm.core.errors import SpecError

ENV, AGENT = "env", "agent"
AXES = re.compile(r"\[(.*)\]( or empty)?")
NAME = re.compile(r"[a-z][a-z ]*")
SCALARS = (bool, int, float)
INT32_MAX = 2**31 - 1


class Entry(NamedTuple):
    """An array: the word of its address, and for each axis the word of its length.

    Args:
        lengths: A length that is compiled in, n, stands as `-1 - n`.
        batched: Whether its first axis counts envs.
        narrow: Whether a place in it is worked out in 32 bits: half the work on a GPU.
    """

    word: int
    dtype: str
    lengths: tuple[int, ...]
    batched: bool
    narrow: bool


class Scalar(NamedTuple):
    """A number, in a word of its own."""

    word: int
    kind: str


class Tree(NamedTuple):
    """A NamedTuple: its entries by name."""

    label: str
    entries: tuple[tuple[str, Any], ...]

    @property
    def digest(self) -> str:
        """Name all that compiled code knows about it."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]


class Declared(NamedTuple):
    """What is declared of an array: its axes, and whether the first counts envs."""

    axes: tuple[str, ...]
    batched: bool


@cache
def declared_axes(kind: type[Any]) -> dict[str, Declared]:
    """Read what a NamedTuple class declares of its arrays; what may be empty shares no length."""
    found = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        for note in getattr(hint, "__metadata__", ()):
            match = AXES.search(note) if isinstance(note, str) else None
            if match:
                axes = tuple(axis.strip() for axis in match[1].split(","))
                shared = ("",) * len(axes) if match[2] else axes
                found[name] = Declared(shared, axes[0] == ENV)
    return found


class Block:
    """The words of a batch's arguments, and the trees that say what they mean."""

    def __init__(
        self, arguments: tuple[Any, ...], address: Callable[[Any], int], *, narrow: bool = False
    ) -> None:
        self.words: list[int] = []
        self._narrow = narrow
        self._axes: dict[tuple[str, str], tuple[int, int]] = {}
        self._address = address
        scopes = ["world", "frame", "world", *(f"role {k}" for k in range(len(arguments) - 3))]
        self.trees = tuple(
            self._add(entry, scope, batched=k == 0)
            for k, (entry, scope) in enumerate(zip(arguments, scopes, strict=True))
        )

    def _add(self, given: Any, scope: str, *, batched: bool) -> Tree:
        """Append a NamedTuple; the arrays of a state have the env axis, declared or not."""
        kind: Any = type(given)
        axes = declared_axes(kind)
        label = kind.__name__
        default = Declared((ENV,) if batched else (), batched)
        entries = []
        for name, value in zip(given._fields, given, strict=True):
            made: Any
            if isinstance(value, tuple):
                made = self._add(value, scope, batched=batched)
            elif isinstance(value, SCALARS):
                made = self._scalar(value)
            else:
                made = self._array(value, axes.get(name, default), scope, f"{label}.{name}")
            entries.append((name, made))
        return Tree(label, tuple(entries))

    def _scalar(self, value: float) -> Scalar:
        kind = type(value).__name__
        raw = struct.unpack("q", struct.pack("d", value))[0] if kind == "float" else int(value)
        self.words.append(raw)
        return Scalar(len(self.words) - 1, kind)

    def _array(self, array: Any, declared: Declared, scope: str, where: str) -> Entry:
        axes = declared.axes
        word = len(self.words)
        self.words.append(self._address(array))
        if axes[1:] and len(axes) != len(array.shape):
            raise SpecError(f"{where}: declares axes {list(axes)}, has shape {array.shape}")
        named = (*axes, *[""] * (len(array.shape) - len(axes)))
        pairs = zip(array.shape, named, strict=True)
        lengths = tuple(self._length(length, axis, scope, where) for length, axis in pairs)
        narrow = self._narrow and math.prod(array.shape) <= INT32_MAX
        return Entry(word, str(array.dtype), lengths, declared.batched, narrow)

    def _length(self, length: int, axis: str, scope: str, where: str) -> int:
        """Give the word of an axis' length, or what stands for a length that is compiled in."""
        if axis.isdigit():
            if int(axis) != length:
                raise SpecError(f"{where}: declares an axis of {axis}, has {length}")
            return -1 - length
        word = len(self.words)
        if NAME.fullmatch(axis) and " or " not in axis:
            key = ("", axis) if axis in (ENV, AGENT) else (scope, axis)
            word, known = self._axes.setdefault(key, (word, length))
            if known != length:
                what = f"axis {axis!r} has length {length}, but {known} elsewhere"
                raise SpecError(f"{where}: {what}; name it otherwise, or '{axis} or 0'")
        if word == len(self.words):
            self.words.append(length)
        return word

    @property
    def digest(self) -> str:
        """Name all that compiled code knows: batches with equal digests share it."""
        return hashlib.sha256("".join(tree.digest for tree in self.trees).encode()).hexdigest()


def host_block(arguments: tuple[Any, ...]) -> Block:
    """Lay out arrays of the host, which must be contiguous."""
    for array in _arrays(arguments):
        if not array.flags.c_contiguous:
            raise ValueError(f"an array of a batch must be contiguous, got strides {array.strides}")
    return Block(arguments, lambda array: int(array.ctypes.data))


def _arrays(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for entry in value:
            yield from _arrays(entry)
