"""Paths that people give: text that a file system, a terminal and a JSON file can all hold."""

import os
from pathlib import Path
from typing import Any

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
