"""Castes in worlds that have an order of their own."""

import numpy as np

import mesocosm as meso

HALVES = {"cog": ["high"] * 4 + ["low"] * 4}


def turns(power):
    """Give the order in which cogs act, step by step."""
    layers = {"layers.power": {"intensity": 1.0, **power}} if power else {}
    env = meso.make("mettagrid/forage", layers, target="python", seed=1)
    env.reset()
    found = []
    for _ in range(6):
        env.step(env.spec.roles["cog"].action.noop((1, 8)))
        found.append(np.array(env.driver.s.turn[0]))
    return np.stack(found)


def test_a_priority_that_is_the_order_of_numbers_is_not_shuffled():
    ranked = turns({"castes": {"high": {"priority": 1}, "low": {}}, "assign": HALVES})
    assert (ranked == np.arange(8)).all()
    assert (turns({}) != np.arange(8)).any()


def test_a_priority_sets_later_numbers_first():
    ranked = turns({"castes": {"high": {}, "low": {"priority": 1}}, "assign": HALVES})
    assert (ranked == [4, 5, 6, 7, 0, 1, 2, 3]).all()
