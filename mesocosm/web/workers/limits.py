"""Limits that a worker puts on itself, and how it is seen that it hangs."""

import faulthandler
import os
import signal
import sys
import threading
import time
from typing import Any

IDLE, STARTING, BUSY = 0.0, 1.0, 2.0  # what a worker does
CLOSING_SECONDS = 10.0  # for writing what is left once the server is gone


class Heartbeat:
    """Says in shared memory what a worker does, and since when.

    Args:
        cells: Two doubles that server and worker share: what it does, and since when.
    """

    def __init__(self, cells: Any) -> None:
        self._cells = cells

    def note(self, phase: float) -> None:
        """Begin something."""
        self._cells[1] = time.monotonic()
        self._cells[0] = phase

    def starting(self) -> None:
        """Begin to start."""
        self.note(STARTING)

    def seconds(self) -> tuple[float, float]:
        """Give what is being done, and for how long."""
        phase, since = self._cells[0], self._cells[1]
        return phase, time.monotonic() - since if phase != IDLE else 0.0


def limit_memory(num_bytes: int) -> None:
    """Let allocations beyond a limit fail; nothing where the system has no such limit."""
    try:
        import resource
    except ImportError:
        return
    if num_bytes and hasattr(resource, "RLIMIT_DATA"):
        resource.setrlimit(resource.RLIMIT_DATA, (num_bytes, num_bytes))


def prepare_process(log: str) -> None:
    """Write what is said, and where it crashed, into a file; leave Ctrl-C to the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setpgid(0, 0)  # so that what it starts can be ended with it
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)
    faulthandler.enable(2, all_threads=False)


def end_with_server(parent: int) -> None:
    """End this process some seconds after its server has gone, whatever it is doing."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        time.sleep(CLOSING_SECONDS)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
