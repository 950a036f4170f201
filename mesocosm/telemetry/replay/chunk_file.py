"""A file of checksummed, compressed chunks that a killed process leaves readable.

The file is a magic line, then chunks. Each has a fixed head (its tag, number, what steps it
covers, sizes and checksums) and a body: arrays, each described in JSON, then zlib over all of it.
Nothing in it is ever executed or unpickled.
"""

import json
import math
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from mesocosm.core.errors import RunError, short
from mesocosm.core.path import open_regular_file
from mesocosm.telemetry.files import writing

MAGIC = b"mesocosm replay 1\n"
HEAD = struct.Struct(
    "<4sIQQQQII"
)  # tag, number, first step, steps, body, raw; crc of body, of head
CRC_BYTES = 4  # of the head's own checksum, its last entry
LENGTH_BYTES = 8  # of the length of a body's JSON
MAX_RAW = 1 << 30
COMPRESSION_LEVEL = 1
MAX_META = 1 << 22  # bytes of a chunk's JSON, which holds a config
MAX_DIMENSIONS = 8
_UNREADABLE = (zlib.error, ValueError, KeyError, TypeError, OverflowError, RecursionError)
DTYPES = ("uint8", "int8", "int16", "int32", "int64", "uint64", "float32", "float64")


class ArrayShape(NamedTuple):
    """What a chunk declares an array to be."""

    kind: str  # of its dtype
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        return math.prod(self.shape) * np.dtype(self.kind).itemsize


Check = Callable[[Mapping[str, Any], Mapping[str, ArrayShape]], str]
Content = tuple[dict[str, Any], dict[str, np.ndarray]]


class Place(NamedTuple):
    """Where a chunk lies, and what it covers."""

    tag: str
    number: int
    first: int
    steps: int
    offset: int  # of its body
    size: int
    raw_size: int
    checksum: int

    @property
    def end(self) -> int:
        return self.offset + self.size


