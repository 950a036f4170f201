from collections.abc import Callable
from typing import NamedTuple

import pytest

from mesocosm.cli.app import status


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
