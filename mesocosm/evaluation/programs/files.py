"""Files that programs consist of, with their sha256: a program that changed is another one."""

import hashlib
from collections.abc import Mapping

from mesocosm.core.errors import PolicyError, RunError
from mesocosm.evaluation.programs.command import Command

SHOWN = 12  # characters of a sha256


def digest_files(command: Command) -> dict[str, str]:
    """Give the sha256 of every file that a program's text names, by its path."""
    return {path: digest_file(path) for path in command.files}


def digest_file(path: str) -> str:
    """Give the sha256 of a file of any size."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise PolicyError(f"{path}: cannot be read: {error.strerror}") from None


def check_same_files(
    before: Mapping[str, str], now: Mapping[str, str], *, who: str, where: object
) -> None:
    """Refuse to go on with other files than those that a program began with."""
    for path in {**before, **now}:
        was, got = before.get(path), now.get(path)
        if was != got:
            short = [str(value)[:SHOWN] if value else "none" for value in (was, got)]
            raise RunError(
                f"{where}: {who}: {path} is not the file that played: sha256 was {short[0]}, "
                f"is {short[1]}"
            )
