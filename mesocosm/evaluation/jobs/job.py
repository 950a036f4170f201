"""A job, and an executor, which carries out several: one after the other here, or elsewhere."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

Tell = Callable[[float], None]  # the share of a job that is done; what it raises ends the job
# which job (None: none, time goes by) and the share of it that is done; may raise to end it all
Watch = Callable[[int | None, float], None]


class Job(Protocol):
    """A piece of work that gives the same wherever it is done."""

    @property
    def name(self) -> str:
        """Name it for people."""

    @property
    def files(self) -> Mapping[str, str]:
        """What it reads: the sha256 of each file by its path."""

    @property
    def outputs(self) -> Sequence[Path]:
        """What it writes: files or folders, each for itself."""

    @property
    def local_needs(self) -> Sequence[str]:
        """What it needs of this machine and cannot be sent elsewhere, in words."""

    @property
    def cores(self) -> int:
        """How many cores it computes with."""

    @property
    def target(self) -> str:
        """Where its envs run: python, cpu or cuda."""

    def move(self, places: Mapping[str, str]) -> "Job":
        """Give the same job, whose files and outputs lie elsewhere.

        Args:
            places: By path as it was, where it is.
        """

    def run(self, tell: Tell) -> Any:
        """Do it; what is on the way in its outputs is gone on with."""


class Executor(Protocol):
    """Carries out jobs."""

    @property
    def num_shards(self) -> int | None:
        """How many jobs the episodes of an evaluation are divided into; None: one for each bout."""

    def run(self, jobs: Sequence[Job], watch: Watch) -> Iterator[tuple[int, Any]]:
        """Give (which job, what came of it) of each, in whichever order they end."""


class LocalExecutor:
    """Carries out jobs in this process, one after the other."""

    num_shards = None

    def run(self, jobs: Sequence[Job], watch: Watch) -> Iterator[tuple[int, Any]]:
        """Give (which job, what came of it) of each, in order."""
        for k, job in enumerate(jobs):
            watch(k, 0.0)
            yield k, job.run(lambda share, k=k: watch(k, share))  # type: ignore[misc]


LOCAL = LocalExecutor()
