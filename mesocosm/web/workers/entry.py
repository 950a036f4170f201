"""Where a worker begins: it limits itself, does its task, and says why it could not."""

import os
import traceback
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from mesocosm.core.errors import MesocosmError
from mesocosm.web.workers.channel import DONE, ERROR, Channel, Message
from mesocosm.web.workers.limits import (
    BUSY,
    IDLE,
    STARTING,
    Heartbeat,
    end_with_server,
    limit_memory,
    prepare_process,
)
from mesocosm.web.workers.tasks import decode_task

MOST_WORDS = 600  # characters of what an error says


class Stopped(BaseException):
    """The server asked for the end, or is gone."""


class Desk:
    """What a task talks to the server through."""

    def __init__(self, channel: Channel, heartbeat: Heartbeat) -> None:
        self.channel, self._heartbeat = channel, heartbeat

    def starting(self) -> None:
        """Say that something begins which may take long."""
        self._heartbeat.note(STARTING)

    def busy(self) -> None:
        """Say that a step begins."""
        self._heartbeat.note(BUSY)

    def idle(self) -> None:
        """Say that nothing is being done."""
        self._heartbeat.note(IDLE)

    def receive(self, seconds: float) -> Message | None:
        """Give the next command, if one comes within some seconds; raise if the server is gone."""
        try:
            return self.channel.receive() if self.channel.poll(seconds) else None
        except (EOFError, OSError):
            raise Stopped from None


TASK = "task"  # the first message of the server: what to do


def run_worker(connection: Connection, cells: Any, log: str) -> None:
    """Wait for a task, do it, and say how it ended if it did not do so well."""
    prepare_process(log)
    end_with_server(os.getppid())
    desk = Desk(Channel(connection), Heartbeat(cells))
    import_module("mesocosm.web.workers.play")  # what most tasks need
    try:
        task, plan, memory = decode_task(desk.channel.receive().payload)
        limit_memory(memory)
        task(desk, plan)
        _say(desk, DONE, None)
    except (Stopped, EOFError):
        _say(desk, DONE, None)
    except BaseException as error:
        _say(desk, ERROR, say_error(error))


def _say(desk: Desk, kind: str, data: Any) -> None:
    with suppress(OSError):  # nobody listens any more
        desk.channel.send_data(kind, data)


def say_error(error: BaseException) -> str:
    """Say what happened in one line; of what is nobody's own error, also where."""
    said = " ".join(str(error).split())[:MOST_WORDS]
    if isinstance(error, MemoryError) or isinstance(error.__cause__, MemoryError):
        return f"not enough memory: {said or 'the limit of a run was reached'}"
    if isinstance(error, MesocosmError):
        return said
    frames = traceback.extract_tb(error.__traceback__)
    where = (
        f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""
    )
    return f"{type(error).__name__}: {said}{where}" if said else f"{type(error).__name__}{where}"
