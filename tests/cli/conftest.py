from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import pytest

import mesocosm
from mesocosm.cli.app import status

SMALL = "--target python --num-envs 3 --set core.max_steps=8"


class Result(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def cli(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Run one command line in this process."""
    monkeypatch.setenv("MESOCOSM_QUIET", "1")

    def call(text: str) -> Result:
        capsys.readouterr()
        code = status(text.split())
        return Result(code, *capsys.readouterr())

    return call


@pytest.fixture
def recorded(cli, tmp_path):
    """A folder `runs` with two runs of one config."""
    for name, seed in (("a", 4), ("b", 5)):
        done = cli(f"run commons --steps 20 --seed {seed} {SMALL} --out {tmp_path}/runs/{name}")
        assert done.status == 0, done.err
    return tmp_path / "runs"


@pytest.fixture
def town(cli, tmp_path):
    """A run of a world that can be drawn."""
    done = cli(f"run townlet/L3 --steps 8 --target python --num-envs 2 --out {tmp_path}/town")
    assert done.status == 0, done.err
    return tmp_path / "town"


@pytest.fixture
def testing(monkeypatch):
    """Stand in for the conformance suite; a test gives it what it calls."""
    fake = SimpleNamespace(calls=[])
    monkeypatch.setattr(mesocosm, "testing", fake, raising=False)
    return fake
