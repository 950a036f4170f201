"""Processes as /proc lists them: who descends from whom, what they use, and how to end them all."""

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

PROC = "/proc"
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
PARENT, THREADS, RESIDENT = 1, 17, 21  # fields of /proc/PID/stat after the name
END_SECONDS = 5.0


class Usage(NamedTuple):
    """What /proc says of a process."""

    parent: int
    threads: int
    resident_bytes: int


def read_all() -> dict[int, Usage]:
    """Read what all processes use; nothing where /proc is missing."""
    found = {}
    with contextlib.suppress(OSError):
        for name in os.listdir(PROC):
            if name.isdigit():
                with contextlib.suppress(OSError, IndexError, ValueError):
                    with open(f"{PROC}/{name}/stat", "rb") as file:
                        fields = file.read().rpartition(b")")[2].split()
                    if fields[0] != b"Z":
                        found[int(name)] = Usage(
                            int(fields[PARENT]), int(fields[THREADS]), int(fields[RESIDENT]) * PAGE
                        )
    return found


def descendants(root: int) -> dict[int, Usage]:
    """Give all processes that `root` started, and that those started."""
    every = read_all()
    below: dict[int, Usage] = {}
    grown = True
    while grown:
        grown = False
        for pid, usage in every.items():
            known = usage.parent == root or usage.parent in below
            if known and pid not in below and pid != root:
                below[pid], grown = usage, True
    return below


def measure(root: int, mounts: Iterable[str] = ()) -> dict[str, int]:
    """Count the processes below `root` by their threads, and their memory.

    Args:
        mounts: File systems in memory that belong to them.
    """
    below = descendants(root)
    memory = sum(usage.resident_bytes for usage in below.values()) + sum(map(held_bytes, mounts))
    if has_swap():
        memory += sum(map(swapped_bytes, below))
    threads = sum(usage.threads for usage in below.values())
    return {"processes": threads, "memory_bytes": memory}


def held_bytes(mount: str) -> int:
    """Count what lies in a file system."""
    with contextlib.suppress(OSError):
        found = os.statvfs(mount)
        return (found.f_blocks - found.f_bfree) * found.f_frsize
    return 0


@cache
def has_swap() -> bool:
    """Whether memory of processes can be elsewhere than in memory."""
    with contextlib.suppress(OSError), open(f"{PROC}/swaps", "rb") as file:
        return len(file.read().splitlines()) > 1  # the first line is a heading
    return False


def swapped_bytes(pid: int) -> int:
    """Count what a process has in swap."""
    with contextlib.suppress(OSError, ValueError), open(f"{PROC}/{pid}/status", "rb") as file:
        for line in file:
            if line.startswith(b"VmSwap:"):
                return int(line.split()[1]) * 1024
    return 0


def count_of_user() -> int:
    """Count the threads of this process's user, which its limit on processes counts too."""
    mine, total = os.getuid(), 0
    with contextlib.suppress(OSError):
        for name in os.listdir(PROC):
            with contextlib.suppress(OSError):
                if name.isdigit() and os.stat(f"{PROC}/{name}").st_uid == mine:
                    total += len(os.listdir(f"{PROC}/{name}/task"))
    return total


def end_all_below(root: int) -> None:
    """Kill every descendant: stop them first, so that none starts another meanwhile."""
    until = time.monotonic() + END_SECONDS
    while time.monotonic() < until:
        below = descendants(root)
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in below:
                with contextlib.suppress(OSError):
                    os.kill(pid, number)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not below:
            return


def end_all_marked(mark: str) -> None:
    """Kill every process that has a text in the environment that it was started with."""
    text = mark.encode()
    for pid in read_all():
        with contextlib.suppress(OSError):
            with open(f"{PROC}/{pid}/environ", "rb") as file:
                marked = text in file.read()
            if marked and pid != os.getpid():
                os.kill(pid, signal.SIGKILL)
