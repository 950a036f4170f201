"""Handle Ctrl-C: at once while compiling, between two steps while playing."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any


@contextmanager
def on_interrupt(handler: Any) -> Iterator[None]:
    """Handle Ctrl-C in another way for a while, where that is possible."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def compiling() -> AbstractContextManager[None]:
    """End at once on Ctrl-C: an exception would be lost inside the compiler's callbacks."""
    return on_interrupt(signal.SIG_DFL)


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl-C end a loop between two steps, so that its counts stay whole."""
    asked = threading.Event()

    def ask(number: int, frame: Any) -> None:
        asked.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    with on_interrupt(ask):
        yield asked.is_set
