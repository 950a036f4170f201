"""What MettaGrid's config can say plays as in MettaGrid itself, in every byte."""

import subprocess
import sys
from pathlib import Path

import pytest

from live.cases import GROUPS

RUN = Path(__file__).parent / "run.py"
pytest.importorskip(
    "mettagrid.config.mettagrid_config", reason="MettaGrid has no wheel for this Python"
)


@pytest.mark.parametrize("group", list(GROUPS))
def test_games_of_a_group_agree_with_mettagrid(group):
    done = subprocess.run(
        [sys.executable, str(RUN), group], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(f"{len(GROUPS[group]())} games, 0 differ\n")
