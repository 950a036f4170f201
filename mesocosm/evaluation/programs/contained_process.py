"""A program in its room, spoken to in lines; every wait and every write has a limit."""

import contextlib
import json
import os
import secrets
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mesocosm.evaluation.programs.command import Command
from mesocosm.evaluation.programs.containment import MARK, make_plan, start_keeper
from mesocosm.evaluation.programs.fault import ProgramFault, clean_text
from mesocosm.evaluation.programs.keeper.processes import end_all_marked
from mesocosm.evaluation.programs.limits import Limits, bytes_text

READ_BYTES = 1 << 16
TAIL_BYTES = 2000  # kept of what a program writes to its error stream
STATUS_SECONDS = 0.5  # in which the keeper says why a stream was closed
STOP_SECONDS = 10.0  # in which all processes of a program are gone
INPUT, OUTPUT, ERRORS, CONTROL = "input", "output", "errors", "control"


class ContainedProcess:
    """Starts a program, asks it, and ends all that it started.

    Args:
        hidden: Folders that it must not see.
    """

    def __init__(self, command: Command, limits: Limits, hidden: Iterable[Path] = ()) -> None:
        self._limits, self._mark = limits, f"{os.getpid()}-{secrets.token_hex(16)}"
        self._folder = Path(tempfile.mkdtemp(prefix=f"mesocosm-program-{os.getpid()}-"))
        self._output, self._reports, self._tail, self._said = bytearray(), b"", b"", 0
        self._fault = ""  # what the keeper says; nothing can follow it
        self._exited = self._stopped = False
        plan = make_plan(command, limits, self._folder, hidden, self._mark)
        self._closed_room = bool(plan["closed"])
        self._open(plan)

    def _open(self, plan: dict[str, Any]) -> None:
        inputs, outputs, errors = os.pipe(), os.pipe(), os.pipe()
        streams = {"stdin": inputs[0], "stdout": outputs[1], "stderr": errors[1]}
        try:
            self._keeper, self._control = start_keeper(plan, **streams)
        finally:
            for handle in streams.values():
                os.close(handle)
        self._control.setblocking(False)
        self._handles = {INPUT: inputs[1], OUTPUT: outputs[0], ERRORS: errors[0]}
        for handle in self._handles.values():
            os.set_blocking(handle, False)
        self._selector = selectors.DefaultSelector()
        for name in (OUTPUT, ERRORS):
            self._selector.register(self._handles[name], selectors.EVENT_READ, name)
        self._selector.register(self._control, selectors.EVENT_READ, CONTROL)

    def ask(self, question: bytes, seconds: float) -> bytes:
        """Write a line and give the next one that comes, without its end; or raise ProgramFault."""
        deadline = time.monotonic() + seconds
        self._refuse_early()
        rest = memoryview(question)
        self._selector.register(self._handles[INPUT], selectors.EVENT_WRITE, INPUT)
        try:
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    what = "did not read all that it was asked" if rest else "gave no answer"
                    raise ProgramFault(f"{what} within {seconds:g} s")
                for name in self._ready(left):
                    if name == INPUT and rest:
                        rest = rest[self._write(rest) :]
                    line = self._take(name, asked=not rest)
                    if line is not None:
                        return line
                if not rest:
                    self._forget(self._handles[INPUT])
        finally:
            self._forget(self._handles[INPUT])

    def _forget(self, stream: Any) -> None:
        """Wait no more for a stream."""
        if stream in self._selector.get_map():
            self._selector.unregister(stream)

    def _ready(self, seconds: float) -> list[str]:
        """Name the streams that can be used; the keeper's comes last, after what it is about."""
        found = [key.data for key, _ in self._selector.select(seconds)]
        return sorted(found, key=CONTROL.__eq__)

    def _refuse_early(self) -> None:
        """Read what came unasked: no question has this answer."""
        for name in self._ready(0.0):
            self._take(name, asked=False)
        if self._fault or self._exited:
            raise ProgramFault(self._fault)
        if self._output:
            raise ProgramFault("answered before it was asked")

    def _take(self, name: str, *, asked: bool) -> bytes | None:
        """Read a stream once; give the answer if it is whole."""
        if name == OUTPUT:
            return self._read_output(asked=asked)
        if name == ERRORS:
            self._read_errors()
        elif name == CONTROL:
            self._read_reports()
            if self._fault:
                return self._last_words()
        return None

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._handles[INPUT], data[:READ_BYTES])
        except BlockingIOError:
            return 0
        except OSError:
            raise ProgramFault(self._why("closed its input")) from None

    def _read_output(self, *, asked: bool) -> bytes | None:
        part = _read(self._handles[OUTPUT])
        if part is None:
            return None
        if not part:
            self._forget(self._handles[OUTPUT])
            raise ProgramFault(self._why("closed its output"))
        if not asked:
            raise ProgramFault("answered before it was asked")
        self._output += part
        if len(self._output) > self._limits.answer_bytes:
            allowed = bytes_text(self._limits.answer_bytes)
            raise ProgramFault(f"wrote an answer of more than {allowed}")
        if b"\n" not in part:
            return None
        line, _, more = self._output.partition(b"\n")
        self._output = bytearray()
        if more:
            raise ProgramFault("wrote more than one line as an answer")
        return bytes(line)

    def _last_words(self) -> bytes | None:
        """Read an answer that was written before the end; else raise what the keeper said."""
        while not self._output.endswith(b"\n"):
            part = _read(self._handles[OUTPUT])
            if not part or len(self._output) > self._limits.answer_bytes:
                raise ProgramFault(self._fault)
            self._output += part
        line, _, more = self._output.partition(b"\n")
        self._output = bytearray()
        if more:
            raise ProgramFault(self._fault)
        return bytes(line)

    def _read_errors(self) -> None:
        part = _read(self._handles[ERRORS])
        if part is None:
            return
        if not part:
            self._forget(self._handles[ERRORS])
            return
        self._said += len(part)
        self._tail = (self._tail + part)[-TAIL_BYTES:]
        if self._said > self._limits.said_bytes:
            allowed = bytes_text(self._limits.said_bytes)
            raise ProgramFault(f"wrote more than {allowed} to its error stream")

    def _read_reports(self) -> None:
        """Take in what the keeper says; its silence for ever is the end of the program, too."""
        try:
            part = self._control.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            self._forget(self._control)
            self._fault = self._fault or "ended, and its keeper too"
            return
        *lines, self._reports = (self._reports + part).split(b"\n")
        for line in lines:
            with contextlib.suppress(ValueError):
                report = json.loads(line)
                self._fault = self._fault or self._read_report(report)

    def _read_report(self, report: dict[str, Any]) -> str:
        if "problem" in report:
            return f"could not be started: {clean_text(report['problem'])}"
        if report.get("exceeded") == "memory_bytes":
            used, allowed = bytes_text(report["used"]), bytes_text(report["allowed"])
            return f"used {used} of memory, allowed are {allowed}"
        if "exceeded" in report:
            return f"ran {report['used']} threads or processes, allowed are {report['allowed']}"
        if "status" in report:
            self._exited = True
            return self._describe_end(int(report["status"]))
        return ""

    def _describe_end(self, status: int) -> str:
        with contextlib.suppress(OSError, ProgramFault):
            self._read_errors()
        lines = self._tail.decode(errors="replace").strip().splitlines()
        said = f": {clean_text(lines[-1])}" if lines and status else ""
        if status >= 0:
            return f"exited with status {status}{said}"
        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(-status).name}{said}"
        return f"was ended by signal {-status}{said}"

    def _why(self, otherwise: str) -> str:
        """Wait a little for the keeper to say why a stream was closed."""
        until = time.monotonic() + STATUS_SECONDS
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            while not self._fault and selector.select(max(until - time.monotonic(), 0.0)):
                self._read_reports()
        return self._fault or otherwise

    def stop(self) -> None:
        """End every process of the program, whatever it is doing, and remove its folder."""
        if self._stopped:
            return
        self._stopped = True
        self._selector.close()
        for handle in self._handles.values():
            os.close(handle)
        self._control.close()  # tells the keeper to end everything
        try:
            self._keeper.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()
        if not self._closed_room:
            end_all_marked(f"{MARK}={self._mark}")
        _remove(self._folder)


def _read(handle: int) -> bytes | None:
    """Read what is there; nothing at the end, None where nothing is there yet."""
    try:
        return os.read(handle, READ_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _remove(folder: Path) -> None:
    """Remove a program's folder, even if it locked parts of it."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for home, names, _ in os.walk(folder):
            for path in (Path(home, name) for name in names):
                if not path.is_symlink():
                    path.chmod(0o700)  # before the walk goes in
        shutil.rmtree(folder, ignore_errors=True)
