"""What exists in townlet: the arrays that rules read and write, and how they are declared."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.index import Index
from mesocosm.core.spec import Field
from mesocosm.worlds.townlet.config import ACTIONS, DAY, METERS, NUM_METERS, Core

HISTORY = 8  # past actions kept
MAX_AGE = 2_000_000
MAX_FORTUNE = 2e6
MAX_VACANT = 1_000_000
SIGNALS = 1000  # values that a family signal can have


class State(NamedTuple):
    """The truth about a town."""

    hour: Annotated[np.ndarray, "int32 [env]"]
    # x, y; -1 where not deployed
    affordance_position: Annotated[np.ndarray, "int16 [env, type, 2]"]
    position: Annotated[np.ndarray, "int16 [env, agent, 2]"]  # x, y
    meters: Annotated[np.ndarray, "float64 [env, agent, 8]"]
    alive: Annotated[np.ndarray, "bool [env, agent]"]
    age: Annotated[np.ndarray, "int32 [env, agent]"]
    progress: Annotated[np.ndarray, "int32 [env, agent]"]  # ticks done of the current interaction
    doing: Annotated[np.ndarray, "int16 [env, agent]"]  # affordance of that interaction, or -1
    using: Annotated[np.ndarray, "bool [env, agent]"]  # whether it was used in the last tick
    failed: Annotated[np.ndarray, "int8 [env, agent]"]  # why the last action failed
    recent: Annotated[np.ndarray, "int8 [env, agent, 8]"]  # last actions, newest first; -1 none
    fortune: Annotated[np.ndarray, "float64 [env, agent]"]  # what this life was worth so far
    signal: Annotated[np.ndarray, "int16 [env, agent]"]
    family: Annotated[np.ndarray, "int16 [env, agent]"]  # number of the family, or -1
    standing: Annotated[np.ndarray, "int8 [env, agent]"]  # state in the family machine
    partner: Annotated[np.ndarray, "int16 [env, agent]"]
    child: Annotated[np.ndarray, "int16 [env, agent]"]  # the child at home, or -1
    parent: Annotated[np.ndarray, "int16 [env, agent, 2]"]
    vacant: Annotated[np.ndarray, "int32 [env, agent]"]  # ticks since the slot became free
    place_at: Annotated[np.ndarray, "int16 [env, cell]"]  # affordance on a cell, or -1 (derived)
    # 1 where a place is, with a rim of 0 as wide as vision (derived)
    ground: Annotated[np.ndarray, "int8 [env, rimmed cell]"]
    # where everything is, ready to be told (derived)
    map_row: Annotated[np.ndarray, "float64 [env, 2 * type]"]
    # first living person on a cell, or -1 (derived)
    head: Annotated[np.ndarray, "int16 [env, cell]"]
    # next person on the same cell, or -1 (derived)
    after: Annotated[np.ndarray, "int16 [env, agent]"]
    # what can be read off a person (derived)
    cue: Annotated[np.ndarray, "bool [env, agent, cue]"]
    # what the family reads, if that is more (derived)
    family_cue: Annotated[np.ndarray, "bool [env, agent, cue or 0]"]
    goal: Annotated[np.ndarray, "int8 [env, agent]"]  # survival, thriving, social (derived)
    # who fills each slot of `others`, or -1 (derived)
    seen: Annotated[np.ndarray, "int16 [env, agent, slot or 0]"]
    # scratch of a transition, zero between (derived)
    users: Annotated[np.ndarray, "int32 [env, type]"]


def fields(core: Core) -> tuple[Field, ...]:
    """Declare the state."""
    agents, kinds = core.num_agents, len(core.affordances)
    each: dict[str, Any] = {"shape": (agents,), "scope": "agent"}
    seen: dict[str, Any] = {"visibility": "public"}
    mine: dict[str, Any] = {"visibility": "private"}
    someone = Index("agent", agents, none=True)
    deed, home = Index("action", len(ACTIONS), none=True), Index("family", agents, none=True)
    return (
        Field("hour", "hour of the day", dtype="int32", indexes=Index("hour", DAY), **seen),
        Field(
            "affordance_position", "where each affordance is", (kinds, 2), "int16",
            indexes=Index("coordinate", core.grid_size, none=True), **seen,
        ),
        Field("position", "cell", (agents, 2), "int16", "agent",
              indexes=Index("coordinate", core.grid_size), **seen),
        Field(
            "meters", "the eight bars", (agents, NUM_METERS), scope="agent", malleable=True,
            labels=METERS, **mine,
        ),
        Field("alive", "whether someone lives here", dtype="bool", **each, **seen),
        Field("age", "ticks lived", dtype="int32", high=MAX_AGE, **each, **mine),
        Field("progress", "ticks of the interaction", dtype="int32", high=100, **each, **mine),
        Field("doing", "what is being done", dtype="int16",
              indexes=Index("affordance", kinds, none=True), **each, **mine),
        Field("using", "at it in the last tick", dtype="bool", **each, **mine),
        Field("failed", "why the last action failed", dtype="int8", high=5, **each, **mine),
        Field("recent", "last actions", (agents, HISTORY), "int8", "agent", indexes=deed),
        Field("fortune", "worth of this life", high=MAX_FORTUNE, **each),
        Field("signal", "what the family hears", dtype="int16", high=SIGNALS - 1, **each, **mine),
        Field("family", "number of the family", dtype="int16", indexes=home, **each, **mine),
        Field("standing", "state of the family machine", dtype="int8", high=6, **each, **mine),
        Field("partner", "who one is married to", dtype="int16", indexes=someone, **each, **mine),
        Field("child", "the child at home", dtype="int16", indexes=someone, **each, **mine),
        Field("parent", "both parents", (agents, 2), "int16", "agent", indexes=someone, **mine),
        Field("vacant", "ticks since the slot was free", dtype="int32", high=MAX_VACANT, **each),
        *derived_fields(core),
    )  # fmt: skip


def derived_fields(core: Core) -> tuple[Field, ...]:
    """Declare what follows from the truth."""
    agents, cells, kinds = core.num_agents, core.grid_size**2, len(core.affordances)
    edge, last = core.grid_size - 1, agents - 1
    rim = 0 if core.has_full_view else (core.grid_size + 2 * core.vision_range) ** 2
    gone: dict[str, Any] = {"derived": True, "dtype": "int16", "low": -1}
    return (
        Field("place_at", "affordance on a cell", (cells,), high=kinds - 1, **gone),
        Field("ground", "places, with a rim", (rim,), "int8", high=1, derived=True),
        Field("map_row", "places as told", (2 * kinds,), low=-1, high=edge, derived=True),
        Field("head", "first person on a cell", (cells,), high=last, **gone),
        Field("after", "next person on the cell", (agents,), scope="agent", high=last, **gone),
        Field("users", "scratch", (kinds,), "int32", high=0, derived=True),
        *appearance_fields(core),
    )  # fmt: skip


def appearance_fields(core: Core) -> tuple[Field, ...]:
    """Declare what of people follows from the truth, and is given as labels too."""
    agents, cues = core.num_agents, len(core.shown_cues)
    slots = core.max_visible_agents if core.is_social else 0
    each: dict[str, Any] = {"scope": "agent", "derived": True, "exposed": True}
    looks = ("meters", "position", "affordance_position", "recent", "alive")
    return (
        Field("cue", "what can be read off", (agents, max(cues, 1)), "bool",
              visibility="public", sources=looks, **each),
        Field("family_cue", "what the family can read off",
              (agents, cues if core.family_reads else 0), "bool",
              visibility="private", sources=(*looks, "family"), **each),
        Field("goal", "what is pursued: survival, thriving, social", (agents,), "int8", high=2,
              sources=("meters",), **each),
        Field("seen", "who fills each slot of others", (agents, slots), "int16",
              indexes=Index("agent", agents, none=True), sources=("position", "alive"), **each),
    )  # fmt: skip
