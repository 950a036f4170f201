import math

import numpy as np
import pytest
from scipy import stats

from mesocosm.core.errors import ConfigError
from mesocosm.evaluation.statistics import resampling
from mesocosm.evaluation.statistics.difference import difference_of
from mesocosm.evaluation.statistics.improvement import probability_of_improvement
from mesocosm.evaluation.statistics.planning import episodes_needed
from mesocosm.evaluation.statistics.sample import sample
from mesocosm.evaluation.statistics.seats import compare_seats
from mesocosm.evaluation.statistics.verdict import Sides, compare, compare_all, holm

KINDS = {
    "normal": lambda rng, n: rng.normal(10.0, 2.0, n),
    "lognormal": lambda rng, n: rng.lognormal(0.0, 1.0, n),
    "share": lambda rng, n: (rng.random(n) < 0.3).astype(float),
}


@pytest.mark.parametrize("draw", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("count", [10, 40])
@pytest.mark.parametrize("paired", [False, True])
def test_equal_sides_are_not_distinguishable(draw, count, paired):
    rng, trials = np.random.default_rng(1), 200
    found = [
        compare(sample(draw(rng, count)), sample(draw(rng, count)), paired=paired).verdict
        for _ in range(trials)
    ]
    assert found.count("not distinguishable") / trials >= 0.92


@pytest.mark.parametrize("paired", [False, True])
def test_handicap_is_found_with_the_episodes_that_were_asked_for(paired):
    rng, found = np.random.default_rng(2), 0

    def play(count):
        began = rng.normal(10.0, 1.0, count)  # what both sides meet
        ours, theirs = (mean * rng.lognormal(0.0, 0.2, count) for mean in (0.95, 1.0))
        return sample(began * ours), sample(began * theirs)

    for _ in range(60):
        needed = compare(*play(40), paired=paired).needed
        found += compare(*play(needed), paired=paired).verdict == "worse"
    assert found >= 48


def test_verdict_and_interval_agree():
    rng = np.random.default_rng(3)
    for shift in np.linspace(-1.0, 1.0, 21):
        for draw in KINDS.values():
            first, second = draw(rng, 40), draw(rng, 40)
            if set(first) > {0.0, 1.0}:
                first = first + shift
            for paired in (False, True):
                made = compare(sample(first), sample(second), paired=paired)
                outside = made.difference.low > 0 or made.difference.high < 0
                assert outside == (made.verdict != "not distinguishable")


def test_pairing_finds_what_the_beginnings_hide():
    rng = np.random.default_rng(4)
    began = rng.normal(0.0, 10.0, 50)
    ours, theirs = sample(began + 1.0 + rng.normal(0, 1, 50)), sample(began + rng.normal(0, 1, 50))
    assert compare(ours, theirs).verdict == "not distinguishable"
    paired = compare(ours, theirs, paired=True)
    assert paired.verdict == "better"
    assert paired.needed_for_seen < compare(ours, theirs).needed_for_seen / 10


def test_only_episodes_that_both_played_are_paired():
    ours = sample(np.arange(40.0), np.arange(40))
    theirs = sample(np.arange(40.0), np.arange(10, 50))
    found = compare(ours, theirs, paired=True)
    assert found.episodes == (30, 30)
    assert found.difference.value == 10.0


def test_same_episodes_twice_are_equal():
    values = sample(np.random.default_rng(5).normal(size=50))
    found = compare(values, values, paired=True)
    assert (found.verdict, found.p) == ("not distinguishable", 1.0)
    assert found.difference.why == "every pair is equal"
    assert found.needed_for_seen is None


def test_five_pairs_can_never_be_told_apart_but_six_can():
    five, six = (sample(np.arange(n) + 1.0) for n in (5, 6))
    assert compare(five, sample(np.zeros(5)), paired=True).verdict == "not distinguishable"
    assert compare(six, sample(np.zeros(6)), paired=True).verdict == "better"
    assert resampling.fewest_pairs(0.05) == 6


def test_exchanged_groups_give_the_p_value_of_scipy():
    rng = np.random.default_rng(6)
    first, second = rng.normal(1.0, 1.0, 6), rng.normal(0.0, 2.0, 7)
    theirs = stats.permutation_test(
        (first, second),
        lambda a, b, axis: np.abs(stats.ttest_ind(a, b, equal_var=False, axis=axis).statistic),
        alternative="greater",
        n_resamples=math.inf,
        vectorized=True,
    )
    assert resampling.p_value_of_groups(first, second) == pytest.approx(theirs.pvalue)


def test_the_same_data_give_the_same_p_value():
    rng = np.random.default_rng(7)
    first, second = rng.normal(size=20), rng.normal(size=25)
    found = resampling.p_value_of_groups(first, second)
    resampling._members.cache_clear()
    assert resampling.p_value_of_groups(first, second) == found
    assert resampling.p_value_of_groups(second, first) == pytest.approx(found)


def test_sides_that_never_vary_are_told_apart():
    found = compare(sample(np.ones(40) * 2.5), sample(np.ones(40) * 2.0))
    assert found.verdict == "better"
    assert found.difference.why == "each side's values are equal"


def test_one_episode_cannot_be_tested():
    found = compare(sample([1.0]), sample([2.0, 3.0]))
    assert found.verdict == "not distinguishable"
    assert math.isnan(found.p)
    assert "at least 2 episodes" in found.difference.why


def test_holm_corrects_step_by_step_and_skips_what_was_no_test():
    # R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.04, math.nan])[0] == 0.04
    assert math.isnan(holm([0.04, math.nan])[1])


def test_among_many_equal_sides_hardly_one_is_called_better():
    rng = np.random.default_rng(8)
    alarms = 0
    for _ in range(100):
        draw = [sample(rng.normal(size=40)) for _ in range(20)]
        sides = {k: Sides(draw[k], draw[-1 - k]) for k in range(10)}
        found = compare_all(sides).values()
        alarms += any(entry.verdict != "not distinguishable" for entry in found)
    assert alarms <= 12


def test_probability_of_improvement_counts_pairs_and_half_of_ties():
    first, second = sample([1.0, 2.0, 3.0]), sample([1.0, 2.0, 2.5])
    assert probability_of_improvement(first, second).value == pytest.approx(
        stats.mannwhitneyu([1.0, 2.0, 3.0], [1.0, 2.0, 2.5]).statistic / 9
    )
    assert probability_of_improvement(first, second, paired=True).value == pytest.approx(2 / 3)


def test_probability_of_improvement_is_covered_by_its_interval():
    rng, truth = np.random.default_rng(9), float(stats.norm.cdf(1.0 / math.sqrt(2.0)))
    for paired in (False, True):
        covered = 0
        for _ in range(300):
            first, second = sample(rng.normal(1.0, 1.0, 10)), sample(rng.normal(0.0, 1.0, 10))
            found = probability_of_improvement(first, second, paired=paired)
            covered += found.low <= truth <= found.high
        assert covered / 300 >= 0.93


def test_needed_episodes_grow_with_the_square_of_the_spread():
    rng = np.random.default_rng(10)
    first, second = rng.normal(0, 1, 2000), rng.normal(0, 1, 2000)
    one = episodes_needed(sample(first), sample(second), 0.1)
    two = episodes_needed(sample(2 * first), sample(2 * second), 0.1)
    # power.t.test(delta = 0.1, sd = 1, power = 0.9)$n is 2102
    assert 2000 < one < 2350
    assert two == pytest.approx(4 * one, rel=0.01)
    assert episodes_needed(sample(first), sample(second), 0.0) is None


def test_margin_must_be_above_zero():
    with pytest.raises(ConfigError, match="margin must be above 0, got 0"):
        compare(sample([1.0]), sample([1.0]), margin=0.0)


def test_difference_of_ratios_weighs_lives():
    ours = sample([1.0, 1.0, 1.0, 5.0], [0, 0, 0, 1])
    assert difference_of(ours, sample([0.0, 0.0], [0, 1])).estimate.value == 2.0


def rounds(rng, episodes, seats, advantage):
    values = rng.lognormal(0.0, 0.5, (episodes, seats)) + rng.normal(size=(episodes, 1))
    values[:, 1] += advantage
    at = np.indices(values.shape)
    return values.ravel(), at[0].ravel(), at[1].ravel()


def test_seat_with_an_advantage_is_reported():
    found = compare_seats(*rounds(np.random.default_rng(11), 60, 4, 0.5))
    assert [entry.seat for entry in found.unequal if entry.verdict == "better"] == [1]
    assert found.seats[1].advantage.low < 0.5 < found.seats[1].advantage.high


def test_equal_seats_are_not_distinguishable():
    rng, alarms = np.random.default_rng(12), 0
    for _ in range(100):
        alarms += bool(compare_seats(*rounds(rng, 20, 3, 0.0)).unequal)
    assert alarms <= 12


def test_sides_have_names_and_episodes_without_all_of_them_are_left_out():
    values = [*([1.0, 0.0] * 10), 5.0]
    episode = [*np.repeat(np.arange(10), 2).tolist(), 10]
    side = [*(["home", "away"] * 10), "home"]
    found = compare_seats(values, episode, side)
    assert (found.episodes, found.left_out) == (10, 1)
    assert [(entry.seat, entry.verdict) for entry in found.seats] == [
        ("away", "worse"), ("home", "better"),
    ]  # fmt: skip


def test_one_seat_cannot_be_compared():
    with pytest.raises(ConfigError, match="at least two seats to compare, got 1"):
        compare_seats([1.0, 2.0], [0, 1], [0, 0])
    with pytest.raises(ConfigError, match="at least 5 episodes in which all 2 seats"):
        compare_seats([1.0, 2.0], [0, 0], [0, 1])


SHAPES = {  # of mean 1
    "exponential v constant": (10, lambda rng, n: (rng.exponential(1.0, n), np.ones(n))),
    "exponential v narrow": (20, lambda r, n: (r.exponential(1.0, n), r.normal(1.0, 0.2, n))),
    "gamma v narrow": (29, lambda rng, n: (2 * rng.gamma(0.5, 1, n), rng.normal(1.0, 0.2, n))),
}


@pytest.mark.parametrize("name", SHAPES)
def test_sides_of_equal_means_and_unlike_shape_are_rarely_told_apart(name):
    (count, draw), rng, trials = SHAPES[name], np.random.default_rng(7), 400
    sides = [draw(rng, count) for _ in range(trials)]
    found = [compare(sample(ours), sample(theirs)).verdict for ours, theirs in sides]
    assert found.count("not distinguishable") / trials >= 0.93
    alone = [resampling.p_value_of_groups(ours, theirs) <= 0.05 for ours, theirs in sides]
    assert np.mean(alone) > 0.07  # what exchanging says by itself


def test_skewed_pairs_of_mean_zero_are_rarely_told_apart():
    rng, trials = np.random.default_rng(8), 400
    draws = [rng.exponential(1.0, 15) - 1.0 for _ in range(trials)]
    nothing = sample(np.zeros(15))
    found = [compare(sample(values), nothing, paired=True).verdict for values in draws]
    assert found.count("not distinguishable") / trials >= 0.935
    assert np.mean([resampling.p_value_of_signs(values) <= 0.05 for values in draws]) > 0.065


@pytest.mark.parametrize("count", [12, 40])
@pytest.mark.parametrize("unit", [1e-310, 1e-300, 1e-150, 1e150, 1e290])
@pytest.mark.parametrize("paired", [False, True])
def test_verdict_does_not_depend_on_the_unit(count, unit, paired):
    rng = np.random.default_rng(9)
    for shift in (0.0, 0.5, 3.0):
        ours, theirs = rng.normal(shift, 1.0, count), rng.normal(0.0, 1.0, count)
        one = compare(sample(ours), sample(theirs), paired=paired)
        other = compare(sample(ours * unit), sample(theirs * unit), paired=paired)
        assert (one.verdict, one.needed_for_seen) == (other.verdict, other.needed_for_seen)
        assert one.p == pytest.approx(other.p, rel=1e-3)
        if count >= 30:
            assert other.difference.low / unit == pytest.approx(one.difference.low, rel=1e-3)


def test_values_beyond_what_can_be_added_up_are_refused():
    with pytest.raises(ConfigError, match=r"must be within 1e\+300 of 0, got -1e\+308 at 1"):
        sample([1.0, -1e308])


def test_what_differs_by_rounding_alone_is_called_equal():
    rng = np.random.default_rng(10)
    found = compare(sample(1e15 + rng.normal(0, 1, 40)), sample(1e15 + rng.normal(0, 1, 40)))
    assert (found.verdict, found.p) == ("not distinguishable", 1.0)
    assert found.difference.why == "all values are equal up to rounding"
