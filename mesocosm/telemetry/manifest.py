"""The list of a run's files: what must be there, how long and with which content."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.core.errors import RunError, short
from mesocosm.core.path import open_regular_file
from mesocosm.telemetry.files import read_json, write_json

MANIFEST = "files.json"
SCHEMA = 1
MAX_BYTES = 1 << 25
PIECE = 1 << 20
NAME = re.compile(r"(?!\.)[^/\\\0]+(?:/(?!\.)[^/\\\0]+)*")
DIGEST = re.compile(r"[0-9a-f]{64}")


class Entry(NamedTuple):
    """What a file must be."""

    bytes: int
    sha256: str


class Manifest(NamedTuple):
    """The files of a run, and how far they all reach.

    Args:
        steps: How many steps the listed files cover, all of them.
        closed: Whether the run was ended by its writer; if not, files may have grown since.
    """

    steps: int
    closed: bool
    dropped_events: int
    files: Mapping[str, Entry]

    def write(self, folder: Path) -> None:
        """Write the list, whole or not at all."""
        files = {name: self.files[name]._asdict() for name in sorted(self.files)}
        write_json(folder / MANIFEST, {"schema": SCHEMA} | self._asdict() | {"files": files})

    @property
    def has_tables(self) -> bool:
        return any(name.startswith("tables/") for name in self.files)

    @property
    def tables(self) -> list[str]:
        """The names of the tables that have parts."""
        found = (name.split("/") for name in sorted(self.files) if name.startswith("tables/"))
        return list(dict.fromkeys(path[1] for path in found if len(path) == 3))

    def parts(self, table: str) -> dict[str, Entry]:
        """Give the listed parts of a table, in order."""
        lead = f"tables/{table}/"
        return {name: self.files[name] for name in sorted(self.files) if name.startswith(lead)}


def read_manifest(folder: Path) -> Manifest:
    """Read a run's list of files; nothing in it is trusted before it is checked."""
    path = folder / MANIFEST
    data = read_json(path, MAX_BYTES)
    if data.get("schema") != SCHEMA:
        got = short(data.get("schema"))
        raise RunError(f"{path}: schema: this is version {SCHEMA}, the list has {got}")
    files = data.get("files")
    if not isinstance(files, dict) or type(data.get("closed")) is not bool:
        raise RunError(f"{path}: damaged: it lists no files")
    for key in ("steps", "dropped_events"):
        _check_count(path, key, data.get(key))
    listed = {name: _entry(path, name, value) for name, value in files.items()}
    return Manifest(data["steps"], data["closed"], data["dropped_events"], listed)


def _check_count(path: Path, name: str, value: Any) -> None:
    if type(value) is not int or not 0 <= value < 2**63:
        raise RunError(f"{path}: damaged: {name} is {short(value)}")


def _entry(path: Path, name: str, value: Any) -> Entry:
    if not NAME.fullmatch(name) or not isinstance(value, dict):
        raise RunError(f"{path}: damaged: it lists {short(name)}")
    _check_count(path, f"the size of {short(name)}", value.get("bytes"))
    digest = value.get("sha256")
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest):
        raise RunError(f"{path}: damaged: the hash of {short(name)} is {short(digest)}")
    return Entry(value["bytes"], digest)


class PrefixHash:
    """Hashes a growing file from where it was read last."""

    def __init__(self, path: Path) -> None:
        self._path, self._hash, self._at = path, hashlib.sha256(), 0

    def entry(self, end: int) -> Entry:
        """Describe the first `end` bytes; `end` never goes back."""
        with open_regular_file(self._path) as file:
            file.seek(self._at)
            while self._at < end and (piece := file.read(min(PIECE, end - self._at))):
                self._hash.update(piece)
                self._at += len(piece)
        return Entry(self._at, self._hash.hexdigest())


def describe_file(path: Path, end: int | None = None) -> Entry:
    """Describe a file, or its beginning."""
    return PrefixHash(path).entry(path.stat().st_size if end is None else end)


def find_fault(path: Path, wanted: Entry, *, may_grow: bool = False) -> str:
    """Say what is wrong with a listed file; nothing, if it is as listed.

    Args:
        may_grow: Whether it may hold more than was listed.
    """
    try:
        size = path.stat().st_size
        if size < wanted.bytes or (size > wanted.bytes and not may_grow):
            return f"has {size:,} bytes where {wanted.bytes:,} were written"
        found = describe_file(path, wanted.bytes)
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    return "" if found == wanted else "its content is not what was written"
