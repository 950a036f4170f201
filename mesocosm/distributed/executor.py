"""Carry out jobs by Ray: whatever dies with a worker is begun again, and all comes back here."""

import pickle
import sys
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mesocosm.core.errors import ConfigError, MesocosmError, RunError
from mesocosm.distributed.cluster import Cluster, import_ray, open_cluster
from mesocosm.distributed.deaths import DeathNotices, Say, check_ray_lives, ray_ended
from mesocosm.distributed.identity import own_identity
from mesocosm.distributed.parcel import pack, unpack
from mesocosm.distributed.worker import File, Order, Report, carry_out
from mesocosm.evaluation.jobs.files import sha256
from mesocosm.evaluation.jobs.job import Job, Watch

WAIT_SECONDS = 0.1
MOST_ATTEMPTS = 5  # at a job without any progress between them
QUEUED = 2  # jobs that are handed to Ray for each core
EVERY_BATCH = sys.maxsize  # as a number of shards: each batch of episodes is one


class RayExecutor:
    """Carries out jobs on the workers of a cluster.

    Args:
        num_shards: Jobs that the episodes of an evaluation are divided into; None: each batch is
            one.
        say: Is told what people should know, such as that a worker died.
    """

    def __init__(self, cluster: Cluster, *, num_shards: int | None, say: Say) -> None:
        self.cluster, self.num_shards = cluster, num_shards or EVERY_BATCH
        self._ray, self._deaths = import_ray(), DeathNotices(say)
        self._remote = self._ray.remote(carry_out)
        self._contents: dict[str, Any] = {}  # references, by sha256

    def run(self, jobs: Sequence[Job], watch: Watch) -> Iterator[tuple[int, Any]]:
        """Give (which job, what came of it) of each, as they end."""
        for job in jobs:
            self._check(job)
        waiting, attempts = deque(range(len(jobs))), Counter[int]()
        running: dict[Any, int] = {}
        most = QUEUED * self.cluster.num_cpus + QUEUED
        try:
            while waiting or running:
                while waiting and len(running) < most:
                    k = waiting.popleft()
                    running[self._submit(jobs[k])] = k
                    watch(k, 0.0)
                ready, _ = self._ray.wait(list(running), num_returns=1, timeout=WAIT_SECONDS)
                watch(None, 0.0)
                check_ray_lives()
                for stream in ready:
                    k = running[stream]
                    report = self._receive(stream, jobs[k])
                    if report is None:
                        del running[stream]
                        attempts[k] += 1
                        self._forgive(jobs[k], attempts[k])
                        waiting.append(k)
                        continue
                    if self._keep(report) and not report.is_last:
                        attempts[k] = 0
                    if report.is_last:
                        del running[stream]
                        yield k, report.result
                    else:
                        watch(k, report.share)
        finally:
            self._deaths.flush()
            for stream in running:
                self._ray.cancel(stream, force=True)

    def _check(self, job: Job) -> None:
        """Refuse a job that no machine of the cluster can do."""
        if job.local_needs and not self.cluster.is_local:
            raise ConfigError(
                f"{job.local_needs[0]}: is on this machine only; on a cluster a program must be "
                "FILE.py:CLASS, which is sent to the workers"
            )
        cores = max(node["Resources"].get("CPU", 0) for node in self._ray.nodes())
        if job.cores > cores:
            raise ConfigError(f"--threads: no machine has {job.cores} cores, the largest {cores:g}")
        if job.target == "cuda" and not self._ray.cluster_resources().get("GPU"):
            raise ConfigError("--target cuda: no machine of the cluster has a GPU")

    def _submit(self, job: Job) -> Any:
        files = [self._read(path, digest) for path, digest in job.files.items()]
        outputs = tuple((str(path), pack(path) if path.exists() else {}) for path in job.outputs)
        order = Order(own_identity(), pickle.dumps(job), tuple(file for file, _ in files), outputs)
        options = {"num_cpus": job.cores, "num_gpus": 1 if job.target == "cuda" else 0}
        task = self._remote.options(
            **options, max_retries=0, num_returns="streaming", name=f"mesocosm: {job.name}"
        )
        return task.remote(order, *(content for _, content in files))

    def _read(self, path: str, digest: str) -> tuple[File, Any]:
        """Put a file's content where workers find it, once; it must be what it was."""
        if digest not in self._contents:
            content = Path(path).read_bytes()
            if sha256(content) != digest:
                raise RunError(f"{path}: is not the file that the job was planned with")
            self._contents[digest] = self._ray.put(content)
        return File(path, str(Path(path).absolute()), digest), self._contents[digest]

    def _receive(self, stream: Any, job: Job) -> Report | None:
        """Take the next report of a job; None if the worker died."""
        errors = self._ray.exceptions
        lost = (
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.OutOfMemoryError,
            errors.ObjectLostError,
        )
        try:
            report: Report = self._ray.get(next(stream))
        except lost:
            return None
        except errors.LocalRayletDiedError:
            raise ray_ended("the raylet of this machine is gone") from None
        except errors.RayTaskError as error:
            raise _own_error(error, job) from error
        return report

    def _forgive(self, job: Job, attempts: int) -> None:
        """Say that a worker died; give up if that happens again and again."""
        if attempts >= MOST_ATTEMPTS:
            raise RunError(f"{job.name}: its worker died {attempts} times; there is no use in more")
        self._deaths.add(job.name)

    def _keep(self, report: Report) -> bool:
        """Write down what a job has written at its worker."""
        for path, parcel in report.outputs.items():
            unpack(parcel, Path(path))
        return bool(report.outputs)


def _own_error(error: Any, job: Job) -> MesocosmError:
    """Give what a worker raised as the error that it was here."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, MesocosmError):
        return cause
    said = " ".join(f"{type(cause or error).__name__}: {cause or error}".split())[-500:]
    return RunError(f"{job.name}: failed on a worker: {said}")


@contextmanager
def open_executor(
    address: str | None, *, num_shards: int | None, say: Say
) -> Iterator[RayExecutor]:
    """Start a local Ray, or join one, and give who carries out jobs on it."""
    with open_cluster(address) as cluster:
        yield RayExecutor(cluster, num_shards=num_shards, say=say)
