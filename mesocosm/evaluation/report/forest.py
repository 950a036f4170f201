"""Forests: values with their intervals, one below the other; and boxes of whole distributions."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mesocosm.evaluation.report.chart import Format
from mesocosm.evaluation.report.svg import (
    Scale,
    clip,
    drawing,
    element,
    escape,
    line,
    number,
    text,
    ticks,
)

WIDTH, ROW, TOP, BOTTOM = 460, 26, 36, 30
LETTER, PLOT = 7.6, 150  # pixels: of a letter, and that lie at least between the words
MOST_ROWS = 40
NUM_COLOURS = 8


class Entry(NamedTuple):
    """A value with its interval; None where there is none."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    class_: str = "c0"


def colour_of(k: int) -> str:
    """Name the colour of the k-th of several."""
    return f"c{k % NUM_COLOURS}"


def draw_forest(
    title: str,
    entries: Sequence[Entry],
    *,
    form: Format = number,
    reference: float | None = None,
    missing: str = "nothing is known",
) -> str:
    """Draw values with intervals, one below the other.

    Args:
        reference: A value to compare with, drawn as a line.
        missing: Said of an entry without a value.
    """
    shown = entries[:MOST_ROWS]
    values = [v for e in shown for v in (e.value, e.low, e.high) if _known(v)]
    if reference is not None:
        values.append(reference)
    left = 18 + LETTER * max((len(clip(e.name)) for e in shown), default=0)
    room = 24 + LETTER * max((len(_said(e, form)) for e in shown), default=0)
    width = max(WIDTH, left + PLOT + room)
    x, marks = _axis(values, left, width - room)
    floor = TOP + ROW * len(shown)
    shapes = [text(8, 18, _title(title, len(entries)), "title"), *_ground(x, marks, floor, form)]
    if reference is not None:
        shapes.append(line((x(reference), TOP - 6), (x(reference), floor), "level other"))
    for k, entry in enumerate(shown):
        y = TOP + ROW * (k + 0.5)
        shapes.append(text(left - 8, y + 4, clip(entry.name), "label", "end"))
        shapes += _interval(entry, x, y, form, missing)
    return drawing(width, floor + BOTTOM, "".join(shapes), title)


def _title(title: str, count: int) -> str:
    return title if count <= MOST_ROWS else f"{title} (the first {MOST_ROWS} of {count})"


def _known(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _axis(values: Sequence[float | None], start: float, end: float) -> tuple[Scale, list[float]]:
    known = [v for v in values if v is not None] or [0.0, 1.0]
    marks = ticks(min(known), max(known), 4)
    return Scale(marks[0], marks[-1], start, end), marks


def _ground(x: Scale, marks: Sequence[float], floor: float, form: Format) -> list[str]:
    shapes = []
    for value in marks:
        shapes.append(line((x(value), TOP - 6), (x(value), floor), "gridline"))
        shapes.append(text(x(value), floor + 17, form(value), "tick", "middle"))
    return [*shapes, line((x.start, floor), (x.end, floor), "axis")]


def _said(entry: Entry, form: Format) -> str:
    """Write a value with its interval."""
    if not _known(entry.value):
        return ""
    said = form(entry.value or 0.0)
    if entry.low is not None and entry.high is not None and math.isfinite(entry.low + entry.high):
        said += f" ({form(entry.low)} to {form(entry.high)})"
    return said


def _interval(entry: Entry, x: Scale, y: float, form: Format, missing: str) -> list[str]:
    if entry.value is None or not math.isfinite(entry.value):
        return [text(x.start + 4, y + 4, missing, "tick")]
    said, shapes = _said(entry, form), []
    if entry.low is not None and entry.high is not None and math.isfinite(entry.low + entry.high):
        ends = x(entry.low), x(entry.high)
        shapes.append(line((ends[0], y), (ends[1], y), f"stem {entry.class_}"))
        shapes += [line((e, y - 5), (e, y + 5), f"stem {entry.class_}") for e in ends]
    about = element("title", escape(f"{entry.name}: {said}"))
    shapes.append(
        element("circle", about, cx=x(entry.value), cy=y, r=4.5, class_=f"dot {entry.class_}")
    )
    return [*shapes, text(x.end + 12, y + 4, said, "value")]


def draw_boxes(title: str, samples: Mapping[str, Sequence[float]], x_name: str) -> str:
    """Draw where values lie: the median, the middle half, and nine tenths of them."""
    kept = {name: np.asarray(v, float) for name, v in list(samples.items())[:MOST_ROWS] if len(v)}
    if not kept:
        words = text(8, 18, title, "title") + text(8, 44, "nothing to show", "tick")
        return drawing(WIDTH, 60, words, title)
    found = {name: np.quantile(v, (0.05, 0.25, 0.5, 0.75, 0.95)) for name, v in kept.items()}
    left = 18 + LETTER * max(len(clip(name)) for name in kept)
    x, marks = _axis([float(v) for q in found.values() for v in q], left, WIDTH - 70)
    floor = TOP + ROW * len(kept)
    shapes = [text(8, 18, _title(title, len(samples)), "title"), *_ground(x, marks, floor, number)]
    for k, (name, q) in enumerate(found.items()):
        y = TOP + ROW * (k + 0.5)
        shapes.append(text(left - 8, y + 4, clip(name), "label", "end"))
        shapes += _box(name, [float(v) for v in q], x, y, colour_of(k))
    shapes.append(text((x.start + x.end) / 2, floor + 33, x_name, "tick", "middle"))
    return drawing(WIDTH, floor + BOTTOM + 10, "".join(shapes), title)


def _box(name: str, quantiles: Sequence[float], x: Scale, y: float, class_: str) -> list[str]:
    low, first, middle, third, high = quantiles
    said = f"{name}: median {number(middle)}, half of all {number(first)} to {number(third)}"
    about = element("title", escape(f"{said}, nine tenths {number(low)} to {number(high)}"))
    width = max(x(third) - x(first), 1.0)
    return [
        line((x(low), y), (x(high), y), f"stem {class_}"),
        element("rect", about, x=x(first), y=y - 7, width=width, height=14, rx=2,
                class_=f"box {class_}"),
        line((x(middle), y - 7), (x(middle), y + 7), "median"),
        text(x.end + 12, y + 4, number(middle), "value"),
    ]  # fmt: skip
