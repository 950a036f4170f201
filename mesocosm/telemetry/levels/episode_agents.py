"""The agents of the episode level: a row per life that ended."""

from typing import Any

import numpy as np

from mesocosm.core.spec import OUTCOMES
from mesocosm.telemetry.levels.buffer import RowBuffer
from mesocosm.telemetry.step_reader import StepReader
from mesocosm.telemetry.tables.columns import role_codes
from mesocosm.telemetry.tables.table import Columns, Table, Words

WHOLE = ("env", "episode", "agent", "life", "began", "length", "reason", "outcome")


class EpisodeAgentsLevel:
    """Keeps how each agent's life ended, how long it was and what it earned."""

    def __init__(self, reader: StepReader, table: Table, every: int) -> None:
        self.table, self._reader, self._every = table, reader, every
        reader.follow_lives()
        self._buffer = RowBuffer()
        self._roles = role_codes(reader.spec)
        self._words = {
            "role": tuple(reader.spec.roles),
            "reason": ("", *(reason.name for reason in reader.spec.reasons)),
            "outcome": tuple(OUTCOMES),
        }

    @property
    def full(self) -> bool:
        return self._buffer.full

    def begin(self, chosen: np.ndarray) -> None:
        """The reader follows where lives begin."""

    def collect(self) -> None:
        reader, ended = self._reader, self._reader.ended_lives
        if not len(ended.env):
            return
        at = (ended.env, ended.agent)
        episode = reader.episode_before[ended.env]
        reason, outcome = reader.read("reason")[at], reader.read("outcome")[at]
        columns = (ended.env, episode, ended.agent, ended.number, ended.began, ended.length)
        rows = np.stack([*columns, reason, outcome], axis=1)
        chosen = episode % self._every == 0
        self._buffer.add(reader.step, rows[chosen], earned=ended.earned[chosen])

    def take(self) -> Columns:
        rows = self._buffer.joined("rows", np.int64, (len(WHOLE),))
        columns: dict[str, Any] = {name: rows[:, k] for k, name in enumerate(WHOLE)}
        columns |= {"step": self._buffer.steps(), "role": self._roles[columns["agent"]]}
        columns["env"] = columns["env"] + self._reader.first_env
        columns["total_return"] = self._buffer.joined("earned", np.float64)
        made: dict[str, Any] = {}
        for column in self.table.columns:
            values = columns[column.name]
            if column.name in self._words:
                made[column.name] = Words(values.astype(np.int32), self._words[column.name])
            else:
                made[column.name] = np.ascontiguousarray(values, column.kind)
        self._buffer.clear()
        return made
