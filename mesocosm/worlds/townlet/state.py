"""What exists in townlet: the arrays that rules read and write, and how they are declared."""

from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.spec import Field
from mesocosm.worlds.townlet.config import Core

HISTORY = 8


class State(NamedTuple):
    """The truth about a town."""

    hour: np.ndarray  # int32 [env]
    affordance_position: np.ndarray  # int16 [env, type, 2]: x, y; -1 where not deployed
    position: np.ndarray  # int16 [env, agent, 2]: x, y
    meters: np.ndarray  # float64 [env, agent, 8]
    alive: np.ndarray  # bool [env, agent]
    age: np.ndarray  # int32 [env, agent]
    progress: np.ndarray  # int32 [env, agent]: ticks done of the current interaction
    doing: np.ndarray  # int16 [env, agent]: affordance of that interaction, or -1
    failed: np.ndarray  # int8 [env, agent]: why the last action failed
    recent: np.ndarray  # int8 [env, agent, 8]: last actions, newest first; -1 none
    cue: np.ndarray  # bool [env, agent, cue]: what can be read off a person
    place_at: np.ndarray  # int16 [env, cell]: affordance on a cell, or -1 (derived)
    head: np.ndarray  # int16 [env, cell]: first living person on a cell, or -1 (derived)
    after: np.ndarray  # int16 [env, agent]: next person on the same cell, or -1 (derived)
    users: np.ndarray  # int32 [env, type]: scratch of a transition, zero between (derived)


def fields(core: Core) -> tuple[Field, ...]:
    """Declare the state."""
    agents, cells, kinds = core.num_agents, core.grid_size**2, len(core.affordances)
    each: dict[str, Any] = {"shape": (agents,), "scope": "agent"}
    seen: dict[str, Any] = {"visibility": "public"}
    mine: dict[str, Any] = {"visibility": "private"}
    edge, last = core.grid_size - 1, agents - 1
    gone: dict[str, Any] = {"derived": True, "dtype": "int16", "low": -1}
    return (
        Field("hour", "hour of the day", dtype="int32", high=23, **seen),
        Field(
            "affordance_position", "where each affordance is", (kinds, 2), "int16",
            low=-1, high=edge, **seen,
        ),
        Field("position", "cell", (agents, 2), "int16", "agent", high=edge, **seen),
        Field("meters", "the eight bars", (agents, 8), scope="agent", **mine),
        Field("alive", "whether someone lives here", dtype="bool", **each, **seen),
        Field("age", "ticks lived", dtype="int32", high=2_000_000, **each, **mine),
        Field("progress", "ticks of the interaction", dtype="int32", high=100, **each, **mine),
        Field("doing", "what is being done", dtype="int16", low=-1, high=kinds - 1, **each, **mine),
        Field("failed", "why the last action failed", dtype="int8", high=5, **each, **mine),
        Field("recent", "last actions", (agents, HISTORY), "int8", "agent", low=-1, high=6),
        Field("cue", "what can be read off", (agents, max(len(core.shown_cues), 1)), "bool",
              "agent", **seen),
        Field("place_at", "affordance on a cell", (cells,), high=kinds - 1, **gone),
        Field("head", "first person on a cell", (cells,), high=last, **gone),
        Field("after", "next person on the cell", (agents,), high=last, **gone),
        Field("users", "scratch", (kinds,), "int32", high=0, derived=True),
    )  # fmt: skip
