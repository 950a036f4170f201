"""Tell of workers that died, and find out whether Ray itself did."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mesocosm.core.errors import RunError
from mesocosm.distributed.cluster import import_ray

MOST_NOTICES = 5  # of single workers; what follows is counted
LOOK_SECONDS = 0.05  # between two looks at Ray's processes
NOTICE_SECONDS = 10.0  # between two counts

Say = Callable[[str], None]
OnRayEnd = Callable[[RunError], None]


class DeathNotices:
    """Says which jobs begin again because their worker died: the first by name, then how many."""

    def __init__(self, say: Say) -> None:
        self._say, self._named, self._counted, self._said = say, 0, 0, 0.0

    def add(self, job: str) -> None:
        """Tell of one more worker, now or with others."""
        if self._named < MOST_NOTICES:
            self._named, self._said = self._named + 1, time.monotonic()
            self._say(f"mesocosm: a worker died; {job} begins again")
            return
        self._counted += 1
        if time.monotonic() - self._said > NOTICE_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Tell how many died since the last notice."""
        if self._counted:
            self._say(f"mesocosm: {self._counted} more deaths of workers; their jobs begin again")
            self._counted, self._said = 0, time.monotonic()


@contextmanager
def watching_ray(on_end: OnRayEnd | None) -> Iterator[None]:
    """Look after Ray, in a thread, beside calls that wait for it; tell if it ends before they do.

    Args:
        on_end: Is called in that thread; None: nobody looks.
    """
    over = threading.Event()
    if on_end is not None:
        threading.Thread(target=_watch, args=(over, on_end), daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _watch(over: threading.Event, on_end: OnRayEnd) -> None:
    while not over.wait(LOOK_SECONDS):
        try:
            check_ray_lives()
        except RunError as error:
            on_end(error)
            return


def check_ray_lives() -> None:
    """Refuse to go on once a process of the Ray that was started here has ended."""
    node = import_ray()._private.worker._global_node
    started = {} if node is None else node.all_processes
    for kind, processes in started.items():
        if any(one.process.poll() is not None for one in processes):
            raise ray_ended(f"its process {kind} is gone")


def ray_ended(why: str) -> RunError:
    """Make the error that a command ends with when its Ray did."""
    return RunError(
        f"Ray itself ended: {why}. Where --out was given, --resume goes on with what came back"
    )
