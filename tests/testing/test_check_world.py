"""check_world passes sound worlds and stops at the rule that a flawed one breaks."""

from dataclasses import replace

import pytest

import mesocosm as meso
from mesocosm.core.errors import ContractError
from mesocosm.core.world import Invariant
from mesocosm.testing.case import Case
from mesocosm.testing.conformance import ALL_CHECKS
from mesocosm.testing.coverage import Coverage
from mesocosm.testing.structure import state_stays_in_range

# flaw: the rule that must be named as broken
BROKEN = {
    "impure_terms": "purity: terms of walker changes the state",
    "impure_observe": "purity: observe of walker changes the state",
    "obs_range": "range: walker.others.0",
    "term_bounds": "reward bounds",
    "reset_keeps": "reset: after planting nonsense",
    "derived_drifts": "rebuild: rebuild changes 'where'",
    "terminal_early": "timing: 'farewell' is paid before the end",
    "body_moves": "body: 'mood' of an ended walker changes",
    "state_range": r"state range: snapshot.secret\[0, 0\]: must be between 0.0 and 1.0, got 1.5",
    "env_dependent": "batch equality",
    "unseeded": "determinism",
    "terms_frame": "purity: terms of walker changes the state",
    "impure_second": "purity: observe of walker changes the state",
    "info_range": "range: info 'steps' of walker",
    "never_ends": "endings: no env ended two episodes",
    "row_bounds": r"python: show_flaw \(.*rules.py:\d+\) IndexError: index \d+ is out of bounds",
    "rare_pay": "reward bounds: walker got .*5, declared is",
    "march_pay": "reward bounds: walker got .*5, declared is",
    "row_unwritten": "whole rows: observe of walker does not write 'mood'",
}


# one of each kind of rules, endings and layers; the others are checked with the slow tests
QUICK = (
    "commons/estate", "commons/trust", "commons/wardens", "island/skirmish", "mettagrid/clipped",
    "mettagrid/forage", "mettagrid/guild", "townlet/L3", "townlet/L8", "townlet/gossip",
)  # fmt: skip
SHIPPED = ("commons", "island", "mettagrid", "townlet")


def _marked(preset):
    is_slow = preset.startswith(SHIPPED) and preset not in QUICK
    return pytest.param(preset, marks=pytest.mark.slow) if is_slow else preset


@pytest.mark.parametrize("preset", [_marked(preset) for preset in meso.presets()])
def test_every_preset_of_every_world_keeps_the_contract(preset):
    report = meso.check_world(preset.partition("/")[0], presets=[preset])
    assert [*report.passed] == [preset]
    names = {check.__name__ for check in ALL_CHECKS}
    assert {*report.passed[preset], *report.unseen.get(preset, {})} == names


def test_check_world_lists_what_it_never_saw():
    report = meso.check_world("probe", presets=["probe/line"])
    assert report.unseen["probe/line"]["declared_is_seen"] == "event 'birth'"
    assert report.num_seen["probe/line"] == 7  # 3 terms, 3 reasons, an event
    born = meso.check_world("probe", presets=["probe/line"], overrides={"core.respawn": True})
    assert born.unseen["probe/line"]["declared_is_seen"] == "reason 'no_agents'"


def test_check_world_fails_when_nothing_declared_is_seen(monkeypatch):
    monkeypatch.setattr(Coverage, "add", lambda self, env, found: setattr(self, "num_steps", 5000))
    with pytest.raises(ContractError, match="coverage: none of its terms, reasons and events"):
        meso.check_world("probe", presets=["probe/line"])


def test_check_world_checks_every_preset_unless_some_are_named():
    report = meso.check_world("beacon", steps=2)
    assert set(report.passed) == set(meso.presets("beacon"))


@pytest.mark.parametrize("invalid", ["noop", "clamp", "penalty"])
def test_commons_keeps_the_contract_when_people_die_and_seasons_are_short(invalid):
    overrides = {"core.upkeep": 1.2, "core.max_steps": 15, "core.invalid": invalid}
    meso.check_world("commons", overrides=overrides)


@pytest.mark.parametrize("flaw", BROKEN)
def test_check_world_names_the_rule_that_a_flawed_world_breaks(flaw):
    with pytest.raises(ContractError, match=BROKEN[flaw]):
        meso.check_world("probe", presets=["probe/line"], overrides={"core.flaw": flaw})


def test_check_names_the_invariant_that_a_state_breaks():
    def take_all(truth, core):
        truth["wealth"][:] = 0.0

    class Poor(Case):
        def make(self, **settings):
            env = super().make(**settings)
            poverty = Invariant("nobody owns anything", ("wealth",), take_all)
            env.world = replace(env.world, invariants=(poverty,))
            return env

    with pytest.raises(ContractError) as caught:
        state_stays_in_range(Poor("commons", target="python", steps=2))
    what = "commons: state range: snapshot.wealth[0, 0]: nobody owns anything: 0.0 would do, got "
    assert str(caught.value).startswith(what)
