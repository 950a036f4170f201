"""What was done in the last episodes of a live run, so that it can be forked from any step."""

import io
import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import UnknownName
from mesocosm.core.spec import Spec

MOST_STEPS = 20_000  # that are remembered
Parts = dict[str, tuple[np.ndarray, np.ndarray]]  # by role: choices and levels, [agent, part]


@dataclass
class Episode:
    """One episode: where it began, and all actions since."""

    first: int  # steps of the run before it
    seed: int
    episode: int
    rows: list[Parts] = field(default_factory=list)


class Prefix(NamedTuple):
    """The beginning of an episode, to be played again."""

    seed: int
    episode: int
    rows: list[Parts]


class History:
    """Remembers the actions of the last episodes, as many as there is room for."""

    def __init__(self) -> None:
        self._episodes: deque[Episode] = deque()
        self._size = 0

    def begin(self, first: int, seed: int, episode: int) -> None:
        """Begin an episode."""
        self._episodes.append(Episode(first, seed, episode))

    def add(self, row: Parts) -> None:
        """Note the actions of a step."""
        self._episodes[-1].rows.append(row)
        self._size += 1
        while self._size > MOST_STEPS and len(self._episodes) > 1:
            self._size -= len(self._episodes.popleft().rows)
        if self._size > MOST_STEPS:  # one endless episode: it cannot be forked
            self._size = 0
            self._episodes[-1] = Episode(-1, 0, 0)

    def pack(self, step: int) -> bytes:
        """Give as bytes what led to a step of the run."""
        for entry in reversed(self._episodes):
            if 0 <= entry.first <= step <= entry.first + len(entry.rows):
                return pack_prefix(
                    Prefix(entry.seed, entry.episode, entry.rows[: step - entry.first])
                )
        known = [entry for entry in self._episodes if entry.first >= 0]
        span = (
            f"between {known[0].first} and {known[-1].first + len(known[-1].rows)}"
            if known
            else "none: its episode is too long"
        )
        raise UnknownName(f"no step {step} is remembered: must be {span}")


def pack_prefix(prefix: Prefix) -> bytes:
    """Give the beginning of an episode as bytes."""
    head = {"seed": prefix.seed, "episode": prefix.episode, "steps": len(prefix.rows)}
    arrays: dict[str, Any] = {}
    for role in prefix.rows[0] if prefix.rows else ():
        for k, kind in enumerate(("choice", "level")):
            arrays[f"{kind}.{role}"] = np.stack([row[role][k] for row in prefix.rows])
    made = io.BytesIO()
    np.savez(made, head=np.frombuffer(json.dumps(head).encode(), np.uint8), **arrays)
    return made.getvalue()


def unpack(data: bytes) -> Prefix:
    """Read what `History.pack` gave."""
    with np.load(io.BytesIO(data), allow_pickle=False) as found:
        head = json.loads(found["head"].tobytes())
        parts = {name: found[name] for name in found.files if name != "head"}
    roles = [name.removeprefix("choice.") for name in parts if name.startswith("choice.")]
    rows = [
        {role: (parts[f"choice.{role}"][t], parts[f"level.{role}"][t]) for role in roles}
        for t in range(head["steps"])
    ]
    return Prefix(int(head["seed"]), int(head["episode"]), rows)


def join_actions(spec: Spec, row: Parts) -> Any:
    """Give actions as an env of one episode takes them."""
    made = {
        name: role.action.join(
            np.asarray(row[name][0], np.int32)[None], np.asarray(row[name][1], np.float32)[None]
        )
        for name, role in spec.roles.items()
    }
    return next(iter(made.values())) if len(made) == 1 else made


def split_actions(spec: Spec, actions: Any) -> Parts:
    """Take actions of an env of one episode apart."""
    made = {}
    for name, role in spec.roles.items():
        given = actions if len(spec.roles) == 1 else actions[name]
        lead = (role.num_agents, 0)
        if not role.action.levels:
            made[name] = (np.array(given[0]), np.zeros(lead, np.float32))
        elif not role.action.choices:
            made[name] = (np.zeros(lead, np.int32), np.array(given[0]))
        else:
            made[name] = (np.array(given[0][0]), np.array(given[1][0]))
    return made
