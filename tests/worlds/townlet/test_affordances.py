"""The figures of the fifteen affordances, played out: what a visit costs and brings."""

import numpy as np
import pytest

import mesocosm as meso

from .town import METERS, PLACES, act, feel, may, meter, put, town

HERE = (3, 3)
STILL = {"difficulty": 0.0, "fitness_base": 0.0, "cascades": []}
# name: (cost at once, effects at once, ticks, cost per tick, effects per tick, bonus)
TABLE = {
    "Bed": (0.05, {"energy": 0.5, "health": 0.02}, 5, 0.01, {"energy": 0.075},
            {"energy": 0.125, "health": 0.02}),
    "LuxuryBed": (0.11, {"energy": 0.75, "health": 0.05}, 6, 0.01833, {"energy": 0.09375},
                  {"energy": 0.1875, "health": 0.05}),
    "Shower": (0.03, {"hygiene": 0.4}, 3, 0.01, {"hygiene": 0.1}, {"hygiene": 0.1}),
    "HomeMeal": (0.03, {"satiation": 0.45, "health": 0.03}, 3, 0.01, {"satiation": 0.1125},
                 {"satiation": 0.1125, "health": 0.03}),
    "FastFood": (0.1, {"satiation": 0.45, "energy": 0.15, "social": 0.01, "fitness": -0.03,
                       "health": -0.02}, 2, 0.05, {"satiation": 0.16875, "energy": 0.05625},
                 {"satiation": 0.1125, "energy": 0.0375, "social": 0.01, "fitness": -0.03,
                  "health": -0.02}),
    "Doctor": (0.08, {"health": 0.25}, 2, 0.04, {"health": 0.09375}, {"health": 0.0625}),
    "Hospital": (0.15, {"health": 0.4}, 3, 0.05, {"health": 0.1}, {"health": 0.1}),
    "Therapist": (0.15, {"mood": 0.4}, 3, 0.05, {"mood": 0.1}, {"mood": 0.1}),
    "Recreation": (0.06, {"mood": 0.25, "energy": 0.12}, 2, 0.03,
                   {"mood": 0.09375, "energy": 0.045}, {"mood": 0.0625, "energy": 0.03}),
    "Bar": (0.15, {"social": 0.5, "mood": 0.25, "satiation": 0.3, "energy": -0.2,
                   "hygiene": -0.15, "health": -0.05}, 2, 0.075,
            {"social": 0.1875, "mood": 0.09375, "satiation": 0.1125},
            {"social": 0.125, "mood": 0.0625, "satiation": 0.075, "energy": -0.2,
             "hygiene": -0.15, "health": -0.05}),
    "Job": (0.0, {"money": 0.225, "energy": -0.15, "social": 0.02, "health": -0.03}, 4, 0.0,
            {"money": 0.05625},
            {"money": 0.05625, "energy": -0.15, "social": 0.02, "health": -0.03}),
    "Labor": (0.0, {"money": 0.15, "energy": -0.2, "fitness": -0.05, "health": -0.05,
                    "social": 0.01}, 4, 0.0, {"money": 0.075},
              {"money": 0.075, "energy": -0.2, "fitness": -0.05, "health": -0.05,
               "social": 0.01}),
    "Gym": (0.08, {"fitness": 0.3, "energy": -0.08}, 3, 0.02667, {"fitness": 0.075},
            {"fitness": 0.075, "energy": -0.08}),
    "Park": (0.0, {"fitness": 0.2, "social": 0.15, "mood": 0.15, "energy": -0.15}, 3, 0.0,
             {"fitness": 0.05, "social": 0.0375, "mood": 0.0375},
             {"fitness": 0.05, "social": 0.0375, "mood": 0.0375, "energy": -0.15}),
    "CoffeeShop": (0.04, {"energy": 0.2, "mood": 0.1, "social": 0.05}, 1, 0.04,
                   {"energy": 0.2, "mood": 0.1, "social": 0.05}, {}),
}  # fmt: skip


def visit(name, ticks, **overrides):
    """Give how each meter changes in a visit at an hour when the place is open."""
    env = town("L5", STILL | overrides, autoreset="off")
    start = feel(**dict.fromkeys(METERS, 0.25))
    hour = 19 if name == "Bar" else 8
    put(env, places={name: HERE}, position=[HERE], hour=hour, meters=[start])
    for _ in range(ticks):
        act(env, "INTERACT")
    return {name: meter(env, name) - 0.25 for name in METERS}


def test_the_table_has_every_place_in_its_order():
    assert tuple(TABLE) == PLACES


@pytest.mark.parametrize("name", PLACES)
def test_a_visit_at_once_costs_and_brings_what_the_table_says(name):
    cost, effects, *_ = TABLE[name]
    wanted = dict.fromkeys(METERS, 0.0) | effects
    wanted["money"] -= cost
    assert visit(name, 1, temporal=False) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("name", PLACES)
def test_every_tick_of_a_visit_costs_and_brings_what_the_table_says(name):
    _, _, ticks, cost, effects, bonus = TABLE[name]
    for played in range(1, ticks + 1):
        wanted = {meter: played * effects.get(meter, 0.0) for meter in METERS}
        wanted["money"] -= played * cost
        if played == ticks:
            wanted = {meter: value + bonus.get(meter, 0.0) for meter, value in wanted.items()}
        assert visit(name, played) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("source", "target", "strength"),
    [
        ("satiation", "health", 0.004), ("satiation", "energy", 0.005), ("mood", "energy", 0.005),
        ("hygiene", "satiation", 0.002), ("hygiene", "fitness", 0.002), ("hygiene", "mood", 0.003),
        ("social", "mood", 0.004), ("hygiene", "health", 0.0005), ("hygiene", "energy", 0.0005),
        ("social", "energy", 0.0008),
    ],
)  # fmt: skip
def test_a_low_meter_drags_another_down_in_proportion(source, target, strength):
    calm = {"difficulty": 0.0, "fitness_base": 0.0, "wait_energy": 0.0}
    env = town("L5", calm, autoreset="off")
    for level, share in ((0.3, 0.0), (0.15, 0.5), (0.0, 1.0)):
        put(env, places={}, meters=[feel(**{source: level})])
        act(env, "WAIT")
        assert meter(env, target) == pytest.approx(1.0 - strength * share)


def test_death_at_retirement_age_pays_the_bonus():
    env = town("L5", {"lifespan": 1}, autoreset="off")
    put(env, places={}, meters=[feel(energy=0.001)])
    step = act(env, "WAIT")
    assert step.reward[0, 0] == 1.0
    assert env.spec.reason_name(step.reason[0, 0]) == "died"


@pytest.mark.parametrize("preset", ["L4", "L5"])
def test_random_legal_play_lives_100_to_130_steps(preset):
    env = meso.make(f"townlet/{preset}", num_envs=400, seed=1, autoreset="off")
    role, step, rng = env.spec.roles["resident"], env.reset(), np.random.default_rng(2)
    assert may(step, "WAIT")
    ages = np.zeros(400)
    while not step.terminated.all():
        step = env.step(role.action.sample(rng, (400, 1), step.mask))
        ages = np.maximum(ages, env.truth("age")[:, 0])
    assert 100 <= ages.mean() <= 130
