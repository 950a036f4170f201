"""Where processes of one machine hand numbers to each other: memory that they share.

Every rank has two places there, used in turns. To exchange something, a rank writes it into its
place and counts up; it reads the others' places once they have counted as far. A place is written
again two exchanges later, when all others have counted past the one between and so have read it.
"""

import mmap
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

PLACE_BYTES = 1 << 20
COUNT_BYTES = 64  # of a rank, in a line of the cache of its own
NUM_PLACES = 2
SPIN_SECONDS = 5e-4  # of waiting without a pause: others are about to come
PAUSE_SECONDS = 1e-4
CHECK_SECONDS = 0.2  # between two looks at whether the others live


class Meeting:
    """One rank's view of the shared memory.

    Args:
        check: Raises if another rank is gone; asked now and then while this one waits.
    """

    def __init__(self, path: Path, rank: int, size: int, check: Callable[[], None]) -> None:
        self._rank, self._size, self._check = rank, size, check
        with path.open("r+b") as file:
            memory = mmap.mmap(file.fileno(), meeting_bytes(size))
        lead = size * COUNT_BYTES
        self._counts = np.frombuffer(memory, np.int64, lead // 8).reshape(size, -1)[:, 0]
        places = np.frombuffer(memory, np.uint8, offset=lead)
        self._places = places.reshape(size, NUM_PLACES, PLACE_BYTES)
        self._fence, self._count = threading.Lock(), 0

    def exchange(self, own: np.ndarray, wanted: dict[int, np.ndarray]) -> None:
        """Hand bytes to all, and take some of what each of the others handed over.

        Args:
            own: uint8, of at most `PLACE_BYTES`; may be empty.
            wanted: By rank, where to put what it hands over: uint8, as many as are wanted.
        """
        turn = self._count % NUM_PLACES
        self._places[self._rank, turn, : own.size] = own
        self._order_memory()
        self._count += 1
        self._counts[self._rank] = self._count
        self._wait()
        self._order_memory()
        for rank, into in wanted.items():
            into[:] = self._places[rank, turn, : into.size]

    def _order_memory(self) -> None:
        """Let what was written before be seen before what is written after."""
        for _ in range(2):
            with self._fence:
                pass

    def _wait(self) -> None:
        begun = looked = time.monotonic()
        while int(self._counts.min()) < self._count:
            now = time.monotonic()
            if now - begun > SPIN_SECONDS:
                time.sleep(PAUSE_SECONDS)
            if now - looked > CHECK_SECONDS:
                looked = now
                self._check()


def meeting_bytes(size: int) -> int:
    """Give the size of the memory that some ranks share."""
    return size * (COUNT_BYTES + NUM_PLACES * PLACE_BYTES)


def make_meeting(path: Path, size: int) -> None:
    """Make the memory for some ranks, in a file for nobody else."""
    with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.truncate(meeting_bytes(size))
        if hasattr(os, "posix_fallocate"):  # a full disk is told now: later it would be a crash
            os.posix_fallocate(file.fileno(), 0, meeting_bytes(size))
