"""Pictures of tables: populations as lines with bands, and any table of numbers as a heat map."""

from collections.abc import Sequence

from mesocosm.evaluation.arena.tables import Row
from mesocosm.evaluation.report.heat import Matrix, draw_heat
from mesocosm.evaluation.report.lines import Axis, Line, draw_lines
from mesocosm.evaluation.report.svg import percent, sheet

STYLE = """
svg { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #22211e; }
.paper { fill: #ffffff; } .title { font-size: 13.5px; font-weight: 600; }
.tick { fill: #6b6860; } .gridline { stroke: #eceae3; } .axis { stroke: #6b6860; }
.focal { stroke: #1f6fb2; fill: #1f6fb2; } .other { stroke: #b8731a; fill: #b8731a; }
.collective { stroke: #6b6860; fill: #6b6860; }
path.line { fill: none; stroke-width: 2.4; } path.band { stroke: none; opacity: 0.18; }
text.focal, text.other, text.collective { stroke: none; }
.cell { stroke: #ffffff; } .dark { fill: #000000; } .light { fill: #ffffff; }
"""
SHARES = tuple((share, percent(share)) for share in (0.0, 0.25, 0.5, 0.75, 1.0))


def draw_population(rows: Sequence[Row], title: str) -> str:
    """Draw what everybody earns by the share of the other, in a file of its own."""
    return sheet([[draw_shares(rows, title)]], STYLE, title)


def draw_shares(rows: Sequence[Row], title: str) -> str:
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
    return draw_lines(title, axis, lines)


def draw_matrix(matrix: Matrix) -> str:
    """Draw a table of numbers as a heat map, in a file of its own."""
    return sheet([[draw_heat(matrix)]], STYLE, matrix.title)
