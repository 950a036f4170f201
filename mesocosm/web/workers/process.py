"""A worker, as the server sees it: started, listened to, watched over, and explained at its end."""

import asyncio
import json
import os
import signal
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from mesocosm.core.errors import MesocosmError
from mesocosm.web.settings import Limits
from mesocosm.web.workers.channel import DONE, ERROR, FRAME, REPLY, Message
from mesocosm.web.workers.limits import BUSY, STARTING
from mesocosm.web.workers.spare import Spare

MOST_WAITING = 64  # commands that a worker has not answered
MOST_COMMAND = 4096  # bytes of a command: so many of them always fit into the pipe
MOST_MESSAGES = 4096  # of a worker that the event loop has not seen; frames are apart
ANSWER_SECONDS = 30.0
ALIVE_SECONDS = 0.5  # between looks at whether a silent worker is there
SIGNALS = {
    "SIGSEGV": "it reached for memory that is not its own",
    "SIGKILL": "perhaps the system had no memory left",
    "SIGABRT": "some library gave up",
}


class BusyError(MesocosmError, RuntimeError):
    """A worker does not answer, or is gone."""


class Worker:
    """A process that does a task; what it sends is handed to the event loop.

    Args:
        task: One of `TASKS`.
        spare: The process, which waits for a task.
        on_message: Is given every message but replies; of frames, the newest of each perspective.
        on_end: Is told why the worker ended; nothing if all went well.
    """

    def __init__(  # noqa: PLR0913 (what a worker is made of)
        self,
        task: str,
        plan: Any,
        *,
        spare: Spare,
        limits: Limits,
        memory: int,
        on_message: Callable[[Message], None],
        on_end: Callable[[str], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._limits, self._on_message, self._on_end = limits, on_message, on_end
        self._process, self._channel = spare.process, spare.channel
        self._heartbeat, self._log = spare.heartbeat, spare.log
        self._lock = threading.Lock()
        self._frames: dict[str, Message] = {}
        self._messages: deque[Message] = deque(maxlen=MOST_MESSAGES)
        self._scheduled = False
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._number = 0
        self._said, self._ended, self._done = "", False, False
        spare.begin(task, plan, memory)
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def ended(self) -> bool:
        return self._ended

    async def ask(self, command: str, **arguments: Any) -> Message:
        """Send a command and wait for its answer, whose refusal is raised."""
        if self._ended:
            raise BusyError("the run has ended")
        if len(self._waiting) >= MOST_WAITING:
            raise BusyError("the run does not answer; it has too many commands waiting")
        self._number += 1
        number, answer = self._number, self._loop.create_future()
        data = json.dumps({"id": number, **arguments}).encode()
        if len(data) > MOST_COMMAND:
            raise BusyError(f"a command has at most {MOST_COMMAND} bytes, got {len(data)}")
        self._waiting[number] = answer
        try:
            self._channel.send(command, data)
            found = await asyncio.wait_for(answer, ANSWER_SECONDS)
        except TimeoutError:
            raise BusyError(f"the run did not answer within {ANSWER_SECONDS:g} seconds") from None
        except OSError:
            raise BusyError("the run has ended") from None
        finally:
            self._waiting.pop(number, None)
        if found.about.endswith(" refused"):
            raise MesocosmError(str(found.data))
        return found

    def kill(self, why: str = "") -> None:
        """End the process at once."""
        self._said = self._said or why
        if self._process.is_alive():
            self._process.kill()

    def check(self) -> None:
        """End a worker that takes too long for what it does."""
        phase, seconds = self._heartbeat.seconds()
        limits = self._limits
        if phase == BUSY and seconds > limits.step_seconds:
            self.kill(f"a step took more than {limits.step_seconds:g} seconds, and was ended")
        elif phase == STARTING and seconds > limits.start_seconds:
            self.kill(f"starting took more than {limits.start_seconds:g} seconds, and was ended")

    async def wait(self, seconds: float) -> None:
        """Wait for the end, at most some seconds."""
        for _ in range(int(seconds / 0.05) + 1):
            if self._ended:
                return
            await asyncio.sleep(0.05)

    def _read(self) -> None:
        """Empty the pipe as fast as the worker fills it (in a thread)."""
        with suppress(EOFError, OSError):
            while self._has_more():
                message = self._channel.receive()
                with self._lock:
                    if message.kind == FRAME:
                        self._frames[message.about] = message
                    else:
                        self._messages.append(message)
                    wake = not self._scheduled
                    self._scheduled = True
                if wake:
                    self._call(self._deliver)
        self._process.join()
        if self._process.pid is not None:
            with suppress(OSError):  # what it started, and left
                os.killpg(self._process.pid, signal.SIGKILL)
        self._call(self._finish)

    def _has_more(self) -> bool:
        """Wait for the next message; none comes of a process that has ended.

        What it started may hold its end of the pipe open.
        """
        while not self._channel.poll(ALIVE_SECONDS):
            if not self._process.is_alive():
                return self._channel.poll(0.0)
        return True

    def _call(self, function: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop was closed
            self._loop.call_soon_threadsafe(function)

    def _deliver(self) -> None:
        with self._lock:
            found = [*self._messages, *self._frames.values()]
            self._messages.clear()
            self._frames = {}
            self._scheduled = False
        for message in found:
            if message.kind == REPLY:
                waiting = self._waiting.get(int(message.about.partition(" ")[0]))
                if waiting is not None and not waiting.done():
                    waiting.set_result(message)
            elif message.kind == DONE:
                self._done = True
            elif message.kind == ERROR:
                self._said = str(message.data)
            else:
                self._on_message(message)

    def _finish(self) -> None:
        self._deliver()
        self._ended = True
        why = self._said or explain_exit(self._process.exitcode, _tail(self._log))
        why = why or ("" if self._done else "its process ended by itself, and said nothing")
        with suppress(OSError):
            os.unlink(self._log)
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(BusyError(why or "the run has ended"))
        self._channel.close()
        self._on_end(why)


def explain_exit(code: int | None, tail: str) -> str:
    """Say why a process ended that said nothing itself; nothing if it ended well."""
    if not code:
        return ""
    if code > 0:
        return f"its process ended by itself with exit status {code}{tail}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    why = f": {SIGNALS[name]}" if name in SIGNALS else ""
    return f"its process was ended by {name}{why}{tail}"


def _tail(log: str) -> str:
    """Give where Python was at a crash, as the fault handler wrote it down."""
    with suppress(OSError):
        lines = Path(log).read_text("utf-8", "replace")[-20_000:].splitlines()
        found = [line.strip() for line in lines if line.strip().startswith('File "')]
        if found:
            return f" (in {found[0]})"
    return ""
