"""What can be read off a person: the rules of cues, and tables of a researcher's own."""

import pytest

import mesocosm as meso
from mesocosm.testing import audit

from .town import CUES, act, feel, put, see, society

HERE = (3, 3)
PLAIN = {"energy": 0.5, "health": 0.5, "mood": 0.5}
THRESHOLDS = {
    "looks_tired": ("energy", -1, 0.3), "looks_energetic": ("energy", 1, 0.8),
    "looks_sick": ("health", -1, 0.3), "looks_healthy": ("health", 1, 0.8),
    "looks_sad": ("mood", -1, 0.4), "looks_happy": ("mood", 1, 0.7),
    "looks_poor": ("money", -1, 0.2), "looks_wealthy": ("money", 1, 0.8),
    "looks_dirty": ("hygiene", -1, 0.3),
}  # fmt: skip
# no meter moves by itself, so that a level is still what it was when cues are decided
STILL = {"difficulty": 0.0, "fitness_base": 0.0, "wait_energy": 0.0, "cascades": []}


def read(actions=(), places=None, away=(0, 1), **levels):
    """Name what a first person reads off a second one after some ticks."""
    env = society(2, **STILL)
    return read_from(env, actions, places, away, **levels)


def read_from(env, actions=(), places=None, away=(0, 1), **levels):
    body = feel(**(PLAIN | levels))
    reader = (HERE[0] + away[0], HERE[1] + away[1])
    put(env, places=places or {}, position=[reader, HERE], meters=[feel(), body], hour=12)
    for name in actions or ("WAIT",):
        step = act(env, "WAIT", name)
    return {name for name, value in see(env, step)["other_cues"][0].items() if value == 1.0}


def own(*table, preset="L7", **overrides):
    """Found a town whose cues are the given ones, in this order."""
    model = {"priority": 1, "visibility": "public", "distance": 5}
    cues = [model | row for row in table]
    names = [row["name"] for row in table]
    return society(2, preset, cues=cues, shown_cues=names, **(STILL | overrides))


@pytest.mark.parametrize("name", THRESHOLDS)
def test_a_threshold_is_strict(name):
    subject, sign, limit = THRESHOLDS[name]
    assert name not in read(**{subject: limit})
    assert name in read(**{subject: limit + sign * 1e-6})
    assert name not in read(**{subject: limit - sign * 1e-6})


@pytest.mark.parametrize(("place", "name"), [("Job", 9), ("Hospital", 10), ("Bar", 11)])
def test_standing_on_a_place_is_seen(place, name):
    assert read(places={place: HERE}) == {CUES[name]}
    assert read(places={place: (0, 0)}) == set()


def test_other_places_show_nothing():
    assert read(places={"Bed": HERE}) == set()


def test_a_newborn_looks_happy_energetic_and_healthy():
    assert read(energy=1.0, health=1.0, mood=1.0) == {
        "looks_happy", "looks_energetic", "looks_healthy",
    }  # fmt: skip


def test_the_three_most_important_cues_are_shown():
    levels = {"health": 0.1, "mood": 0.1, "energy": 0.1, "money": 0.1}
    assert read(places={"Hospital": HERE}, **levels) == {"looks_sick", "looks_sad", "at_hospital"}


def test_cues_of_equal_priority_are_shown_in_alphabetical_order():
    levels = {"energy": 0.1, "hygiene": 0.1, "mood": 1.0}
    assert read(places={"Job": HERE}, **levels) == {"at_job", "looks_dirty", "looks_happy"}


def test_a_location_is_never_crowded_out():
    levels = {"health": 0.1, "mood": 0.1, "energy": 0.1, "hygiene": 0.1, "money": 0.1}
    for place, name in (("Job", "at_job"), ("Hospital", "at_hospital"), ("Bar", "at_bar")):
        assert name in read(places={place: HERE}, **levels)


@pytest.mark.parametrize("limit", [0, 1, 2, 12])
def test_the_number_of_cues_is_a_setting(limit):
    env = society(2, max_cues=limit, **STILL)
    levels = {"health": 0.1, "mood": 0.1, "energy": 0.1, "money": 0.1, "hygiene": 0.1}
    assert len(read_from(env, **levels)) == min(limit, 5)


@pytest.mark.parametrize(("distance", "is_read"), [(1, True), (2, True), (3, False), (4, False)])
def test_dirty_cue_is_read_up_to_two_cells_away(distance, is_read):
    env = society(2, vision_range=4, **STILL)
    seen = read_from(env, away=(0, distance), hygiene=0.1, energy=0.1)
    assert seen == ({"looks_dirty", "looks_tired"} if is_read else {"looks_tired"})


