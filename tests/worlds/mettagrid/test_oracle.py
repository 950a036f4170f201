"""Random games in MettaGrid itself and in ours agree in every byte; `make fuzz` plays more."""

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parent / "fuzz" / "run.py"
pytest.importorskip(
    "mettagrid.config.mettagrid_config", reason="MettaGrid has no wheel for this Python"
)


@pytest.mark.parametrize("seed", [1000, 2000])
def test_random_games_agree_with_mettagrid_in_every_byte(seed):
    command = [sys.executable, str(FUZZ), "--configs", "12", "--steps", "60", "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 configs, 720 env-steps, 0 configs differ" in done.stdout
