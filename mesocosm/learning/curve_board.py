"""The curve of a training as TensorBoard scalars, over the agent-steps played."""

from pathlib import Path
from typing import Any

from mesocosm.core.extra import missing_extra
from mesocosm.learning.curve import TABLE, Row

SCALARS = tuple(column.name for column in TABLE.columns if column.optional)


class CurveBoard:
    """Writes every number of a row that is not its key, by role."""

    def __init__(self, folder: Path) -> None:
        try:
            import tensorboardX
        except ImportError as error:
            raise missing_extra("TensorBoard curves need tensorboardX", "tensorboard") from error
        self._folder, self._make = folder, tensorboardX.SummaryWriter
        self._writer: Any = None

    def add(self, rows: list[Row]) -> None:
        """Write rows; a file is made with the first."""
        if self._writer is None:
            self._writer = self._make(str(self._folder))
        for row in rows:
            for name in SCALARS:
                if row[name] is not None:
                    label = f"learning/{row['role']}/{name}"
                    self._writer.add_scalar(label, row[name], row["agent_steps"])

    def close(self) -> None:
        """Write what is left."""
        if self._writer is not None:
            self._writer.close()
