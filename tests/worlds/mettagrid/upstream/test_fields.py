"""The page about MettaGrid's config names every field that its classes have."""

import sys
from pathlib import Path

import pytest

pytest.importorskip(
    "mettagrid.config.mettagrid_config", reason="MettaGrid has no wheel for this Python"
)
ROOT = Path(__file__).parents[4]
sys.path.insert(0, str(ROOT / "tools"))

import mettagrid_fields  # noqa: E402


def test_page_about_configs_is_what_the_tool_writes():
    assert (ROOT / "docs" / "mettagrid-config.md").read_text() == mettagrid_fields.page()


def test_every_note_is_about_a_field_of_the_wheel():
    known = {f"{name}.{field}" for name, field in mettagrid_fields.fields()}
    assert not set(mettagrid_fields.NOTES) - known
    classes = {name for name, _ in mettagrid_fields.fields()}
    assert set(mettagrid_fields.IGNORED_CLASSES) <= classes
