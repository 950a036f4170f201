import math
import re
from itertools import pairwise

import pytest

from mesocosm.evaluation.report.chart import Axes, Level, Series, bar_chart, line_chart
from mesocosm.evaluation.report.curves import average
from mesocosm.evaluation.report.facts import train_command
from mesocosm.evaluation.report.svg import number, percent, ticks
from mesocosm.evaluation.statistics.estimate import Estimate
from tests.evaluation.report.report_samples import NO_LIFE, curve_row


def test_average_counts_every_life_once():
    rows = [
        curve_row(1, "a", lives=1, mean_return=10.0),
        curve_row(2, "a", lives=3, mean_return=2.0),
        curve_row(3, "a", **NO_LIFE),
        curve_row(4, "a", **NO_LIFE),
    ]
    points = average(rows, "mean_return", num_points=2).points
    assert points[0] == (2000, 4.0)
    assert points[1][0] == 4000
    assert math.isnan(points[1][1])


def test_average_reaches_the_last_update_in_equal_stretches():
    rows = [curve_row(k, "a") for k in range(1, 101)]
    series = average(rows, "entropy", num_points=30)
    assert len(series.points) == 30
    assert series.points[-1][0] == 100_000
    assert len(series.raw) == 100


def test_line_breaks_where_nothing_is_known():
    chart = line_chart(Series([(1, 1.0), (2, math.nan), (3, 2.0), (4, 1.0)]), Axes("t", "x"))
    (path,) = re.findall(r'd="([^"]+)"', chart)
    assert path.count("M") == 2
    assert path.count("L") == 1


def test_names_of_levels_do_not_cover_each_other():
    levels = [Level(f"p{k}", 50.0 + 0.01 * k, "other") for k in range(4)]
    chart = line_chart(Series([(1, 1.0), (2, 99.0)]), Axes("t", "x", room=80), levels)
    heights = sorted(float(y) for y in re.findall(r'y="([\d.]+)" class="name', chart))
    assert len(heights) == 4
    assert all(b - a >= 13 for a, b in pairwise(heights))


def test_bars_below_zero_stay_in_the_picture():
    entries = {"a": Estimate(-5.0, -6.0, -4.0), "b": Estimate(2.0)}
    chart = bar_chart("t", entries, number, {})
    for x, width in re.findall(r'<rect x="([-\d.]+)" y="[\d.]+" width="([-\d.]+)"', chart):
        assert float(x) > 0
        assert 0 < float(x) + float(width) < 310


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (0, 0), (-3, -3), (0, 5e6), (-0.02, 0.5), (0, 1e-7), (1e12, 2e12)]
)
def test_ticks_are_few_and_cover_the_range(low, high):
    found = ticks(low, high)
    assert found[0] <= low
    assert found[-1] >= high
    assert 2 <= len(found) <= 8
    assert found == sorted(set(found))


def test_shares_that_are_not_all_are_not_called_all():
    assert percent(1.0) == "100 %"
    assert percent(0.99999) == "99.9 %"
    assert percent(0.125) == "12.5 %"
    assert percent(math.nan) == "-"
    assert (number(1012.4), number(0.25), number(2e7)) == ("1,012", "0.25", "20 M")


def test_command_that_trains_again_says_what_was_not_usual():
    about = {
        "plan": {"agent_steps": 5, "seed": 2},
        "threads": 2,
        "target": "cuda",
        "learning": {"gamma": 0.9, "clip": 0.2, "network": {"hidden": [8]}},
        "from": {"warden": {"file": "a b.mesop", "sha256": "00"}},
        "curriculum": [{"config": {"identity": {"world": "w", "preset": "p"}}, "score": 4.0}],
    }
    defaults = {"gamma": 0.99, "clip": 0.2, "network": {"hidden": [64]}}
    assert train_command(about, "w/q", defaults) == (
        "mesocosm train w/q --steps 5 --seed 2 --threads 2 --target cuda "
        "--from 'warden=a b.mesop' --curriculum w/p=4 --set learning.gamma=0.9 "
        "--set 'learning.network.hidden=[8]'"
    )
