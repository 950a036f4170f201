"""Temporary folders that carry the number of the process that made them."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path


def make_folder(prefix: str, place: str | None = None) -> Path:
    """Make a private temporary folder, once those that killed processes left are removed.

    Args:
        prefix: Of its name; the number of this process follows.
        place: Where it goes; else where temporary files usually do.
    """
    where = place or tempfile.gettempdir()
    remove_leftovers(prefix, where)
    return Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-", dir=where))


def remove_leftovers(prefix: str, place: str) -> None:
    """Remove the folders of this user whose processes are gone."""
    for folder in Path(place).glob(f"{prefix}*-*"):
        pid = folder.name.removeprefix(prefix).partition("-")[0]
        with suppress(OSError):
            own = folder.lstat().st_uid == os.getuid() and not folder.is_symlink()
            if own and pid.isdecimal() and not is_alive(int(pid)):
                shutil.rmtree(folder, ignore_errors=True)


def is_alive(pid: int) -> bool:
    """Whether there is a process of that number."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
