import os
import subprocess
import sys
from pathlib import Path

import pytest

from mesocosm.core.errors import ConfigError, MissingExtra, RunError
from mesocosm.distributed.cluster import (
    FOLDER,
    check_address,
    open_cluster,
    remove_leftovers,
)

LISTENING = "0A"  # a socket's state in /proc/net/tcp


@pytest.mark.parametrize("text", ["here", "ray://a:1", ":6379", "a:b", "a:99999"])
def test_address_that_is_none_is_refused(text):
    with pytest.raises(ConfigError, match="--address: must look like HOST:6379"):
        check_address(text)


def test_address_where_nobody_answers_is_one_error():
    with pytest.raises(RunError, match=r"--address 127.0.0.1:1: nobody answers there: .*refused"):
        check_address("127.0.0.1:1")


def test_without_ray_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(MissingExtra, match="the engine 'ray' needs Ray: pip install"),
        open_cluster(),
    ):
        pass


def _children(pid):
    found = [int(line) for line in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return found + [low for child in found for low in _children(child)]


def _addresses(pids):
    """Give the local addresses on which some processes listen, in hex."""
    inodes = set()
    for pid in pids:
        for link in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                inodes.add(os.readlink(link))
            except OSError:
                continue
    made = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            part = line.split()
            if part[3] == LISTENING and f"socket:[{part[9]}]" in inodes:
                made.append(part[1].split(":")[0])
    return made


def _folders():
    return [str(path) for path in Path("/tmp").glob(f"{FOLDER}{os.getpid()}-*")]  # noqa: S108


def _use_cluster(seen):
    """Use a local Ray, and fail in the middle."""
    with open_cluster(num_cpus=1) as cluster:
        import ray

        def own_number():  # in here, it is sent by value
            return os.getpid()

        assert cluster.is_local
        assert cluster.num_cpus == 1
        assert len(_folders()) == 1
        worker = ray.get(ray.remote(own_number).remote())
        seen += _addresses([os.getpid(), worker, *_children(os.getpid())])
        with open_cluster() as same:  # one Ray per process: the inner one is the outer one
            assert same.address == cluster.address
        assert ray.is_initialized()
        raise ZeroDivisionError


def test_local_ray_listens_on_loopback_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # too long for sockets
    seen = []
    with pytest.raises(ZeroDivisionError):
        _use_cluster(seen)
    assert len(seen) >= 4
    assert set(seen) <= {"0100007F", "0000000000000000FFFF00000100007F"}
    assert not _folders()
    assert "RAY_AUTH_TOKEN" not in os.environ


def test_folders_of_dead_processes_are_removed_and_those_of_living_ones_stay(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = tmp_path / f"{FOLDER}{ended.pid}-abc"
    used = tmp_path / f"{FOLDER}{os.getpid()}-abc"
    foreign = tmp_path / f"{FOLDER}notes-abc"
    kept = tmp_path / "kept"
    for folder in (left, used, foreign, kept):
        folder.mkdir()
        (folder / "file").write_text("x")
    (tmp_path / f"{FOLDER}{ended.pid}-link").symlink_to(kept)
    remove_leftovers(str(tmp_path))
    assert not left.exists()
    assert all((folder / "file").is_file() for folder in (used, foreign, kept))
