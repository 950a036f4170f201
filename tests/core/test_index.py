"""A field that holds an index says of what; its range follows, and a wider one is refused."""

from dataclasses import replace

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.check import check_spec
from mesocosm.core.errors import SpecError
from mesocosm.core.index import Bits, Index
from mesocosm.core.spec import EventKind, Field
from mesocosm.core.world import Invariant
from mesocosm.worlds import registry

WORLD = registry.find("commons")
SPEC = meso.config_spec(meso.load_config("commons"))


def with_seat(**changes):
    fields = [replace(f, **changes) if f.name == "seat" else f for f in SPEC.fields]
    return replace(SPEC, fields=tuple(fields))


@pytest.mark.parametrize(
    ("index", "low", "high"),
    [
        (Index("agent", 6), 0, 5),
        (Index("agent", 6, none=True), -1, 5),
        (Index("side", 2, first=1, none=True), 0, 2),
        (Index("way", 0, none=True), -1, -1),
        (Bits("slot", 5), 0, 31),
        (Bits("tag", 62), 0, 2**62 - 1),
    ],
)
def test_a_range_follows_from_what_is_indexed(index, low, high):
    field = Field("x", "", dtype="int64", indexes=index)
    assert (field.low, field.high) == (low, high)
    assert field.bounds == (low, high)


def test_columns_that_index_different_things_have_ranges_of_their_own():
    whose = (Index("weapon", 3), Index("unit", 9, none=True), None)
    field = Field("x", "", (3,), "int32", low=-1, high=100, indexes=whose)
    low, high = field.bounds
    assert np.array_equal(low, [0, -1, -1])
    assert np.array_equal(high, [2, 8, 100])


def test_a_narrower_range_is_kept():
    field = Field("x", "", dtype="int32", low=1, high=2, indexes=Index("agent", 6))
    assert field.bounds == (1, 2)


BAD = {
    "seat: indexes: the range 0..9 is wider than 0..5, the number of a seat": with_seat(high=9),
    "seat: indexes: the range -1..5 is wider than 0..5": with_seat(low=-1, high=5),
    "seat: indexes: names one of 7 agents, but there are 6": with_seat(indexes=Index("agent", 7)),
    "seat: indexes: only whole numbers can, this is float64": with_seat(dtype="float64"),
    "seat: indexes: 2 do not fit the shape": with_seat(indexes=(Index("seat", 6), None)),
    "events.odd: targets: its target is an agent": replace(
        SPEC, events=(*SPEC.events, EventKind("odd", "", ("chest",), target="agent"))
    ),
}


@pytest.mark.parametrize("message", BAD)
def test_an_index_that_contradicts_itself_is_named(message):
    with pytest.raises(SpecError, match=message):
        check_spec(BAD[message], WORLD)


def test_an_invariant_of_a_field_that_does_not_exist_is_refused():
    world = replace(WORLD, invariants=(Invariant("all is well", ("mood",), lambda *_: None),))
    with pytest.raises(SpecError, match="invariant 'all is well': no field 'mood'"):
        check_spec(SPEC, world)


@pytest.mark.parametrize("preset", meso.presets())
def test_every_preset_declares_indices_that_hold_together(preset):
    config = meso.load_config(preset)
    check_spec(registry.find(config.identity.world).spec(config.core), _world(config))


def _world(config):
    return registry.find(config.identity.world)
