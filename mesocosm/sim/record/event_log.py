"""The event log of a batch: read by telemetry and by the caller, neither taking from the other."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mesocosm.core.spec import Spec
from mesocosm.sim.frame import DROPPED, WAITING
from mesocosm.sim.rule import rule
from mesocosm.sim.targets.driver import Driver

# columns of a row of events; after the env come those of the frame's buffer
ENV, EPISODE, TIME, KIND, ACTOR, TARGET, VALUE = 0, 1, 2, 3, 4, 5, 6
WIDTH = 7
# entries of `counts`
FOUND, KEPT, LOST = 0, 1, 2


@rule
def drain_event_buffers(
    event: np.ndarray,
    num_events: np.ndarray,
    rows: np.ndarray,
    kept: np.ndarray,
    held: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Empty the buffers into rows, in (env, index) order; keep what the caller may still read."""
    found = 0
    for e in range(num_events.shape[0]):
        for k in range(num_events[e, WAITING]):
            fits = held[e] < event.shape[1]
            place = counts[KEPT]
            rows[found, ENV] = e
            if fits:
                kept[place, ENV] = e
            for column in range(event.shape[2]):
                rows[found, column + 1] = event[e, k, column]
                if fits:
                    kept[place, column + 1] = event[e, k, column]
            if fits:
                held[e] += 1
                counts[KEPT] += 1
            else:
                counts[LOST] += 1
            found += 1
        num_events[e, WAITING] = 0
    counts[FOUND] = found


class EventLog:
    """Drains the event buffers; what a watcher read first is kept for the caller.

    What is kept is bounded as the buffers are: `max_events` per env between two readings by the
    caller, the newest dropped and counted, so that watching changes nothing the caller can see.
    """

    def __init__(self, spec: Spec, driver: Driver, make_drain: Callable[[], Any]) -> None:
        self._spec, self._driver, self._make_drain = spec, driver, make_drain
        self._drain_buffers: Any = None
        self._counts = np.zeros(3, np.int64)

    def _prepare(self) -> None:
        envs, size, _ = self._driver.f.event.shape
        self._rows, self._kept = np.zeros((envs * size, WIDTH)), np.zeros((envs * size, WIDTH))
        self._held = np.zeros(envs, np.int64)
        self._drain_buffers = self._make_drain()

    def drain(self) -> np.ndarray:  # float64 [event, column]
        """Read for a watcher, in (env, index) order, and keep a copy for the caller."""
        f = self._driver.f
        if self._drain_buffers is None:
            self._prepare()
        on_host = isinstance(f.num_events, np.ndarray)
        counts = f.num_events if on_host else self._driver.get(f.num_events)
        if not on_host and not counts[:, WAITING].any():
            return self._rows[:0]
        event = f.event if on_host else self._driver.get(f.event)
        self._drain_buffers(event, counts, self._rows, self._kept, self._held, self._counts)
        if not on_host:
            self._driver.put(f.num_events, counts)
        return self._rows[: self._counts[FOUND]].copy()

    def take(self) -> np.ndarray:  # float64 [event, column]
        """Read for the caller: all since the last time, in (t, env, index) order."""
        self.drain()
        rows = self._kept[: self._counts[KEPT]].copy()
        self.forget()
        return rows[np.lexsort((rows[:, ENV], rows[:, TIME], rows[:, EPISODE]))]

    def forget(self) -> None:
        """Drop what is kept for the caller, as loading a state does."""
        if self._drain_buffers is not None:
            self._held[:] = 0
        self._counts[KEPT] = 0

    @property
    def num_dropped(self) -> int:
        """How many events found the log full."""
        dropped = self._driver.get(self._driver.f.num_events)[:, DROPPED].sum()
        return int(dropped) + int(self._counts[LOST])

    def describe(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """Give events as records with the sentence a person reads."""
        return [self._record(*row) for row in rows.tolist()]

    def _record(self, *row: float) -> dict[str, Any]:
        env, episode, t, kind, actor, target = (int(value) for value in row[:VALUE])
        declared = self._spec.events[kind]
        told = {"actor": actor, "target": target, "value": row[VALUE]}
        head = {"episode": episode, "t": t, "env": env, "kind": declared.name}
        return head | told | {"text": declared.tell(actor, target, row[VALUE])}
