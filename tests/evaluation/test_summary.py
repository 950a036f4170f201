import math

import numpy as np
import pytest

from mesocosm.evaluation.summary import FEWEST_EPISODES, estimate, wilson


def test_wilson_interval_of_known_shares():
    # R: prop.test(n, 100, correct = FALSE)
    assert wilson(0.5, 100) == pytest.approx((0.4038315, 0.5961685), abs=1e-6)
    assert wilson(0.0, 100) == pytest.approx((0.0, 0.0369935), abs=1e-6)
    assert wilson(1.0, 100) == pytest.approx((0.9630065, 1.0), abs=1e-6)


def test_few_episodes_give_a_mean_without_an_interval():
    values = np.arange(FEWEST_EPISODES - 1, dtype=float)
    found = estimate(values, np.arange(len(values)))
    assert found.mean == values.mean()
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_many_lives_of_few_episodes_give_no_interval():
    found = estimate(np.ones(10_000), np.arange(10_000) % 5)
    assert math.isnan(found.low)


def test_no_lives_give_no_mean():
    assert math.isnan(estimate(np.zeros(0), np.zeros(0, int)).mean)


def test_interval_holds_where_the_lives_of_an_episode_hang_together():
    rng, num_episodes, per_episode, trials = np.random.default_rng(3), 150, 6, 600
    episode = np.repeat(np.arange(num_episodes), per_episode)
    covered = naive = 0
    for _ in range(trials):
        shared = np.repeat(rng.normal(size=num_episodes), per_episode)
        values = 2.0 + shared + 0.3 * rng.normal(size=len(episode))
        found = estimate(values, episode)
        covered += found.low <= 2.0 <= found.high
        naive += abs(values.mean() - 2.0) <= 1.96 * values.std() / math.sqrt(len(values))
    assert 0.93 <= covered / trials <= 0.97
    assert naive / trials < 0.75  # counting lives as if each were independent would not do


def test_share_of_single_lives_stays_within_0_and_1():
    found = estimate(np.ones(1000), np.arange(1000))
    assert found.mean == 1.0
    assert 0.99 < found.low < 1.0
    assert found.high == 1.0
