"""What a town knows of its people and keeps to itself, and what a long run comes to."""

import hashlib

import numpy as np
import pytest
from town import act, failures, feel, meter, put, society, town

import mesocosm as meso
from mesocosm.worlds.townlet.declare import COMPANY, SURVIVAL, THRIVING

# raise the world's version when one of these changes
GOLDEN = {
    "townlet/L0": (2, "66e45b50e7989e2d"),
    "townlet/L1": (2, "19e056b4469a67b7"),
    "townlet/L2": (2, "f2d6e6df62525f8b"),
    "townlet/L3": (2, "cb68632685378b5c"),
    "townlet/L4": (2, "6e8add3870596b0d"),
    "townlet/L5": (2, "19258db801c282a6"),
    "townlet/L6": (2, "a2ff4cbd069c843d"),
    "townlet/L7": (2, "4e540bce0390c8da"),
    "townlet/L8": (2, "2c86857b24576d4d"),
}


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


def test_loading_changes_no_goal():
    env = society(1)
    put(env, meters=[feel(energy=0.2)])
    assert env.truth("goal")[0, 0] == THRIVING
    put(env, goal=[SURVIVAL])
    assert env.truth("goal")[0, 0] == SURVIVAL


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


def test_money_for_five_ticks_pays_for_five_ticks():
    env = town("L5")
    put(env, places={"Bed": (1, 1)}, position=(1, 1), meters=[feel(money=0.05, energy=0.1)])
    told = [failures(act(env, "INTERACT"))[0] for _ in range(6)]
    assert told == ["none"] * 5 + ["cannot_pay"]
    assert meter(env, "money") == pytest.approx(0.0, abs=1e-9)


def test_without_slack_rounding_loses_the_last_payment():
    env = town("L5", {"payment_slack": 0.0})
    put(env, places={"Bed": (1, 1)}, position=(1, 1), meters=[feel(money=0.05, energy=0.1)])
    told = [failures(act(env, "INTERACT"))[0] for _ in range(5)]
    assert told == ["none"] * 4 + ["cannot_pay"]


def test_slack_is_no_credit():
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


@pytest.mark.parametrize("preset", GOLDEN)
def test_a_long_run_comes_to_the_recorded_state(preset):
    env = meso.make(preset, num_envs=4, seed=12)
    env.reset()
    rng = np.random.default_rng(99)
    role = env.spec.roles["resident"]
    for _ in range(200):
        env.step(role.action.sample(rng, (4, role.num_agents)))
    found = hashlib.sha256()
    for entry in env.spec.truth:
        found.update(entry.name.encode() + env.truth(entry.name).tobytes())
    assert (env.spec.version, found.hexdigest()[:16]) == GOLDEN[preset]
