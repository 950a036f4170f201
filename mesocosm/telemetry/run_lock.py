"""One writer per run folder: who holds it, until it lets go or is killed."""

import json
import os
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from mesocosm.core.errors import RunError
from mesocosm.core.path import open_regular_file
from mesocosm.telemetry.files import writing

LOCK = "lock"
PATIENCE_S, NAP_S = 0.5, 0.02  # somebody who only looks is soon done
MAX_OWNER = 4096


class RunLock:
    """Holds a file for this process; the system lets go of it when the process ends, however."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: Any = None

    def take(self, started: str) -> None:
        """Take the lock, or say whose it is.

        Args:
            started: When this writer began, for others to read.
        """
        with writing(self.path):
            while self._file is None:
                file = _open(self.path)
                if not _lock(file, shared=False):
                    owner = _describe(file)
                    file.close()
                    raise RunError(f"{self.path.parent}: is being written by {owner}")
                if _is_at(file, self.path):
                    self._file = file
                else:  # its owner removed it meanwhile
                    file.close()
            me = {"pid": os.getpid(), "host": socket.gethostname(), "started": started}
            self._file.truncate(0)
            self._file.write(json.dumps(me).encode())
            self._file.flush()

    def moved(self, path: Path) -> None:
        """Take note that the file lies elsewhere now."""
        self.path = path

    def release(self) -> None:
        """Let go, and leave no trace."""
        if self._file is not None:
            with suppress(OSError):
                self.path.unlink()
            self._file.close()
            self._file = None


def _open(path: Path) -> Any:
    """Open a lock file, or make it; whatever a link points to is never written."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, flags, 0o666), "r+b")


def find_owner(path: Path) -> str | None:
    """Say who holds a lock file now; None if nobody does."""
    try:
        with open_regular_file(path) as file:
            return None if _lock(file, shared=True) else _describe(file)
    except OSError:
        return None


def _lock(file: Any, *, shared: bool) -> bool:
    """Try for a moment; where the system has no such locks, everybody gets one."""
    try:
        import fcntl
    except ImportError:
        return True
    mode = fcntl.LOCK_NB | (fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    end = time.monotonic() + (0.0 if shared else PATIENCE_S)
    while True:
        try:
            fcntl.flock(file, mode)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(NAP_S)
        except OSError:
            return True
        else:
            return True


def _is_at(file: Any, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _describe(file: Any) -> str:
    file.seek(0)
    try:
        owner = json.loads(file.read(MAX_OWNER))
        return f"process {owner['pid']} on {owner['host']}, since {owner['started']}"
    except (ValueError, KeyError, TypeError, RecursionError):
        return "another process"
