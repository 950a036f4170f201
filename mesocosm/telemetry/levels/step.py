"""The step level: rewards, actions and state of a step, per env or as means over envs."""

from typing import Any

import numpy as np

from mesocosm.telemetry.levels.buffer import StepBuffer, mean_over_envs
from mesocosm.telemetry.step_reader import StepReader
from mesocosm.telemetry.tables.table import Columns, Table


class StepLevel:
    """A row per recorded step of the means over envs, or (in full) a row per env."""

    def __init__(self, reader: StepReader, table: Table, every: int, full: bool) -> None:
        self.table, self._reader, self._every, self._per_env = table, reader, every, full
        reader.prepare_sums()
        reader.follow_turns()
        always = {"env": reader.env_id} if full else {}
        self._buffer = StepBuffer(table, reader.num_envs if full else 1, {}, always)
        names = set(table.names())
        saved = reader.spec.saved
        self._fields = [name for name in saved if {f"state.{name}", f"delta.{name}"} & names]
        self._digester = reader.make_digester(self._fields) if self._fields else None
        sizes = [max(int(np.prod(saved[name].shape)), 1) for name in self._fields]
        self._sizes = np.array(sizes, np.float64).reshape(-1, 1)
        self._means = np.zeros((len(sizes), reader.num_envs))
        self._violations = np.zeros(reader.num_envs)

    def begin(self, chosen: np.ndarray) -> None:
        self._violations[chosen] = 0.0
        if self._digester is not None:
            self._means[:] = self._digester.sums() / self._sizes

    @property
    def full(self) -> bool:
        return self._buffer.full

    def collect(self) -> None:
        reader, sums = self._reader, self._reader.sums()
        violations = sums["violations"].copy()
        if reader.step % self._every == 0:
            values = sums | self._keys() | self._state()
            values["violations"] = violations - self._violations
            self._buffer.put(values if self._per_env else self._averaged(values))
        elif self._digester is not None and (reader.step + 1) % self._every == 0:
            self._means[:] = self._digester.sums() / self._sizes
        # the count starts again with the next episode's first step
        self._violations = violations if reader.ended is None else violations * ~reader.ended

    def _keys(self) -> dict[str, Any]:
        reader, ended = self._reader, self._reader.ended
        return {
            "step": reader.step,
            "env": reader.env_id,
            "episode": reader.episode_before,
            "t": reader.t_before,
            "ended": np.zeros(reader.num_envs) if ended is None else ended,
        }

    def _averaged(self, values: dict[str, Any]) -> dict[str, Any]:
        names = [name for name in self.table.names() if name != "step"]
        means = mean_over_envs(np.stack([values[name] for name in names], axis=1))
        return dict(zip(names, means, strict=True)) | {"step": values["step"]}

    def _state(self) -> dict[str, Any]:
        if self._digester is None:
            return {}
        means = self._digester.sums() / self._sizes
        deltas = means - self._means
        renewed = self._reader.renewed
        if renewed is not None:
            deltas[:, renewed] = np.nan  # the old episode's last state is gone
        self._means = means
        values = {f"state.{name}": means[k] for k, name in enumerate(self._fields)}
        return values | {f"delta.{name}": deltas[k] for k, name in enumerate(self._fields)}

    def take(self) -> Columns:
        return self._buffer.take()
