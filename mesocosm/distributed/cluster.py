"""Start a local Ray for as long as it is needed, or join a cluster that runs already."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.core.errors import ConfigError, RunError, short
from mesocosm.core.extra import missing_extra

OBJECT_STORE_BYTES = 200 << 20
CONNECT_SECONDS, END_SECONDS = 5.0, 10.0
LOOPBACK = "127.0.0.1"
MOST_CPUS = 4096
FOLDER = "mesocosm-ray-"  # of temporary files, before the number of this process
SHORT_PATH = 12  # characters
# Ray reads these when it is imported and when it starts its daemons, which inherit them
LOCAL_VARIABLES = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # binds to loopback instead of all interfaces
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_worker_niceness": "0",  # workers do the work: they yield to others as much as we do
}


class Cluster(NamedTuple):
    """A Ray that can be used."""

    address: str
    is_local: bool  # started here, and ended with its context
    num_cpus: int


@contextmanager
def open_cluster(
    address: str | None = None,
    *,
    num_cpus: int | None = None,
    variables: Mapping[str, str] | None = None,
) -> Iterator[Cluster]:
    """Start a local Ray, or join one; what was started here is shut down however this ends.

    A Ray that this process uses already is used again, and left as it is.

    Args:
        address: Of a cluster that runs, as HOST:PORT or `auto`; None: start one.
        num_cpus: Cores of a local Ray; all of this process if not said.
        variables: Of the environment, which every worker gets.
    """
    ray = import_ray(local=address is None)
    _keep_quiet()
    if ray.is_initialized():
        yield _describe(ray, is_local=False)
    elif address is None:
        with _local_ray(ray, num_cpus or count_cores(), dict(variables or {})) as made:
            yield made
    else:
        with _joined_ray(ray, check_address(address), dict(variables or {})) as made:
            yield made


def import_ray(*, local: bool = False) -> Any:
    """Import Ray, or say what to install.

    Args:
        local: Whether it is told before it is imported to keep to this machine.
    """
    try:
        with _environment(LOCAL_VARIABLES if local else {}):
            import ray
    except ImportError as error:
        raise missing_extra("the engine 'ray' needs Ray", "ray") from error
    return ray


def _keep_quiet() -> None:
    """Keep Ray from telling of dead workers on stdout, among what a command prints."""
    from ray._private import worker

    worker.print_to_stdstream = _print_nothing


def _print_nothing(data: Any, ignore_prefix: bool) -> None:
    """Whoever uses the cluster says what became of its workers."""


def count_cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set variables of the environment for a while."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _local_ray(ray: Any, num_cpus: int, variables: dict[str, str]) -> Iterator[Cluster]:
    """Start a Ray of our own, which nobody else can reach."""
    from ray._private import ray_constants  # as imported, perhaps before us
    from ray._raylet import Config  # type: ignore[attr-defined]

    if not 1 <= num_cpus <= MOST_CPUS:
        raise ConfigError(f"num_cpus: must be between 1 and {MOST_CPUS:,}, got {num_cpus}")
    ray_constants.ENABLE_RAY_CLUSTER = False
    Config.initialize(json.dumps({"AUTH_MODE": LOCAL_VARIABLES["RAY_AUTH_MODE"]}))
    place = _socket_place()
    remove_leftovers(place)
    folder = tempfile.mkdtemp(prefix=f"{FOLDER}{os.getpid()}-", dir=place)
    # only who has the token is answered, though other people's programs run on this machine too
    own = {"RAY_AUTH_TOKEN": _own_token(), **LOCAL_VARIABLES, **variables}
    try:
        with _environment(own):
            try:
                _start(ray, num_cpus, folder)
                yield _describe(ray, is_local=True)
            finally:
                _shut_down(ray)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@lru_cache(1)
def _own_token() -> str:
    """Draw the token of this process; Ray reads one only once."""
    return secrets.token_hex(32)


def _shut_down(ray: Any) -> None:
    """End Ray, and wait for the processes that it started."""
    node = ray._private.worker._global_node
    every = [] if node is None else [x for own in node.all_processes.values() for x in own]
    ray.shutdown()
    for started in every:
        with suppress(subprocess.TimeoutExpired):
            started.process.wait(END_SECONDS)


def _start(ray: Any, num_cpus: int, folder: str) -> None:
    try:
        found = ray.init(
            address="local",
            num_cpus=num_cpus,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            _temp_dir=folder,
            log_to_driver=False,
            logging_level="ERROR",
        )
    except Exception as error:  # Ray has no class of its own for this
        raise RunError(f"Ray cannot be started: {_say(error)}") from error
    where = found.address_info["node_ip_address"]
    if where != LOOPBACK:
        raise RunError(f"Ray listens on {where}; it must keep to {LOOPBACK}")


def remove_leftovers(place: str) -> None:
    """Remove what processes of this user left that were killed before they could."""
    for folder in Path(place).glob(f"{FOLDER}*-*"):
        pid = folder.name.removeprefix(FOLDER).partition("-")[0]
        with suppress(OSError):
            own = folder.lstat().st_uid == os.getuid() and not folder.is_symlink()
            if own and pid.isdecimal() and not _is_alive(int(pid)):
                shutil.rmtree(folder, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _socket_place() -> str:
    """Choose where temporary files go: paths of sockets may have 107 characters only."""
    usual = tempfile.gettempdir()
    return "/tmp" if len(usual) > SHORT_PATH and os.path.isdir("/tmp") else usual  # noqa: S108


def _say(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


@contextmanager
def _joined_ray(ray: Any, address: str, variables: dict[str, str]) -> Iterator[Cluster]:
    """Join a cluster, and leave it again; it runs on."""
    _keep_loopback(address)
    try:
        ray.init(
            address=address,
            log_to_driver=False,
            logging_level="ERROR",
            runtime_env={"env_vars": variables} if variables else None,
        )
    except Exception as error:  # Ray has no class of its own for this
        raise RunError(f"--address {address}: cannot be joined: {_say(error)}") from error
    try:
        yield _describe(ray, is_local=False)
    finally:
        ray.shutdown()


def _keep_loopback(address: str) -> None:
    """Let Ray not take this machine's outer address for one where only loopback answers."""
    from ray._private import ray_constants, services

    host, _, port = address.rpartition(":")
    if host in ("127.0.0.1", "localhost") and not _answers(services.get_node_ip_address(), port):
        ray_constants.ENABLE_RAY_CLUSTER = False


def _answers(host: str, port: str) -> bool:
    try:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


def check_address(address: str) -> str:
    """Refuse an address that is none, or where nobody answers, before Ray waits for it."""
    if address == "auto":
        return address
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise ConfigError(f"--address: must look like HOST:6379, or be auto, got {short(address)}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except OSError as error:
        said = error.strerror or error
        raise RunError(
            f"--address {address}: nobody answers there: {said}. `ray start --head` starts a "
            "cluster and tells its address"
        ) from None
    return address


def _describe(ray: Any, *, is_local: bool) -> Cluster:
    found = ray.get_runtime_context().gcs_address
    return Cluster(str(found), is_local, int(ray.cluster_resources().get("CPU", 0)))
