"""What MettaGrid's wheel ships plays here as it does there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
RESULTS = REPOSITORY / "benchmarks" / "results" / "shipped.json"


def run(*arguments):
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_recorded_table_has_no_game_that_differs():
    rows = json.loads(RESULTS.read_text())
    assert {row["result"].split(":")[0] for row in rows if row["steps"]} == {"equal"}
    refused = [row for row in rows if row["import"] == "refused"]
    told = [row["result"] for row in refused if not row["name"].startswith("replay ")]
    assert all("MettaGrid cannot build it" in text for text in told)
    assert sum(row["result"].startswith("equal") for row in rows) > 60


@pytest.mark.slow
def test_part_of_what_the_wheel_ships_plays_the_same():
    pytest.importorskip("mettagrid.simulator", reason="MettaGrid has no wheel for this Python")
    part = ("builder", "make_arena", "scene compound", "scene biome_arena", "dcss/wfc/a")
    told = run("benchmarks.shipped", *part, "--steps", "40")
    games = told.count("| equal")
    assert games >= 14
    assert told.splitlines()[-1] == f"{games} equal"
