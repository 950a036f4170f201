"""Places: who gets one, who can pay for it, and where they stand."""

import numpy as np
import pytest

import mesocosm as meso

from .town import act, failures, feel, meter, put, society, town

HERE = (3, 3)
USE = "INTERACT"


def crowd(num_agents, name, **overrides):
    """Put some people onto one place at noon."""
    env = society(num_agents, **overrides)
    put(env, places={name: HERE}, position=[HERE] * num_agents, hour=12)
    return env


def served(env):
    return [index for index, ticks in enumerate(env.truth("progress")[0]) if ticks > 0]


def test_a_place_for_one_serves_the_lowest_index():
    env = crowd(3, "Bed")
    step = act(env, USE, USE, USE)
    assert served(env) == [0]
    assert failures(step) == ["none", "contention", "contention"]


def test_losing_a_contest_is_recorded_as_a_conflict():
    env = crowd(3, "Bed")
    act(env, USE, USE, USE)
    conflicts = [event for event in env.events() if event["kind"] == "conflict"]
    assert [(event["actor"], event["value"]) for event in conflicts] == [(1, 0.0), (2, 0.0)]


def test_the_loser_stays_pays_nothing_and_gets_nothing():
    env = crowd(2, "Bed")
    put(env, meters=[feel(energy=0.3), feel(energy=0.3)])
    act(env, USE, USE)
    assert meter(env, "money", 1) == 0.5
    assert meter(env, "energy", 1) == pytest.approx(0.295)
    assert env.truth("position")[0, 1].tolist() == list(HERE)


def test_current_user_of_a_place_keeps_it_against_a_lower_index():
    env = crowd(2, "Bed")
    act(env, "WAIT", USE)
    step = act(env, USE, USE)
    assert failures(step) == ["contention", "none"]
    assert env.truth("progress")[0].tolist() == [0, 2]


def test_user_that_finished_has_no_priority():
    env = crowd(2, "FastFood")
    for mine in ("WAIT", USE):
        act(env, mine, USE)
    assert env.truth("progress")[0].tolist() == [0, 0]
    assert failures(act(env, USE, USE)) == ["none", "contention"]


def test_the_loser_keeps_the_progress():
    env = crowd(2, "Bed")
    for mine, theirs in (("WAIT", USE), ("WAIT", USE), (USE, "WAIT")):
        act(env, mine, theirs)
    step = act(env, USE, USE)
    assert failures(step) == ["none", "contention"]
    assert env.truth("progress")[0].tolist() == [2, 2]


def test_a_place_left_for_a_moment_is_lost_to_its_new_user():
    env = crowd(2, "Bed")
    act(env, USE, "WAIT")
    act(env, "WAIT", USE)
    assert failures(act(env, USE, USE)) == ["contention", "none"]


@pytest.mark.parametrize("name", ["Park", "CoffeeShop"])
def test_some_places_have_room_for_all(name):
    env = crowd(8, name)
    assert failures(act(env, *[USE] * 8)) == ["none"] * 8
    assert env.events() == []


def test_a_hospital_has_room_for_two():
    env = crowd(4, "Hospital")
    assert failures(act(env, *[USE] * 4)) == ["none", "none", "contention", "contention"]


@pytest.mark.parametrize("temporal", [True, False])
def test_capacity_counts_anew_every_tick(temporal):
    env = crowd(2, "Shower", temporal=temporal)
    for _ in range(2):
        assert failures(act(env, USE, USE)) == ["none", "contention"]


def test_agent_that_cannot_pay_does_not_count_towards_capacity():
    env = crowd(2, "Bed")
    put(env, meters=[feel(money=0.0), feel()])
    assert failures(act(env, USE, USE)) == ["cannot_pay", "none"]


def test_money_for_five_ticks_pays_for_five_ticks():
    env = town("L5")
    put(env, places={"Bed": (1, 1)}, position=(1, 1), meters=[feel(money=0.05, energy=0.1)])
    told = [failures(act(env, "INTERACT"))[0] for _ in range(6)]
    assert told == ["none"] * 5 + ["cannot_pay"]
    assert meter(env, "money") == pytest.approx(0.0, abs=1e-9)


def test_zero_payment_slack_loses_the_last_payment_to_rounding():
    env = town("L5", {"payment_slack": 0.0})
    put(env, places={"Bed": (1, 1)}, position=(1, 1), meters=[feel(money=0.05, energy=0.1)])
    told = [failures(act(env, "INTERACT"))[0] for _ in range(5)]
    assert told == ["none"] * 4 + ["cannot_pay"]


def test_payment_slack_does_not_cover_a_missing_payment():
    env = town("L5")
    put(env, places={"Bed": (1, 1)}, position=(1, 1), meters=[feel(money=0.00999)])
    assert failures(act(env, "INTERACT")) == ["cannot_pay"]


def test_every_cell_is_as_likely_for_the_last_place_as_for_the_first():
    env = meso.make("townlet/L4", {"core.grid_size": 4}, num_envs=8000, seed=5)
    env.reset()
    spots = env.truth("affordance_position")  # 15 places on 16 cells
    for kind in (0, 7, 14):
        counts = np.bincount(spots[:, kind, 1] * 4 + spots[:, kind, 0], minlength=16)
        spread = ((counts - 500.0) ** 2 / 500.0).sum()
        assert spread < 37.7  # chi square, 15 degrees of freedom: one in a thousand


def test_where_two_places_stand_is_independent_but_for_the_shared_cell():
    env = meso.make("townlet/L4", {"core.grid_size": 4}, num_envs=24_000, seed=6)
    env.reset()
    cells = env.truth("affordance_position") @ np.array([1, 4])
    gap = (cells[:, 1] - cells[:, 0]) % 16
    counts = np.bincount(gap, minlength=16)
    assert counts[0] == 0
    assert ((counts[1:] - 1600.0) ** 2 / 1600.0).sum() < 36.1  # 14 degrees of freedom
