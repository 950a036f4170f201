"""Processes that learn together, each from envs of its own: what they add up and hand on.

Threads of one process would share its interpreter, and wait for it at every operation.
"""

import contextlib
import datetime
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from mesocosm.core.errors import MesocosmError

MOST_RANKS = 1024
PATIENCE = datetime.timedelta(minutes=30)  # for ranks that do other work, as writing a checkpoint
STORE = "store"
ERRORS = "errors-{}.txt"


class Ranks:
    """The ranks of a training, seen from one of them: alone, unless a group says otherwise.

    Rank 0 tells the others what to do, and each then does the same as it does.

    Args:
        num_envs: Of all ranks together.
    """

    def __init__(self, num_envs: int, rank: int = 0, size: int = 1, group: Any = None) -> None:
        self.rank, self.size, self.num_envs, self._group = rank, size, num_envs, group
        self._edges = [round(num_envs * k / size) for k in range(size + 1)]
        self.envs = slice(self._edges[rank], self._edges[rank + 1])

    def meet(self, group: Any) -> None:
        """Take the group that this rank has joined."""
        self._group = group

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
        """Add up, in place, what every rank has."""
        if self.size > 1:
            with self._explaining():
                self._group.allreduce([tensor]).wait()
        return tensor

    def share(self, tensor: Tensor) -> None:
        """Let every rank have what the first has."""
        if self.size > 1 and tensor.numel():
            with self._explaining():
                self._group.broadcast(tensor, 0).wait()

    def join(self, part: np.ndarray) -> np.ndarray:
        """Give the first rank the parts of all, in order; axis 0 counts envs, or rows of them."""
        if self.size == 1:
            return part
        if not part.size:
            rows = sum(self._rows(part, rank) for rank in range(self.size))
            return np.empty((rows, *part.shape[1:]), part.dtype)
        part = np.ascontiguousarray(part)
        made = [part]
        with self._explaining():
            if self.rank > 0:
                self._group.send([_bytes_of(part)], 0, 0).wait()
            else:
                for rank in range(1, self.size):
                    made.append(np.empty((self._rows(part, rank), *part.shape[1:]), part.dtype))
                    self._group.recv([_bytes_of(made[-1])], rank, 0).wait()
        return np.concatenate(made)

    def split(self, whole: np.ndarray | None, like: np.ndarray) -> np.ndarray:
        """Give every rank its part of what the first has.

        Args:
            whole: What `join` made; None on other ranks.
            like: Of the shape of this rank's part.
        """
        if self.size == 1 and whole is not None:
            return whole
        if not like.size:
            return like
        made = np.empty_like(like)
        with self._explaining():
            if whole is None:
                self._group.recv([_bytes_of(made)], 0, 0).wait()
                return made
            edges = np.cumsum([self._rows(like, rank) for rank in range(self.size)])
            first, *others = np.split(whole, edges[:-1])
            for rank, part in enumerate(others, 1):
                self._group.send([_bytes_of(np.ascontiguousarray(part))], rank, 0).wait()
        return first

    def _rows(self, part: np.ndarray, rank: int) -> int:
        return int(part.shape[0] // self.count(self.rank) * self.count(rank))

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            raise MesocosmError(self.explain(error)) from None

    def explain(self, error: RuntimeError) -> str:
        """Say why ranks lost each other."""
        return f"processes that learn together lost each other: {error}"

    def close(self) -> None:
        """Let the others end."""


class FirstRank(Ranks):
    """Rank 0, which started the others and tells them what to do."""

    def __init__(
        self, num_envs: int, group: Any, others: Sequence[subprocess.Popen[str]], folder: Path
    ) -> None:
        super().__init__(num_envs, 0, len(others) + 1, group)
        self._others, self._store = others, folder

    def command(self, *words: str | int) -> None:
        for process in self._others:
            with contextlib.suppress(OSError):  # it is gone: the next meeting finds out
                print(*words, file=pipe_to(process), flush=True)

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._others]

    def explain(self, error: RuntimeError) -> str:
        for rank, process in enumerate(self._others, 1):
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = process.wait(timeout=1.0)
                said = (self._store / ERRORS.format(rank)).read_text(errors="replace").split("\n")
                last = next((line for line in reversed(said) if line.strip()), "")
                return f"process {rank} of those that learn together ended ({status}): {last}"
        return super().explain(error)

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
        shutil.rmtree(self._store, ignore_errors=True)
        self._others = ()


def open_group(folder: Path, rank: int, size: int) -> Any:
    """Meet the other ranks, on this machine alone.

    Args:
        folder: Private, and empty when the first rank makes it.
    """
    os.environ["GLOO_SOCKET_IFNAME"] = _loopback()
    store = dist.FileStore(str(folder / STORE), size)  # type: ignore[attr-defined]
    return dist.ProcessGroupGloo(store, rank, size, PATIENCE)


def _loopback() -> str:
    return next(name for _, name in socket.if_nameindex() if name.startswith("lo"))


def _bytes_of(array: np.ndarray) -> Tensor:
    return torch.from_numpy(array.reshape(-1).view(np.uint8))


def pipe_to(process: subprocess.Popen[str]) -> IO[str]:
    """Give what another rank reads its commands from."""
    if process.stdin is None:
        raise MesocosmError("a process that learns along must be started with a pipe")
    return process.stdin
