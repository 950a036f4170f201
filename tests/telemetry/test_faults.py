"""Whatever goes wrong, what was recorded stays readable, and the error says what happened."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import killed
import numpy as np
import pytest
from recording import SHORT, all_on, play

import mesocosm as meso
from mesocosm.core.errors import RunError
from mesocosm.telemetry.replay import chunk_file
from mesocosm.telemetry.replay.reader import is_empty
from mesocosm.telemetry.tables.sinks import MemorySink
from mesocosm.testing.play import wild_actions

STEPS = 1200
KILLS = int(os.environ.get("MESOCOSM_KILLS", "6"))


def uninterrupted():
    env = killed.environment()
    env.reset(seed=5)
    killed.play(env, 0, STEPS)
    return env


def kill_after(folder, seconds):
    """Play in another process and kill it; say whether it was killed before its end."""
    command = [sys.executable, str(Path(killed.__file__)), str(folder), str(STEPS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not folder.exists():
            time.sleep(0.005)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
        return process.returncode == -signal.SIGKILL


def test_a_run_killed_at_any_moment_opens_verifies_and_resumes_to_the_same_end(tmp_path):
    """MESOCOSM_KILLS=50 does it fifty times."""
    rng, wanted, count = random.Random(1), uninterrupted().digest(), 0
    whole = tmp_path / "whole"
    killed.main(str(whole), STEPS)
    for number in range(KILLS):
        folder = tmp_path / f"run{number}"
        count += kill_after(folder, rng.random() * 1.5 if number else 0.0)
        run = meso.open_run(folder)
        if is_empty(run.folder.replay):
            with pytest.raises(RunError, match="nothing was recorded before it was killed"):
                run.verify()
        else:
            assert run.verify().holds
        assert run.check_files().problems == ()
        for name in run.tables:
            assert run.table(name).to_table().num_rows >= 0
        if run.files.steps:
            reached = run.table("step").to_table(["step"]).column("step").to_numpy().max() + 1
            assert run.num_steps == run.replay.num_steps == reached
            assert run.query("SELECT max(step) AS m FROM agent").to_pydict()["m"] == [reached - 1]
        env = killed.environment()
        with meso.record(env, folder, resume=True) as recorder:
            first = recorder.catch_up()
            if not first:
                env.reset(seed=5)
            killed.play(env, first, STEPS)
        assert env.digest() == wanted
        assert meso.open_run(folder).status == "finished"
        assert meso.open_run(folder).check_files().problems == ()
        for path in whole.rglob("*.*"):
            if path.name not in ("run.json",):
                assert path.read_bytes() == (folder / path.relative_to(whole)).read_bytes()
    assert count > KILLS // 2


class Full:
    """A disk that is full after some bytes, as the calls that write see it."""

    def __init__(self, monkeypatch, room):
        self.room, real = room, os.fsync

        def fsync(handle):
            self.room -= 1
            if self.room < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            real(handle)

        monkeypatch.setattr(os, "fsync", fsync)


@pytest.mark.parametrize("room", [3, 4, 5, 8, 12])
def test_a_full_disk_is_one_error_and_the_env_plays_on(room, tmp_path, monkeypatch):
    parts = {"instrumentation.part_steps": 4}
    env = meso.make("commons", all_on() | SHORT | parts, num_envs=2, target="python")
    bare = meso.make("commons", SHORT, num_envs=2, target="python")
    monkeypatch.setattr(chunk_file, "MAX_RAW", 1 << 20)
    recorder = meso.record(env, tmp_path / "run")
    env.reset(seed=0)
    bare.reset(seed=0)
    failed = []
    with monkeypatch.context() as patch:
        Full(patch, room)
        for k in range(20):
            actions = wild_actions(bare, np.random.default_rng(k))
            bare.step(actions)
            try:
                env.step(actions)
            except RunError as error:
                failed.append(str(error))
            assert env.digest() == bare.digest()
    assert len(failed) == 1
    assert "No space left on device" in failed[0]
    assert str(tmp_path) in failed[0]
    assert env.watcher is None
    recorder.close()
    run = meso.open_run(tmp_path / "run")
    assert run.status in ("failed", "cut off")
    assert run.verify("python").holds
    for name in run.tables:
        run.table(name).to_table()


@pytest.mark.parametrize("limit", [30_000, 60_000])
def test_a_file_that_may_not_grow_is_cut_back_to_whole_chunks(limit, tmp_path):
    text = f"""
import resource, signal, sys
import mesocosm as meso, numpy as np
from mesocosm.testing.play import wild_actions
env = meso.make("commons", {{"core.max_steps": 9, "instrumentation.part_steps": 64}}, num_envs=64)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
meso.record(env, {str(tmp_path / "run")!r})
env.reset(seed=0)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    for k in range(4000):
        env.step(wild_actions(env, np.random.default_rng(k)))
