"""Share work among threads in large pieces: they wait for each other once per minibatch.

Threads inside each operation would wait at every one of them, and on a busy machine each wait can
last as long as somebody else's turn.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch
from torch import Tensor

Work = TypeVar("Work")
Made = TypeVar("Made")
MOST_THREADS = 1024


class Crew:
    """A number of threads, this one among them; each computes with one core."""

    def __init__(self, size: int = 1) -> None:
        self.size = size
        self._others = ThreadPoolExecutor(size - 1, "learning", use_one_core) if size > 1 else None

    def split(self, rows: Tensor) -> tuple[Tensor, ...]:
        """Give everybody a part."""
        return rows.chunk(self.size)

    def map(self, function: Callable[[Work], Made], parts: Sequence[Work]) -> list[Made]:
        """Apply a function to all parts; what it gives is in their order."""
        if self._others is None:
            return [function(part) for part in parts]
        given = [self._others.submit(function, part) for part in parts[1:]]
        first = [function(part) for part in parts[:1]]
        return first + [one.result() for one in given]


def use_one_core() -> None:
    """Let operations on the CPU not be split any further."""
    torch.set_num_threads(1)
