"""Buffers for rows until they are written: a fixed number per step, or now and then some."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.telemetry.tables.table import Table

BUFFER_BYTES = 1 << 24  # of one level, before it is written
MOST_ROWS = 1 << 16  # of a level whose rows come now and then
CODED_KINDS = {"list": "int32", "text": "int32"}


class StepBuffer:
    """Arrays with a fixed number of rows per recorded step.

    Args:
        entries: How many entries each row of a list column has.
        always: Columns that are the same at every step; they are written once.
    """

    def __init__(
        self,
        table: Table,
        rows_per_step: int,
        entries: Mapping[str, int],
        always: Mapping[str, np.ndarray],
    ) -> None:
        self.num_steps = 0
        kinds = {column.name: CODED_KINDS.get(column.kind, column.kind) for column in table.columns}
        sizes = [np.dtype(kind).itemsize * entries.get(name, 1) for name, kind in kinds.items()]
        self._most_steps = max(BUFFER_BYTES // (rows_per_step * sum(sizes)), 1)
        self._columns = {}
        for name, kind in kinds.items():
            tail = (entries[name],) if name in entries else ()
            self._columns[name] = np.zeros((self._most_steps, rows_per_step, *tail), kind)
            self._columns[name][:] = always.get(name, 0)
        self._varying = {name: v for name, v in self._columns.items() if name not in always}

    @property
    def full(self) -> bool:
        return self.num_steps >= self._most_steps

    def put(self, values: Mapping[str, Any]) -> None:
        """Write one step's rows."""
        for name, column in self._varying.items():
            column[self.num_steps] = values[name]
        self.num_steps += 1

    def take(self) -> dict[str, np.ndarray]:
        """Hand the rows out, and begin anew over them."""
        count, self.num_steps = self.num_steps, 0
        return {
            name: column[:count].reshape(-1, *column.shape[2:])
            for name, column in self._columns.items()
        }


class RowBuffer:
    """Rows that come now and then: lists of small arrays, put together when they are taken."""

    def __init__(self) -> None:
        self.clear()

    @property
    def full(self) -> bool:
        return self.num_rows >= MOST_ROWS

    def add(self, step: int, rows: np.ndarray, **more: np.ndarray) -> None:
        """Keep some rows of a step, and what belongs to them."""
        self._steps.append(step)
        self._kept["rows"].append(rows)
        for name, values in more.items():
            self._kept.setdefault(name, []).append(values)
        self.num_rows += len(rows)

    def steps(self) -> np.ndarray:  # int64 [row]
        """Say which step each row is of."""
        counts = [len(rows) for rows in self._kept["rows"]]
        return np.repeat(np.array(self._steps, np.int64), counts)

    def joined(self, name: str, kind: Any, tail: tuple[int, ...] = ()) -> np.ndarray:
        """Put what was kept under a name together."""
        parts = self._kept.get(name, [])
        return np.concatenate([np.zeros((0, *tail), kind), *parts]).astype(kind, copy=False)

    def clear(self) -> None:
        """Begin anew."""
        self.num_rows = 0
        self._steps: list[int] = []
        self._kept: dict[str, list[np.ndarray]] = {"rows": []}


def mean_over_envs(values: Any) -> Any:
    """Average over the first axis, NaN aside; where nothing is there, NaN."""
    array = np.asarray(values, np.float64)
    there = ~np.isnan(array)
    count = there.sum(axis=0)
    total = np.where(there, array, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
