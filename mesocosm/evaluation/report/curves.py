"""The curve of a training, read from its run folder and averaged for the eye."""

import math
from collections.abc import Sequence
from typing import Any

from mesocosm.core.errors import RunError
from mesocosm.evaluation.report.chart import Axes, Level, Series, line_chart
from mesocosm.evaluation.report.svg import number, percent
from mesocosm.telemetry.run import Run
from mesocosm.telemetry.tables.table import LEARNING

Row = dict[str, Any]
NUM_POINTS = 60  # of a curve
PANELS = (  # column, title, whether it is a share; the first three are averages over lives
    ("mean_return", "Return of a life", False),
    ("success", "Lives that ended in success", True),
    ("mean_length", "Length of a life, in steps", False),
    ("entropy", "Entropy of a decision, in nats", False),
)


def read_curve(run: Run) -> list[Row]:
    """Read the table of a training."""
    if run.about.get("kind") != "training":
        path = run.folder.path
        raise RunError(f"{path}: is no training; `mesocosm train PRESET --out RUN` makes one")
    rows: list[Row] = run.table(LEARNING).to_table().to_pylist()
    return rows


def roles_of(rows: Sequence[Row]) -> list[str]:
    """Name the roles that learnt."""
    return list(dict.fromkeys(row["role"] for row in rows))


def average(rows: Sequence[Row], column: str, num_points: int = NUM_POINTS) -> Series:
    """Average a column of one role's rows over stretches of the training.

    Every stretch counts each life once, or, for what is no average over lives, each update.
    """
    over_lives = column != "entropy"
    raw, points = [], []
    stretch = max(1, math.ceil(len(rows) / num_points))
    for first in range(0, len(rows), stretch):
        part = [row for row in rows[first : first + stretch] if row[column] is not None]
        weights = [row["lives"] if over_lives else 1 for row in part]
        x = rows[min(first + stretch, len(rows)) - 1]["agent_steps"]
        total = sum(weights)
        products = (w * row[column] for w, row in zip(weights, part, strict=True))
        points.append((x, sum(products) / total if total else math.nan))
        raw += [(row["agent_steps"], row[column]) for row in part]
    return Series(points, raw if stretch > 1 else ())


def draw_curves(rows: Sequence[Row], levels: dict[str, list[Level]]) -> list[str]:
    """Draw the curves of one role.

    Args:
        levels: What other policies reached, by column.
    """
    drawn = []
    for column, title, is_share in PANELS:
        form = percent if is_share else number
        axes = Axes(title, "agent-steps", form, (0.0, 1.0) if is_share else None)
        drawn.append(line_chart(average(rows, column), axes, levels.get(column, [])))
    return drawn
