"""The same numbers as TensorBoard scalars: a curve per metric, over the steps of the run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.core.extra import missing_extra
from mesocosm.telemetry.tables.table import Batch, Table

LEVELS = ("episode", "step", "agent")


class TensorBoardSink:
    """Writes the mean of every numeric column at every recorded step (of an agent's, per agent)."""

    def __init__(self, folder: Path) -> None:
        try:
            import tensorboardX  # noqa: F401 (asked for, used when rows come)
        except ImportError as error:
            raise missing_extra("the TensorBoard sink needs tensorboardX", "tensorboard") from error
        self._folder = folder
        self._writer: Any = None
        self._tables: Mapping[str, Table] = {}

    def open(self, tables: Mapping[str, Table]) -> None:
        from tensorboardX import SummaryWriter

        self._tables = tables
        self._writer = SummaryWriter(str(self._folder))

    def write(self, batch: Batch) -> None:
        if batch.table not in LEVELS or not batch.num_rows:
            return
        steps = batch.columns["step"]
        groups = batch.columns["agent"] if batch.table == "agent" else np.zeros(len(steps), int)
        metrics = [
            column.name
            for column in self._tables[batch.table].columns
            if not column.key and column.kind not in ("text", "list")
        ]
        for name in metrics:
            for group in np.unique(groups).tolist():
                mine = groups == group
                label = f"{batch.table}/{name}" + f"/{group}" * (batch.table == "agent")
                self._curve(label, steps[mine], batch.columns[name][mine].astype(np.float64))

    def _curve(self, label: str, steps: np.ndarray, values: np.ndarray) -> None:
        there = ~np.isnan(values)
        moments, at = np.unique(steps[there], return_inverse=True)
        totals = np.bincount(at.reshape(-1), values[there], len(moments))
        counts = np.bincount(at.reshape(-1), minlength=len(moments))
        for step, value in zip(moments.tolist(), (totals / counts).tolist(), strict=True):
            self._writer.add_scalar(label, value, step)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
