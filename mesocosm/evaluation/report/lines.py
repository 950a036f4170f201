"""Lines with bands over an axis, each named at its end."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from mesocosm.evaluation.report.svg import (
    Scale,
    clip,
    drawing,
    element,
    line,
    number,
    text,
    ticks,
)

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 620, 320, 52, 150, 40, 44
NAME_LETTERS = 20  # that have room beside a line


class Axis(NamedTuple):
    """What lines are drawn over; the first and the last mark are its ends."""

    name: str
    marks: Sequence[tuple[float, str]]


class Line(NamedTuple):
    """A line with its band; None where there is no value.

    Args:
        name: Written at its end, if it has one.
        dotted: Whether every point is drawn as a dot.
    """

    name: str
    class_: str
    points: Sequence[tuple[float, float | None, float | None, float | None]]  # x, y, low, high
    dotted: bool = True


def draw_lines(title: str, axis: Axis, lines: Sequence[Line]) -> str:
    """Draw lines with their bands, each named at its end; something must be known."""
    values = [v for entry in lines for _, *found in entry.points for v in found if v is not None]
    marks = ticks(min(values), max(values), 5)
    x = Scale(axis.marks[0][0], axis.marks[-1][0], LEFT, WIDTH - RIGHT)
    y = Scale(marks[0], marks[-1], HEIGHT - BOTTOM, TOP)
    shapes = [text(LEFT - 44, 20, title, "title")]
    for value in marks:
        shapes.append(line((x.start, y(value)), (x.end, y(value)), "gridline"))
        shapes.append(text(x.start - 6, y(value) + 4, number(value), "tick", "end"))
    for value, words in axis.marks:
        shapes.append(line((x(value), y.start), (x(value), y.start + 4), "axis"))
        shapes.append(text(x(value), y.start + 17, words, "tick", "middle"))
    shapes.append(line((x.start, y.start), (x.end, y.start), "axis"))
    shapes.append(text((x.start + x.end) / 2, HEIGHT - 8, axis.name, "tick", "middle"))
    for entry in lines:
        shapes += _line(entry, x, y)
    return drawing(WIDTH, HEIGHT, "".join(shapes) + _names(lines, y), title)


def _line(entry: Line, x: Scale, y: Scale) -> list[str]:
    banded = [(x(a), y(low), y(high)) for a, _, low, high in entry.points
              if low is not None and high is not None]  # fmt: skip
    shapes = []
    if len(banded) > 1:
        upper = [f"{a:.1f} {high:.1f}" for a, _, high in banded]
        lower = [f"{a:.1f} {low:.1f}" for a, low, _ in reversed(banded)]
        path = f"M{'L'.join([*upper, *lower])}Z"
        shapes.append(element("path", d=path, class_=f"band {entry.class_}"))
    known = [(x(a), y(value)) for a, value, _, _ in entry.points if value is not None]
    if not known:
        return shapes
    path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in known)
    shapes.append(element("path", d=path, class_=f"line {entry.class_}"))
    if entry.dotted or len(known) == 1:
        shapes += [element("circle", cx=a, cy=b, r=3, class_=entry.class_) for a, b in known]
    return shapes


def _names(lines: Sequence[Line], y: Scale) -> str:
    """Name every line at its end, such that no name covers another."""
    ends = []
    for entry in lines:
        value = next((v for _, v, _, _ in reversed(entry.points) if v is not None), None)
        if value is not None and entry.name:
            ends.append((y(value) + 4, entry))
    shapes, free = [], -math.inf
    for place, entry in sorted(ends, key=lambda end: end[0]):
        free = max(place, free + 15)
        shapes.append(text(WIDTH - RIGHT + 10, free, clip(entry.name, NAME_LETTERS), entry.class_))
    return "".join(shapes)
