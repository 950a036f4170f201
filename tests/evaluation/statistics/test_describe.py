import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mesocosm.core.errors import ConfigError, MissingExtra
from mesocosm.evaluation.statistics import shares
from mesocosm.evaluation.statistics.describe import (
    FEWEST,
    describe,
    estimate_iqm,
    estimate_mean,
    estimate_median,
    estimate_share,
)
from mesocosm.evaluation.statistics.sample import sample, seed_values


def coverage(draw, truth, count, trials=400, estimate=estimate_mean):
    rng = np.random.default_rng(11)
    found = [estimate(draw(rng, count)) for _ in range(trials)]
    assert all(entry.has_interval for entry in found)
    return np.mean([entry.low <= truth <= entry.high for entry in found])


@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        (lambda rng, n: rng.normal(3.0, 2.0, n), 3.0),
        (lambda rng, n: rng.exponential(1.0, n), 1.0),
        (lambda rng, n: rng.lognormal(0.0, 1.0, n), math.exp(0.5)),
        (lambda rng, n: rng.choice((-2.0, 2.0), n, p=(0.3, 0.7)) + rng.normal(0, 0.5, n), 0.8),
    ],
    ids=["normal", "exponential", "lognormal", "bimodal"],
)
def test_mean_of_the_fewest_episodes_is_covered(draw, truth):
    assert coverage(draw, truth, FEWEST) >= 0.93
    percentile = np.mean([_percentile(draw, seed, truth) for seed in range(400)])
    assert percentile < 0.945  # what most people use does not do as well


def _percentile(draw, seed, truth):
    rng = np.random.default_rng(seed)
    values = draw(rng, 10)
    means = rng.choice(values, (200, 10)).mean(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return low <= truth <= high


@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("count", [5, 10, 30])
def test_share_is_covered_with_any_number_of_episodes(share, count):
    assert coverage(lambda rng, n: rng.random(n) < share, share, count) >= 0.93


def test_exact_interval_is_that_of_scipy():
    for hits, trials in ((0, 5), (3, 10), (10, 10), (47, 100)):
        theirs = stats.binomtest(hits, trials).proportion_ci(0.95, method="exact")
        ours = estimate_share(hits, trials)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_few_episodes_have_a_mean_without_an_interval_and_say_why():
    found = estimate_mean(np.arange(FEWEST - 1.0))
    assert found.value == (FEWEST - 2) / 2
    assert not found.has_interval
    assert found.why.startswith(f"{FEWEST - 1} episodes or seeds are too few")


def test_many_lives_of_few_episodes_have_no_interval():
    rng = np.random.default_rng(0)
    assert not estimate_mean(rng.normal(size=10_000), np.arange(10_000) % 5).has_interval


def test_mean_interval_is_students_where_values_are_symmetric():
    values = np.concatenate([np.arange(-50.0, 0.0), np.arange(1.0, 51.0)])
    found = estimate_mean(values)
    theirs = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


def test_mean_interval_reaches_further_towards_the_long_tail():
    values = np.random.default_rng(1).exponential(1.0, 50)
    found, mirrored = estimate_mean(values), estimate_mean(-values)
    assert found.high - found.value > found.value - found.low
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low))


def test_interval_holds_where_the_lives_of_an_episode_hang_together():
    rng, num_episodes, per_episode, trials = np.random.default_rng(3), 60, 6, 600
    episode = np.repeat(np.arange(num_episodes), per_episode)
    covered = naive = 0
    for _ in range(trials):
        shared = np.repeat(rng.normal(size=num_episodes), per_episode)
        values = 2.0 + shared + 0.3 * rng.normal(size=len(episode))
        found = estimate_mean(values, episode)
        covered += found.low <= 2.0 <= found.high
        naive += abs(values.mean() - 2.0) <= 1.96 * values.std() / math.sqrt(len(values))
    assert 0.93 <= covered / trials <= 0.98
    assert naive / trials < 0.75  # counting lives as if each were independent would not do


def test_share_of_lives_that_hang_together_is_covered():
    rng, trials = np.random.default_rng(4), 300
    for num_episodes in (10, 60):
        episode = np.repeat(np.arange(num_episodes), 8)
        covered = 0
        for _ in range(trials):
            values = np.repeat(rng.random(num_episodes) < 0.2, 8) ^ (rng.random(len(episode)) < 0.1)
            found = estimate_mean(values, episode)
            covered += found.low <= 0.2 * 0.9 + 0.8 * 0.1 <= found.high
        assert covered / trials >= 0.93


