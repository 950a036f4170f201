"""What the sections of a config have in common, in every world."""

from typing import get_args

import pytest

import mesocosm as meso
from mesocosm.config.section import Section
from mesocosm.config.validate import config_class
from mesocosm.worlds.registry import find, names


def find_sections(kind, found):
    """Find the sections that a type holds, at any depth."""
    for part in get_args(kind):
        find_sections(part, found)
    if isinstance(kind, type) and issubclass(kind, Section) and kind not in found:
        found.add(kind)
        for field in kind.model_fields.values():
            find_sections(field.annotation, found)
    return found


def has_defaults(kind):
    """Say whether a section may be left out in parts; what is required is asked for, loudly."""
    is_section = isinstance(kind, type) and issubclass(kind, Section)
    return is_section and not any(field.is_required() for field in kind.model_fields.values())


@pytest.mark.parametrize("name", names())
def test_a_part_of_a_section_has_the_defaults_of_the_whole(name):
    """A config that sets one key of a section leaves the others as they were without it."""
    checked = 0
    for section in find_sections(config_class(find(name)), set()):
        for key, field in section.model_fields.items():
            if field.is_required() or not has_defaults(field.annotation):
                continue
            whole = field.get_default(call_default_factory=True)
            assert whole == field.annotation(), f"{section.__name__}.{key}"
            checked += 1
    assert checked >= 14  # seven layers, two of standing, five of instrumentation


@pytest.mark.parametrize("level", ["episode", "step", "agent", "event"])
def test_an_override_of_one_key_of_a_level_leaves_the_others(level):
    plain = getattr(meso.load_config("commons").instrumentation, level)
    changes = {f"instrumentation.{level}.every": 2}
    changed = getattr(meso.load_config("commons", changes).instrumentation, level)
    assert changed == plain.model_copy(update={"every": 2})
