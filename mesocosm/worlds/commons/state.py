"""What exists in commons: the arrays that rules read and write, and how each is declared."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.index import Index
from mesocosm.core.spec import Field
from mesocosm.worlds.commons.config import Core


class State(NamedTuple):
    """The truth about the commons; `fields` says what each array means."""

    clock: Annotated[np.ndarray, "int32 [env]"]
    stock: Annotated[np.ndarray, "float64 [env]"]
    stock_before: Annotated[np.ndarray, "float64 [env]"]
    growth: Annotated[np.ndarray, "float64 [env]"]
    drought_at: Annotated[np.ndarray, "int32 [env]"]
    seat: Annotated[np.ndarray, "int16 [env, agent]"]
    alive: Annotated[np.ndarray, "bool [env, agent]"]
    skill: Annotated[np.ndarray, "float64 [env, agent]"]
    wealth: Annotated[np.ndarray, "float64 [env, agent]"]
    catch: Annotated[np.ndarray, "float64 [env, agent]"]
    hauled: Annotated[np.ndarray, "float64 [env, agent]"]
    received: Annotated[np.ndarray, "float64 [env, agent]"]
    fined: Annotated[np.ndarray, "int32 [env, agent]"]
    at_seat: Annotated[np.ndarray, "int16 [env, agent]"]


def fields(core: Core) -> tuple[Field, ...]:
    """Declare the state."""
    each: dict[str, Any] = {"shape": (core.num_agents,), "scope": "agent"}
    open_: dict[str, Any] = {"visibility": "public"}
    mine: dict[str, Any] = {"visibility": "private"}
    cap, most = core.wealth_cap, core.max_steps
    many = most * core.num_agents
    haul, seat = core.most_harvest_rate, Index("seat", core.num_agents)
    agent = Index("agent", core.num_agents, none=True)
    return (
        Field("clock", "steps played", dtype="int32", high=most, **open_),
        Field(
            "stock", "fish in the lake", high=core.capacity, previous=True, malleable=True, **open_
        ),
        Field("growth", "this season's growth rate"),
        Field("drought_at", "the step of the drought, or -1", dtype="int32", low=-1, high=most),
        Field("seat", "place on the ring", dtype="int16", indexes=seat, **each, **open_),
        Field("alive", "whether it still lives", dtype="bool", **each, **open_),
        Field("skill", "how well it fishes", malleable=True, **each, **mine),
        Field("wealth", "what it owns", high=cap, malleable=True, **each, **mine),
        Field("catch", "what it just caught", high=haul, **each, **open_),
        Field("hauled", "all it ever caught", high=haul * most, **each, **open_),
        Field("received", "what others gave or took", low=-cap, high=cap, **each, **mine),
        Field("fined", "times it was sanctioned", dtype="int32", high=many, **each, **open_),
        Field(
            "at_seat", "who sits at each seat", (core.num_agents,), "int16", indexes=agent,
            derived=True,
        ),
    )  # fmt: skip
