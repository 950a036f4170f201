"""Several processes that want the same code wait for one of them."""

import os
import signal
import subprocess
import sys
import time

import pytest

from mesocosm.sim.compile import file_lock
from mesocosm.sim.compile.file_lock import one_at_a_time

HOLD = """
import sys, time
from pathlib import Path
from mesocosm.sim.compile.file_lock import one_at_a_time
with one_at_a_time(Path(sys.argv[1]), "commons"):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path):
    """Start a process that holds the lock until it is told otherwise."""
    made = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert made.stdout.readline() == "held\n"
    yield made
    made.kill()
    made.communicate()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(file_lock, "PATIENCE_S", 0.05)
    monkeypatch.delenv("MESOCOSM_QUIET", raising=False)


def test_a_second_process_says_for_whom_it_waits_and_goes_on(tmp_path, holder, impatient, capsys):
    def say(what, who):
        real(what, who)
        holder.stdin.write("\n")
        holder.stdin.flush()

    real, file_lock.say_waiting = file_lock.say_waiting, say
    try:
        with one_at_a_time(tmp_path, "commons"):
            pass
    finally:
        file_lock.say_waiting = real
    said = f"mesocosm: waiting for process {holder.pid} to compile commons ...\n"
    assert capsys.readouterr().err == said


def test_a_killed_process_leaves_no_lock_behind(tmp_path, holder, impatient, capsys):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    begin = time.monotonic()
    with one_at_a_time(tmp_path, "commons"):
        assert (tmp_path / "lock").read_text() == str(os.getpid())
    assert time.monotonic() - begin < 5
    assert capsys.readouterr().err == ""


def test_quiet_waits_without_a_word(monkeypatch, capsys):
    monkeypatch.setenv("MESOCOSM_QUIET", "1")
    file_lock.say_waiting("commons", "1")
    assert capsys.readouterr().err == ""


MAKE = """
import mesocosm as meso
env = meso.make("beacon/tokens")
print(env.driver.origin.source)
"""


def start(cache, *code):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MESOCOSM_CACHE_DIR": str(cache)}
    env.pop("MESOCOSM_QUIET", None)
    command = [sys.executable, *code]
    return subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_of_three_processes_that_want_one_world_one_compiles(tmp_path):
    running = [start(tmp_path, "-c", MAKE) for _ in range(3)]
    found = [process.communicate() for process in running]
    assert sorted(out.strip() for out, _ in found) == ["compiled", "kept", "kept"]
    compiling = running[[out.strip() for out, _ in found].index("compiled")].pid
    waiting = f"mesocosm: waiting for process {compiling} to compile beacon ...\n"
    others = [said for out, said in found if out.strip() == "kept"]
    assert set(others) <= {waiting, ""}  # who comes late has no need to wait


def test_ctrl_c_while_compiling_ends_at_once_and_leaves_no_code(tmp_path):
    stopped = start(tmp_path, "-m", "mesocosm.cli", "compile", "beacon/tokens")
    assert "compiling beacon" in stopped.stderr.readline()
    stopped.send_signal(signal.SIGINT)
    stopped.communicate()
    assert stopped.returncode == -signal.SIGINT
    assert list(tmp_path.rglob("*.nb?")) == []
    out, said = start(tmp_path, "-c", MAKE).communicate()
    assert (out, "waiting" in said) == ("compiled\n", False)