def test_no_cue_is_read_beyond_vision():
    assert read(away=(0, 3), energy=0.1) == set()
    assert read(away=(2, 1), energy=0.1) == set()


def test_level_6_shows_locations_alone():
    env = society(2, "L6", **STILL)
    assert read_from(env, places={"Job": HERE}, energy=0.1) == {"at_job"}
    assert list(see(env, act(env))["other_cues"][0]) == ["at_job", "at_hospital", "at_bar"]


def test_a_cue_goes_when_its_reason_goes():
    env = society(2, **STILL)
    assert "at_job" in read_from(env, places={"Job": HERE})
    step = act(env, "WAIT", "UP")
    assert see(env, step)["other_cues"][0]["at_job"] == 0.0


def test_nobody_reads_their_own_cues():
    env = society(2, **STILL)
    put(env, places={}, position=[(1, 1), (6, 6)], meters=[feel(energy=0.1)] * 2)
    assert act(env).obs[0, 0, 54:].tolist() == [0.0] * 70


def test_an_action_pattern_needs_every_one_of_its_ticks():
    rests = {"name": "lingers", "when": [{"action": "WAIT", "times": 3}]}
    assert read_from(own(rests), ["WAIT"] * 2) == set()
    assert read_from(own(rests), ["WAIT"] * 3) == {"lingers"}
    assert read_from(own(rests), ["WAIT", "UP", "WAIT", "DOWN"]) == set()
    assert read_from(own(rests), ["UP", "DOWN", "WAIT", "WAIT", "WAIT"]) == {"lingers"}


def test_a_composite_needs_all_its_conditions():
    when = [{"at": "Job"}, {"meter": "energy", "below": 0.3}, {"action": "WAIT", "times": 1}]
    cue = {"name": "slacks", "when": when}
    assert read_from(own(cue), places={"Job": HERE}, energy=0.1) == {"slacks"}
    assert read_from(own(cue), places={"Job": HERE}, energy=0.5) == set()
    assert read_from(own(cue), places={"Bed": HERE}, energy=0.1) == set()
    assert read_from(own(cue), ["INTERACT"], places={"Job": HERE}, energy=0.1) == set()


def test_two_thresholds_make_a_band():
    band = [{"meter": "mood", "above": 0.4}, {"meter": "mood", "below": 0.6}]
    cue = {"name": "calm", "when": band}
    assert [bool(read_from(own(cue), mood=level)) for level in (0.3, 0.5, 0.7)] == [0, 1, 0]


def test_a_private_cue_is_never_shown_and_takes_no_place():
    secret = {"name": "a_secret", "priority": 5, "visibility": "private"}
    when = [{"meter": "energy", "below": 0.9}]
    env = own(secret | {"when": when}, {"name": "tired", "when": when}, max_cues=1)
    assert read_from(env) == {"tired"}


WEARY = [{"meter": "energy", "below": 0.9}]
SECRET = {"name": "a_secret", "priority": 5, "visibility": "family", "when": WEARY}
TIRED = {"name": "tired", "when": WEARY}


def at_home(*table, family=(0, 0), **overrides):
    """Found a town whose first two people are of the given families."""
    env = own(*table, preset="L8", **overrides)
    put(env, family=family)
    return env


def test_a_cue_for_the_family_is_read_by_the_family_alone():
    assert read_from(at_home(SECRET, TIRED)) == {"a_secret", "tired"}
    assert read_from(at_home(SECRET, TIRED, family=(0, 1))) == {"tired"}
    assert read_from(at_home(SECRET, TIRED, family=(-1, -1))) == {"tired"}


def test_a_cue_for_the_family_takes_the_place_of_a_public_one_for_the_family_alone():
    assert read_from(at_home(SECRET, TIRED, max_cues=1)) == {"a_secret"}
    assert read_from(at_home(SECRET, TIRED, max_cues=1, family=(0, 1))) == {"tired"}


def test_the_family_too_must_be_near_to_read_a_cue():
    assert read_from(at_home(SECRET | {"distance": 1}), away=(0, 2)) == set()
    assert read_from(at_home(SECRET), away=(0, 3)) == set()


def test_the_audit_is_clean_with_a_cue_for_the_family():
    model = {"priority": 1, "visibility": "public", "distance": 5}
    table = {"core.cues": [model | SECRET, model | TIRED], "core.max_cues": 1}
    names = {"core.shown_cues": ["a_secret", "tired"], "core.family.marry_prob": 1.0}
    ages = {"core.family.marry_age": 0.0, "core.grid_size": 4}
    report = audit("townlet/L8", overrides=table | names | ages)
    assert report.leaks == []
    assert report.num_checks > 1000


