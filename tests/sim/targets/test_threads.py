"""Threads that compile at once do not meet each other's changes of Numba."""

import os
import sys

import pytest

from benchmarks.threads import play_round

FEW = ("beacon/table", "beacon/tokens")
MANY = ("probe/line", *FEW, "commons")


@pytest.mark.parametrize("worlds", [FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=len)
def test_threads_make_worlds_while_another_compiles_its_own_functions(worlds, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    found = play_round(worlds)
    assert found["failures"] == []
    assert found["worlds"] == len(worlds)
    assert found["functions"] > 0
