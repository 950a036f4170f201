import json
import os
import signal
import subprocess
import sys
import time

import pytest

import mesocosm

QUICK = "--target python --set core.max_steps=12 --episodes 3"
SMALL = (
    f"{QUICK} --train --steps 1500 --threads 1 --set learning.num_envs=8 "
    "--set learning.horizon=8 --set learning.minibatches=2 --set learning.network.hidden=[8]"
)


def test_every_policy_plays_at_every_point_as_evaluate_would(cli, tmp_path):
    run = tmp_path / "s"
    asked = "--param core.harvest_rate=1,4 --policy steady --policy greedy"
    done = cli(f"sweep commons {asked} {QUICK} --out {run} --json")
    assert done.status == 0, done.err
    rows = json.loads(done.out)["rows"]
    found = {(row["core.harvest_rate"], row["entrant"]): row["return"] for row in rows}
    assert len(found) == len(rows) == 4
    for rate in (1, 4):
        more = f"--target python --set core.max_steps=12 --set core.harvest_rate={rate}"
        alone = cli(f"evaluate commons steady greedy {more} --episodes 3 --json")
        for row in json.loads(alone.out)["results"]:
            assert found[float(rate), row["entrant"]] == row["mean_return"]
    (count,) = mesocosm.open_run(run).query("SELECT count(*) AS n FROM sweep").to_pylist()
    assert count["n"] == 4
    assert "<svg" in (run / "sweep.svg").read_text()
    assert json.loads(cli(f"runs show {run} --json").out)["problems"] == []


def test_trainings_at_a_point_are_averaged(cli, tmp_path):
    run = tmp_path / "s"
    done = cli(f"sweep commons --param learning.gamma=0.5,0.9 --seeds 2 {SMALL} --out {run} --json")
    assert done.status == 0, done.err
    rows = json.loads(done.out)["rows"]
    assert [(row["learning.gamma"], row["seeds"], row["episodes"]) for row in rows] == [
        (0.5, 2, 6),
        (0.9, 2, 6),
    ]
    trained = sorted((run / "checkpoints").glob("point-*"))
    gammas = [json.loads((p / "run.json").read_text())["learning"]["gamma"] for p in trained]
    assert gammas == [0.5, 0.5, 0.9, 0.9]
    seeds = [json.loads((p / "run.json").read_text())["seed"] for p in trained]
    assert len({p.name for p in trained}) == len(seeds) == 4


def test_killed_sweep_goes_on_to_the_table_of_an_uninterrupted_one(cli, tmp_path):
    asked = f"sweep commons --param learning.gamma=0.5,0.9 {SMALL}"
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert cli(f"{asked} --out {whole}").status == 0
    command = [sys.executable, "-m", "mesocosm.cli", *asked.split(), "--out", str(killed)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wait_for(killed / "checkpoints" / "point-0000-seed-0" / "policies" / "last.mesop", process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (killed / "sweep.svg").exists()
    done = cli(f"sweep --resume {killed} --target python")
    assert done.status == 0, done.err
    query = "SELECT * FROM sweep"
    rows = [mesocosm.open_run(run).query(query).to_pylist() for run in (whole, killed)]
    assert rows[0] == rows[1]
    assert (whole / "sweep.svg").read_bytes() == (killed / "sweep.svg").read_bytes()


def wait_for(path, process):
    """Wait until a file is there, and the process that makes it still runs."""
    for _ in range(6000):
        if path.exists():
            return
        assert process.poll() is None, f"ended before {path} was there"
        time.sleep(0.02)
    pytest.fail(f"{path} was never made")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("--policy steady", "needs a setting to turn"),
        ("--param core.harvest_rate=1,2", "needs either --policy NAME, who plays, or --train"),
        ("--param core.harvest_rate=1 --policy steady --train", "either --policy"),
        ("--param core.harvest_rate=1 --train", "needs --out RUN"),
        ("--param learning.gamma=0.9 --policy steady", "changes nothing without --train"),
        (
            "--param core.upkeep=0 --policy steady --set learning.gamma=0.9",
            "changes nothing without --train",
        ),
        (
            "--param core.upkeep=0 --train --set learning.gama=0.9 --engine ray --out OUT",
            "learning.gama",
        ),
        (
            "--param learning.gamma=0.9,7 --train --out OUT",
            "learning.gamma: Input should be less than 1",
        ),
        ("--param core.harvest_rat=1 --policy steady", "harvest_rate"),
        ("--param core.harvest_rate=1,-1 --policy steady", "core.harvest_rate"),
        ("--param core.harvest_rate=1 --policy sturdy", "steady"),
    ],
)
def test_what_cannot_be_swept_is_said_in_one_line(cli, asked, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = cli(f"sweep commons {asked} {QUICK}")
    assert done.status != 0
    assert told in done.err
    assert not list(tmp_path.iterdir())
    assert len(done.err.strip().splitlines()) == 1
