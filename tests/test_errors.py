"""Errors: one family, and texts that name the nearest thing that exists."""

import inspect
from collections import namedtuple
from dataclasses import replace

import pytest

from mesocosm.core import errors
from mesocosm.core.check import check_spec
from mesocosm.core.errors import MesocosmError, SpecError, UnknownName, hint, short, unknown
from mesocosm.core.spec import Field
from mesocosm.worlds.registry import find

FAMILY = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if kind.__module__ == errors.__name__
]


@pytest.mark.parametrize("kind", FAMILY)
def test_every_error_is_a_mesocosm_error_with_a_docstring(kind):
    assert issubclass(kind, MesocosmError)
    assert kind.__doc__


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("ConfigError", ValueError),
        ("UnknownName", LookupError),
        ("MissingExtra", ImportError),
        ("TargetError", RuntimeError),
        ("ActionError", ValueError),
        ("SnapshotError", ValueError),
        ("SpecError", ValueError),
        ("RuleError", TypeError),
        ("ContractError", AssertionError),
        ("LeakError", AssertionError),
    ],
)
def test_an_error_can_be_caught_as_the_builtin_it_is_like(name, builtin):
    assert issubclass(getattr(errors, name), builtin)


def test_a_hint_names_the_nearest_and_lists_all():
    assert hint("twonlet", ["townlet", "island"]) == (
        " Did you mean 'townlet'? Available: island, townlet"
    )


def test_a_hint_lists_each_name_once():
    assert hint("zzz", ["b", "a", "b"]) == " Available: a, b"


def test_a_hint_of_very_many_names_shows_the_nearest_and_counts_the_rest():
    names = [f"talk{i}.{j}" for i in range(100) for j in range(100)]
    said = hint("tak42.17", [*names, *names])
    assert said.startswith(" Did you mean 'talk42.17'? Available: talk42.17, ")
    assert said.endswith(" and 9,988 more")
    assert hint("move.nroth", ["move.north", *names]).startswith(
        " Did you mean 'move.north'? Available: move.north, talk0.0, "
    )
    assert len(said) < 300


def test_a_hint_cuts_long_names():
    assert len(hint("x", ["y" * 100_000, "x" * 90])) < 250


def test_a_hint_without_a_near_name_lists_all():
    assert hint("zzz", ["b", "a"]) == " Available: a, b"


def test_a_hint_without_any_name_says_so():
    assert hint("x", []) == " Available: none"


@pytest.mark.parametrize("name", [None, 3, 2.5, b"x", ("a",), "x" * 100_000])
def test_a_name_of_another_type_is_still_named(name):
    error = unknown("world", name, ["commons"])
    assert isinstance(error, UnknownName)
    assert str(error).startswith(f"no world named {short(name)}. Available")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        ("a\nb", "'a\\nb'"),
        ("x" * 60, "'" + "x" * 56 + "..."),
        (10**5000, "something of type int"),
    ],
    ids=["number", "line", "long", "huge"],
)
def test_what_was_got_is_shown_in_short(value, text):
    assert short(value) == text


def test_what_cannot_show_itself_is_shown_by_its_type():
    class Broken:
        def __repr__(self):
            raise RuntimeError

    assert short(Broken()) == "something of type Broken"


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (("x",), r"the state class lacks \['y'\], which the spec declares"),
        (("x", "y", "z"), r"the state class has \['z'\], for which the spec declares no Field"),
    ],
)
def test_a_state_class_that_does_not_fit_is_told_which_side_lacks_what(state, text):
    world = find("commons")
    spec = replace(world.spec(world.core()), fields=(Field("x", "one"), Field("y", "two")))
    with pytest.raises(SpecError, match=text):
        check_spec(spec, replace(world, state=namedtuple("State", state)))
