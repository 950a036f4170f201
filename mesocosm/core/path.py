"""Paths that people give: text that a file system can hold, and files that can be read at once."""

import errno
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

from mesocosm.core.errors import MesocosmError, short


def check_path(given: Any, error: type[MesocosmError]) -> Path:
    """Give a path, or say why it can be none."""
    text = os.fspath(given) if isinstance(given, str | os.PathLike) else given
    if not isinstance(text, str):
        raise error(f"a path must be text or a Path, got {short(given)}")
    check_text(text, error)
    return Path(text)


def check_text(text: str, error: type[MesocosmError]) -> None:
    """Refuse what no path, file or terminal can hold: NUL, or bytes that are not UTF-8."""
    if "\0" in text:
        raise error(f"{text!r}: must not hold a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise error(f"{text!r}: must be UTF-8 text") from None


def open_regular_file(path: Path) -> BinaryIO:
    """Open a file to read; refuse a fifo or a device, for which one might wait for ever."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise
