"""Recorded ticks of a reference run, two lives of habit, and what a long run must come to."""

import hashlib

import numpy as np
import pytest

import mesocosm as meso

from .town import act, feel, meter, put, see, town

AWAY, HERE = (0, 0), (3, 3)
TIRED, POOR, EMPTY = {"energy": 0.3}, {"money": 0.1}, {"energy": 0.004}
LOW = dict.fromkeys(
    ("energy", "satiation", "mood", "hygiene", "social", "fitness", "health", "money"), 0.2
)
FRESH_TICK = (0.996, 0.999, 0.997, 0.994, 0.998, 0.999495)
# name: (actions, place, meters, hour, meters after, reward)
GOLDEN = {
    "reset, WAIT": (["WAIT"], None, {}, 0, (0.994, *FRESH_TICK, 0.5), 0.993498),
    "reset, RIGHT": (
        ["RIGHT"], None, {}, 0,
        (0.990, 0.992, 0.999, 0.994, 0.994, 0.998, 0.999495, 0.5), 0.989500,
    ),
    "reset, INTERACT on empty": (["INTERACT"], None, {}, 0, (0.995, *FRESH_TICK, 0.5), 0.994498),
    "all meters .2, WAIT": (
        ["WAIT"], None, LOW, 0,
        (0.190129, 0.195313, 0.196557, 0.197, 0.194, 0.197313, 0.195937, 0.2), 0.037253,
    ),
    "Bed tick 1": (["INTERACT"], "Bed", TIRED, 0, (0.37, *FRESH_TICK, 0.49), 0.369813),
    "Bed tick 5": (
        ["INTERACT"] * 5, "Bed", TIRED, 0,
        (0.775, 0.980, 0.995, 0.985, 0.970, 0.990, 0.999475, 0.45), 0.774593,
    ),
    "Job tick 1": (["INTERACT"], "Job", POOR, 8, (0.995, *FRESH_TICK, 0.15625), 0.994498),
    "Job tick 4": (
        ["INTERACT"] * 4, "Job", POOR, 8,
        (0.830, 0.984, 0.996, 0.988, 0.994, 0.992, 0.967950, 0.381250), 0.803399,
    ),
    "energy .004, WAIT": (["WAIT"], None, EMPTY, 0, (0.0, *FRESH_TICK, 0.5), 0.0),
}  # fmt: skip
PROGRESS = {"Bed tick 1": 1, "Job tick 1": 1}


def life(**overrides):
    return town("L5", overrides, autoreset="off")


def play(env, case):
    actions, place, meters, hour, _, _ = GOLDEN[case]
    places = {} if place is None else {place: HERE}
    put(env, places=places, position=[HERE], meters=[feel(**meters)], hour=hour)
    for name in actions:
        step = act(env, name)
    return step


@pytest.mark.parametrize("case", GOLDEN)
def test_meters_after_a_recorded_case_are_the_recorded_ones(case):
    env = life()
    play(env, case)
    assert env.truth("meters")[0, 0] == pytest.approx(np.array(GOLDEN[case][4]), abs=1e-6)


@pytest.mark.parametrize("case", GOLDEN)
def test_the_reward_of_a_recorded_case_is_the_recorded_one(case):
    step = play(life(), case)
    assert step.reward[0, 0] == pytest.approx(GOLDEN[case][5], abs=1e-6)


@pytest.mark.parametrize("case", GOLDEN)
def test_progress_hour_and_ending_of_a_recorded_case_are_the_recorded_ones(case):
    env = life()
    step = play(env, case)
    actions, _, _, hour, _, _ = GOLDEN[case]
    assert env.truth("hour")[0] == hour + len(actions)
    assert env.truth("progress")[0, 0] == PROGRESS.get(case, 0)
    assert bool(step.terminated[0, 0]) == (case == "energy .004, WAIT")
    assert bool(step.ended[0, 0]) == (case == "energy .004, WAIT")


@pytest.mark.parametrize(("case", "seen"), [("Bed tick 1", 0.1), ("Bed tick 5", 0.0)])
def test_a_finished_interaction_is_seen_as_no_progress(case, seen):
    env = life()
    step = play(env, case)
    assert see(env, step)["progress"] == [pytest.approx(seen)]


def test_a_bed_gives_everything_at_once_when_time_rules_are_off():
    env = life(temporal=False)
    step = play(env, "Bed tick 1")
    after = (0.795, *FRESH_TICK, 0.45)
    assert env.truth("meters")[0, 0] == pytest.approx(np.array(after), abs=1e-6)
    assert step.reward[0, 0] == pytest.approx(0.794599, abs=1e-6)
    assert env.truth("progress")[0, 0] == 0
    assert env.truth("hour")[0] == 0


def test_the_last_tick_of_a_lifespan_pays_the_bonus_and_ends_the_life():
    env = life(lifespan=1)
    step = play(env, "reset, WAIT")
    assert env.truth("meters")[0, 0] == pytest.approx(np.array(GOLDEN["reset, WAIT"][4]), abs=1e-6)
    assert step.reward[0, 0] == pytest.approx(1.993498, abs=1e-6)
    assert step.terminated[0, 0]
    assert env.spec.reason_name(step.reason[0, 0]) == "retired"


def live(env, *habit):
    """Repeat some actions until death; give the age and the return."""
    put(env, places={}, position=[HERE])
    total, age, step = 0.0, 0, None
    while step is None or not step.ended[0, 0]:
        step = act(env, habit[age % len(habit)])
        total += float(step.reward[0, 0])
        age += 1
    return age, total


def test_agent_that_only_waits_dies_at_step_164():
    age, total = live(life(), "WAIT")
    assert age == 164
    assert total == pytest.approx(79.27, abs=0.005)


def test_agent_that_only_walks_dies_at_step_100():
    env = life()
    age, total = live(env, "UP", "DOWN")
    assert age == 100
    assert total == pytest.approx(48.41, abs=0.005)
    assert meter(env, "energy") == 0.0


# raise the world's version when one of these changes
DIGESTS = {
    "townlet/L0": (3, "c9c916483750bcb3"),
    "townlet/L1": (3, "22e2100d523b2035"),
    "townlet/L2": (3, "0a64cf8f6aef5000"),
    "townlet/L3": (3, "a8b7f959abec3796"),
    "townlet/L4": (3, "6413a7d84fc7cd87"),
    "townlet/L5": (3, "1b91ca541ba3770e"),
    "townlet/L6": (3, "6408c4fecdadf1bb"),
    "townlet/L7": (3, "52452b855fa138d2"),
    "townlet/L8": (3, "eb89c3bbef9a32be"),
}


@pytest.mark.parametrize("preset", DIGESTS)
def test_a_long_run_comes_to_the_recorded_state(preset):
    env = meso.make(preset, num_envs=4, seed=12)
    env.reset()
    rng = np.random.default_rng(99)
    role = env.spec.roles["resident"]
    for _ in range(200):
        env.step(role.action.sample(rng, (4, role.num_agents)))
    found = hashlib.sha256()
    for name in (*env.spec.saved, *env.spec.exposed):
        found.update(name.encode() + env.truth(name).tobytes())
    assert (env.spec.version, found.hexdigest()[:16]) == DIGESTS[preset]
