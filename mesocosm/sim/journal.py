"""The event log of a batch: read by telemetry and by the caller, neither taking from the other."""

from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.spec import Spec
from mesocosm.sim.driver import Driver
from mesocosm.sim.frame import ACTOR, EPISODE, KIND, TARGET, TIME, VALUE


class Events(NamedTuple):
    """Events as columns, in (env, index) order of one reading."""

    env: np.ndarray  # int64 [event]: index in the batch
    episode: np.ndarray  # int64 [event]
    t: np.ndarray  # int64 [event]
    kind: np.ndarray  # int64 [event]: index into spec.events
    actor: np.ndarray  # int64 [event]; -1 is nobody
    target: np.ndarray  # int64 [event]; -1 is nobody
    value: np.ndarray  # float64 [event]


_NOBODY = np.zeros(0, np.int64)
NONE = Events(_NOBODY, _NOBODY, _NOBODY, _NOBODY, _NOBODY, _NOBODY, np.zeros(0))


class Journal:
    """Drains the event buffers; what a watcher read first is kept for the caller.

    What is kept is bounded as the buffers are: `max_events` per env between two readings by the
    caller, the newest dropped and counted, so that watching changes nothing the caller can see.
    """

    def __init__(self, spec: Spec, driver: Driver) -> None:
        self._spec, self._driver = spec, driver
        self._held: list[Events] = []
        self._num_held = np.zeros(driver.f.num_events.shape[0], np.int64)
        self._lost = 0

    def read(self) -> Events:
        """Empty the buffers."""
        f = self._driver.f
        on_host = isinstance(f.num_events, np.ndarray)
        counts = f.num_events if on_host else self._driver.get(f.num_events)
        kept = counts[:, 0]
        if not kept.any():
            return NONE
        envs = np.flatnonzero(kept)
        env = np.repeat(envs, kept[envs])
        place = np.arange(env.size) - np.repeat(np.cumsum(kept[envs]) - kept[envs], kept[envs])
        table = f.event if on_host else self._driver.get(f.event)
        rows = table[env, place]
        self._driver.put(f.num_events, np.stack([counts[:, 0] * 0, counts[:, 1]], axis=1))
        whole = rows.astype(np.int64)
        return Events(
            env,
            whole[:, EPISODE],
            whole[:, TIME],
            whole[:, KIND],
            whole[:, ACTOR],
            whole[:, TARGET],
            rows[:, VALUE],
        )

    def watch(self) -> Events:
        """Read for a watcher, and keep a copy for the caller."""
        found = self.read()
        if found.env.size:
            first = np.searchsorted(found.env, found.env)
            at = self._num_held[found.env] + np.arange(found.env.size) - first
            fits = at < self._spec.max_events
            self._lost += int((~fits).sum())
            if fits.any():
                self._held.append(Events(*(column[fits] for column in found)))
                np.add.at(self._num_held, found.env[fits], 1)
        return found

    def take(self) -> Events:
        """Read for the caller: all since the last time, in (t, env, index) order."""
        parts = [*self._held, self.read()]
        self.forget()
        if len(parts) == 1:
            joined = parts[0]
        else:
            joined = Events(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        order = np.lexsort((joined.env, joined.t, joined.episode))
        return Events(*(column[order] for column in joined))

    def forget(self) -> None:
        """Drop what is kept for the caller, as loading a state does."""
        self._held = []
        self._num_held[:] = 0

    @property
    def num_dropped(self) -> int:
        """How many events found the log full."""
        return int(self._driver.get(self._driver.f.num_events)[:, 1].sum()) + self._lost

    def describe(self, events: Events) -> list[dict[str, Any]]:
        """Give events as records with the sentence a person reads."""
        return [self._record(*(entry.item() for entry in row)) for row in zip(*events, strict=True)]

    def _record(self, env: int, episode: int, t: int, kind: int, *rest: Any) -> dict[str, Any]:
        declared = self._spec.events[kind]
        names = dict(zip(("actor", "target", "value"), rest, strict=True))
        head = {"episode": episode, "t": t, "env": env, "kind": declared.name}
        return head | names | {"text": declared.sentence.format(**names)}
