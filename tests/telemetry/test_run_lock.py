"""A run folder has one writer at a time, and a second one is told who that is."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import killed
import pytest
from recording import SHORT, play

import mesocosm as meso
from mesocosm.cli.app import status
from mesocosm.cli.shared.exit_status import BAD_INPUT
from mesocosm.core.errors import RunError
from mesocosm.telemetry.run_lock import RunLock, find_owner

ME = f"is being written by process {os.getpid()} on {socket.gethostname()}, since 20"


def make():
    return meso.make("commons", SHORT, num_envs=2, target="python")


def test_a_second_writer_is_told_who_the_first_is(tmp_path):
    with meso.record(make(), tmp_path / "run") as first:
        play(first.env, 5)
        for resume in (True, False):
            with pytest.raises(RunError, match=ME):
                meso.record(make(), tmp_path / "run", resume=resume)
        play(first.env, 10, first=5)
        assert meso.open_run(tmp_path / "run").status == "running"
    run = meso.open_run(tmp_path / "run")
    assert (run.status, run.num_steps) == ("finished", 10)
    assert run.check_files().problems == ()
    assert not (tmp_path / "run" / "lock").exists()


def test_two_new_runs_to_one_folder_leave_one_whole_run(tmp_path, monkeypatch):
    """The second appears between the first one's look and its rename."""
    others = []
    real = os.replace

    def replace(source, target):
        if Path(target) == tmp_path / "run" and not others:
            others.append(None)
            others[0] = meso.record(make(), tmp_path / "run")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(RunError, match=ME):
        meso.record(make(), tmp_path / "run")
    others[0].close()
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_resume_is_refused_before_anything_compiles(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("mesocosm.cli.run.make", None)
    with meso.record(make(), tmp_path / "run") as recorder:
        play(recorder.env, 2)
        for arguments in (["--resume"], ["commons", "--out"]):
            assert status(["run", *arguments, str(tmp_path / "run")]) == BAD_INPUT
            assert ME in capsys.readouterr().err


def test_a_failed_recording_lets_go(tmp_path):
    env = make()
    recorder = meso.record(env, tmp_path / "run")
    play(env, 3)
    recorder.fail(ValueError("broken"))
    with meso.record(make(), tmp_path / "run", resume=True):
        pass


def test_a_resume_that_is_refused_lets_go(tmp_path):
    with meso.record(make(), tmp_path / "run") as recorder:
        play(recorder.env, 3)
    other = meso.make("commons", num_envs=2, target="python")
    with pytest.raises(RunError, match="config_hash"):
        meso.record(other, tmp_path / "run", resume=True)
    assert find_owner(tmp_path / "run" / "lock") is None


def test_a_lock_that_its_owner_removes_meanwhile_is_made_anew(tmp_path):
    first, second = RunLock(tmp_path / "lock"), RunLock(tmp_path / "lock")
    for _ in range(3):
        first.take("now")
        with pytest.raises(RunError, match="is being written by"):
            second.take("now")
        first.release()
        second.take("now")
        second.release()


def test_a_killed_writer_lets_go_and_its_run_is_cut_off(tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, str(Path(killed.__file__)), str(folder), "1000000", "python"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        while not (folder / "replay.meso").exists():
            assert process.poll() is None
            time.sleep(0.01)
        with pytest.raises(RunError, match=f"is being written by process {process.pid} on"):
            meso.record(killed.environment("python"), folder, resume=True)
        assert meso.open_run(folder).status == "running"
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert meso.open_run(folder).status == "cut off"
    meso.record(killed.environment("python"), folder, resume=True).close()


@pytest.mark.parametrize("name", ["lock", "replay.meso", "run.json", "tables", "tables/episode"])
def test_a_resume_writes_nothing_where_a_link_leads(name, tmp_path, capsys):
    folder, there = tmp_path / "run", tmp_path / "there"
    play_it = ["run", "commons", "--steps", "5", "--num-envs", "2", "--target", "python"]
    assert status([*play_it, "--out", str(folder)]) == 0
    if name == "lock":
        there.write_text("precious")
    else:
        (folder / name).rename(there)
    (folder / name).symlink_to(there)
    before = {path: path.stat().st_mtime_ns for path in [there, *there.rglob("*")]}
    capsys.readouterr()
    assert status(["run", "--resume", str(folder), "--steps", "9", "--target", "python"]) != 0
    assert f"{name}: is a link" in capsys.readouterr().err
    with pytest.raises(RunError, match="is a link"):
        meso.record(make(), folder, resume=True)
    assert {path: path.stat().st_mtime_ns for path in [there, *there.rglob("*")]} == before


def test_a_lock_that_is_a_link_is_never_written(tmp_path):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "lock").symlink_to(tmp_path / "victim")
    with pytest.raises(RunError, match="cannot be written"):
        RunLock(tmp_path / "lock").take("now")
    assert (tmp_path / "victim").read_text() == "precious"
