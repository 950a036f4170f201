"""Write files whole or not at all, and say plainly when that is impossible."""

import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from mesocosm.core.errors import RunError, short
from mesocosm.core.path import open_regular_file

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
MAX_JSON = 1 << 20


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says about a file that cannot be written into our own error."""
    try:
        yield
    except OSError as error:
        raise RunError(f"{path}: cannot be written: {error.strerror or error}") from error


def write_whole(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Write under a temporary name, then rename: a reader sees the old file or the new one."""
    with writing(path):
        name = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
        handle = os.open(name, NEW_FILE, 0o666)  # less what the person's umask says
        try:
            with os.fdopen(handle, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder last."""
    with suppress(OSError):  # some file systems cannot
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_json(path: Path, data: Any) -> None:
    """Write data as JSON, whole or not at all."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_bytes(path, text.encode(errors="backslashreplace"))  # half a character is escaped


def _put(file: BinaryIO, data: bytes) -> None:
    file.write(data)


def write_bytes(path: Path, data: bytes) -> None:
    """Write bytes, whole or not at all."""
    write_whole(path, lambda file: _put(file, data))


def write_text(path: Path, text: str) -> None:
    """Write text, whole or not at all."""
    write_bytes(path, text.encode())


def read_json(path: Path, most: int = MAX_JSON) -> dict[str, Any]:
    """Read a small JSON object; whatever is wrong with it is one error."""
    try:
        with open_regular_file(path) as file:
            raw = file.read(min(os.fstat(file.fileno()).st_size, most) + 1)
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror or error}") from None
    if len(raw) > most:
        raise RunError(f"{path}: must be at most {most} bytes, got more")
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: damaged: not valid JSON: {error}") from None
    if not isinstance(data, dict):
        raise RunError(f"{path}: damaged: must hold an object, got {short(data)}")
    return data


def remove_partial_files(folder: Path) -> None:
    """Remove what a killed process left half-written."""
    for path in folder.glob(".*.tmp"):
        with suppress(OSError):
            path.unlink()
