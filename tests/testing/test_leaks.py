"""The audit catches every planted leak and names it."""

import pytest

from mesocosm.core.errors import LeakError
from mesocosm.layers import perception
from mesocosm.sim import frame
from mesocosm.testing import audit
from mesocosm.testing.reads import list_items
from mesocosm.worlds import registry
from mesocosm.worlds.townlet import observe
from mesocosm.worlds.townlet.declare import ENERGY

# flaw: what the audit must name, the field behind it, and whose it is
LEAKS = {
    "own_hidden": ("observation feature 'others'", "secret", "the same agent"),
    "other_private": ("observation feature 'others'", "mood", "another agent"),
    "unseen_position": ("observation feature 'others'", "pos", "another agent"),
    "future_shock": ("observation feature 'others'", "shock_at", "the world"),
    "through_mask": ("mask of 'move' (left, right)", "mood", "another agent"),
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


BLUR = {"layers.information": {"intensity": 1.0, "blurs": [{"features": "clock", "noise": 0.1}]}}


@pytest.mark.parametrize("flaw", ["own_hidden", "through_info", "through_mask"])
def test_audit_names_a_leak_in_each_channel_with_layers_on(flaw):
    layers = BLUR | {"core.flaw": flaw, "core.hazard": 1000}
    report = audit("probe/line", overrides=layers, states=6, target="python")
    assert LEAKS[flaw] in {(leak.what, leak.field, leak.whose) for leak in report.leaks}


def found_in(preset, overrides):
    report = audit(preset, overrides=overrides, states=4, target="python")
    return {(leak.what, leak.field) for leak in report.leaks}


def blurred(features, **how):
    return {"layers.information": {"intensity": 1.0, "blurs": [{"features": features, **how}]}}


def hidden(features, role):
    caste = {"castes": {"low": {"hidden": [features]}}, "assign": {role: ["low"]}}
    return {"layers.power": {"intensity": 1.0, **caste}}


OPENED = "mask of 'deal' (give, sanction), which is opened,"
SCOPED = {"agents.roles.harvester.scope": {"wealth": "hidden"}}


@pytest.mark.parametrize(
    "settings",
    [SCOPED, blurred("wealth", mask=True), blurred("wealth", noise=0.1),
     blurred("wealth", dropout=0.1), blurred("wealth", delay=1), hidden("wealth", "harvester")],
)  # fmt: skip
def test_audit_reports_a_mask_that_shows_what_is_hidden(settings, monkeypatch):
    assert found_in("commons", settings) == set()
    shut = frame.shown_open_table
    monkeypatch.setattr(frame, "shown_open_table", lambda role: shut(role) & False)
    found = found_in("commons", settings)
    assert found
    assert found <= {(OPENED, field) for field in ("wealth", "seat", "alive")}
    assert (OPENED, "wealth") in found


@pytest.mark.parametrize("settings", [blurred("neigh*", mask=True), hidden("neigh*", "harvester")])
def test_audit_reports_info_that_is_shown_though_hidden(settings, monkeypatch):
    assert found_in("commons", settings) == set()
    monkeypatch.setattr(perception, "withhold", lambda blur, n, out: None)
    found = found_in("commons", settings)
    assert {what for what, _ in found} == {"info 'neighbours', which is hidden,"}


@pytest.mark.parametrize("settings", [blurred("wealth", mask=True), hidden("wealth", "harvester")])
def test_audit_reports_a_feature_that_is_shown_though_hidden(settings, monkeypatch):
    monkeypatch.setattr(perception, "withhold", lambda blur, n, out: None)
    found = found_in("commons", settings)
    assert found == {("observation feature 'wealth', which is hidden,", "wealth")}


def test_audit_reports_a_token_that_is_shown_though_hidden(monkeypatch):
    settings = hidden("glow", "keeper")
    assert found_in("beacon/tokens", settings) == set()
    monkeypatch.setattr(perception, "is_unseen", lambda unseen, i, kind: False)
    assert found_in("beacon/tokens", settings) == {
        ("token 'glow', which is hidden,", "what it is about")
    }


def test_audit_judges_options_of_one_part_by_their_own_reads():
    world = registry.find("commons")
    spec = world.spec(world.core())
    role = spec.all_roles[0]
    part = role.action.choices[0]
    items = {item.what: item.reads for item in list_items(role, spec) if item.source == "mask"}
    assert items["mask of 'deal' (give, sanction)"] == part.reads
    assert items["mask of 'deal' (none)"] == ()


def test_audit_counts_its_checks_of_each_channel():
    report = audit("commons", states=2, target="python")
    assert min(report.checks.values()) > 1000
    assert report.num_checks == sum(report.checks.values())


@pytest.mark.parametrize("preset", ["probe/line", "probe/reborn", "probe/wary"])
def test_audit_of_a_sound_world_finds_no_leak(preset):
    report = audit(preset)
    assert report.leaks == []
    assert report.num_checks > 1000


def test_audit_allows_changes_of_agents_in_sight_and_out_of_sight():
    far = audit("probe/line", overrides={"core.length": 1000, "core.hazard": 1000})
    near = audit("probe/line", overrides={"core.length": 3, "core.hazard": 1000})
    assert far.leaks == near.leaks == []


PRESETS = ("commons/wardens", "townlet/L7", "island/skirmish", "mettagrid/forage", "beacon/tokens")


@pytest.mark.parametrize("preset", PRESETS)
def test_audit_of_a_world_with_drawn_layers_finds_no_leak(preset):
    report = audit(preset, states=3, layers=1).require_clean()
    assert report.layers == ("layers.information", "layers.power")
    assert report.checks["mask"] > 500


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
