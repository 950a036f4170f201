"""Masks are opened where they would tell what is hidden, also through what is computed from it."""

from dataclasses import replace

import pytest

from mesocosm.core.action import ActionSpec, Choice
from mesocosm.core.masking import telling_options, withhold
from mesocosm.core.observation import Feature, Layout, Read, Withheld
from mesocosm.core.spec import Field, Role, Spec

FIELDS = (
    Field("energy", "how fit one is", (2,), scope="agent"),
    Field("mood", "how one feels", (2,), scope="agent"),
    Field("tired", "whether energy is low", (2,), scope="agent", derived=True,
          sources=("energy",)),
)  # fmt: skip


def role_whose_mask_reads(field):
    features = tuple(
        Feature(name, "how I am", reads=(Read(name, "self"),)) for name in ("energy", "mood")
    )
    rest = Choice("rest", ("no", "yes"), option_reads={"yes": (Read(field, "self"),)})
    return Role("walker", 2, Layout(features), ActionSpec((rest,)))


def spec_of(role):
    return Spec("walk", 1, (role,), FIELDS, ())


@pytest.mark.parametrize(
    ("field", "hidden", "opened"),
    [
        ("energy", "energy", {1: ("energy",)}),
        ("energy", "mood", {}),
        ("tired", "energy", {1: ("energy",)}),
        ("tired", "mood", {}),
    ],
)
def test_option_is_opened_where_what_it_reads_is_computed_from_something_hidden(
    field, hidden, opened
):
    role = role_whose_mask_reads(field)
    withheld = Withheld(impaired=frozenset({hidden}))
    assert telling_options(role, withheld, spec_of(role)) == opened
    made = withhold(role, (withheld, Withheld()), spec_of(role))
    assert made.shown_open == ((tuple(opened), ()) if opened else ())


def test_feature_of_a_derived_field_that_is_hidden_opens_options_that_read_its_source():
    role = role_whose_mask_reads("energy")
    shown = Feature("tired", "whether I am tired", reads=(Read("tired", "self"),))
    role = replace(role, observation=Layout((shown,)))
    withheld = Withheld(impaired=frozenset({"tired"}))
    assert telling_options(role, withheld, spec_of(role)) == {1: ("energy",)}
