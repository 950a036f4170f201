"""Run one foreign program in a closed room, watch it, and end all of it: a script of its own.

Started with the number of a socket, on which a plan arrives as one line of JSON and reports go
back. When the other end is closed, whatever happened there, everything that was started here ends.
Imports the standard library and its own folder only, so that it starts in milliseconds.

Where the system has namespaces, two processes stand between a match and a program: the keeper, and
the first process of a new pid namespace, which watches; when that ends the kernel kills all others
in it. Elsewhere the keeper watches, as the one to whom orphans fall.
"""

import contextlib
import json
import os
import resource
import select
import signal
import socket
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mesocosm.evaluation.programs.keeper import processes, room, syscalls
else:  # a script finds what lies beside it
    import processes
    import room
    import syscalls

WATCH_SECONDS = 0.03
LIMIT_NAMES = {
    "RLIMIT_DATA": "memory_bytes",
    "RLIMIT_NPROC": "processes",
    "RLIMIT_NOFILE": "open_files",
    "RLIMIT_FSIZE": "file_bytes",
    "RLIMIT_CPU": "cpu_seconds",
}


class Reports:
    """The way back to the match."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def send(self, **report: Any) -> None:
        """Say something, if anyone still listens."""
        with contextlib.suppress(OSError):
            self._connection.sendall(json.dumps(report).encode() + b"\n")

    def is_wanted(self, seconds: float) -> bool:
        """Wait for the other end to be closed; False if it is."""
        ready, _, _ = select.select([self._connection], [], [], seconds)
        return not ready


def limit_itself(limits: dict[str, int], extra_processes: int) -> None:
    """Set the limits of this process and of all that it starts."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name, key in LIMIT_NAMES.items():
        value = limits[key] + (extra_processes if key == "processes" else 0)
        kind = getattr(resource, name, None)
        if kind is not None:
            most = resource.getrlimit(kind)[1]
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(kind, (value, value))


def start(plan: dict[str, Any], failed: int, *, closed: bool) -> None:
    """Become the program; say on `failed` why that is not possible."""
    try:
        os.setsid()
        os.chdir(plan["folder"])
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        extra = 0 if closed else processes.count_of_user()
        limit_itself(plan["limits"], extra)
        if closed:
            room.give_up_rights(plan["drop"])
        syscalls.refuse_uncounted_memory()
        os.closerange(3, failed)
        os.execve(plan["command"][0], plan["command"], plan["environment"])  # noqa: S606
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"
        os.write(failed, said.encode(errors="replace")[:500])
    finally:
        os._exit(127)


def launch(plan: dict[str, Any], *, closed: bool) -> tuple[int, str]:
    """Start the program; give its pid, or what kept it from starting."""
    reading, writing = os.pipe()
    os.dup2(writing, 64)  # above whatever is open here, so that all below can be closed
    os.set_inheritable(64, False)
    os.close(writing)
    program = os.fork()
    if program == 0:
        start(plan, 64, closed=closed)
    os.close(64)
    with os.fdopen(reading, "rb") as said:
        return program, said.read().decode(errors="replace")


def release_streams() -> None:
    """Leave the program's streams to the program: who reads them must see its end."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nowhere, number)
    os.close(nowhere)


def reap(program: int) -> int | None:
    """Collect those that ended; give the program's status if it is among them."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        if pid == program:
            return os.waitstatus_to_exitcode(status)
        if pid == 0:
            return None


def watch(plan: dict[str, Any], reports: Reports, *, closed: bool) -> None:
    """Run the program until it ends, uses too much, or nobody wants it any more."""
    program, problem = launch(plan, closed=closed)
    release_streams()
    if problem:
        reports.send(problem=problem)
        return
    reports.send(started=True)
    limits, mounts = plan["limits"], room.writable(plan) if closed else []
    while reports.is_wanted(WATCH_SECONDS):
        status = reap(program)
        if status is not None:
            reports.send(status=status)
            return
        used = processes.measure(os.getpid(), mounts)
        for kind, value in used.items():
            if value > limits[kind]:
                reports.send(exceeded=kind, used=value, allowed=limits[kind])
                return


def keep_closed(plan: dict[str, Any], reports: Reports) -> None:
    """Close the room, and let its first process watch; return when all of it is gone."""
    room.enter_namespaces(drop=plan["drop"])
    first = os.fork()
    if first == 0:
        try:
            room.die_with_parent()
            room.build(plan)
            if plan["command"]:
                watch(plan, reports, closed=True)
            else:
                reports.send(started=True)
        except BaseException as error:
            reports.send(problem=f"{type(error).__name__}: {error}")
        finally:
            os._exit(0)  # and the kernel ends whoever is left in the namespace
    release_streams()
    os.waitpid(first, 0)


def main() -> None:
    """Do what the plan says."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = socket.socket(fileno=int(sys.argv[1]))
    connection.set_inheritable(False)
    reports = Reports(connection)
    with connection.makefile("rb") as file:
        plan = json.loads(file.readline())
    try:
        if plan["closed"]:
            keep_closed(plan, reports)
        else:
            room.adopt_orphans()
            try:
                watch(plan, reports, closed=False)
            finally:
                processes.end_all_below(os.getpid())
    except BaseException as error:
        reports.send(problem=f"{type(error).__name__}: {error}")
    remove_folder(os.path.dirname(plan["root"]))
    reports.send(ended=True)


def remove_folder(path: str) -> None:
    """Remove the program's folder, also if the match that made it is dead."""
    import shutil

    shutil.rmtree(path, ignore_errors=True)


if __name__ == "__main__":
    main()
