"""Declarations that contradict each other are refused with the place and the reason."""

from dataclasses import replace

import pytest

import mesocosm as meso
from mesocosm.core.check import check_spec
from mesocosm.core.errors import SpecError
from mesocosm.core.observation import Feature, Layout, Read
from mesocosm.core.spec import Reason, Term
from mesocosm.worlds import registry

WORLD = registry.find("probe")
SPEC = meso.config_spec(meso.load_config("probe"))
ROLE = SPEC.all_roles[0]


def with_field(of, /, **changes):
    fields = [replace(f, **changes) if f.name == of else f for f in SPEC.fields]
    return replace(SPEC, fields=tuple(fields))


def with_role(**changes):
    return replace(SPEC, all_roles=(replace(ROLE, **changes),))


def with_feature(feature, **layout):
    return with_role(observation=Layout((feature,), **layout))


def reading(field, whose="self", visibility="private"):
    return with_feature(Feature("x", "", reads=(Read(field, whose),), visibility=visibility))


BAD = {
    "reads 'nothing', which is no state field": reading("nothing"),
    "reads the hidden field 'secret'": reading("secret"),
    "reads all of the private field 'mood'": reading("mood", "all"),
    "is public but reads the private field 'mood'": reading("mood", visibility="public"),
    "reads derived 'where'": reading("where"),
    "features: 'x' stands twice": with_role(
        observation=Layout((Feature("x", ""), Feature("x", "")))
    ),
    "low 2 is above high 1": with_feature(Feature("x", "", low=2, high=1, absent=1)),
    "absent value 7 is out of range": with_feature(Feature("x", "", absent=7)),
    "labels do not fit": with_feature(Feature("x", "", (3,), labels=("a",))),
    "does not fit uint8": with_feature(Feature("x", "", low=-1), dtype="uint8"),
    "does not hold 1 numbers": with_feature(Feature("x", ""), shape_override=(2, 2)),
    "terms: 'age' stands twice": with_role(terms=(Term("age", 0, 1), Term("age", 0, 1))),
    "low 1 is above high 0": with_role(terms=(Term("odd", 1, 0),)),
    "undeclared events": with_role(events=("thunder",)),
    "reasons: 'end' stands twice": replace(SPEC, reasons=(Reason("end", "neutral"),) * 2),
    "reasons.end: winner: no role 'waler'. Did you mean 'walker'": replace(
        SPEC, reasons=(Reason("end", "neutral", winner="waler"),)
    ),
    "dtype must be one of": with_field("mood", dtype="float32"),
    "needs shape \\[agent, ...\\], 4, got": with_field("mood", shape=(3,)),
    "needs shape \\[stone, ...\\], as many in every": with_field("weight", shape=(7,)),
    "no such scope 'stony'. Did you mean 'stone'": with_field("weight", scope="stony"),
    "does not fit int16": with_field("pos", high=1e6),
    "the state class lacks \\['mode'\\]": with_field("mood", name="mode"),
    "every tuple has a method": with_field("mood", name="count"),
}


def test_a_sound_world_is_accepted():
    check_spec(SPEC, WORLD)


@pytest.mark.parametrize("message", BAD)
def test_a_contradiction_is_named(message):
    world = WORLD
    if "method" in message:
        fields = tuple("count" if name == "mood" else name for name in WORLD.state._fields)
        world = replace(WORLD, state=type("State", (), {"_fields": fields}))
    with pytest.raises(SpecError, match=message):
        check_spec(BAD[message], world)


def test_turns_that_follow_the_state_need_a_rule():
    world = replace(WORLD, rules=replace(WORLD.rules, turn=None))
    with pytest.raises(SpecError, match="there is no turn rule"):
        check_spec(replace(SPEC, turns="state"), world)


def test_a_private_field_belongs_to_somebody():
    spec = with_field("clock", visibility="private")
    with pytest.raises(SpecError, match="private field 'clock'"):
        check_spec(spec, WORLD)
