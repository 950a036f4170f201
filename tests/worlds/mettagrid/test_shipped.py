"""What MettaGrid's wheel ships plays here as it does there."""

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]


def run(*arguments):
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_part_of_what_the_wheel_ships_plays_the_same():
    pytest.importorskip("mettagrid.simulator", reason="MettaGrid has no wheel for this Python")
    part = ("builder", "make_arena", "scene compound", "scene biome_arena", "dcss/wfc/a")
    told = run("benchmarks.shipped", *part, "--steps", "40")
    games = told.count("| equal")
    assert games >= 14
    assert told.splitlines()[-1] == f"{games} equal"
