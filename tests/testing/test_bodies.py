"""The check of bodies: a role's `removed`, `frozen` and `transferred` mean what they say."""

import pytest

import mesocosm as meso
from mesocosm.core.errors import ContractError
from mesocosm.testing.bodies import bodies_are_as_declared
from mesocosm.testing.case import Case

BODIES = ("removed", "frozen", "transferred")
# flaw: the declared body, and what is said
LIES = {
    "ghost_seen": ("removed", "obs.walker of others changes with 'pos' of an ended walker"),
    "ghost_masks": ("removed", "mask.walker of others changes with 'mood' of an ended walker"),
    "ghost_informs": ("removed", "info.* of others changes with 'secret' of an ended walker"),
    "ghost_pays": ("removed", "reward.walker of others changes with 'mood' of an ended walker"),
    "ghost_haunts": ("removed", "of others changes with 'mood' of an ended walker"),
    "body_moves": ("frozen", "'mood' of an ended walker changes, and its body is frozen"),
    "estate_lost": ("transferred", "of 0.125 more 'secret' that .* had, others got 0$"),
    "estate_doubled": ("transferred", "of 0.125 more 'secret' that .* had, others got 0.[23]"),
    "estate_kept": ("transferred", "an ended walker still holds 'secret', and it is its estate"),
}


def line(body, flaw="none", **more):
    overrides = {"core.body": body, "core.flaw": flaw} | more
    return Case("probe/line", overrides, target="python", steps=16)


@pytest.mark.parametrize("body", BODIES)
def test_a_body_that_is_as_declared_passes_and_was_seen(body):
    assert bodies_are_as_declared(line(body)) is None


@pytest.mark.parametrize("body", ["frozen", "transferred"])
def test_a_body_of_a_slot_that_is_born_again_may_change_at_birth(body):
    assert bodies_are_as_declared(line(body, **{"core.respawn": True})) is None


def test_newborn_at_the_place_of_the_dead_shows_that_the_body_was_not_removed():
    with pytest.raises(ContractError, match=r"obs\.walker of others changes with 'pos'"):
        bodies_are_as_declared(line("removed", **{"core.respawn": True}))


@pytest.mark.parametrize("flaw", LIES)
def test_a_body_that_is_not_as_declared_is_named(flaw):
    body, message = LIES[flaw]
    with pytest.raises(ContractError, match=f"probe/line: body: .*{message}"):
        bodies_are_as_declared(line(body, flaw))


def test_moving_body_breaks_a_transferred_role_too():
    with pytest.raises(ContractError, match=r"'mood' of an ended walker changes, .* transferred"):
        bodies_are_as_declared(line("transferred", "body_moves"))


@pytest.mark.parametrize("flaw", ["ghost_seen", "body_moves", "estate_lost"])
def test_check_world_names_a_body_that_lies(flaw):
    overrides = {"core.body": LIES[flaw][0], "core.flaw": flaw}
    with pytest.raises(ContractError, match=LIES[flaw][1]):
        meso.check_world("probe", presets=["probe/line"], overrides=overrides)


def test_an_ending_that_was_not_seen_is_not_passed():
    report = meso.check_world("commons", presets=["commons/wardens"])
    said = report.unseen["commons/wardens"]["bodies_are_as_declared"]
    assert said == "no warden ended while others played on"
    assert "bodies_are_as_declared" not in report.passed["commons/wardens"]


def test_the_end_of_somebody_alone_shows_nothing_of_its_body():
    said = bodies_are_as_declared(Case("townlet/L5", target="python", steps=4))
    assert said == "no resident ended while others played on"


@pytest.mark.parametrize(
    "preset", ["townlet/L7", "townlet/L8", "commons/default", "commons/estate"]
)
def test_bodies_of_shipped_worlds_are_seen(preset):
    assert bodies_are_as_declared(Case(preset)) is None
