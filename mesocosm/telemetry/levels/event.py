"""The event level: a row per event of a recorded step."""

from typing import Any

import numpy as np

from mesocosm.telemetry.levels.buffer import RowBuffer
from mesocosm.telemetry.step_reader import EVENT_COLUMNS, StepReader
from mesocosm.telemetry.tables.columns import event_kinds
from mesocosm.telemetry.tables.table import Columns, Table, Words

ENV, KIND = EVENT_COLUMNS["env"], EVENT_COLUMNS["kind"]


class EventLevel:
    """Keeps the events of the kinds that a config chooses."""

    def __init__(self, reader: StepReader, table: Table, every: int) -> None:
        self.table, self._reader, self._every = table, reader, every
        self._buffer = RowBuffer()
        chosen = event_kinds(reader.spec, reader.config.instrumentation)
        self._chosen = None if all(chosen) else np.array(chosen)

    @property
    def full(self) -> bool:
        return self._buffer.full

    def begin(self, chosen: np.ndarray) -> None:
        """Nothing here belongs to an episode."""

    def collect(self) -> None:
        found = self._reader.events
        if not len(found) or self._reader.step % self._every:
            return
        if self._chosen is not None:
            found = found[self._chosen[found[:, KIND].astype(np.int64)]]
        self._buffer.add(self._reader.step, found)

    def take(self) -> Columns:
        rows = self._buffer.joined("rows", np.float64, (len(EVENT_COLUMNS),))
        rows[:, ENV] += self._reader.first_env
        kinds = tuple(kind.name for kind in self._reader.spec.events)
        made: dict[str, Any] = {}
        for column in self.table.columns:
            if column.name == "step":
                made["step"] = self._buffer.steps()
            elif column.name == "text":
                made["text"] = self._sentences(rows[:, KIND:])
            elif column.name == "kind":
                made["kind"] = Words(rows[:, KIND].astype(np.int32), kinds)
            else:
                made[column.name] = rows[:, EVENT_COLUMNS[column.name]].astype(column.kind)
        self._buffer.clear()
        return made

    def _sentences(self, key: np.ndarray) -> Words:
        """Write each distinct sentence once; a key is kind, actor, target and value."""
        order = np.lexsort(key.T[::-1])
        ranked = key[order]
        new = np.ones(len(key), np.bool_)
        new[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
        words: dict[str, int] = {}  # two values may read the same
        codes = []
        for kind, actor, target, value in ranked[new].tolist():
            text = self._reader.spec.events[int(kind)].tell(int(actor), int(target), value)
            codes.append(words.setdefault(text, len(words)))
        made = np.zeros(len(key), np.int32)
        made[order] = np.array(codes, np.int32)[new.cumsum() - 1]
        return Words(made, tuple(words))
