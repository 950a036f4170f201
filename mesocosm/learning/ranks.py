"""Processes that learn together, each from envs of its own: what they add up and hand on.

Threads of one process would share its interpreter, and wait for it at every operation.
"""

import contextlib
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import numpy as np
from torch import Tensor

from mesocosm.core.errors import MesocosmError
from mesocosm.learning.meeting import PLACE_BYTES, Meeting

MOST_RANKS = 1024
MEMORY = "memory"
ERRORS = "errors-{}.txt"
NOTHING = np.empty(0, np.uint8)


class Ranks:
    """The ranks of a training, seen from one of them: alone, unless a group says otherwise.

    Rank 0 tells the others what to do, and each then does the same as it does.

    Args:
        num_envs: Of all ranks together.
    """

    _meeting: Meeting
    advice = ""  # what to do when one of the others ends, once there is something to go on from

    def __init__(self, num_envs: int, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size, self.num_envs = rank, size, num_envs
        self._edges = [round(num_envs * k / size) for k in range(size + 1)]
        self.envs = slice(self._edges[rank], self._edges[rank + 1])

    def meet(self, path: Path, check: Callable[[], None]) -> None:
        """Join the others at the memory that the first has made.

        Args:
            check: Raises if the first is gone.
        """
        self._meeting = Meeting(path, self.rank, self.size, check)

    def count(self, rank: int) -> int:
        """Give the number of envs of a rank."""
        return self._edges[rank + 1] - self._edges[rank]

    def command(self, *words: str | int) -> None:
        """Tell the others what to do now; what they do meets what this rank does."""

    @property
    def pids(self) -> list[int]:
        """The other processes that this one started."""
        return []

    def sum(self, tensor: Tensor) -> Tensor:
        """Add up, in place, what every rank has: in order of ranks, so that all get the same."""
        if self.size == 1:
            return tensor
        own = tensor.detach().numpy().reshape(-1)
        for part in _pieces(own):
            found = {rank: np.empty_like(part) for rank in range(self.size) if rank != self.rank}
            self._meeting.exchange(_bytes_of(part), {k: _bytes_of(x) for k, x in found.items()})
            found[self.rank] = part.copy()
            part[:] = found[0]
            for rank in range(1, self.size):
                np.add(part, found[rank], out=part)
        return tensor

    def share(self, tensor: Tensor) -> None:
        """Let every rank have what the first has."""
        if self.size > 1:
            for part in _pieces(tensor.detach().numpy().reshape(-1)):
                first = self.rank == 0
                wanted = {} if first else {0: _bytes_of(part)}
                self._meeting.exchange(_bytes_of(part) if first else NOTHING, wanted)

    def join(self, part: np.ndarray) -> np.ndarray:
        """Give the first rank the parts of all, in order; axis 0 counts envs, or rows of them."""
        if self.size == 1:
            return part
        made = [np.empty((self._rows(part, k), *part.shape[1:]), part.dtype) for k in self._all]
        made[self.rank][:] = part
        all_pieces = [_pieces(_bytes_of(one)) for one in made]
        for turn in range(max(map(len, all_pieces))):
            now = {k: pieces[turn] for k, pieces in enumerate(all_pieces) if turn < len(pieces)}
            wanted = {k: x for k, x in now.items() if k > 0} if self.rank == 0 else {}
            self._meeting.exchange(now.get(self.rank, NOTHING), wanted)
        return np.concatenate(made)

    def split(self, whole: np.ndarray | None, like: np.ndarray) -> np.ndarray:
        """Give every rank its part of what the first has.

        Args:
            whole: What `join` made; None on other ranks.
            like: Of the shape of this rank's part.
        """
        if self.size == 1 and whole is not None:
            return whole
        rows = [self._rows(like, rank) for rank in self._all]
        made = whole
        if whole is None or whole.shape != (sum(rows), *like.shape[1:]):
            if whole is not None:
                raise ValueError(f"a part of shape {like.shape} does not fit {whole.shape}")
            made = np.empty((sum(rows), *like.shape[1:]), like.dtype)
        made = np.ascontiguousarray(made)
        for piece in _pieces(_bytes_of(made)):
            first = self.rank == 0
            self._meeting.exchange(piece if first else NOTHING, {} if first else {0: piece})
        start = sum(rows[: self.rank])
        return made[start : start + rows[self.rank]]

    def _rows(self, part: np.ndarray, rank: int) -> int:
        return int(part.shape[0] // self.count(self.rank) * self.count(rank))

    @property
    def _all(self) -> range:
        return range(self.size)

    def close(self) -> None:
        """Let the others end."""


class FirstRank(Ranks):
    """Rank 0, which started the others and tells them what to do."""

    def __init__(
        self, num_envs: int, others: Sequence[subprocess.Popen[str]], folder: Path
    ) -> None:
        super().__init__(num_envs, 0, len(others) + 1)
        self._others, self._folder = others, folder

    def begin(self) -> None:
        """Join the others, when they are ready."""
        self.meet(self._folder / MEMORY, self.check)

    def command(self, *words: str | int) -> None:
        for process in self._others:
            with contextlib.suppress(OSError):  # it is gone: the next meeting finds out
                print(*words, file=pipe_to(process), flush=True)

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._others]

    def check(self) -> None:
        """Raise if one of the others has ended, with what it said last."""
        for rank, process in enumerate(self._others, 1):
            status = process.poll()
            if status is not None:
                said = (self._folder / ERRORS.format(rank)).read_text(errors="replace").split("\n")
                last = next((line for line in reversed(said) if line.strip()), "")
                raise MesocosmError(
                    f"process {rank} of those that learn together ended ({status})"
                    f"{last and ': '}{last}.{self.advice}"
                )

    def close(self) -> None:
        if not self._others:
            return
        for process in self._others:
            with contextlib.suppress(OSError):
                pipe_to(process).close()
            if process.stdout is not None:
                process.stdout.close()
        for process in self._others:
            try:
                process.wait(timeout=10.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._others = ()


def _pieces(array: np.ndarray) -> list[np.ndarray]:
    """Cut numbers into what fits one exchange."""
    count = PLACE_BYTES // array.itemsize
    return [array[at : at + count] for at in range(0, array.size, count)]


def _bytes_of(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1).view(np.uint8)


def pipe_to(process: subprocess.Popen[str]) -> IO[str]:
    """Give what another rank reads its commands from."""
    if process.stdin is None:
        raise MesocosmError("a process that learns along must be started with a pipe")
    return process.stdin
