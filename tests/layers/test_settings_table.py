"""Every setting of every layer changes something in every world, or is refused there."""

import json
import sys
from pathlib import Path

import pytest

from mesocosm.testing.effects import setting_effects
from mesocosm.testing.trials import TRIALS, setting_names

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from layer_table import CELLS, NOTHING, PAGE, table  # noqa: E402 (a tool, not a package)


def test_every_setting_has_a_trial():
    assert set(TRIALS) == set(setting_names())


@pytest.mark.parametrize("world", ["commons", "island", "mettagrid", "townlet"])
def test_no_cell_of_the_table_is_empty(world):
    cells = json.loads(CELLS.read_text())[world]
    assert set(cells) == set(setting_names())
    assert [name for name, cell in cells.items() if cell in ("", NOTHING)] == []


def test_the_table_of_settings_is_the_one_that_was_measured():
    cells = json.loads(CELLS.read_text())
    for line in table(cells).splitlines()[2:]:
        assert line in PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("world", ["commons", "island", "mettagrid", "townlet"])
def test_every_setting_does_something_or_is_refused(world):
    effects = list(setting_effects(world))
    assert len(effects) == len(setting_names())
    assert {effect.setting: effect.fault for effect in effects if effect.fault} == {}
    assert sum(bool(effect.changes) for effect in effects) > len(effects) // 2
