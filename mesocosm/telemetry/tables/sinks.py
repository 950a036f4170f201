"""Where recorded rows go: any object with three methods, and two that need nothing installed."""

import json
import math
from collections.abc import Mapping
from typing import Any, Protocol, TextIO, runtime_checkable

import numpy as np

from mesocosm.telemetry.tables.table import Batch, Table, Words


@runtime_checkable
class Sink(Protocol):
    """Takes rows as they are recorded; it sees them, never the env."""

    def open(self, tables: Mapping[str, Table]) -> None:
        """Learn which tables there will be."""

    def write(self, batch: Batch) -> None:
        """Take some rows of one table; its arrays are used again, so copy what you keep."""

    def close(self) -> None:
        """Finish; nothing comes after."""


class MemorySink:
    """Keeps all rows: for notebooks and tests."""

    def __init__(self) -> None:
        self._batches: dict[str, list[Batch]] = {}
        self.tables: Mapping[str, Table] = {}

    def open(self, tables: Mapping[str, Table]) -> None:
        self.tables = tables
        self._batches = {name: [] for name in tables}

    def write(self, batch: Batch) -> None:
        kept = {n: c if isinstance(c, Words) else c.copy() for n, c in batch.columns.items()}
        self._batches[batch.table].append(batch._replace(columns=kept))

    def close(self) -> None:
        """Keep everything."""

    def column(self, table: str, name: str) -> Any:
        """Give a whole column: an array, or a list of texts."""
        parts = [batch.columns[name] for batch in self._batches[table]]
        if parts and isinstance(parts[0], Words):
            return [text for part in parts for text in part.texts()]
        return np.concatenate(parts) if parts else np.zeros(0)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Give a whole table as records."""
        return [row for batch in self._batches[table] for row in records(batch)]


class StreamSink:
    """Writes every row as one line of JSON, for a pipe or a socket's file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def open(self, tables: Mapping[str, Table]) -> None:
        """Every line names its table."""

    def write(self, batch: Batch) -> None:
        for row in records(batch):
            line = json.dumps({"table": batch.table, **row}, ensure_ascii=False, allow_nan=False)
            self._stream.write(line + "\n")
        self._stream.flush()

    def close(self) -> None:
        """The stream is its owner's."""


def records(batch: Batch) -> list[dict[str, Any]]:
    """Turn columns into rows of plain values; NaN becomes None."""
    columns = [
        column.texts() if isinstance(column, Words) else column.tolist()
        for column in batch.columns.values()
    ]
    names = list(batch.columns)
    return [
        dict(zip(names, map(plain_value, row), strict=True)) for row in zip(*columns, strict=True)
    ]


def plain_value(value: Any) -> Any:
    """Give what JSON can say: NaN and infinity become None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
