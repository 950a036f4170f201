"""Files that jobs read: which they are, and where else they may lie."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from mesocosm.core.errors import RunError
from mesocosm.core.path import open_regular_file
from mesocosm.learning.policies.load import BUNDLE, CODE

PROGRAM = "program:"  # before a file whose code runs in a process of its own


def path_in(text: str) -> str:
    """Give the path of the file in what names a policy; nothing, if it is no file."""
    plain = text.removeprefix(PROGRAM)
    found = BUNDLE.fullmatch(plain) or CODE.fullmatch(plain)
    return "" if found is None else found["path"]


def move_text(text: str, places: Mapping[str, str]) -> str:
    """Give what names a policy whose file lies elsewhere."""
    path = path_in(text)
    if path not in places:
        return text
    head = PROGRAM if text.startswith(PROGRAM) else ""
    return head + places[path] + text.removeprefix(head + path)


def sha256(data: bytes) -> str:
    """Name bytes by their content."""
    return hashlib.sha256(data).hexdigest()


def checksum(path: str) -> str:
    """Give the sha256 of a file."""
    try:
        with open_regular_file(Path(path)) as file:
            return sha256(file.read())
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror or error}") from None
