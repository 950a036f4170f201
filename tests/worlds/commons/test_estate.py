"""Deaths that leave something, and who gets it."""

import numpy as np
import pytest

from .lake import idle, kinds, lake, put

OWNED = [4.0, 6.0, 8.0, 10.0, 12.0, 14.0]


def estate(**overrides):
    """Make a lake where neighbours inherit, living costs nothing and wealth has room."""
    given = {f"core.{name}": value for name, value in overrides.items()}
    base = {"core.upkeep": 0.0, "core.inheritance": "neighbours", "core.wealth_cap": 100.0}
    return lake(base | given)


def mortal_step(seed, **overrides):
    """Play one step of a lake where half the people die."""
    env = estate(death_prob=0.5, **overrides)
    env.reset(seed=seed)
    put(env, wealth=OWNED)
    return env, env.step(idle(env))


@pytest.mark.parametrize("seed", range(8))
def test_an_estate_passes_to_the_living_and_nothing_is_lost(seed):
    env, step = mortal_step(seed)
    wealth, dead = env.truth("wealth")[0], ~env.truth("alive")[0]
    assert dead.any()
    assert wealth.sum() == pytest.approx(54.0)
    assert (wealth[dead] == 0.0).all()
    assert {env.spec.reason_name(int(code)) for code in step.reason[0, dead]} == {"died"}
    left = dict.fromkeys(np.flatnonzero(dead).tolist(), 0.0)
    for event in env.events():
        if event["kind"] == "estate":
            left[event["actor"]] += event["value"]
    assert left == {a: OWNED[a] for a in left}


def test_heirs_are_the_nearest_living_on_both_sides():
    env, _ = mortal_step(2)
    seats, alive = env.truth("seat")[0], env.truth("alive")[0]
    at = {int(seat): a for a, seat in enumerate(seats)}
    for event in env.events():
        if event["kind"] == "estate":
            seat = seats[event["actor"]]
            near = [
                next(at[c] for c in ((seat + side * k) % 6 for k in range(1, 6)) if alive[at[c]])
                for side in (-1, 1)
            ]
            assert event["target"] in near


def test_without_inheritance_the_dead_keep_what_they_owned():
    env, _ = mortal_step(2, inheritance="none")
    assert env.truth("wealth")[0].tolist() == OWNED
    assert env.spec.roles["harvester"].body == "frozen"


def test_who_starves_leaves_nothing_and_has_starved():
    env = estate()
    put(env, wealth=[8.0, 0.0, 8.0, 8.0, 8.0, 8.0])
    step = env.step(idle(env))
    assert env.spec.reason_name(int(step.reason[0, 1])) == "starved"
    assert kinds(env) == ["death"]
    assert env.truth("wealth")[0].sum() == 5 * 8.0


def test_the_last_one_has_nobody_to_leave_an_estate_to():
    env = estate(death_prob=1.0)
    step = env.step(idle(env))
    assert step.episode_over[0]
    assert "estate" not in kinds(env)