except meso.MesocosmError as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert "RunError" in done.stdout, done.stderr
    assert "File too large" in done.stdout
    run = meso.open_run(tmp_path / "run")
    assert run.replay.whole
    assert run.verify().holds


def test_a_folder_that_cannot_be_written_is_refused_before_anything_happens(tmp_path):
    env = meso.make("commons", target="python")
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match=r"file/run: cannot be written: "):
        meso.record(env, tmp_path / "file" / "run")
    assert env.watcher is None
    with pytest.raises(RunError, match="cannot be written"):
        meso.record(env, "/proc/nowhere/run")
    play(env, 3)


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path, run):
    env = meso.make("commons", target="python")
    before = run.folder.run.read_bytes()
    with pytest.raises(RunError, match="is not empty"):
        meso.record(env, run.folder.path)
    assert run.folder.run.read_bytes() == before


def test_an_env_is_recorded_once_at_a_time(tmp_path):
    env = meso.make("commons", target="python")
    with (
        meso.record(env, tmp_path / "a"),
        pytest.raises(meso.MesocosmError, match="being recorded already"),
    ):
        meso.record(env, tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_damaged_small_files_are_named(run):
    text = run.folder.run.read_text()
    for damage, words in (
        (text[: len(text) // 2], "damaged: not valid JSON"),
        ("[]", "must hold an object"),
        (text.replace('"schema": 2', '"schema": 9'), "the run has 9"),
        (text.replace('"steps": 40', '"steps": "x"'), "steps is no int"),
    ):
        run.folder.run.write_text(damage)
        with pytest.raises(RunError, match=words):
            meso.open_run(run.folder.path)


def test_a_damaged_table_is_named_and_harms_no_other(run):
    path = next((run.folder.tables / "step").iterdir())
    raw = path.read_bytes()
    for damaged in (raw[:-100], raw[: len(raw) // 2], b"", b"x" * len(raw)):
        path.write_bytes(damaged)
        with pytest.raises(RunError, match=r"part-000000.parquet: damaged"):
            meso.open_run(run.folder.path).table("step")
        assert meso.open_run(run.folder.path).table("event").to_table().num_rows
        assert meso.open_run(run.folder.path).verify("python").holds


def test_every_flipped_bit_in_a_tables_data_is_found(run):
    path = next((run.folder.tables / "agent").iterdir())
    raw, rng = path.read_bytes(), np.random.default_rng(2)
    for at in rng.integers(0, len(raw), 40).tolist():
        damaged = bytearray(raw)
        damaged[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        with pytest.raises(RunError, match="damaged"):
            run.table("agent")


def test_a_link_out_of_the_folder_is_refused(run, tmp_path):
    outside = tmp_path / "outside.meso"
    run.folder.replay.rename(outside)
    run.folder.replay.symlink_to(outside)
    with pytest.raises(RunError, match="leads out of the run folder"):
        _ = meso.open_run(run.folder.path).replay


def test_a_failing_sink_ends_the_recording_and_not_the_env(tmp_path):
    class Broken(MemorySink):
        def write(self, batch):
            raise RuntimeError("sink is broken")

    parts = {"instrumentation.part_steps": 4}
    env = meso.make("commons", SHORT | parts, num_envs=2, target="python")
    meso.record(env, tmp_path / "run", sinks=[Broken()])
    with pytest.raises(RuntimeError, match="sink is broken"):
        play(env, 10)
    assert env.watcher is None
    play(env, 10)
    about = meso.open_run(tmp_path / "run").about
    assert (about["status"], about["error"]) == ("failed", "sink is broken")


def test_an_exception_in_the_callers_code_closes_the_run_as_failed(tmp_path):
    env = meso.make("commons", target="python")

    def fail():
        with meso.record(env, tmp_path / "run"):
            play(env, 5)
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        fail()
    run = meso.open_run(tmp_path / "run")
    assert run.status == "failed"
    assert run.about["error"] == "ZeroDivisionError: division by zero"
    assert run.verify("python").num_steps == 5


def test_resuming_with_other_actions_is_refused(tmp_path):
    env = meso.make("commons", num_envs=256, seed=1)
    with meso.record(env, tmp_path / "run"):
        play(env, 300)
    other = meso.make("commons", num_envs=256, seed=1)
    with meso.record(other, tmp_path / "run", resume=True):
        other.reset(seed=0)
        with pytest.raises(RunError, match="step 0 of the resumed run: other actions"):
            other.step(wild_actions(other, np.random.default_rng(99)))
    assert meso.open_run(tmp_path / "run").verify().num_steps == 300


def test_resuming_with_another_config_is_refused(run):
    env = meso.make("commons/wardens", num_envs=5, target="python")
    with pytest.raises(RunError, match="config_hash of the run is"):
        meso.record(env, run.folder.path, resume=True)
