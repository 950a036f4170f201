"""Settings that would do nothing are refused, with the reason."""

import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError

HARVESTERS = {"harvester": ["high", "low"]}


def layer(name, **settings):
    return {f"layers.{name}": {"intensity": 1.0, **settings}}


def castes(high, low=None, assign=None, **more):
    made = {"castes": {"high": high, "low": low or {}}, "assign": assign or HARVESTERS}
    return layer("power", **made, **more)


def risk(**settings):
    return layer("incentives", risk={"deal.give": settings})


def drift(**settings):
    return layer("uncertainty", drift={"growth_scale": settings})


def adapt(**settings):
    return layer("uncertainty", adaptation={"growth_scale": {"goal": 0.0, **settings}})


def shock(**settings):
    return layer("uncertainty", shocks={"storm": {"column": "stock", **settings}})


def groups(**settings):
    return layer("hierarchy", groups="size", **settings)


EMPTY = "nothing of the layer is set"
REPUTE = {"weights": {"gift": 1.0}}
POOL = {"pool": {"wealth": 0.5}}
# what is set on commons, and the path and the reason that the refusal must name
INERT = {
    "information on": (layer("information"), "information.intensity", EMPTY),
    "temporal on": (layer("temporal"), "temporal.intensity", EMPTY),
    "hierarchy on": (layer("hierarchy"), "hierarchy.intensity", EMPTY),
    "interaction on": (layer("interaction"), "interaction.intensity", EMPTY),
    "power on": (layer("power"), "power.intensity", EMPTY),
    "incentives on": (layer("incentives"), "incentives.intensity", EMPTY),
    "uncertainty on": (layer("uncertainty"), "uncertainty.intensity", EMPTY),
    "late share": (
        layer("temporal", effects={"wealth": {"steps": 2, "share": 0.0}}),
        "temporal.effects.wealth.share", "does nothing, got 0",
    ),
    "reputation weight": (
        layer("temporal", reputation={"weights": {"gift": 0.0}}),
        "temporal.reputation.weights.gift", "does nothing, got 0",
    ),
    "reputation decay": (
        layer("temporal", history=2, reputation={"decay": 0.5}),
        "temporal.reputation.decay", "no event has a weight for it",
    ),
    "reputation shown": (
        layer("temporal", history=2, reputation={"shown": "all"}),
        "temporal.reputation.shown", "no event has a weight for it",
    ),
    "reputation effects": (
        layer("temporal", history=2, reputation={"effects": {"harvest": 1.0}}),
        "temporal.reputation.effects", "no event has a weight for it",
    ),
    "reputation slope": (
        layer("temporal", reputation={**REPUTE, "effects": {"harvest": 0.0}}),
        "temporal.reputation.effects.harvest", "does nothing, got 0",
    ),
    "reputation bar": (
        layer("temporal", reputation={**REPUTE, "links": {"gift": -1.0}}),
        "temporal.reputation.links.gift", "does nothing, got -1",
    ),
    "trust decay": (
        layer("temporal", history=2, trust={"decay": 0.5}),
        "temporal.trust.decay", "no event has a weight for it",
    ),
    "trust links": (
        layer("temporal", history=2, trust={"links": {"gift": 0.0}}),
        "temporal.trust.links", "no event has a weight for it",
    ),
    "groups": (groups(size=3), "hierarchy.groups", "nothing is shared, pooled or stored"),
    "groups of one": (groups(size=1, **POOL), "hierarchy.groups", "no group has two members"),
    "group size": (
        layer("hierarchy", groups="role", size=3, **POOL), "hierarchy.size", "needs 'groups: size'",
    ),
    "group members": (
        groups(members=[[0, 1]], **POOL), "hierarchy.members", "needs 'groups: list'",
    ),
    "pool": (groups(pool={"wealth": 0.0}), "hierarchy.pool.wealth", "does nothing, got 0"),
    "negative pool": (
        groups(pool={"wealth": -0.5}), "hierarchy.pool.wealth", "between 0.0 and 1.0",
    ),
    "great pool": (groups(pool={"wealth": 1.5}), "hierarchy.pool.wealth", "between 0.0 and 1.0"),
    "matrix": (
        layer("interaction", mixing="shared", matrix=[[1.0]]),
        "interaction.matrix", "needs 'mixing: matrix'",
    ),
    "own matrix": (
        layer("interaction", mixing="matrix",
              matrix=[[float(i == j) for i in range(6)] for j in range(6)]),
        "interaction.matrix", "everyone gets their own reward",
    ),
    "rivalry": (
        layer("interaction", mixing="shared", rivalry=2.0),
        "interaction.rivalry", "needs 'mixing: rivalry'",
    ),
    "rivals": (
        groups(size=6) | layer("interaction", mixing="rivalry"),
        "interaction.mixing", "all agents into one group",
    ),
    "need": (
        layer("interaction", contention="lottery", need="wealth"),
        "interaction.need", "needs 'contention: need'",
    ),
    "unknown need": (
        layer("interaction", contention="need", need="welth"), "interaction.need", "Did you mean",
    ),
    "two needs": (
        layer("interaction", contention="need", need="*"), "interaction.need", "must name one",
    ),
    "unreputed": (
        layer("interaction", contention="reputation"),
        "interaction.contention", "layers.temporal keeps no reputation",
    ),
    "period": (
        layer("interaction", mixing="shared", period=4), "interaction.period", "at every step",
    ),
    "sparse": (layer("interaction", timing="sparse"), "interaction.timing", "a period of 1"),
    "spill": (
        layer("interaction", externalities={"wealth": {"share": 0.0}}),
        "interaction.externalities.wealth.share", "does nothing, got 0",
    ),
    "alike": (castes({}), "power.castes", "no caste differs"),
    "nobody": (
        castes({"priority": 1}, assign={"harvester": ["high"]}),
        "power.castes.low", "no agent has this caste",
    ),
    "no role": (
        castes({"priority": 1}, assign={**HARVESTERS, "warden": ["low"]}),
        "power.assign.warden", "there is no warden",
    ),
    "no names": (
        castes({"priority": 1}, assign={"harvester": []}), "power.assign.harvester", "is named",
    ),
    "permissions": (
        castes({"permissions": ["deal.*", "target.*"]}),
        "power.castes.high.permissions", "they forbid high no option",
    ),
    "priority": (
        castes({"priority": 2}, {"priority": 2}),
        "power.castes.high.priority", "every agent has priority 2",
    ),
    "effect": (
        castes({"effects": {"harvest": 1.0}}),
        "power.castes.high.effects.harvest", "does nothing, got 1",
    ),
    "free matrix": (
        castes({"priority": 1}, matrix={"low": {"high": ["*"]}}),
        "power.matrix.low.high", "every link is free",
    ),
    "empty matrix": (
        castes({"priority": 1}, matrix={"low": {}}), "power.matrix.low", "names no target caste",
    ),
    "lone matrix": (
        castes({"priority": 1}, assign={"harvester": ["high", *["low"] * 5]},
               matrix={"high": {"high": []}}),
        "power.matrix.high.high", "there are no two such agents",
    ),
    "cost": (
        layer("incentives", costs={"deal.give": 0.0}), "incentives.costs.deal.give", "got 0",
    ),
    "penalty": (
        layer("incentives", penalties={"gift": 0.0}), "incentives.penalties.gift", "got 0",
    ),
    "lost name": (
        layer("incentives", reputation={"deal.give": 0.0}) | layer("temporal", reputation=REPUTE),
        "incentives.reputation.deal.give", "got 0",
    ),
    "no penalty at most": (
        layer("incentives", penalties={"gift": 1.0}, max_penalty=0.0),
        "incentives.max_penalty", "penalties do nothing",
    ),
    "most of no penalty": (
        layer("incentives", opportunity=0.1, max_penalty=3.0),
        "incentives.max_penalty", "no event has a penalty",
    ),
    "late no penalty": (
        layer("incentives", opportunity=0.1, delay=3),
        "incentives.delay", "no event has a penalty",
    ),
    "soften": (
        layer("incentives", soften={"deal.sanction": 0.5}),
        "incentives.soften.deal.sanction", "no role and no caste is forbidden it",
    ),
    "no risk": (risk(), "incentives.risk.deal.give", "neither 'fail' nor 'caught'"),
    "caught": (risk(caught=0.5), "incentives.risk.deal.give", "'caught' without a 'fine'"),
    "fine": (risk(fail=0.5, fine=1.0), "incentives.risk.deal.give", "a 'fine' without 'caught'"),
    "idle risk": (
        layer("incentives", risk={"deal.none": {"fail": 0.5}}),
        "incentives.risk.deal.none", "to do nothing cannot fail",
    ),
    "hazard": (shock(hazard=0.0, size=1.0), "uncertainty.shocks.storm.hazard", "got 0"),
    "size": (shock(hazard=0.5, size=0.0), "uncertainty.shocks.storm.size", "got 0"),
    "one": (
        shock(hazard=0.5, size=1.0, who="one"), "uncertainty.shocks.storm.who", "no agent's",
    ),
    "drift": (drift(amount=0.0), "uncertainty.drift.growth_scale.amount", "got 0"),
    "walk": (
        drift(amount=0.1, shape="walk", period=9),
        "uncertainty.drift.growth_scale.period", "a walk has no period",
    ),
    "adaptation": (adapt(rate=0.0), "uncertainty.adaptation.growth_scale.rate", "got 0"),
    "memory": (
        adapt(rate=0.5, memory=1.0), "uncertainty.adaptation.growth_scale", "the mean stays at 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", INERT)
def test_a_setting_that_does_nothing_is_refused_with_the_reason(name):
    overrides, path, reason = INERT[name]
    with pytest.raises(ConfigError) as error:
        meso.load_config("commons", overrides)
    assert f": layers.{path}: " in str(error.value)
    assert reason in str(error.value)


@pytest.mark.parametrize("name", [name for name in INERT if "pool" not in name])
def test_at_intensity_zero_the_same_settings_are_kept_for_sweeps(name):
    overrides, _, _ = INERT[name]
    off = {
        key: value | {"intensity": 0.0} if isinstance(value, dict) else value
        for key, value in overrides.items()
    }
    assert meso.make("commons", off, target="python").layering is None


# what one world can be given, and another cannot
ELSEWHERE = {
    "order": ("island/standard", layer("interaction", contention="lottery"), "an order of agents"),
    "split": ("island/standard", layer("interaction", contention="split"), "can be split"),
    "rank": (
        "island/standard",
        castes({"priority": 1}, assign={"legacy": ["high"], "dynasty": ["low"]}),
        "an order of agents",
    ),
    "neighbours": (
        "island/standard",
        layer("interaction", externalities={"fuel.*": {"share": 0.5}}),
        "no agent sees another in island: choose 'group' or 'all'",
    ),
    "cells": ("mettagrid/forage", layer("interaction", contention="split"), "can be split"),
    "links of cogs": (
        "mettagrid/forage",
        castes({}, assign={"cog": ["high", "low"]}, matrix={"high": {"low": []}}),
        "declares no link",
    ),
    "effects of classic": (
        "mettagrid/clipped",
        castes({"effects": {"yield": 2.0}}, assign={"cog": ["high", "low"]}),
        "declares no effect",
    ),
    "bounty of classic": (
        "mettagrid/clipped",
        layer("uncertainty", drift={"bounty": {"amount": -0.5}}),
        "no such parameter",
    ),
    "families": (
        "townlet/L7",
        castes({}, assign={"resident": ["high", "low"]}, matrix={"high": {"low": []}}),
        "declares no link",
    ),
    "one resident": ("townlet/L0", layer("interaction", mixing="shared"), "has one agent"),
    "one rank": ("townlet/L0", layer("interaction", contention="lottery"), "has one agent"),
    "drift from nothing": (
        "townlet/L7",
        {"core.difficulty": 0.0} | layer("uncertainty", drift={"difficulty": {"amount": 0.5}}),
        "does nothing: its value",
    ),
    "end of the range": (
        "mettagrid/forage",
        layer("uncertainty", drift={"shuffle": {"amount": 0.5}}),
        "is at the end of 0..1",
    ),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_setting_is_refused_in_a_world_where_it_would_do_nothing(name):
    preset, overrides, reason = ELSEWHERE[name]
    with pytest.raises(ConfigError) as error:
        meso.load_config(preset, overrides)
    assert f"{preset}: layers." in str(error.value)
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("preset", "overrides"),
    [
        ("commons", castes({"effects": {"*": 2.0}}, {"permissions": ["deal.none", "target.*"]})),
        ("commons", groups(size=3) | layer("interaction", mixing="group")),
        ("commons", groups(size=3) | {"layers.interaction.mixing": "rivalry"}),
        ("mettagrid/clipped", castes({}, assign={"cog": ["high", "low"]},
                                     matrix={"high": {"low": ["gift"]}})),
        ("townlet/L8", castes({}, assign={"resident": ["high", "low"]},
                              matrix={"high": {"low": []}})),
        ("island/standard", layer("interaction", mixing="rivalry")),
    ],
)  # fmt: skip
def test_a_setting_that_does_something_is_accepted(preset, overrides):
    assert meso.make(preset, overrides, target="python").layering is not None
