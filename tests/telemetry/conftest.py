"""Recorded runs for tests."""

import pytest
from recording import SHORT, all_on, play

import mesocosm as meso


@pytest.fixture
def run(tmp_path):
    """A recorded run of two roles whose episodes end, with everything on."""
    env = meso.make("commons/wardens", all_on() | SHORT, num_envs=5, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 40)
    return meso.open_run(tmp_path / "run")
