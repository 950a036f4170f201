"""Costs, growth and damage at every step of the classic profile."""

import numpy as np
from games import NOOP, classic_game, held, inventory, play, try_actions


def test_noop_fails_when_its_cost_cannot_be_paid():
    actions = {"noop_cost": {"energy": 1}}
    env = classic_game("@.", agents=[{"energy": 1}], actions=actions)
    assert [try_actions(env, NOOP)[0] for _ in range(2)] == [True, False]


def test_regeneration_follows_the_vibe_and_an_empty_entry_stops_it():
    regen = {"default": {"energy": 2, "ore": -1}, "make": {}}
    kind = {"inventory": {"initial": {"ore": 9}, "regen": regen}}
    env = classic_game("@.", agents=[kind], regen_interval=2)
    for _ in range(4):
        play(env, NOOP)
    assert inventory(env) == {"energy": 4, "ore": 7}
    play(env, "change_vibe_make")
    play(env, NOOP)
    assert inventory(env) == {"energy": 4, "ore": 7}
    play(env, "change_vibe_give")
    play(env, NOOP)
    assert inventory(env) == {"energy": 6, "ore": 6}


def test_damage_takes_its_threshold_and_one_exposed_resource():
    kind = {
        "inventory": {"initial": {"energy": 7, "ore": 2, "heart": 1, "armor": 1}},
        "damage": {"threshold": {"energy": 3}, "resources": {"ore": 0, "heart": 1}},
    }
    env = classic_game("@.", agents=[kind])
    found = []
    for _ in range(4):
        play(env, NOOP)
        found.append([held(env, name)[0] for name in ("energy", "ore", "heart", "armor")])
    # the heart is safe, so there is nothing to draw; below the threshold nothing happens
    assert found == [[4, 1, 1, 1], [1, 0, 1, 1], [1, 0, 1, 1], [1, 0, 1, 1]]


def test_damage_draws_as_libstdcxx_does():
    """One agent alone shuffles nothing, so that all draws are of damage: two words each."""
    kind = {
        "inventory": {"initial": {"armor": 900, "energy": 10, "ore": 3, "heart": 1}},
        "damage": {"threshold": {"armor": 1}, "resources": {"energy": 0, "ore": 0, "heart": 0}},
    }
    env = classic_game("@.", agents=[kind])
    env.reset(seed=7)
    words = np.random.RandomState(7).randint(0, 2**32, 60, np.uint64).astype(np.float64)
    drawn = (words[0::2] + words[1::2] * 2.0**32) / 2.0**64
    amount = {"energy": 10, "ore": 3, "heart": 1}
    for k in range(8):
        play(env, NOOP)
        left = [name for name in ("heart", "ore", "energy") if amount[name] > 0]  # the map's order
        sums = np.cumsum([amount[name] / sum(amount.values()) for name in left])
        amount[left[int(np.searchsorted(sums, drawn[k]))]] -= 1
        assert {name: held(env, name)[0] for name in amount} == amount
