"""Games drawn from MettaGrid's config classes are equal to it; `run` plays as many as wanted."""

import copy
import tempfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip(
    "mettagrid.config.mettagrid_config", reason="MettaGrid has no wheel for this Python"
)

from tests.worlds.mettagrid.differential import coverage
from tests.worlds.mettagrid.differential.compare import find_difference
from tests.worlds.mettagrid.differential.draw_game import draw_game
from tests.worlds.mettagrid.differential.run import Arena
from tests.worlds.mettagrid.differential.trace import KEYS

STEPS = 80
SEEDS = (216, 225, 226, 243, 260, 285)


@pytest.fixture(scope="module")
def arena():
    with tempfile.TemporaryDirectory() as folder:
        made = Arena("cpu", Path(folder))
        yield made
        made.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_game_is_equal_on_every_byte(arena, seed):
    found = arena.play(draw_game(seed, STEPS), seed, STEPS)
    assert found["status"] == "equal", found.get("first") or found.get("why")


def test_drawn_games_set_every_field_of_every_config_class():
    drawn = {seed: {"has": coverage.list_features(draw_game(seed))} for seed in range(400)}
    holes = coverage.find_holes(drawn)
    assert [hole for hole in holes if not hole.startswith("fired:")] == []


def test_changed_reward_is_told_with_its_step():
    arrays = {key: np.zeros((4, 2), np.float32) for key in KEYS}
    arrays["obs"] = np.zeros((4, 2, 5, 3), np.uint8)
    notes = {"stats": {}, "objects": {}}
    other = copy.deepcopy(arrays)
    other["reward"][3, 1] = 1.0
    found = find_difference((arrays, notes), (other, notes))
    assert found is not None
    assert (found["step"], found["what"], found["agent"]) == (3, "reward", 1)


def test_missing_statistic_counts_as_zero():
    arrays = {key: np.zeros((2, 1), bool) for key in KEYS}
    theirs = {"stats": {"1": {"game": {"a": 0.0, "b": 2.0}, "agent": [{}]}}, "objects": {}}
    ours = {"stats": {"1": {"game": {}, "agent": [{}]}}, "objects": {}}
    found = find_difference((arrays, theirs), (arrays, ours))
    assert found is not None
    assert found["what"] == "stat b"
