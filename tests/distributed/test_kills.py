"""Commands by Ray whose workers or drivers are killed: as when nobody was."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ray_samples import SHORT, TINY, descendants, results, status_of, words_of

pytestmark = pytest.mark.slow
LONG = 180  # seconds that anything may take
TRAIN = f"train commons --seeds 4 --steps 9216 {TINY}"
SWEEP = (
    "sweep commons --train --param core.upkeep=0.01,0.02 --param learning.gamma=0.9,0.99 "
    f"--seeds 2 --steps 4608 --episodes 4 {TINY}"
)
TOURNAMENT = f"tournament commons steady greedy random --episodes 40 --num-envs 2 {SHORT}"


def start(text):
    environment = os.environ | {"MESOCOSM_QUIET": "1", "PYTHONPATH": os.getcwd()}
    return subprocess.Popen(
        [sys.executable, "-m", "mesocosm.cli", *text.split()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        start_new_session=True,
    )  # fmt: skip


def finish(process):
    out, err = process.communicate(timeout=LONG)
    return process.returncode, out, err


def until(condition, what):
    end = time.monotonic() + LONG
    while not (found := condition()):
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(0.05)
    return found


def busy_workers(process):
    """Give the workers that are doing a job now."""
    return [pid for pid in descendants(process.pid) if words_of(pid).startswith("ray::mesocosm:")]


def alive(pids):
    return [pid for pid in pids if words_of(pid)]


@pytest.fixture(scope="module")
def one_process(tmp_path_factory):
    made = {}

    def give(text):
        if text not in made:
            made[text] = tmp_path_factory.mktemp("one") / "run"
            code, _, err = finish(start(f"{text} --out {made[text]}"))
            assert code == 0, err
        return results(made[text])

    return give


def assert_same(found, wanted):
    assert found.keys() == wanted.keys()
    assert all(found[name] == wanted[name] for name in wanted)


def test_trainings_whose_workers_are_killed_give_the_same_policies(one_process, tmp_path):
    process = start(f"{TRAIN} --engine ray --out {tmp_path}/r")
    victims = []
    for _ in range(2):
        (victim, *_) = until(
            lambda: [pid for pid in busy_workers(process) if pid not in victims], "a worker"
        )
        time.sleep(0.3)
        os.kill(victim, signal.SIGKILL)
        victims.append(victim)
    code, _, err = finish(process)
    assert code == 0, err
    assert err.count("a worker died") == 2
    assert_same(results(tmp_path / "r"), one_process(TRAIN))


def test_command_whose_raylet_is_killed_ends_with_one_error(tmp_path):
    process = start(f"{TOURNAMENT.replace('40', '4000')} --engine ray --out {tmp_path}/r")
    until(lambda: busy_workers(process), "a worker")
    (raylet,) = [pid for pid in descendants(process.pid) if "raylet/raylet " in words_of(pid)]
    os.kill(raylet, signal.SIGKILL)
    code, _, err = finish(process)
    assert code == 2
    assert err.count("Ray itself ended: its process raylet is gone") == 1
    assert "--resume" in err
    assert "a worker died" not in err
    assert status_of(tmp_path / "r") == "failed"


def test_sweep_of_eight_trials_goes_on_after_its_driver_is_killed(one_process, tmp_path):
    run = tmp_path / "r"
    process = start(f"{SWEEP} --engine ray --out {run}")
    done = lambda: len(list(run.glob("checkpoints/point-*/policies/last.mesop")))  # noqa: E731
    until(lambda: done() >= 3, "three trainings")
    left = descendants(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    kept = done()
    assert 3 <= kept < 8
    until(lambda: not alive(left), "the end of all that it started")
    times = {path: path.stat().st_mtime_ns for path in run.glob("checkpoints/*/policies/*.mesop")}
    code, _, err = finish(start(f"sweep --resume {run} --engine ray --target python"))
    assert code == 0, err
    assert_same(results(run), one_process(SWEEP))
    assert all(path.stat().st_mtime_ns == when for path, when in times.items())


def test_tournament_goes_on_after_its_driver_is_killed(one_process, tmp_path):
    run = tmp_path / "r"
    process = start(f"{TOURNAMENT} --engine ray --out {run}")
    until(lambda: len(list(run.glob("checkpoints/bout-*"))) >= 5, "some batches")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert status_of(run) == "running"
    code, _, err = finish(start(f"tournament --resume {run} --target python"))  # by one process
    assert code == 0, err
    assert_same(results(run), one_process(TOURNAMENT))


def test_interrupt_of_all_processes_ends_a_command_and_its_ray(one_process, tmp_path):
    run = tmp_path / "r"
    process = start(f"{TOURNAMENT} --engine ray --out {run}")
    until(lambda: len(list(run.glob("checkpoints/bout-*"))) >= 5, "some batches")
    left = descendants(process.pid)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does on Ctrl-C
    code, _, err = finish(process)
    assert code == 130, err
    assert status_of(run) == "interrupted"
    assert f"mesocosm tournament --resume {run} goes on" in err
    until(lambda: not alive(left), "the end of all that it started")
    assert not list(Path("/tmp").glob(f"mesocosm-ray-{process.pid}-*"))  # noqa: S108
    code, _, err = finish(start(f"tournament --resume {run} --engine ray --target python"))
    assert code == 0, err
    assert_same(results(run), one_process(TOURNAMENT))


HOLD = """
import os, sys
from mesocosm.distributed.cluster import open_cluster
with open_cluster(num_cpus=1) as made:
    print(made.address, os.environ["RAY_AUTH_TOKEN"], flush=True)
    sys.stdin.read()
"""


def test_cluster_that_runs_is_joined_and_left_running(one_process, tmp_path, monkeypatch):
    text = f"evaluate commons steady random --episodes 6 --num-envs 2 {SHORT}"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": os.getcwd()},
    ) as holder:  # fmt: skip
        address, token = holder.stdout.readline().split()
        monkeypatch.setenv("RAY_AUTH_MODE", "token")
        monkeypatch.setenv("RAY_AUTH_TOKEN", token)
        join = f"--engine ray --address {address}"
        for name in ("a", "b"):  # the first leaves it as it was
            code, _, err = finish(start(f"{text} {join} --out {tmp_path}/{name}"))
            assert code == 0, err
            assert_same(results(tmp_path / name), one_process(text))
        monkeypatch.setenv("RAY_AUTH_TOKEN", "wrong")
        code, _, err = finish(start(f"{text} {join}"))
        assert code != 0
        assert f"--address {address}: cannot be joined" in err
        holder.stdin.close()
        assert holder.wait(LONG) == 0
