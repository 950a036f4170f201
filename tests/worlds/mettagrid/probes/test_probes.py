"""Small games in which we once differed from MettaGrid are now equal to it in everything."""

from pathlib import Path

import pytest

from probes.compare import compare_wheel, play_wheel, read_probe

pytest.importorskip(
    "mettagrid.config.mettagrid_config", reason="MettaGrid has no wheel for this Python"
)
FILES = sorted(Path(__file__).parent.glob("*.json"))
RUNS, STEPS = 2, 150


@pytest.fixture(scope="module")
def played():
    """Return what MettaGrid played, by the name of the probe."""
    probes = [read_probe(path) for path in FILES]
    jobs = [(config, list(range(seed, seed + RUNS))) for config, seed in probes]
    return dict(zip((path.stem for path in FILES), play_wheel(jobs, STEPS), strict=True))


@pytest.mark.parametrize("name", [path.stem for path in FILES])
def test_probe_shows_what_mettagrid_shows(played, name):
    steps, wrong = compare_wheel(played[name])
    assert not wrong, wrong
    assert steps == RUNS * STEPS
