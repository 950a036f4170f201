"""A short run of the config fuzzer; `python -m tests.fuzz.run` is the long one."""

import pytest

from tests.fuzz.core_draft import overrides, put
from tests.fuzz.field_coverage import all_fields, off_default
from tests.fuzz.generate import TURNS, draw, preset_data
from tests.fuzz.schema import schema_of
from tests.fuzz.trial import try_config

PLAYED = range(20)
DRAWN = range(20, 32)


@pytest.mark.parametrize("index", PLAYED)
def test_drawn_config_keeps_every_promise_or_is_refused(index: int) -> None:
    row = try_config(0, index)

    assert row["failures"] == []


def test_most_drawn_configs_are_accepted_and_change_every_section() -> None:
    rows = [try_config(0, index, draw_only=True) for index in DRAWN]

    assert [row["failures"] for row in rows if row["failures"]] == []
    assert sum(row["accepted"] for row in rows) >= 0.7 * len(rows)
    sections = {name.partition(":")[0] for row in rows for name in row["off_default"]}
    assert sections >= {"layers", "agents", "instrumentation", "identity"}
    assert len(sections & set(TURNS)) >= 3  # worlds whose core was changed


def test_same_numbers_draw_the_same_config() -> None:
    assert draw(3, 5).overrides == draw(3, 5).overrides
    assert draw(3, 5).overrides != draw(4, 5).overrides


def test_fields_cover_the_models_of_every_world() -> None:
    fields = all_fields(list(TURNS))

    assert "commons:Core.sight" in fields
    assert "mettagrid:Condition.inner" in fields
    assert "layers:Shock.hazard" in fields
    assert ("Identity", "version") not in schema_of("island").sections["identity"]


def test_only_values_off_the_default_and_the_preset_count_as_covered() -> None:
    base = preset_data("commons/default")
    data = put(base, [(("core", "sight"), 2), (("layers", "temporal", "history"), 1)])

    assert off_default("commons", base, data) == ["commons:Core.sight"]
    assert overrides(base, data) == {"core.sight": 2}
