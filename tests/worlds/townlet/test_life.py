"""Goals: what a resident pursues, by its meters."""

import pytest

import mesocosm as meso
from mesocosm.worlds.townlet.declare import COMPANY, SURVIVAL, THRIVING

from .town import act, feel, meter, put, society

STILL = {"difficulty": 0.0, "wait_energy": 0.0, "fitness_base": 0.0, "cascades": []}


@pytest.mark.parametrize(
    ("levels", "goal"),
    [
        ({}, THRIVING),
        ({"social": 0.2}, COMPANY),
        ({"energy": 0.2}, SURVIVAL),
        ({"health": 0.2}, SURVIVAL),
        ({"energy": 0.2, "social": 0.2}, SURVIVAL),
        ({"energy": 0.3, "health": 0.3, "social": 0.3}, THRIVING),
        ({"mood": 0.0, "money": 0.0}, THRIVING),
    ],
)
def test_a_goal_follows_from_the_meters_of_the_last_tick(levels, goal):
    env = society(2, **STILL)
    put(env, meters=[feel(), feel(**levels)])
    act(env)
    assert env.truth("goal")[0].tolist() == [THRIVING, goal]


def test_a_goal_follows_meters_that_are_loaded():
    env = society(1)
    put(env, meters=[feel(energy=0.2)])
    assert env.truth("goal")[0, 0] == SURVIVAL
    put(env, meters=[feel()])
    assert env.truth("goal")[0, 0] == THRIVING


def test_a_goal_changes_in_the_tick_in_which_its_meter_does():
    env = society(1)
    put(env, meters=[feel(social=0.303)])
    assert env.truth("goal")[0, 0] == THRIVING
    act(env)
    assert meter(env, "social") < 0.3
    assert env.truth("goal")[0, 0] == COMPANY


def test_the_thresholds_of_goals_are_settings():
    env = society(1, goal_survival=0.9, goal_social=0.0, **STILL)
    put(env, meters=[feel(energy=0.8)])
    act(env)
    assert env.truth("goal")[0, 0] == SURVIVAL
    put(env, meters=[feel(social=0.0)])
    act(env)
    assert env.truth("goal")[0, 0] == THRIVING


def test_no_feature_declares_to_read_a_goal():
    role = meso.make("townlet/L8", target="python").spec.roles["resident"]
    features = (*role.observation.features, *role.info.features)
    assert "goal" not in {read.field for entry in features for read in entry.reads}
