import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mesocosm

ROGUES = Path(__file__).parents[1] / "evaluation" / "arena" / "rogue_policies.py"
QUICK = "--target python --set core.max_steps=8 --episodes 3"


def test_round_robin_prints_standings_and_crossplay(cli):
    done = cli(f"tournament commons steady greedy noop {QUICK} --episodes 5")
    assert done.status == 0, done.err
    assert "compared by what their agents earned in the same episode" in done.out
    assert "mean return of the row beside the column" in done.out
    assert "harvester[5]" in done.out


@pytest.mark.parametrize("form", ["swiss", "round-robin"])
def test_tables_are_given_as_json(cli, form):
    done = cli(f"tournament commons steady greedy noop {QUICK} --format {form} --json")
    assert done.status == 0, done.err
    data = json.loads(done.out)
    assert sorted(data) == ["crossplay", "pairing", "run", "seat", "standing"]
    assert {row["entrant"] for row in data["standing"]} == {"steady", "greedy", "noop"}


def test_population_is_printed(cli):
    done = cli(f"tournament commons steady greedy {QUICK} --format population")
    assert done.status == 0, done.err
    assert "greedy agents" in done.out
    assert len(done.out.splitlines()) == 9


def test_results_are_kept_in_a_run_that_query_reads(cli, tmp_path):
    done = cli(f"tournament commons steady greedy {QUICK} --out {tmp_path}/t")
    assert done.status == 0, done.err
    run = mesocosm.open_run(tmp_path / "t")
    assert run.query("SELECT entrant FROM standing ORDER BY place").num_rows == 2
    assert run.query("SELECT * FROM crossplay").num_rows == 4
    assert run.check_files().problems == ()
    assert run.check_files().notes == ()
    assert json.loads((tmp_path / "t" / "results.json").read_text())["pairing"]


def mesocosm_process(*words):
    environment = os.environ | {"MESOCOSM_QUIET": "1"}
    line = [sys.executable, "-m", "mesocosm.cli", *words]
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=False)


def read_all(run):
    paths = [*(run / "tables").rglob("*.parquet"), run / "results.md", run / "results.json"]
    return {path.relative_to(run): path.read_bytes() for path in paths}


def test_a_tournament_killed_twice_ends_with_the_tables_of_one_that_was_not(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_bytes(ROGUES.read_bytes())
    words = ["tournament", "commons", "steady", f"{mine}:Crashes", "random", f"{mine}:Killable"]
    words += QUICK.split()
    whole = mesocosm_process(*words, "--out", str(tmp_path / "whole"))
    assert whole.returncode == 0, whole.stderr
    kill = tmp_path / "kill-now"
    kill.write_text("9")
    assert mesocosm_process(*words, "--out", str(tmp_path / "cut")).returncode == -9
    again = ["tournament", "--resume", str(tmp_path / "cut"), "--target", "python"]
    kill.write_text("20")
    assert mesocosm_process(*again).returncode == -9
    assert not kill.exists()
    assert mesocosm.open_run(tmp_path / "cut").status == "cut off"
    done = mesocosm_process(*again)
    assert done.returncode == 0, done.stderr
    wanted = read_all(tmp_path / "whole")
    assert len(wanted) == 10
    assert read_all(tmp_path / "cut") == wanted


def test_a_killed_tournament_leaves_the_recordings_of_one_that_was_not(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_bytes(ROGUES.read_bytes())
    words = ["tournament", "commons", "steady", f"{mine}:Killable", *QUICK.split(), "--record"]
    assert mesocosm_process(*words, "--out", str(tmp_path / "whole")).returncode == 0
    (tmp_path / "kill-now").write_text("9")
    assert mesocosm_process(*words, "--out", str(tmp_path / "cut")).returncode == -9
    recordings = tmp_path / "cut" / "recordings"
    cut_off = max(path.name for path in recordings.iterdir())
    (recordings / f".{cut_off}.abc").mkdir()  # as one that is killed while it makes the folder
    again = ["tournament", "--resume", str(tmp_path / "cut"), "--target", "python"]
    assert mesocosm_process(*again).returncode == 0
    wanted = read_recordings(tmp_path / "whole")
    assert len(wanted) > 20
    assert read_recordings(tmp_path / "cut") == wanted


def read_recordings(run):
    """Give the files of all recordings; of what depends on the day, what the config was made of."""
    root = run / "recordings"
    paths = [path for path in root.rglob("*") if path.is_file()]
    made_of = {
        path.relative_to(root): json.loads(path.read_text())["provenance"]
        for path in paths
        if path.name == "run.json"
    }
    read = {p.relative_to(root): p.read_bytes() for p in paths if p.name != "run.json"}
    folders = {path.name for path in root.iterdir()}
    return read | made_of | dict.fromkeys(folders, "")


def test_a_tournament_refuses_to_go_on_with_a_program_that_changed(cli, tmp_path):
    bot, run = tmp_path / "bot", tmp_path / "run"
    bot.write_text("#!/bin/sh\nexit 3\n")
    bot.chmod(0o755)
    assert cli(f"tournament commons x=program:{bot} noop {QUICK} --out {run}").status == 0
    bot.write_text("#!/bin/sh\nexit 4\n")
    done = cli(f"tournament --resume {run} --target python")
    assert done.status == 2
    assert f"x: {bot} is not the file that played: sha256 was" in done.err


BAD = {
    "tournament": "tournament: needs a preset or a config file",
    "tournament commons": "tournament: needs at least two entrants, got 0",
    "tournament commons steady": "tournament: needs at least two entrants, got 1",
    "tournament commons steady greedy --format cup": "no format named 'cup'. Available: best",
    "tournament commons steady greedy --format swiss --rounds 5": "--rounds: must be between 1",
    "tournament townlet/L0 noop random --format population": "must have at least 2 agents, got 1",
    "tournament commons steady nobody.py:X": "nobody.py: cannot be read: no such file",
    "tournament commons steady greedy --rounds 2": "--rounds: goes with --format swiss only",
    "tournament commons steady greedy --steps 9": "--steps: goes with --format best-response only",
    "tournament commons [x]=steady greedy": "entrants: a name holds no / : [ or ], got '[x]'",
    "tournament commons steady greedy --episodes 1000001": "--episodes: must be at most 1,000,000",
    "tournament commons steady greedy --out /proc/none": "/proc/none: cannot be written",
    "tournament --resume nothing": "nothing: no run folder",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_one_line(cli, line):
    done = cli(f"{line} --target python")
    assert (done.status, done.out) == (2, "")
    assert BAD[line] in done.err.splitlines()[-1]
