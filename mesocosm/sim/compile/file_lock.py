"""One process compiles, others wait and say for whom; the system takes the lock of a killed one."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PATIENCE_S = 1.0  # a lock that is held for less is not worth a line
NAP_S = 0.02


@contextlib.contextmanager
def one_at_a_time(directory: Path, what: str) -> Iterator[None]:
    """Let one process or thread compile into a directory; others wait, and find what it made.

    Args:
        what: What is compiled there, for those who wait.
    """
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ImportError, OSError):  # no locks here: each compiles for itself
            import fcntl

            lock = held.enter_context((directory / "lock").open("a+"))
            if not _taken_at_once(lock, fcntl):
                say_waiting(what, _holder(lock))
                fcntl.flock(lock, fcntl.LOCK_EX)
            _sign(lock)
        yield


def _taken_at_once(lock: Any, fcntl: Any) -> bool:
    """Try for a moment; whoever only loads what is compiled is soon done."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(NAP_S)
        else:
            return True


def _sign(lock: Any) -> None:
    """Leave the number of this process, for those who wait."""
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()


def _holder(lock: Any) -> str:
    lock.seek(0)
    return str(lock.read().strip())


def say_waiting(what: str, holder: str) -> None:
    """Say what is waited for, and whose it is."""
    if not os.environ.get("MESOCOSM_QUIET"):
        own = holder == str(os.getpid())
        who = "another thread" if own else f"process {holder}" if holder else "another process"
        print(f"mesocosm: waiting for {who} to compile {what} ...", file=sys.stderr, flush=True)
