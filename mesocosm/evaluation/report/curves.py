"""The curve of a training, read from its run folder and averaged for the eye."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mesocosm.core.errors import RunError
from mesocosm.evaluation.report.chart import Axes, Level, Series, line_chart
from mesocosm.evaluation.report.svg import number, percent
from mesocosm.telemetry.run import Run
from mesocosm.telemetry.tables.table import LEARNING

Row = dict[str, Any]
NUM_POINTS = 60  # of a curve
NO_ENTROPY = "no update was noted"
NAME_ROOM, LETTER = 54, 7  # pixels: for a level's value, and for each letter of its name
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
    count = min(len(rows), num_points)
    for k in range(count):
        stretch = rows[k * len(rows) // count : (k + 1) * len(rows) // count]
        part = [row for row in stretch if row[column] is not None]
        weights = [row["lives"] if over_lives else 1 for row in part]
        total = sum(weights)
        products = (w * row[column] for w, row in zip(weights, part, strict=True))
        points.append((stretch[-1]["agent_steps"], sum(products) / total if total else math.nan))
        raw += [(row["agent_steps"], row[column]) for row in part]
    return Series(points, raw if count < len(rows) else ())


def draw_curves(rows: Sequence[Row], levels: Mapping[str, Sequence[Level]]) -> list[str]:
    """Draw the curves of one role.

    Args:
        levels: What other policies reached, by column; a share without any is not shown.
    """
    names = [level.name for entries in levels.values() for level in entries]
    room = NAME_ROOM + LETTER * max((len(name) for name in names), default=0)
    drawn = []
    for column, title, is_share in PANELS:
        if is_share and column not in levels:
            continue
        form = percent if is_share else number
        y_range = (0.0, 1.0) if is_share else None
        missing = NO_ENTROPY if column == "entropy" else "no life ended"
        axes = Axes(title, "agent-steps", form, y_range, room, missing)
        drawn.append(line_chart(average(rows, column), axes, levels.get(column, [])))
    return drawn
