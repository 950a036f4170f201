"""Parts that are declared unused are changed, and must change nothing."""

from dataclasses import replace

import pytest

from mesocosm.core.errors import ContractError
from mesocosm.testing.case import Case
from mesocosm.testing.unused_parts import unused_parts_do_nothing


class Declared(Case):
    """Commons in the small, with other declarations of when parts count."""

    used_with: dict = {}  # noqa: RUF012

    def make(self, **settings):
        env = super().make(**settings)
        roles = []
        for role in env.spec.all_roles:
            if role.name not in env.spec.roles:  # nobody plays it
                roles.append(role)
                continue
            choices, levels = (
                tuple(replace(p, used_with=self.used_with.get(p.name, p.used_with)) for p in parts)
                for parts in (role.action.choices, role.action.levels)
            )
            action = replace(role.action, choices=choices, levels=levels)
            action.check(role.name)
            roles.append(replace(role, action=action))
        env.spec = replace(env.spec, all_roles=tuple(roles))
        return env


def check(preset="commons/default", used_with=None, overrides=None, steps=12):
    kind = type("Planted", (Declared,), {"used_with": used_with or {}})
    case = kind(preset, overrides or {}, target="python", steps=steps)
    return unused_parts_do_nothing(case), case.num_unused


def test_check_counts_the_changes_that_changed_nothing():
    missing, seen = check("commons/wardens")
    assert missing is None
    assert set(seen) == {"harvester.target", "harvester.amount", "warden.fine"}
    assert min(seen.values()) > 100


def test_check_passes_a_world_that_declares_nothing():
    assert check("townlet/L3") == (None, {})


@pytest.mark.parametrize(
    ("used_with", "message"),
    [
        (
            {"target": {"deal": ("give",)}},
            r"commons/default: unused parts: harvester.target is declared unused where deal is "
            r"sanction, but (left|right)1 instead of (left|right)1 changes .*",
        ),
        (
            {"amount": {"deal": ("sanction",)}},
            r"harvester.amount is declared unused where deal is give, but [\d.]+ instead of [\d.]+ "
            r"changes obs.harvester, reward.harvester",
        ),
        (
            {"effort": {"deal": ("none",)}},
            r"harvester.effort is declared unused where deal is (give|sanction), but",
        ),
        ({"effort": {"target": ("left1",)}}, r"where target is right1, but"),
    ],
)
def test_check_names_the_part_that_counts_although_it_is_declared_unused(used_with, message):
    with pytest.raises(ContractError, match=message):
        check(used_with=used_with)


def test_check_says_which_parts_were_never_unused():
    always = {"deal": ("none", "give", "sanction")}
    missing, seen = check(used_with={"target": always, "amount": always})
    assert missing == "never unused: harvester.target, harvester.amount"
    assert seen == {}


def test_action_that_takes_effect_later_is_followed_until_then():
    overrides = {"layers.temporal": {"intensity": 1.0, "latency": 2}}
    missing, seen = check(overrides=overrides)
    assert missing is None
    assert set(seen) == {"harvester.amount"}  # an invalid target would be noted when it expires
    wrong = {"effort": {"deal": ("none",)}}
    with pytest.raises(ContractError, match=r"harvester\.effort is declared unused where deal is"):
        check(used_with=wrong, overrides=overrides)


def test_options_that_are_shown_as_valid_whatever_holds_are_no_case():
    blur = {"features": "near_alive", "mask": True}
    overrides = {"layers.information": {"intensity": 1.0, "blurs": [blur]}, "core.upkeep": 2.0}
    missing, seen = check(overrides=overrides)
    assert missing == "never unused: harvester.target"
    assert set(seen) == {"harvester.amount"}


@pytest.mark.parametrize(
    ("incentives", "left"),
    [
        ({"costs": {"target.*": 0.1}}, {"harvester.amount"}),
        ({"costs": {"amount": 0.1}}, {"harvester.target"}),
        ({"risk": {"target.right1": {"fail": 0.5}}}, {"harvester.amount"}),
        ({"costs": {"deal.*": 0.1, "effort": 0.1}}, {"harvester.target", "harvester.amount"}),
    ],
)
def test_parts_that_a_layer_prices_count_always(incentives, left):
    overrides = {"layers.incentives": {"intensity": 1.0, **incentives}}
    missing, seen = check(overrides=overrides)
    assert missing is None
    assert set(seen) == left


def test_parts_of_which_a_caste_is_banned_count_always_unless_their_mask_says_so():
    def castes(*permissions):
        castes = {"free": {}, "mute": {"permissions": permissions}}
        return {
            "layers.power": {"intensity": 1.0, "castes": castes, "assign": {"*": ("free", "mute")}}
        }

    _, seen = check(overrides=castes("deal.*", "target.left1"))
    assert set(seen) == {"harvester.target", "harvester.amount"}
    told = castes("act.*", "signal.0")
    assert check("townlet/L8", overrides=told) == (None, {})
    assert set(check("townlet/L8", steps=4)[1]) == {"resident.signal"}
