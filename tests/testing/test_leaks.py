"""The audit catches every planted leak and names it."""

import pytest

from mesocosm.core.errors import LeakError
from mesocosm.testing import audit
from mesocosm.worlds.townlet import observe
from mesocosm.worlds.townlet.declare import ENERGY

# flaw: what the audit must name, the field behind it, and whose it is
LEAKS = {
    "own_hidden": ("observation feature 'others'", "secret", "the same agent"),
    "other_private": ("observation feature 'others'", "mood", "another agent"),
    "unseen_position": ("observation feature 'others'", "pos", "another agent"),
    "future_shock": ("observation feature 'others'", "shock_at", "the world"),
    "through_mask": ("mask of 'move'", "mood", "another agent"),
    "through_info": ("info 'steps'", "secret", "the same agent"),
    "stale_derived": ("observation feature 'others'", "a derived field", "nobody: not rebuilt"),
    "warning_light": ("observation feature 'others'", "shock_at", "the world"),
    "zero_sign": ("observation feature 'others'", "secret", "the same agent"),
    "last_words": ("observation feature 'others'", "secret", "the same agent"),
    "late_secret": ("observation feature 'others'", "secret", "the same agent"),
    "unseen_stone": ("observation feature 'stones'", "stone", "a stone"),
    "other_stone": ("observation feature 'weight'", "weight", "a stone"),
    "other_group": ("observation feature 'others'", "treasure", "another group"),
}


@pytest.mark.parametrize("flaw", LEAKS)
def test_audit_names_feature_field_and_owner_of_a_planted_leak(flaw):
    report = audit("probe/line", overrides={"core.flaw": flaw, "core.hazard": 1000})
    found = {(leak.what, leak.field, leak.whose) for leak in report.leaks}
    assert LEAKS[flaw] in found
    assert all(leak.world == "probe" and leak.role == "walker" for leak in report.leaks)
    with pytest.raises(LeakError, match=LEAKS[flaw][1]):
        report.require_clean()


def test_audit_reports_a_turn_rule_that_reads_hidden_state():
    report = audit("probe/wary", overrides={"core.flaw": "turn_hidden"})
    assert ("whose turn it is", "secret") in {(leak.what, leak.field) for leak in report.leaks}


def test_audit_reports_a_mask_that_shows_a_field_hidden_by_scope():
    hidden = {"agents.roles.harvester.scope": {"wealth": "hidden"}}
    report = audit("commons", overrides=hidden)
    assert {(leak.what, leak.field) for leak in report.leaks} == {("mask of 'deal'", "wealth")}


@pytest.mark.parametrize("preset", ["probe/line", "probe/reborn", "probe/wary"])
def test_audit_of_a_sound_world_finds_no_leak(preset):
    report = audit(preset)
    assert report.leaks == []
    assert report.num_checks > 1000


def test_audit_allows_changes_of_agents_in_sight_and_out_of_sight():
    far = audit("probe/line", overrides={"core.length": 1000, "core.hazard": 1000})
    near = audit("probe/line", overrides={"core.length": 3, "core.hazard": 1000})
    assert far.leaks == near.leaks == []


@pytest.mark.parametrize("blabs", [False, True])
def test_audit_follows_a_derived_field_and_reports_what_goes_past_it(blabs, monkeypatch):
    honest = observe.show_person

    def blab(s, p, e, a, other, slot, out):
        honest(s, p, e, a, other, slot, out)
        out[p.at.other_cues + slot * p.num_cues] = s.meters[e, other, ENERGY]

    if blabs:
        monkeypatch.setattr(observe, "show_person", blab)
    small = {"core.num_agents": 3, "core.grid_size": 4}
    report = audit("townlet/L7", overrides=small, states=4, target="python")
    found = {(leak.what, leak.field, leak.whose) for leak in report.leaks}
    leak = ("observation feature 'other_cues'", "meters", "another agent")
    assert found == ({leak} if blabs else set())
