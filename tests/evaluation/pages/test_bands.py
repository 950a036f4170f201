import math

from mesocosm.evaluation.pages.bands import (
    average_by_steps,
    band_words,
    draw_bands,
    edges_of,
    middle_name,
    middle_of,
)
from mesocosm.evaluation.report.chart import Level
from mesocosm.evaluation.statistics.describe import estimate_mean, estimate_median
from tests.evaluation.report.report_samples import NO_LIFE, curve_row


def test_few_trainings_have_a_range_and_no_interval():
    assert tuple(middle_of([1.0, 2.0, 6.0])) == (3.0, 1.0, 6.0)
    assert middle_name(3) == "mean"
    assert "range: 3 trainings are too few" in band_words(3)


def test_five_trainings_have_the_exact_interval_of_the_median():
    values = [3.0, 1.0, 9.0, 4.0, 5.0]
    found = estimate_median(values)
    assert tuple(middle_of(values)) == (found.value, found.low, found.high) == (4.0, 1.0, 9.0)
    assert "exact 93.8 % interval of their median" in band_words(5)


def test_thirty_trainings_have_the_interval_of_the_mean():
    values = [math.sqrt(k) for k in range(30)]
    found = estimate_mean(values, kind="number")
    assert tuple(middle_of(values)) == (found.value, found.low, found.high)
    assert "95 % interval of their mean" in band_words(30)


def test_stretches_end_with_the_shortest_training():
    long = [curve_row(k, "a") for k in range(1, 101)]
    short = [curve_row(k, "a") for k in range(1, 11)]
    edges = edges_of([long, short])
    assert edges == [1000.0 * k for k in range(11)]
    points = average_by_steps(long, "entropy", edges)
    assert [x for x, _ in points] == edges[1:]
    assert points[0][1] == long[0]["entropy"]


def test_stretches_count_every_life_once():
    rows = [
        curve_row(1, "a", lives=1, mean_return=10.0),
        curve_row(2, "a", lives=3, mean_return=2.0),
        curve_row(3, "a", **NO_LIFE),
    ]
    assert average_by_steps(rows, "mean_return", [0, 2000, 3000]) == [(2000, 4.0), (3000, None)]


def test_bands_show_every_training_their_middle_and_levels():
    curves = [[curve_row(k, "a", mean_return=float(k * n)) for k in range(1, 21)] for n in (1, 2)]
    drawn = draw_bands(curves, {"mean_return": [Level("random", 3.0, "random")]})
    assert len(drawn) == 3  # success is left out
    assert drawn[0].count('class="line thin c0"') == 2
    assert drawn[0].count('class="band c0"') == 1
    assert "mean of 2" in drawn[0]
    assert "random" in drawn[0]


def test_trainings_in_which_no_life_ended_have_no_curve_of_lives():
    curves = [[curve_row(k, "a", **NO_LIFE) for k in (1, 2)]] * 2
    assert len(draw_bands(curves, {})) == 1  # entropy
    assert draw_bands([[], []], {}) == []
