"""What a Ray worker does: check that it is like the driver, place the files, do the job, report."""

import pickle
import queue
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.core.errors import RunError
from mesocosm.distributed.identity import Identity, check_identity, own_identity
from mesocosm.distributed.parcel import Parcel, pack, unpack
from mesocosm.evaluation.jobs.files import checksum, sha256
from mesocosm.evaluation.jobs.job import Job

REPORT_SECONDS = 1.0  # between two words about how far a job is
CHECKPOINT_SECONDS = 30.0  # between two parcels of what it has written so far


class File(NamedTuple):
    """A file that a job reads."""

    given: str  # its path, as the job has it
    path: str  # the same, from the root
    sha256: str


class Order(NamedTuple):
    """A job as it is sent to a worker.

    Args:
        job: Pickled by the driver, for a worker that is found to be like it.
        outputs: What the job writes to; as it is so far, or nothing.
    """

    identity: Identity
    job: bytes
    files: tuple[File, ...]
    outputs: tuple[tuple[str, Parcel], ...]


class Report(NamedTuple):
    """What a worker sends back, once or several times.

    Args:
        outputs: By path at the driver, what the job has written; empty if there is nothing new.
    """

    share: float
    outputs: dict[str, Parcel]
    is_last: bool = False
    result: Any = None


def carry_out(order: Order, *contents: bytes) -> Iterator[Report]:
    """Do a job, and report how it goes.

    Args:
        contents: Of the order's files.
    """
    check_identity(order.identity, own_identity(), socket.gethostname())
    job: Job = pickle.loads(order.job)  # noqa: S301 (from the driver, through Ray, which did so too)
    with tempfile.TemporaryDirectory(prefix="mesocosm-job-") as folder:
        places = _place_files(order.files, contents, Path(folder))
        outputs = _place_outputs(order.outputs, Path(folder))
        moved = job.move(places | {given: str(path) for given, path in outputs.items()})
        yield from _Reporter(moved, outputs).run()


def _place_files(files: tuple[File, ...], contents: Any, folder: Path) -> dict[str, str]:
    """Take files that lie here too with the same content, and write all others."""
    made = {}
    for k, (file, content) in enumerate(zip(files, contents, strict=True)):
        if sha256(content) != file.sha256:
            raise RunError(f"{file.given}: came to the worker with another sha256")
        if _is_here(file):
            made[file.given] = file.path
        else:
            place = folder / f"file-{k}" / Path(file.path).name
            place.parent.mkdir()
            place.write_bytes(content)
            made[file.given] = str(place)
    return made


def _is_here(file: File) -> bool:
    try:
        return checksum(file.path) == file.sha256
    except RunError:
        return False


def _place_outputs(outputs: tuple[tuple[str, Parcel], ...], folder: Path) -> dict[str, Path]:
    """Put what a job has written before where it will go on."""
    made = {}
    for k, (given, parcel) in enumerate(outputs):
        made[given] = folder / f"output-{k}" / Path(given).name
        made[given].parent.mkdir()
        if parcel:
            unpack(parcel, made[given])
    return made


class _Reporter:
    """Runs a job in a thread of its own, and reports from this one."""

    def __init__(self, job: Job, outputs: dict[str, Path]) -> None:
        self._job, self._outputs = job, outputs
        self._reports: queue.Queue[Report | BaseException] = queue.Queue()
        self._said = self._packed = time.monotonic()

    def run(self) -> Iterator[Report]:
        """Give reports until the last one, or raise what the job raised."""
        threading.Thread(target=self._work, daemon=True).start()
        while True:
            report = self._reports.get()
            if isinstance(report, BaseException):
                raise report
            yield report
            if report.is_last:
                return

    def _work(self) -> None:
        try:
            result = self._job.run(self._tell)
            self._reports.put(Report(1.0, self._pack(), True, result))
        except BaseException as error:  # goes on in the thread that reports
            self._reports.put(error)

    def _tell(self, share: float) -> None:
        """Report, now and then; what was written is whole between two calls."""
        now = time.monotonic()
        if self._outputs and now - self._packed > CHECKPOINT_SECONDS:
            self._packed = self._said = now
            self._reports.put(Report(share, self._pack()))
        elif now - self._said > REPORT_SECONDS:
            self._said = now
            self._reports.put(Report(share, {}))

    def _pack(self) -> dict[str, Parcel]:
        return {given: pack(path) for given, path in self._outputs.items() if path.exists()}
