"""Pictures of tables: populations as lines with bands, and any table of numbers as a heat map."""

from collections.abc import Sequence
from typing import NamedTuple

from mesocosm.evaluation.arena.tables import Row
from mesocosm.evaluation.report.lines import Axis, Line, draw_lines
from mesocosm.evaluation.report.svg import drawing, element, number, percent, sheet, text

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
SHARES = tuple((share, percent(share)) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
CELL_WIDTH, CELL_HEIGHT = 74, 30
LOW, HIGH = (247, 244, 236), (31, 111, 178)  # colours of the least and the greatest value


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
    axis = Axis(f"share of {first['other']} among the agents", SHARES)
    return sheet([[draw_lines(title, axis, lines)]], STYLE, title)


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
