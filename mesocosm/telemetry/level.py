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
    sums: bool  # whether it asks for sums over each env's agents

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

    sums = False

    def __init__(self, table: Table) -> None:
        self.table = table
        self.clear()

    @property
    def full(self) -> bool:
        return self.num_rows >= MOST_ROWS

    def add(self, step: int, rows: np.ndarray, **more: np.ndarray) -> None:
        """Keep some rows of a step; columns are made of them all at once, when they are taken."""
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


class EpisodeLevel(Sparse):
    """A row per finished episode."""

    def __init__(self, env: Engine, table: Table, every: int) -> None:
        super().__init__(table)
        self._env, self._every = env, every
        self._reasons = ("", *(reason.name for reason in env.spec.reasons))
        self._terms = [name for name in table.names() if name.startswith("term.")]
        self.sums = bool(self._terms)
        self._sums = np.zeros((len(self._terms), env.num_envs))
        self._first_env = int(env.copy(env.driver.f.env_id)[0])

    def begin(self, chosen: np.ndarray) -> None:
        self._sums[:, chosen] = 0.0

    def collect(self, now: Now) -> None:
        if self._terms:
            sums = now.sums()
            for k, name in enumerate(self._terms):
                self._sums[k] += sums[name]
        if now.num_ended:
            self._keep(now)
        if self._terms and now.renewed is not None:
            self._sums[:, now.renewed] = 0.0

    def _keep(self, now: Now) -> None:
        done, returns = now.finished.copy(), now.totals.copy()
        if self._every > 1:
            chosen = done[:, ledger.EPISODE] % self._every == 0
            done, returns = done[chosen], returns[chosen]
        if self._terms:
            self.add(now.step, done, returns=returns, sums=self._sums[:, done[:, ledger.ENV]].T)
        else:
            self.add(now.step, done, returns=returns)

    def _columns(self) -> dict[str, np.ndarray]:
        done = self.joined("rows", np.int64, (ledger.FINISHED_WIDTH,))
        returns = self.joined("returns", np.float64, (self._env.spec.num_agents,))
        sums = self.joined("sums", np.float64, (len(self._terms),))
        columns = {
            "step": self.steps(),
            "env": done[:, ledger.ENV] + self._first_env,
            "episode": done[:, ledger.EPISODE],
            "length": done[:, ledger.LENGTH],
            "reason": done[:, ledger.REASON],
            "outcome": done[:, ledger.OUTCOME],
            "total_return": returns.sum(axis=1),
            "returns": returns,
            "violations": done[:, ledger.VIOLATIONS],
        }
        return columns | {name: sums[:, k] for k, name in enumerate(self._terms)}

    def take(self) -> Columns:
        made: dict[str, Any] = {}
        words = {"reason": self._reasons, "outcome": OUTCOMES}
        columns = self._columns()
        for column in self.table.columns:
            values = columns[column.name]
            if column.name in words:
                made[column.name] = Words(values.astype(np.int32), tuple(words[column.name]))
            elif column.kind == "list":
                made[column.name] = values
            else:
                made[column.name] = np.ascontiguousarray(values, column.kind)
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
        self.add(now.step, found)

    def take(self) -> Columns:
        rows = self.joined("rows", np.float64, (journal.WIDTH,))
        kinds = tuple(kind.name for kind in self._spec.events)
        made: dict[str, Any] = {"step": self.steps()}
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
        order = np.lexsort(key.T[::-1])
        ranked = key[order]
        new = np.ones(len(key), np.bool_)
        new[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
        words: dict[str, int] = {}  # two values may read the same
        codes = []
        for kind, actor, target, value in ranked[new].tolist():
            text = self._spec.events[int(kind)].tell(int(actor), int(target), value)
            codes.append(words.setdefault(text, len(words)))
        made = np.zeros(len(key), np.int32)
        made[order] = np.array(codes, np.int32)[new.cumsum() - 1]
        return Words(made, tuple(words))
