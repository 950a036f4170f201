"""The curve of a training: a row per update and role, as a table of its run."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.core.spec import OUTCOMES
from mesocosm.learning.trainer import Update
from mesocosm.telemetry.manifest import Entry
from mesocosm.telemetry.tables.parquet import ParquetSink
from mesocosm.telemetry.tables.table import LEARNING, Batch, Column, Kind, Table, Words


def _column(name: str, kind: Kind, meaning: str, *, optional: bool = False) -> Column:
    return Column(name, kind, "learning", meaning, key=not optional, optional=optional)


COLUMNS = (
    _column("update", "int64", "number of the update, from 1"),
    _column("agent_steps", "int64", "agent-steps played until then"),
    _column("role", "text", "role that learns"),
    _column("lives", "int64", "lives that ended since the last update"),
    _column("mean_return", "float64", "of these lives", optional=True),
    _column("mean_length", "float64", "of these lives, in steps", optional=True),
    *(
        _column(name, "float64", f"share that ended in {name}", optional=True)
        for name in OUTCOMES[1:]
    ),
    _column("policy_loss", "float64", "mean over minibatches", optional=True),
    _column(
        "value_loss", "float64", "mean over minibatches, on the scale of values", optional=True
    ),
    _column("entropy", "float64", "of a decision, in nats", optional=True),
    _column("kl", "float64", "divergence from the policy that played", optional=True),
    _column("clipped", "float64", "share of decisions whose ratio was clipped", optional=True),
    _column("grad_norm", "float64", "before it was clipped", optional=True),
    _column("minibatches", "int64", "steps of the optimizer"),
    _column("env_seconds", "float64", "spent in the env", optional=True),
    _column("inference_seconds", "float64", "spent on choosing actions", optional=True),
    _column("learning_seconds", "float64", "spent on learning", optional=True),
)
TABLE = Table(LEARNING, COLUMNS)
Row = dict[str, Any]


def rows_of(update: Update) -> list[Row]:
    """Give an update as rows of the table."""
    made = []
    for role, lives in update.lives.items():
        report = update.reports[role]
        values: tuple[Any, ...] = (update.number, update.agent_steps, role, lives.num)
        values += (lives.mean_return, lives.mean_length, *lives.outcomes.values())
        values += (*report, *update.seconds)
        row = dict(zip(TABLE.names(), values, strict=True))
        made.append({name: _plain(value) for name, value in row.items()})
    return made


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def mean_return(rows: list[Row], role: str) -> float | None:
    """Average over the lives that ended within some rows."""
    mine = [row for row in rows if row["role"] == role and row["lives"]]
    lives = sum(row["lives"] for row in mine)
    return sum(row["mean_return"] * row["lives"] for row in mine) / lives if lives else None


def write_curve(tables: Path, rows: list[Row]) -> dict[str, Entry]:
    """Write the whole table; give the files of it."""
    roles = tuple(dict.fromkeys(row["role"] for row in rows))
    columns: dict[str, Any] = {}
    for column in COLUMNS:
        values = [row[column.name] for row in rows]
        if column.kind == "text":
            codes = np.array([roles.index(value) for value in values], np.int32)
            columns[column.name] = Words(codes, roles)
        elif column.kind == "int64":
            columns[column.name] = np.array(values, np.int64)
        else:
            known = [math.nan if value is None else value for value in values]
            columns[column.name] = np.array(known, np.float64)
    sink = ParquetSink(tables)
    sink.open({LEARNING: TABLE})
    sink.write(Batch(LEARNING, 0, True, columns))
    sink.close()
    return dict(sink.finished)
