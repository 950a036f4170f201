"""Game values: how they are worked out, and what they pay."""

import numpy as np
import pytest
from games import EAST, NOOP, START, global_features, mining_game, play
from parts import const, count_of, stat


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (const(2.5), 2.5),
        ({"kind": "inventory", "resource": "energy"}, 3.0),
        ({"kind": "sum", "of": [const(1.0), const(0.1), const(0.2)]}, np.float32(1.3000001)),
        ({"kind": "sum", "of": [const(2.0), const(3.0)], "weights": [0.1, -1.0]}, -2.8),
        ({"kind": "sum", "of": [const(6.0)], "log": True}, 1.9459101),
        ({"kind": "sum", "of": [const(6.0)], "log": True, "weights": [2.0]}, 3.8918202),
        ({"kind": "ratio", "of": [const(1.0), const(3.0)]}, 1 / 3),
        ({"kind": "ratio", "of": [const(7.0), const(0.0)]}, 7.0),
        ({"kind": "ratio", "of": [const(7.0), const(-2.0)]}, 7.0),
        ({"kind": "min", "of": [const(2.0), const(-1.0), const(4.0)]}, -1.0),
        ({"kind": "max", "of": [const(2.0), const(-1.0), const(4.0)]}, 4.0),
        (stat("never.written"), 0.0),
        (stat("objects.wall", "game"), 14.0),
        ({"kind": "max", "of": [{"kind": "min", "of": [stat("energy.amount"), const(2.0)]},
                                {"kind": "ratio", "of": [const(5.0), const(2.0)]}]}, 2.5),
    ],
)  # fmt: skip
def test_value_is_worked_out_in_single_precision(value, expected):
    env = mining_game(agent=START | {"rewards": {"it": {"value": value, "per_tick": True}}})
    assert play(env, NOOP, NOOP).reward[0, 0] == np.float32(expected)


def test_reward_from_a_statistic_is_a_named_term_within_its_range():
    moved = {"kind": "sum", "of": [stat("action.move.success")], "weights": [0.5]}
    env = mining_game(
        agent=START | {"rewards": {"walk": {"value": moved}, "ore": {"weights": {"ore": 1.0}}}}
    )
    assert float(play(env, EAST, NOOP).reward[0, 0]) == 2.5
    assert env.explain(env=0, agent=0) == {"ore": 2.0, "walk": 0.5, "passed_on": 0.0}
    play(env, NOOP, NOOP)
    assert env.explain(env=0, agent=0)["walk"] == 0.0
    (term,) = (term for term in env.spec.roles["cog"].terms if term.name == "walk")
    assert (term.low, term.high) == pytest.approx((-(2.0**23), 2.0**23), rel=1e-5)


def test_rewards_are_summed_in_single_precision_in_their_order():
    parts = {"c": 0.1, "a": 0.7, "b": 1e7}
    rewards = {name: {"value": const(x), "per_tick": True} for name, x in parts.items()}
    env = mining_game(agent=START | {"rewards": rewards})
    x, y, z = np.float32(0.1), np.float32(0.7), np.float32(1e7)
    assert np.float32(play(env, NOOP, NOOP).reward[0, 0]) == (x + y) + z
    assert sum(env.explain(env=0, agent=0).values()) == float((x + y) + z)


def test_query_value_counts_what_there_is_now():
    values = {
        "all": {"value": count_of("type:agent")},
        "ore": {"value": count_of("type:ext", "ore")},
    }
    rewards = {"left": {"value": count_of("type:ext", "ore")}}
    obs = {"width": 5, "height": 5, "values": values}
    env = mining_game(agent=START | {"rewards": rewards}, obs=obs)
    step = env.reset(seed=0)
    assert [global_features(env, step, a)["ore"] for a in range(2)] == [5, 5]
    step = play(env, EAST, NOOP)
    assert [global_features(env, step, a)["ore"] for a in range(2)] == [3, 3]
    assert global_features(env, step, 1)["all"] == 2
    assert float(step.reward[0, 1]) == 3.0
    assert float(play(env, EAST, NOOP).reward[0, 1]) == -2.0


def test_upstream_reward_that_is_no_number_is_paid_explained_and_saved():
    logs = {"kind": "sum", "of": [const(-3.0)], "log": True}
    rewards = {"log": {"value": logs}, "ore": {"weights": {"ore": 1.0}, "per_tick": True}}
    env = mining_game(agent=START | {"rewards": rewards}, conformance="upstream")
    assert np.isnan(play(env, EAST, NOOP).reward[0]).all()
    paid = env.explain(env=0, agent=0)
    assert np.isnan(paid["log"])
    assert (paid["ore"], paid["passed_on"]) == (2.0, 0.0)
    assert env.truth("score")[0, 0] == 0.0  # of numbers alone
    other = mining_game(agent=START | {"rewards": rewards}, conformance="upstream")
    other.load(env.save())
    play(env, NOOP, EAST)
    play(other, NOOP, EAST)
    assert env.digest() == other.digest()


def test_written_reward_of_a_negative_logarithm_is_a_number():
    logs = {"kind": "sum", "of": [const(-3.0)], "log": True}
    env = mining_game(agent=START | {"rewards": {"log": {"value": logs}}})
    assert np.isfinite(play(env, EAST, NOOP).reward).all()
