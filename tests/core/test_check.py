"""Declarations that contradict each other are refused with the place and the reason."""

from dataclasses import replace

import pytest

import mesocosm as meso
from mesocosm.core.check import check_spec
from mesocosm.core.errors import SpecError
from mesocosm.core.observation import Feature, Layout, Read
from mesocosm.core.spec import Quantity, Reason, Term
from mesocosm.core.world import QuantityRules
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


def masking(**changes):
    part = replace(ROLE.action.choices[0], **changes)
    return with_role(action=replace(ROLE.action, choices=(part,)))


BAD = {
    "action.move: reads the hidden field 'secret'": masking(reads=(Read("secret", "self"),)),
    "action.move: reads all of the private field": masking(option_reads={"left": (Read("mood"),)}),
    "no option 'lef'. Did you mean 'left'": masking(option_reads={"lef": ()}),
    "declares what its mask reads, but has no mask": masking(masked=False),
    "reads 'nothing', which is no state field": reading("nothing"),
    "reads the hidden field 'secret'": reading("secret"),
    "reads all of the private field 'mood'": reading("mood", "all"),
    "is public but reads the private field 'mood'": reading("mood", visibility="public"),
    "reads derived 'where'; name the truth fields behind it": reading("where"),
    "sources: 'poss' is no truth field. Did you mean 'pos'": with_field("where", sources=("poss",)),
    "only a derived field has sources or is exposed": with_field("mood", exposed=True),
    "body: must be one of removed, frozen, transferred, got 'gone'": with_role(body="gone"),
    "vacancy: only a body that is removed has one": with_role(vacancy=("alive",)),
    "estate: only a body that is transferred has one": with_role(estate=("mood",)),
    "estate: name the fields that pass on": with_role(body="transferred"),
    "'where' is no truth field of agents": with_role(body="removed", vacancy=("where",)),
    "estate: 'age' must be float64, it is int32": with_role(body="transferred", estate=("age",)),
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
    "declares quantities \\['oil'\\], Rules has rules for \\[\\]": replace(
        SPEC, quantities=(Quantity("oil", "fuel", "mood", ("oil",), (9.0,)),)
    ),
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


def check_quantity(**changes):
    entry = replace(Quantity("oil", "fuel", "mood", ("light", "heavy"), (9.0, 9.0)), **changes)
    rules = replace(WORLD.rules, quantities={"oil": QuantityRules(WORLD.rules.sees, None)})
    check_spec(replace(SPEC, quantities=(entry,)), replace(WORLD, rules=rules))


def test_a_quantity_is_kept_in_a_truth_field_and_bounded_number_by_number():
    check_quantity()
    with pytest.raises(SpecError, match=r"probe\.quantities\.oil: 'where' is no truth field"):
        check_quantity(field="where")
    with pytest.raises(SpecError, match="got 2 labels, 1 bounds"):
        check_quantity(high=(9.0,))
