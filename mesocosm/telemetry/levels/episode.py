"""The episode level: a row per finished episode."""

from typing import Any

import numpy as np

from mesocosm.core.spec import OUTCOMES
from mesocosm.telemetry.levels.buffer import RowBuffer
from mesocosm.telemetry.step_reader import FINISHED_COLUMNS, StepReader
from mesocosm.telemetry.tables.table import Columns, Table, Words

ENV, EPISODE = FINISHED_COLUMNS["env"], FINISHED_COLUMNS["episode"]


class EpisodeLevel:
    """Keeps how each episode ended and what it earned."""

    def __init__(self, reader: StepReader, table: Table, every: int) -> None:
        self.table, self._reader, self._every = table, reader, every
        self._buffer = RowBuffer()
        reasons = ("", *(reason.name for reason in reader.spec.reasons))
        winners = tuple(dict.fromkeys(("", *(reason.winner for reason in reader.spec.reasons))))
        self._words = {"reason": reasons, "outcome": tuple(OUTCOMES), "winner": winners}
        won_by = ["", *(reason.winner for reason in reader.spec.reasons)]
        self._winner_of = np.array([winners.index(name) for name in won_by], np.int32)
        reader.follow_lives()
        self._terms = [name for name in table.names() if name.startswith("term.")]
        self._sums = np.zeros((len(self._terms), reader.num_envs))
        if self._terms:
            reader.prepare_sums()

    @property
    def full(self) -> bool:
        return self._buffer.full

    def begin(self, chosen: np.ndarray) -> None:
        self._sums[:, chosen] = 0.0

    def collect(self) -> None:
        reader = self._reader
        if self._terms:
            sums = reader.sums()
            for k, name in enumerate(self._terms):
                self._sums[k] += sums[name]
        if reader.num_ended:
            self._keep_finished()
        if self._terms and reader.renewed is not None:
            self._sums[:, reader.renewed] = 0.0

    def _keep_finished(self) -> None:
        finished, returns = self._reader.finished.copy(), self._reader.totals.copy()
        if self._every > 1:
            chosen = finished[:, EPISODE] % self._every == 0
            finished, returns = finished[chosen], returns[chosen]
        more = {"lives": self._reader.count_lives()[finished[:, ENV]]}
        more |= {"sums": self._sums[:, finished[:, ENV]].T} if self._terms else {}
        self._buffer.add(self._reader.step, finished, returns=returns, **more)

    def _columns(self) -> dict[str, np.ndarray]:
        finished = self._buffer.joined("rows", np.int64, (len(FINISHED_COLUMNS),))
        returns = self._buffer.joined("returns", np.float64, (self._reader.spec.num_agents,))
        sums = self._buffer.joined("sums", np.float64, (len(self._terms),))
        columns = {name: finished[:, at] for name, at in FINISHED_COLUMNS.items()}
        columns["env"] = columns["env"] + self._reader.first_env
        columns |= {"step": self._buffer.steps(), "returns": returns}
        columns["total_return"] = returns.sum(axis=1)
        columns["lives"] = self._buffer.joined("lives", np.int64)
        columns["mean_return"] = columns["total_return"] / np.maximum(columns["lives"], 1)
        columns["winner"] = self._winner_of[columns["reason"]]
        return columns | {name: sums[:, k] for k, name in enumerate(self._terms)}

    def take(self) -> Columns:
        made: dict[str, Any] = {}
        columns = self._columns()
        for column in self.table.columns:
            values = columns[column.name]
            if column.name in self._words:
                made[column.name] = Words(values.astype(np.int32), self._words[column.name])
            elif column.kind == "list":
                made[column.name] = values
            else:
                made[column.name] = np.ascontiguousarray(values, column.kind)
        self._buffer.clear()
        return made
