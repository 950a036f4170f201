"""A file of checksummed, compressed chunks that a killed process leaves readable.

The file is a magic line, then chunks. Each has a fixed head (its tag, number, what steps it
covers, sizes and checksums) and a body: arrays, each described in JSON, then zlib over all of it.
Nothing in it is ever executed or unpickled.
"""

import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from mesocosm.core.errors import RunError
from mesocosm.telemetry.files import writing

MAGIC = b"mesocosm replay 1\n"
HEAD = struct.Struct(
    "<4sIQQQQII"
)  # tag, number, first step, steps, body, raw; crc of body, of head
CRC_BYTES = 4  # of the head's own checksum, its last entry
LENGTH_BYTES = 8  # of the length of a body's JSON
MAX_RAW = 1 << 30
COMPRESSION_LEVEL = 1
DTYPES = ("uint8", "int8", "int16", "int32", "int64", "uint64", "float32", "float64")


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


def unpack(raw: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Undo `pack`; a ValueError says that it was something else."""
    length = int.from_bytes(raw[:LENGTH_BYTES], "little")
    data = json.loads(raw[LENGTH_BYTES : LENGTH_BYTES + length])
    arrays, at = {}, LENGTH_BYTES + length
    for name, kind, shape in data["arrays"]:
        if kind not in DTYPES or any(type(n) is not int or n < 0 for n in shape):
            raise ValueError(f"array {name!r} has dtype {kind!r} and shape {shape!r}")
        dtype = np.dtype(kind).newbyteorder("<")
        count = int(np.prod(shape, dtype=object)) if shape else 1
        planes = np.frombuffer(raw, np.uint8, count * dtype.itemsize, at)
        values = np.ascontiguousarray(planes.reshape(dtype.itemsize, -1).T).reshape(-1).view(dtype)
        arrays[name] = values.reshape(shape).astype(kind, copy=False)
        at += count * dtype.itemsize
    if at != len(raw):
        raise ValueError(f"{len(raw) - at} bytes belong to no array")
    return data["meta"], arrays


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
            with path.open("rb") as file:
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
        if (
            zlib.crc32(head[:-CRC_BYTES] + bytes(CRC_BYTES)) != own
            or given != number
            or raw > MAX_RAW
        ):
            raise self.damaged(number, "its head does not fit its checksum")
        return Place(tag.decode("ascii", "replace"), number, first, steps, offset, size, raw, crc)

    def damaged(self, number: int, what: str) -> RunError:
        """Say which chunk cannot be trusted, and why."""
        return RunError(f"{self.path}: chunk {number} is damaged: {what}")

    def read(self, place: Place) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Read one chunk's data and arrays."""
        with self.path.open("rb") as file:
            file.seek(place.offset)
            body = file.read(place.size)
        if len(body) != place.size or zlib.crc32(body) != place.checksum:
            raise self.damaged(place.number, "its content does not fit its checksum")
        try:
            raw = zlib.decompressobj().decompress(body, place.raw_size + 1)
            if len(raw) != place.raw_size:
                raise ValueError(f"{len(raw)} bytes where {place.raw_size} are declared")
            return unpack(raw)
        except (zlib.error, ValueError, KeyError, TypeError, RecursionError) as error:
            raise self.damaged(place.number, str(error)) from None
