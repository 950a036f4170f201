"""Pictures of tables: populations as lines with bands, and any table of numbers as a heat map."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from mesocosm.evaluation.arena.tables import Row
from mesocosm.evaluation.report.svg import (
    Scale,
    drawing,
    element,
    line,
    number,
    percent,
    sheet,
    text,
    ticks,
)

STYLE = """
svg { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #22211e; }
.paper { fill: #ffffff; } .title { font-size: 13.5px; font-weight: 600; }
.tick { fill: #6b6860; } .gridline { stroke: #eceae3; } .axis { stroke: #6b6860; }
.focal { stroke: #1f6fb2; fill: #1f6fb2; } .other { stroke: #b8731a; fill: #b8731a; }
.collective { stroke: #6b6860; fill: #6b6860; }
path.line { fill: none; stroke-width: 2.4; } path.band { stroke: none; opacity: 0.18; }
text.focal, text.other, text.collective { stroke: none; }
.cell { stroke: #ffffff; } .light { fill: #ffffff; }
"""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 620, 320, 52, 150, 40, 44
CELL_WIDTH, CELL_HEIGHT = 74, 30
LOW, HIGH = (247, 244, 236), (31, 111, 178)  # colours of the least and the greatest value


class Line(NamedTuple):
    """A line with its band; None where there is no value."""

    name: str
    class_: str
    points: Sequence[tuple[float, float | None, float | None, float | None]]  # x, y, low, high


def draw_population(rows: Sequence[Row], title: str) -> str:
    """Draw what the focal policy, the other and all together earn, by the share of the other."""
    first = rows[0]
    names = {"focal": first["focal"], "other": first["other"], "collective": "all together"}
    lines = [
        Line(
            name,
            key,
            [
                (r["others"] / r["agents"], r[f"{key}_return"], r[f"{key}_low"], r[f"{key}_high"])
                for r in rows
            ],
        )
        for key, name in names.items()
    ]
    axis = f"share of {first['other']} among the agents"
    return sheet([[_chart(title, axis, lines)]], STYLE, title)


def _chart(title: str, axis: str, lines: Sequence[Line]) -> str:
    values = [v for entry in lines for _, *found in entry.points for v in found if v is not None]
    marks = ticks(min(values), max(values), 5)
    x = Scale(0.0, 1.0, LEFT, WIDTH - RIGHT)
    y = Scale(marks[0], marks[-1], HEIGHT - BOTTOM, TOP)
    shapes = [text(LEFT - 44, 20, title, "title")]
    for value in marks:
        shapes.append(line((x.start, y(value)), (x.end, y(value)), "gridline"))
        shapes.append(text(x.start - 6, y(value) + 4, number(value), "tick", "end"))
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        shapes.append(line((x(value), y.start), (x(value), y.start + 4), "axis"))
        shapes.append(text(x(value), y.start + 17, percent(value), "tick", "middle"))
    shapes.append(line((x.start, y.start), (x.end, y.start), "axis"))
    shapes.append(text((x.start + x.end) / 2, HEIGHT - 8, axis, "tick", "middle"))
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
    path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in known)
    shapes.append(element("path", d=path, class_=f"line {entry.class_}"))
    shapes += [element("circle", cx=a, cy=b, r=3, class_=entry.class_) for a, b in known]
    return shapes


def _names(lines: Sequence[Line], y: Scale) -> str:
    """Name every line at its end, such that no name covers another."""
    ends = []
    for entry in lines:
        value = next(v for _, v, _, _ in reversed(entry.points) if v is not None)
        ends.append((y(value) + 4, entry))
    shapes, free = [], -math.inf
    for place, entry in sorted(ends, key=lambda end: end[0]):
        free = max(place, free + 15)
        shapes.append(text(WIDTH - RIGHT + 10, free, entry.name, entry.class_))
    return "".join(shapes)


class Matrix(NamedTuple):
    """A table of numbers; None: nothing is known.

    Args:
        by_column: Whether colours compare within a column, where columns differ in scale.
    """

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    by_column: bool = False


def draw_matrix(matrix: Matrix) -> str:
    """Draw a table of numbers as a heat map."""
    left = 16 + 7.2 * max(len(name) for name in matrix.rows)
    width = left + CELL_WIDTH * len(matrix.columns) + 12
    height = 62 + CELL_HEIGHT * len(matrix.rows) + 10
    shapes = [text(8, 20, matrix.title, "title")]
    for k, name in enumerate(matrix.columns):
        shapes.append(text(left + CELL_WIDTH * (k + 0.5), 50, name, "tick", "middle"))
    for j, (name, row) in enumerate(zip(matrix.rows, matrix.values, strict=True)):
        top = 58 + CELL_HEIGHT * j
        shapes.append(text(left - 8, top + 20, name, "", "end"))
        for k, value in enumerate(row):
            shapes += _cell(value, _share(matrix, value, k), left + CELL_WIDTH * k, top)
    made = drawing(max(width, 8 + 7.5 * len(matrix.title)), height, "".join(shapes), matrix.title)
    return sheet([[made]], STYLE, matrix.title)


def _share(matrix: Matrix, value: float | None, column: int) -> float:
    """Say where a value lies between the least and the greatest."""
    chosen = [row[column : column + 1] if matrix.by_column else row for row in matrix.values]
    known = [entry for row in chosen for entry in row if entry is not None]
    if value is None or min(known) == max(known):
        return 0.0
    return (value - min(known)) / (max(known) - min(known))


def _cell(value: float | None, share: float, left: float, top: float) -> list[str]:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(LOW, HIGH, strict=True))
    box = element(
        "rect", x=left, y=top, width=CELL_WIDTH, height=CELL_HEIGHT, class_="cell",
        fill=f"rgb({red},{green},{blue})",
    )  # fmt: skip
    words = "-" if value is None else number(value)
    class_ = "light" if share > 0.6 else ""
    return [box, text(left + CELL_WIDTH / 2, top + 20, words, class_, "middle")]
