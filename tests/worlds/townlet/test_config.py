"""What a researcher may get wrong in the tables of a town, and what is said then."""

import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.townlet.config import METERS, Affordance, Cascade, Cue, Meter, _models

CASCADE = {"source": "mood", "target": "energy", "strength": 0.1, "threshold": 0.3}
CUE = {"name": "odd", "priority": 1, "visibility": "public", "distance": 2}


def load(preset="L7", **overrides):
    return meso.load_config(
        f"townlet/{preset}", {f"core.{name}": value for name, value in overrides.items()}
    )


def rows(kind, table):
    return [row.model_dump(exclude_none=True) for row in _models(kind, table)]


def places(**changes):
    """Give the affordances with one of them changed."""
    table = rows(Affordance, "affordances")
    table[0] |= changes
    return table


def cue(*when, **changes):
    return [*rows(Cue, "cues"), CUE | {"when": list(when)} | changes]


def meters(order=METERS):
    table = {row["name"]: row for row in rows(Meter, "meters")}
    return [table[name] for name in order]


COMPARED = r"below \(<\), at_most \(<=\), above \(>\), at_least \(>=\), equals \(==\)"
BAD = {
    "an unknown source of a cascade": (
        {"cascades": [CASCADE | {"source": "enrgy"}]},
        r"cascades\.0\.source: no 'enrgy'\. Did you mean 'energy'\?",
    ),
    "an unknown target of a cascade": (
        {"cascades": [CASCADE, CASCADE | {"target": "wealth"}]},
        r"cascades\.1\.target: no 'wealth'",
    ),
    "an effect on an unknown meter": (
        {"affordances": places(effects={"hunger": 0.1})},
        r"affordances\.Bed\.effects: no 'hunger'",
    ),
    "a bonus on an unknown meter": (
        {"affordances": places(bonus={"hunger": 0.1})},
        r"affordances\.Bed\.bonus: no 'hunger'",
    ),
    "hours that overlap themselves": (
        {"affordances": places(opens=10, closes=40)},
        r"affordances\.Bed: hours 10 to 40 overlap",
    ),
    "hours that are empty": (
        {"affordances": places(opens=10, closes=10)},
        r"affordances\.Bed: hours 10 to 10 .* empty",
    ),
    "more affordances than cells": ({"grid_size": 3}, "15 affordances do not fit 9 cells"),
    "an unknown cue of a level": (
        {"shown_cues": ["looks_tird"]},
        r"shown_cues: no 'looks_tird'\. Did you mean 'looks_tired'\?",
    ),
    "an unknown affordance in town": (
        {"deployed": ["Bed", "Jbo"]},
        r"deployed: no 'Jbo'\. Did you mean 'Job'\?",
    ),
    "an affordance deployed twice": ({"deployed": ["Bed", "Bed"]}, "deployed: 'Bed' stands twice"),
    "a cue shown twice": ({"shown_cues": ["at_job"] * 2}, "shown_cues: 'at_job' stands twice"),
    "two affordances of one name": (
        {"affordances": places(name="Job")},
        "affordances: 'Job' stands twice",
    ),
    "two cues of one name": (
        {"cues": cue({"at": "Job"}, name="at_job")},
        "cues: 'at_job' stands twice",
    ),
    "meters in another order": (
        {"meters": meters(METERS[::-1])},
        "meters must be energy, satiation, .* in this order",
    ),
    "a missing meter": ({"meters": meters(METERS[:7])}, "meters must be energy"),
    "a condition of two kinds": (
        {"cues": cue({"at": "Job", "meter": "mood", "below": 0.1})},
        r"cues\.12\.when\.0: .*exactly one of meter, at, action",
    ),
    "a condition of no kind": ({"cues": cue({"below": 0.1})}, "exactly one of meter, at, action"),
    "a threshold on both sides": (
        {"cues": cue({"meter": "mood", "below": 0.2, "above": 0.1})},
        rf"condition on mood: needs one of {COMPARED}, got below, above",
    ),
    "a threshold without a comparison": (
        {"cues": cue({"meter": "mood"})},
        rf"condition on mood: needs one of {COMPARED}, got none",
    ),
    "an unknown comparison": ({"cues": cue({"meter": "mood", "under": 0.2})}, r"when\.0\.under"),
    "a compared place": (
        {"cues": cue({"at": "Job", "equals": 0.2})},
        "condition on Job: only a meter is compared, got equals",
    ),
    "a habit without a number": (
        {"cues": cue({"action": "WAIT"})},
        "condition on action WAIT: needs times",
    ),
    "a cue without conditions": ({"cues": cue()}, r"cues\.12\.when"),
    "a cue about an unknown meter": (
        {"cues": cue({"meter": "wealth", "below": 0.1})},
        r"cues\.odd: no 'wealth'",
    ),
    "a cue about an unknown place": ({"cues": cue({"at": "Jbo"})}, r"cues\.odd: no 'Jbo'"),
    "a cue about an unknown action": (
        {"cues": cue({"action": "SLEEP", "times": 1})},
        r"cues\.odd: no 'SLEEP'",
    ),
    "an unknown visibility": ({"cues": cue({"at": "Job"}, visibility="secret")}, "visibility"),
    "an unknown metric": ({"visibility_metric": "euclid"}, "core.visibility_metric"),
    "an unknown value system": ({"terminal_score": "stoic"}, "core.terminal_score"),
    "no vision": ({"vision_range": 0}, "core.vision_range: must be between 1 and 7, got 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_table_is_refused_with_the_place_and_the_reason(case):
    overrides, message = BAD[case]
    with pytest.raises(ConfigError, match=message) as caught:
        load(**overrides)
    assert str(caught.value).startswith("townlet/L7: core")


@pytest.mark.parametrize("preset", [f"L{level}" for level in range(6)])
def test_the_levels_below_6_have_one_resident(preset):
    with pytest.raises(ConfigError, match=f"level {preset[1]} is a town of one"):
        load(preset, num_agents=2)


def test_the_levels_below_6_show_no_cues():
    with pytest.raises(ConfigError, match="level 5 shows no cues"):
        load("L5", shown_cues=["at_job"])


def test_a_town_may_be_full_but_for_one_cell():
    everything = load("L3").core.deployed
    assert load("L3", grid_size=4, deployed=everything).core.grid_size == 4


def test_the_tables_of_the_data_folder_are_the_defaults():
    core = load().core
    assert rows(Cascade, "cascades") == [row.model_dump() for row in core.cascades]
    assert [meter.name for meter in core.meters] == list(METERS)
    assert len(core.affordances) == 15
    assert len(core.cues) == 12
