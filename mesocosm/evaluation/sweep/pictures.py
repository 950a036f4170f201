"""The picture of a sweep: a metric against the first dial, a line for all else that differs."""

from collections.abc import Sequence
from typing import Any

from mesocosm.evaluation.report.lines import Axis, Line, draw_lines
from mesocosm.evaluation.report.svg import number, sheet, ticks
from mesocosm.evaluation.sweep.dials import Dial, told

COLOURS = ("#1f6fb2", "#b8731a", "#3d8a50", "#a8447c", "#6b6860", "#7a5fc0", "#b03a2e", "#2a8f96")
STYLE = """
svg { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #22211e; }
.paper { fill: #ffffff; } .title { font-size: 13.5px; font-weight: 600; }
.tick { fill: #6b6860; } .gridline { stroke: #eceae3; } .axis { stroke: #6b6860; }
path.line { fill: none; stroke-width: 2.4; } path.band { stroke: none; opacity: 0.18; }
""" + "".join(
    f".c{k} {{ stroke: {colour}; fill: {colour}; }} text.c{k} {{ stroke: none; }}\n"
    for k, colour in enumerate(COLOURS)
)
MOST_LINES = len(COLOURS)


def draw_sweep(rows: Sequence[dict[str, Any]], dials: Sequence[Dial], metric: str) -> str:
    """Draw a chart for every role, one below the other, in a file; nothing if nothing is known."""
    charts = [[chart] for chart in draw_charts(rows, dials, metric)]
    return sheet(charts, STYLE, f"{metric} by {dials[0].path}") if charts else ""


def draw_charts(rows: Sequence[dict[str, Any]], dials: Sequence[Dial], metric: str) -> list[str]:
    """Draw a chart for every role of which something is known."""
    charts = []
    for role in dict.fromkeys(row["role"] for row in rows):
        own = [row for row in rows if row["role"] == role and row[metric] is not None]
        if own:
            charts.append(_chart(own, dials, metric, role))
    return charts


def _chart(rows: Sequence[dict[str, Any]], dials: Sequence[Dial], metric: str, role: str) -> str:
    first, rest = dials[0], dials[1:]
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(_name(row, rest, rows), []).append(row)
    lines = [
        Line(name, f"c{k}", [_point(row, first, metric) for row in own])
        for k, (name, own) in enumerate(list(groups.items())[:MOST_LINES])
    ]
    left = len(groups) - len(lines)
    title = f"{metric} of {role}" + (f" ({left} more lines not drawn)" if left else "")
    return draw_lines(title, _axis(first), lines)


def _name(row: dict[str, Any], rest: Sequence[Dial], rows: Sequence[dict[str, Any]]) -> str:
    """Name a line by what tells it from the others."""
    parts = [f"{dial.path.split('.')[-1]}={told(row[dial.path])}" for dial in rest]
    if len({entry["entrant"] for entry in rows}) > 1 or not parts:
        parts.insert(0, row["entrant"])
    return ", ".join(parts)


def _point(
    row: dict[str, Any], dial: Dial, metric: str
) -> tuple[float, float | None, float | None, float | None]:
    place = row[dial.path] if dial.is_number else _texts(dial).index(row[dial.path])
    return float(place), row[metric], row[f"{metric}_low"], row[f"{metric}_high"]


def _texts(dial: Dial) -> list[str]:
    return [told(value) for value in dial.values]


def _axis(dial: Dial) -> Axis:
    if not dial.is_number:
        marks = [(float(k), words) for k, words in enumerate(_texts(dial))]
    else:
        low, high = float(min(dial.values)), float(max(dial.values))
        marks = [(value, number(value)) for value in ticks(low, high, 5)] if low < high else []
    if len(marks) < 2:
        only = float(marks[0][0]) if marks else float(dial.values[0])
        words = marks[0][1] if marks else told(dial.values[0])
        marks = [(only - 0.5, ""), (only, words), (only + 0.5, "")]
    return Axis(dial.path, marks)
