"""Proof that a training by RLlib outlives its workers: kill them all in the middle, with -9.

It starts `mesocosm train townlet/L5 --engine rllib --workers 2` as anyone would, finds the worker
processes below it, kills both at two fifths of the way, and waits for the end.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

PRESET = "townlet/L5"
WORKER = "ray::RllibRunner"
PATIENCE = 600.0  # seconds
MIDDLE = 0.4  # share of the training after which workers are killed
CHECKPOINT = Path("checkpoints") / "last.json"


def command(out: Path, *, steps: int, workers: int, preset: str = PRESET) -> list[str]:
    """Say what to type."""
    made = [sys.executable, "-m", "mesocosm.cli", "train", preset, "--engine", "rllib"]
    made += ["--workers", str(workers), "--steps", str(steps), "--seed", "1", "--threads", "1"]
    return [*made, "--set", "learning.num_envs=256", "--out", str(out), "--json"]


def find_workers(pid: int) -> list[int]:
    """Find the processes that play, below a process."""
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        try:
            title = process.cmdline()
        except psutil.Error:
            continue
        if title and title[0].startswith(WORKER):
            found.append(process.pid)
    return sorted(found)


def wait_for(condition: Any, process: subprocess.Popen[str], what: str) -> None:
    """Wait until something holds, as long as the training runs."""
    begun = time.monotonic()
    while not condition():
        if process.poll() is not None:
            raise RuntimeError(f"the training ended before {what}: {process.communicate()[1]}")
        if time.monotonic() - begun > PATIENCE:
            raise RuntimeError(f"waited {PATIENCE:.0f} s for {what}")
        time.sleep(0.05)


def has_played(out: Path, agent_steps: float) -> bool:
    """Whether a training has come so far, by its last checkpoint."""
    path = out / CHECKPOINT
    return path.exists() and json.loads(path.read_text())["about"]["agent_steps"] >= agent_steps


def kill_workers(out: Path, *, steps: int, workers: int = 2) -> dict[str, Any]:
    """Train, kill every worker once on the way, and tell what became of the run."""
    line = command(out, steps=steps, workers=workers)
    begun = time.monotonic()
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: has_played(out, MIDDLE * steps), process, "the middle")
        update = json.loads((out / CHECKPOINT).read_text())["update"]
        victims = find_workers(process.pid)
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        killed = time.monotonic() - begun
        wait_for(lambda: not any(map(psutil.pid_exists, victims)), process, "their death")
        said, errors = process.communicate(timeout=PATIENCE)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
    about = json.loads((out / "run.json").read_text())
    return {
        "command": " ".join(line[1:]),
        "exit_status": process.returncode,
        "killed": victims,
        "killed_after_update": update,
        "killed_after_seconds": round(killed, 1),
        "seconds": round(time.monotonic() - begun, 1),
        "status": about["status"],
        "workers_lost": about["workers_lost"],
        "summary": json.loads(said) if process.returncode == 0 else errors[-2000:],
    }


def check(found: dict[str, Any], workers: int = 2) -> None:
    """Require that the run is whole although every worker was lost."""
    lost = sorted(entry["pid"] for entry in found["workers_lost"])
    if len(found["killed"]) != workers or lost != found["killed"]:
        raise SystemExit(f"killed {found['killed']}, but the run says that it lost {lost}")
    if found["exit_status"] != 0 or found["status"] != "finished":
        raise SystemExit(f"the run did not complete: {found['summary']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/adapters"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = kill_workers(Path(folder) / "run", steps=given.steps)
        found["command"] = found["command"].replace(folder, "RUNS")
        found["summary"].pop("run", None)
    check(found)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "rllib-workers.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
