"""Keep one env to one thread at a time."""

from threading import RLock
from types import TracebackType

from mesocosm.core.errors import ThreadError

IN_USE = "env: used by two threads at once; make one env for each, or take turns with a lock"


class Exclusive:
    """A context that one thread may be in, as deep as it likes; another is refused at once."""

    __slots__ = ("acquire", "release")

    def __init__(self) -> None:
        lock = RLock()
        self.acquire, self.release = lock.acquire, lock.release  # for who counts nanoseconds

    def __enter__(self) -> None:
        if not self.acquire(blocking=False):
            raise ThreadError(IN_USE)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