def pack(meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """Put data and arrays into one run of bytes."""
    kinds = [[name, str(array.dtype), list(array.shape)] for name, array in arrays.items()]
    head = json.dumps({"meta": meta, "arrays": kinds}, allow_nan=False).encode()
    parts = [len(head).to_bytes(LENGTH_BYTES, "little"), head]
    for array in arrays.values():
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        parts.append(_byte_planes(np.ascontiguousarray(little)))
    return b"".join(parts)


def _byte_planes(array: np.ndarray) -> bytes:
    """Write all first bytes, then all second ones: what hardly changes then compresses."""
    raw = array.reshape(-1).view(np.uint8).reshape(-1, array.itemsize)
    return raw.T.tobytes()


class _Stream:
    """Decompresses a chunk's body piece by piece, never more than is asked for."""

    def __init__(self, body: bytes) -> None:
        self._zlib, self._rest = zlib.decompressobj(), body

    def take(self, count: int) -> bytes:
        """Give the next bytes, exactly so many."""
        pieces, missing = [], count
        while missing:
            piece = self._zlib.decompress(self._rest, missing)
            self._rest = self._zlib.unconsumed_tail
            if not piece:
                raise ValueError(f"{count - missing} bytes where {count} are declared")
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def expect_end(self) -> None:
        """Require that nothing is left."""
        if self._zlib.decompress(self._rest, 1) or not self._zlib.eof:
            raise ValueError("it holds more than is declared")


def unpack(take: Callable[[int], bytes], raw_size: int, check: Check) -> Content:
    """Undo `pack`; a ValueError says that it was something else.

    Args:
        take: Gives so many of the packed bytes, in order.
        raw_size: How many there are.
        check: Looks at what is declared before any array is read.
    """
    length = int.from_bytes(take(LENGTH_BYTES), "little")
    if length > min(MAX_META, raw_size - LENGTH_BYTES):
        raise ValueError(f"{length} bytes of JSON are declared")
    data = json.loads(take(length))
    meta, shapes = data["meta"], _declared(data["arrays"])
    size = sum(shape.bytes for shape in shapes.values())
    if not isinstance(meta, dict) or size != raw_size - LENGTH_BYTES - length:
        raise ValueError(f"{size} bytes of arrays are declared")
    wrong = check(meta, shapes)
    if wrong:
        raise ValueError(wrong)
    return meta, {name: _read_array(take(shape.bytes), shape) for name, shape in shapes.items()}


def _declared(rows: Any) -> dict[str, ArrayShape]:
    found = {}
    for name, kind, sides in rows:
        plain = isinstance(name, str) and isinstance(sides, list) and len(sides) <= MAX_DIMENSIONS
        if not plain or kind not in DTYPES or any(type(n) is not int or n < 0 for n in sides):
            raise ValueError(f"array {short(name)} has dtype {short(kind)}, shape {short(sides)}")
        if name in found:
            raise ValueError(f"array {short(name)} stands there twice")
        found[name] = ArrayShape(kind, tuple(sides))
    return found


def _read_array(raw: bytes, declared: ArrayShape) -> np.ndarray:
    dtype = np.dtype(declared.kind).newbyteorder("<")
    planes = np.frombuffer(raw, np.uint8).reshape(dtype.itemsize, -1)
    values = np.ascontiguousarray(planes.T).reshape(-1).view(dtype)
    return values.reshape(declared.shape).astype(declared.kind, copy=False)


class ChunkWriter:
    """Appends chunks; each is flushed to the disk before the next begins."""

    def __init__(self, path: Path, *, keep: int | None = None) -> None:
        """Start a file, or go on after its first `keep` bytes."""
        self.path = path
        self._number = 0
        with writing(path):
            self._file: BinaryIO = path.open("xb" if keep is None else "r+b", buffering=0)
            self._end = 0
            if keep is None:
                self._write(MAGIC)
            else:
                self._file.truncate(keep)
                self._file.seek(keep)
                self._end = keep

    def append(
        self,
        tag: str,
        meta: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
        *,
        first: int = 0,
        steps: int = 0,
    ) -> None:
        """Write one chunk; if that fails the file is cut back to what it was."""
        raw = pack(meta, arrays)
        body = zlib.compress(raw, COMPRESSION_LEVEL)
        sizes = (tag.encode(), self._number, first, steps, len(body), len(raw), zlib.crc32(body))
        head = HEAD.pack(*sizes, 0)
        head = HEAD.pack(*sizes, zlib.crc32(head))
        with writing(self.path):
            self._write(head + body)
        self._number += 1

    @property
    def end(self) -> int:
        """How many bytes were written, for good."""
        return self._end

    @property
    def is_new(self) -> bool:
        """Whether no chunk was written yet."""
        return self._number == 0

    def go_on(self, number: int) -> None:
        """Say which number the next chunk has."""
        self._number = number

    def _write(self, data: bytes) -> None:
        try:
            left = memoryview(data)
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(self._end)
            raise
        self._end += len(data)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class ChunkFile:
    """The whole chunks of a file, found by their heads; a body is read when it is asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.whole = True  # nothing but whole chunks
        try:
            with open_regular_file(path) as file:
                self.places = list(self._scan(file, os.fstat(file.fileno()).st_size))
        except OSError as error:
            raise RunError(f"{path}: cannot be read: {error.strerror or error}") from None

    def _scan(self, file: BinaryIO, size: int) -> Iterator[Place]:
        start = file.read(len(MAGIC))
        if start != MAGIC[: len(start)] or (len(start) < len(MAGIC) and size >= len(MAGIC)):
            raise RunError(f"{self.path}: no replay: it does not begin with {MAGIC!r}")
        at, number = len(MAGIC), 0
        self.whole = size >= len(MAGIC)
        while at < size:
            file.seek(at)
            head = file.read(HEAD.size)
            if len(head) < HEAD.size:
                self.whole = False
                return
            place = self._place(head, number, at + HEAD.size)
            if place.end > size:
                self.whole = False
                return
            yield place
            at, number = place.end, number + 1

    def _place(self, head: bytes, number: int, offset: int) -> Place:
        tag, given, first, steps, size, raw, crc, own = HEAD.unpack(head)
        if zlib.crc32(head[:-CRC_BYTES] + bytes(CRC_BYTES)) != own or given != number:
            raise self.damaged(number, "its head does not fit its checksum")
        if not LENGTH_BYTES <= raw <= MAX_RAW:
            raise self.damaged(number, f"it says that it holds {raw} bytes")
        return Place(tag.decode("ascii", "replace"), number, first, steps, offset, size, raw, crc)

    def damaged(self, number: int, what: str) -> RunError:
        """Say which chunk cannot be trusted, and why."""
        return RunError(f"{self.path}: chunk {number} is damaged: {what}")

    def read(self, place: Place, check: Check = lambda meta, shapes: "") -> Content:
        """Read one chunk's data and arrays.

        Args:
            check: Says what is wrong with what the chunk declares, before its arrays are read.
        """
        try:
            with open_regular_file(self.path) as file:
                file.seek(place.offset)
                body = file.read(place.size)
        except OSError as error:
            raise RunError(f"{self.path}: cannot be read: {error.strerror or error}") from None
        if len(body) != place.size or zlib.crc32(body) != place.checksum:
            raise self.damaged(place.number, "its content does not fit its checksum")
        stream = _Stream(body)
        try:
            content = unpack(stream.take, place.raw_size, check)
            stream.expect_end()
        except _UNREADABLE as error:
            raise self.damaged(place.number, str(error)) from None
        return content