def test_priority_goes_before_the_order_of_the_table():
    when = [{"meter": "energy", "below": 0.9}]
    low, high = {"name": "a", "priority": 1}, {"name": "b", "priority": 2}
    env = own(low | {"when": when}, high | {"when": when}, max_cues=1)
    assert read_from(env) == {"b"}


def test_a_distance_of_a_cue_counts_by_the_metric_of_the_town():
    near = {"name": "near", "distance": 1, "when": [{"meter": "energy", "below": 0.9}]}
    assert read_from(own(near), away=(1, 1)) == set()
    assert read_from(own(near, visibility_metric="chebyshev"), away=(1, 1)) == {"near"}


def test_slot_and_cues_belong_to_the_same_person():
    env = society(4, **STILL)
    bodies = [feel(**PLAIN), *(feel(**PLAIN | {"energy": level}) for level in (0.1, 0.5, 0.9))]
    put(env, places={}, position=[(4, 4), (4, 6), (3, 4), (4, 4)], meters=bodies)
    seen = see(env, act(env))
    assert [tuple(pair.values()) for pair in seen["others"][:3]] == [(0, 0), (-1, 0), (0, 2)]
    energetic, plain, tired = seen["other_cues"][:3]
    assert energetic["looks_energetic"] == 1.0
    assert sum(plain.values()) == 0.0
    assert tired["looks_tired"] == 1.0


@pytest.mark.parametrize(
    ("how", "shown"),
    [
        ("below", (1, 0, 0)), ("at_most", (1, 1, 0)), ("equals", (0, 1, 0)),
        ("at_least", (0, 1, 1)), ("above", (0, 0, 1)),
    ],
)  # fmt: skip
def test_a_meter_is_compared_in_five_ways(how, shown):
    cue = {"name": "odd", "when": [{"meter": "mood", how: 0.5}]}
    levels = (0.5 - 1e-6, 0.5, 0.5 + 1e-6)
    assert [bool(read_from(own(cue), mood=level)) for level in levels] == [bool(k) for k in shown]


def test_edited_meters_and_positions_show_as_soon_as_they_are_loaded():
    env = society(2)
    tired = feel(**PLAIN | {"energy": 0.1})
    step = put(env, places={"Job": HERE}, position=[(3, 4), HERE], meters=[feel(), tired])
    looks = see(env, step)["other_cues"][0]
    assert {name for name, value in looks.items() if value} == {"looks_tired", "at_job"}
    assert env.truth("goal")[0].tolist() == [1, 0]
    step = put(env, position=[(3, 4), (3, 5)], meters=[feel(), feel(**PLAIN)])
    assert not any(see(env, step)["other_cues"][0].values())
    assert env.truth("goal")[0].tolist() == [1, 1]


def test_no_snapshot_holds_what_follows_from_it():
    env = society(2)
    assert not {"cue", "family_cue", "goal", "seen"} & set(env.save())
    assert env.truth("cue").shape == (1, 2, 12)


def test_truth_says_who_fills_which_slot_of_the_others():
    env = society(4, **STILL)
    bodies = [feel(**PLAIN), *(feel(**PLAIN | {"energy": level}) for level in (0.1, 0.5, 0.9))]
    put(env, places={}, position=[(4, 4), (4, 6), (3, 4), (4, 4)], meters=bodies)
    assert env.truth("seen")[0, 0].tolist() == [3, 2, 1, -1, -1]
    step = act(env, "WAIT", "DOWN")
    assert env.truth("seen")[0, 0].tolist() == [3, 2, -1, -1, -1]
    assert step.info["visible_agents"][0, 0] == 2
    put(env, meters=[feel(**PLAIN)] * 3 + [feel(energy=0.0)])
    act(env)
    assert env.truth("seen")[0, 0].tolist() == [2, -1, -1, -1, -1]


def test_looks_follow_meters_that_a_layer_changes():
    theft = {"column": "meters.energy", "hazard": 1.0, "size": -0.8, "who": "all"}
    layers = {"uncertainty": {"intensity": 1.0, "shocks": {"blow": theft}}}
    overrides = {"layers": layers, "core.num_agents": 2}
    env = meso.make("townlet/L7", overrides, target="python", autoreset="off")
    env.reset(seed=1)
    put(env, places={}, position=[(3, 4), HERE])
    step = act(env)
    assert env.truth("meters")[0, 1, 0] < 0.3
    assert see(env, step)["other_cues"][0]["looks_tired"] == 1.0
    assert env.truth("goal")[0].tolist() == [0, 0]