def test_share_of_one_throughout_has_an_interval_over_episodes():
    found = estimate_mean(np.ones(600), np.arange(600) // 6)
    assert found.high == 1.0
    assert found.low == pytest.approx(shares.limits(1.0, 100, 0.95)[0])


def test_numbers_that_are_all_zero_have_no_interval():
    assert not estimate_mean(np.zeros(100), kind="number").has_interval
    assert estimate_mean(np.zeros(100), kind="share").high == pytest.approx(0.0362, abs=1e-4)


def test_two_values_are_a_share_on_their_own_scale():
    won = np.arange(40) < 30
    found, share = estimate_mean(np.where(won, 10.0, -10.0)), estimate_mean(won)
    assert (found.value, share.value) == (5.0, 0.75)
    assert (found.low, found.high) == pytest.approx((20 * share.low - 10, 20 * share.high - 10))


def test_median_of_five_lies_between_the_smallest_and_the_largest():
    found = estimate_median([5.0, 1.0, 3.0, 2.0, 4.0])
    assert found[:4] == (3.0, 1.0, 5.0, 0.9375)
    assert not estimate_median([1.0, 2.0, 3.0, 4.0]).has_interval


@given(st.integers(6, 200))
def test_median_interval_is_the_narrowest_that_the_sign_test_allows(count):
    found = estimate_median(np.arange(count))
    cut = int(found.low)
    assert 2 * stats.binom.cdf(cut, count, 0.5) <= 0.05
    assert 2 * stats.binom.cdf(cut + 1, count, 0.5) > 0.05 or cut + 1 > (count - 1) // 2
    assert found.high == count - 1 - cut


def test_interquartile_mean_is_that_of_scipy_and_is_covered():
    values = np.random.default_rng(5).exponential(1.0, 41)
    assert estimate_iqm(values).value == pytest.approx(stats.trim_mean(values, 0.25))
    assert not estimate_iqm(values[:29]).has_interval
    truth = float(stats.expon.expect(lb=stats.expon.ppf(0.25), ub=stats.expon.ppf(0.75)) / 0.5)
    draw = lambda rng, n: rng.exponential(1.0, n)  # noqa: E731
    assert coverage(draw, truth, FEWEST, estimate=estimate_iqm) >= 0.93


def test_interquartile_interval_of_a_large_sample_is_as_wide_as_its_error():
    values = np.random.default_rng(7).normal(size=20_000)
    found = estimate_iqm(values)
    assert found.low < 0.0 < found.high
    # a trimmed mean of normal values has 1.19 times the variance of the mean
    expected = 2 * stats.norm.ppf(0.9875) * math.sqrt(1.19 / len(values))
    assert found.width == pytest.approx(expected, rel=0.15)
    assert estimate_iqm(values) == found


def test_seeds_count_and_not_their_episodes():
    rng = np.random.default_rng(6)
    seed = np.repeat(np.arange(5), 1000)
    found = describe(seed_values(rng.normal(size=5000) + seed, seed).values)
    assert found.episodes == 5
    assert not found.mean.has_interval
    assert found.median.high - found.median.low > 3.5


def test_episode_values_have_the_mean_over_lives():
    found = sample([1.0, 2.0, 3.0, 10.0], [7, 7, 7, 9])
    assert found.episode_values().mean() == pytest.approx(4.0)
    assert found.episode_means().tolist() == [2.0, 10.0]
    equal = sample([1.0, 3.0, 5.0, 7.0], [0, 0, 1, 1])
    assert equal.episode_values().tolist() == equal.episode_means().tolist()


def test_what_is_no_number_is_refused():
    with pytest.raises(ConfigError, match="must be finite, got nan at 1"):
        describe([1.0, math.nan])
    with pytest.raises(ConfigError, match="a share must be 0 or 1"):
        describe([0.0, 0.5], kind="share")
    with pytest.raises(ConfigError, match="two lists of one length"):
        describe([1.0, 2.0], [0])


def test_without_scipy_one_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtra, match=r"statistics need SciPy: pip install .*\[eval\]"):
        estimate_mean([0.0, 1.0])


@pytest.mark.parametrize(("episodes", "lives", "share"), [(45, 10, 0.02), (60, 10, 0.02)])
def test_rare_share_of_lives_that_hang_together_is_covered(episodes, lives, share):
    rng, trials, covered = np.random.default_rng(12), 400, 0
    episode = np.repeat(np.arange(episodes), lives)
    for _ in range(trials):
        chance = rng.beta(0.03, 0.03 * (1 - share) / share, episodes)
        values = (rng.random(len(episode)) < chance[episode]).astype(float)
        found = estimate_mean(values, episode, kind="share")
        covered += found.low <= share <= found.high
    assert covered / trials >= 0.93
