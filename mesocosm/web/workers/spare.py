"""Processes that wait for a task: they have imported what it takes, so that it begins at once."""

import multiprocessing
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Any

from mesocosm.web.workers.channel import Channel
from mesocosm.web.workers.entry import TASK, run_worker
from mesocosm.web.workers.limits import Heartbeat
from mesocosm.web.workers.tasks import encode_task

SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Spare:
    """A process that waits for its task, and how to talk to it."""

    process: BaseProcess
    channel: Channel
    heartbeat: Heartbeat
    log: str

    def begin(self, task: str, plan: Any, memory: int) -> None:
        """Give the process its task, by name."""
        self.heartbeat.starting()
        self.channel.send(TASK, encode_task(task, plan, memory))

    def drop(self) -> None:
        """End a process that is not needed."""
        self.process.kill()
        self.process.join()
        self.channel.close()
        with suppress(OSError):
            os.unlink(self.log)


def start_spare() -> Spare:
    """Start a process."""
    handle, log = tempfile.mkstemp(prefix="mesocosm-worker-", suffix=".log")
    os.close(handle)
    cells = SPAWN.RawArray("d", 2)
    ours, theirs = SPAWN.Pipe()
    process = SPAWN.Process(target=run_worker, args=(theirs, cells, log), daemon=True)
    process.start()
    theirs.close()
    return Spare(process, Channel(ours), Heartbeat(cells), log)


class Spares:
    """Keeps some processes ready.

    Args:
        count: How many.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._ready: list[Spare] = []

    def fill(self) -> None:
        """Start what is missing."""
        while len(self._ready) < self._count:
            self._ready.append(start_spare())

    def take(self) -> Spare:
        """Give a process: one that waits, or a new one."""
        while self._ready:
            found = self._ready.pop(0)
            if found.process.is_alive():
                return found
            found.drop()
        return start_spare()

    def end(self) -> None:
        """End all that wait."""
        while self._ready:
            self._ready.pop().drop()
