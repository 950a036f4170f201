"""Curves of several trainings: their mean, a band over training seeds, and every one thinly."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from mesocosm.evaluation.report.chart import Level
from mesocosm.evaluation.report.curves import PANELS, Row
from mesocosm.evaluation.report.lines import Axis, Line, draw_lines
from mesocosm.evaluation.report.svg import number, ticks
from mesocosm.evaluation.statistics.describe import (
    FEWEST,
    FEWEST_MEDIAN,
    estimate_mean,
    estimate_median,
)

NUM_POINTS = 40
Points = list[tuple[float, float | None]]


def average_by_steps(rows: Sequence[Row], column: str, edges: Sequence[float]) -> Points:
    """Average a column over stretches that are the same for every training; None: nothing ended."""
    over_lives = column != "entropy"
    made: Points = []
    for low, high in pairwise(edges):
        part = [r for r in rows if low < r["agent_steps"] <= high and r[column] is not None]
        weights = [row["lives"] if over_lives else 1 for row in part]
        total = sum(weights)
        value = sum(w * row[column] for w, row in zip(weights, part, strict=True))
        made.append((high, value / total if total else None))
    return made


def edges_of(curves: Sequence[Sequence[Row]]) -> list[float]:
    """Give stretches that all trainings have updates in, as far as the shortest one goes."""
    lasts = [max((row["agent_steps"] for row in rows), default=0) for rows in curves]
    updates = [len({row["agent_steps"] for row in rows}) for rows in curves]
    count = max(min(NUM_POINTS, min(updates, default=1)), 1)
    return [min(lasts, default=0) * k / count for k in range(count + 1)]


def draw_bands(curves: Sequence[Sequence[Row]], levels: Mapping[str, Sequence[Level]]) -> list[str]:
    """Draw the curves of one role.

    Args:
        curves: The rows of each training.
        levels: What other policies reached, by column; a share without any is not shown.
    """
    edges, drawn = edges_of(curves), []
    for column, title, is_share in PANELS:
        if is_share and column not in levels:
            continue
        each = [average_by_steps(rows, column, edges) for rows in curves]
        if not any(value is not None for points in each for _, value in points):
            continue
        lines = [Line("", "thin c0", [(x, y, None, None) for x, y in points], dotted=False)
                 for points in each]  # fmt: skip
        lines.append(
            Line(f"{middle_name(len(each))} of {len(each)}", "c0", _band(each), dotted=False)
        )
        for level in levels.get(column, []):
            if math.isfinite(level.value):
                ends = [(x, level.value, None, None) for x in (edges[0], edges[-1])]
                class_ = "c4" if level.class_ == "random" else "c1"
                lines.append(Line(level.name, class_, ends, dotted=False))
        drawn.append(draw_lines(title, _axis(edges[-1]), lines))
    return drawn


class Middle(NamedTuple):
    """The middle of trainings, with a band."""

    value: float
    low: float
    high: float


def middle_of(values: Sequence[float]) -> Middle:
    """Give the middle of trainings: with an interval that covers if there are enough of them."""
    if len(values) >= FEWEST:
        found = estimate_mean(values, kind="number")
    elif len(values) >= FEWEST_MEDIAN:
        found = estimate_median(values)
    else:
        return Middle(sum(values) / len(values), min(values), max(values))
    if not found.has_interval:
        return Middle(found.value, found.value, found.value)
    return Middle(found.value, found.low, found.high)


def middle_name(count: int) -> str:
    """Say what the middle of so many trainings is."""
    return "median" if FEWEST_MEDIAN <= count < FEWEST else "mean"


def band_words(count: int) -> str:
    """Say what the band of so many trainings is."""
    if count >= FEWEST:
        return "the band is the 95 % interval of their mean, over training seeds"
    if count >= FEWEST_MEDIAN:
        level = estimate_median(range(count)).level
        return f"the band is the exact {100 * level:.1f} % interval of their median, over seeds"
    return f"the band is their range: {count} trainings are too few for an interval that covers"


def _band(each: Sequence[Points]) -> list[tuple[float, float | None, float | None, float | None]]:
    made: list[tuple[float, float | None, float | None, float | None]] = []
    for point in zip(*each, strict=True):
        values = [value for _, value in point if value is not None]
        middle = tuple(middle_of(values)) if values else (None, None, None)
        made.append((point[0][0], *middle))
    return made


def _axis(last: float) -> Axis:
    marks = [(value, number(value)) for value in ticks(0.0, last, 4)]
    kept = [mark for mark in marks if mark[0] < 0.88 * last]
    return Axis("agent-steps", [*kept, (last, number(last))])
