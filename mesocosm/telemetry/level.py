"""The four levels: what each takes from a step, kept in bounded buffers until it is written."""

from typing import Any, Protocol

import numpy as np

from mesocosm.core.spec import OUTCOMES
from mesocosm.sim import journal, ledger
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.metrics import event_kinds
from mesocosm.telemetry.moment import Now
from mesocosm.telemetry.table import Columns, Table, Words

MOST_ROWS = 1 << 16
PLACES = {
    "env": journal.ENV,
    "episode": journal.EPISODE,
    "t": journal.TIME,
    "kind": journal.KIND,
    "actor": journal.ACTOR,
    "target": journal.TARGET,
    "value": journal.VALUE,
}


class Level(Protocol):
    """Collects one table's rows."""

    table: Table

    def collect(self, now: Now) -> None:
        """Take what is recorded of the step that was just played."""

    def begin(self, chosen: np.ndarray) -> None:
        """Forget what belonged to the episodes of envs that were reset (bool [env])."""

    @property
    def full(self) -> bool:
        """Whether the rows should be written before more are collected."""

    def take(self) -> Columns:
        """Hand over the rows."""


class Sparse:
    """Rows that come now and then: lists of small arrays."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.num_rows = 0
        self._kept: dict[str, list[np.ndarray]] = {}
        self._names = {*table.names(), "rows"}

    @property
    def full(self) -> bool:
        return self.num_rows >= MOST_ROWS

    def add(self, columns: dict[str, np.ndarray]) -> None:
        """Keep some rows."""
        for name, values in columns.items():
            if name in self._names:
                self._kept.setdefault(name, []).append(values)
        self.num_rows += len(next(iter(columns.values())))

    def joined(self, name: str, kind: Any, tail: tuple[int, ...] = ()) -> np.ndarray:
        """Put the rows of a column together."""
        parts = self._kept.get(name, [])
        return np.concatenate([np.zeros((0, *tail), kind), *parts]).astype(kind, copy=False)

    def clear(self) -> None:
        """Begin anew."""
        self._kept, self.num_rows = {}, 0


class EpisodeLevel(Sparse):
    """A row per finished episode."""

    def __init__(self, env: Engine, table: Table, every: int) -> None:
        super().__init__(table)
        self._env, self._every = env, every
        self._reasons = ("", *(reason.name for reason in env.spec.reasons))
        self._terms = [name for name in table.names() if name.startswith("term.")]
        self._sums = np.zeros((len(self._terms), env.num_envs))

    def begin(self, chosen: np.ndarray) -> None:
        self._sums[:, chosen] = 0.0

    def collect(self, now: Now) -> None:
        if self._terms:
            sums = now.sums()
            for k, name in enumerate(self._terms):
                self._sums[k] += sums[name]
        done = now.finished
        rows = np.flatnonzero(done[:, ledger.EPISODE] % self._every == 0) if len(done) else ()
        if len(rows):
            self.add(self._rows(now, done[rows], now.totals[rows]))
        if self._terms and now.renewed is not None:
            self._sums[:, now.renewed] = 0.0

    def _rows(self, now: Now, done: np.ndarray, returns: np.ndarray) -> dict[str, np.ndarray]:
        columns = {
            "step": np.full(len(done), now.step),
            "env": done[:, ledger.ENV] + now.env_id[0],
            "episode": done[:, ledger.EPISODE],
            "length": done[:, ledger.LENGTH],
            "reason": done[:, ledger.REASON],
            "outcome": done[:, ledger.OUTCOME],
            "total_return": returns.sum(axis=1),
            "returns": returns,
            "violations": done[:, ledger.VIOLATIONS],
        }
        rows = done[:, ledger.ENV]
        return columns | {name: self._sums[k, rows] for k, name in enumerate(self._terms)}

    def take(self) -> Columns:
        made: dict[str, Any] = {}
        words = {"reason": self._reasons, "outcome": OUTCOMES}
        for column in self.table.columns:
            name = column.name
            if name in words:
                made[name] = Words(self.joined(name, np.int32), tuple(words[name]))
            elif column.kind == "list":
                made[name] = self.joined(name, np.float64, (self._env.spec.num_agents,))
            else:
                made[name] = self.joined(name, column.kind)
        self.clear()
        return made


class EventLevel(Sparse):
    """A row per event of a recorded step."""

    def __init__(self, env: Engine, table: Table, every: int) -> None:
        super().__init__(table)
        self._spec, self._every = env.spec, every
        chosen = event_kinds(env.spec, env.config.instrumentation)
        self._chosen = None if all(chosen) else np.array(chosen)

    def begin(self, chosen: np.ndarray) -> None:
        """Nothing here belongs to an episode."""

    def collect(self, now: Now) -> None:
        found = now.events
        if found is None or not len(found) or now.step % self._every:
            return
        if self._chosen is not None:
            found = found[self._chosen[found[:, journal.KIND].astype(np.int64)]]
        found[:, journal.ENV] += now.env_id[0]
        self.add({"step": np.full(len(found), now.step), "rows": found})

    def take(self) -> Columns:
        rows = self.joined("rows", np.float64, (journal.WIDTH,))
        kinds = tuple(kind.name for kind in self._spec.events)
        made: dict[str, Any] = {"step": self.joined("step", np.int64)}
        for column in self.table.columns[1:]:
            values = None if column.name == "text" else rows[:, PLACES[column.name]]
            if values is None:
                made["text"] = self._sentences(rows[:, journal.KIND :])
            elif column.name == "kind":
                made["kind"] = Words(values.astype(np.int32), kinds)
            else:
                made[column.name] = values.astype(column.kind)
        self.clear()
        return made

    def _sentences(self, key: np.ndarray) -> Words:
        """Write each distinct sentence once; a key is kind, actor, target and value."""
        rows, back = np.unique(key, axis=0, return_inverse=True)
        words: dict[str, int] = {}  # two values may read the same
        codes = []
        for kind, actor, target, value in rows.tolist():
            text = self._spec.events[int(kind)].tell(int(actor), int(target), value)
            codes.append(words.setdefault(text, len(words)))
        return Words(np.array(codes, np.int32)[back.reshape(-1)], tuple(words))
