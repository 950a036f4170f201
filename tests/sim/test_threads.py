"""Threads that compile at once do not meet each other's changes of Numba."""

import os
import sys

import pytest

from benchmarks.threads import play_round

WORLDS = ("probe/line", "beacon/table", "beacon/tokens", "commons")


@pytest.mark.slow
@pytest.mark.parametrize("attempt", [1, 2])
def test_four_threads_make_worlds_while_a_fifth_compiles_its_own_functions(attempt, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    found = play_round(WORLDS)
    assert found["failures"] == []
    assert found["worlds"] == len(WORLDS)
    assert found["functions"] > 0
