"""What exists in commons: the state, the parameters that rules read, and what both declare."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.action import ActionSpec, Choice, Level
from mesocosm.core.index import Index
from mesocosm.core.observation import Feature, Layout, Read, Whose, offsets_class
from mesocosm.core.spec import (
    Conflict,
    Effect,
    EventKind,
    Field,
    Link,
    Reason,
    Role,
    Spec,
    Term,
    Tunable,
    codes,
)
from mesocosm.worlds.commons.config import Core


class State(NamedTuple):
    """The truth about the commons."""

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


REASONS = (
    Reason("starved", "failure", "a harvester has nothing left to live on"),
    Reason("collapse", "failure", "the stock fell below the level from which it recovers"),
    Reason("timeout", "timeout", "the last step was played", truncates=True),
)
LINKS = (
    Link("gift", "wealth", "giving to a neighbour"),
    Link("sanction", "wealth", "having a neighbour sanctioned"),
    Link("fine", "wealth", "a warden's fine"),
)
GIFT_LINK, SANCTION_LINK, FINE_LINK = codes(LINKS)
EVENTS = (
    EventKind("conflict", "agent {actor} wanted {value:.2f} more than the stock still had"),
    EventKind("gift", "agent {actor} gave {value:.2f} to agent {target}", target="agent"),
    EventKind(
        "sanction",
        "agent {actor} sanctioned agent {target}, who lost {value:.2f}",
        target="agent",
    ),
    EventKind("drought", "a drought took {value:.2f} of the stock", actor="none"),
    EventKind("death", "agent {actor} starved"),
)
STARVED, COLLAPSE, TIMEOUT = codes(REASONS, 1)
CONFLICT, GIFT, SANCTION, DROUGHT, DEATH = codes(EVENTS)
HARVEST_RATE, GROWTH_SCALE = 0, 1
HARVEST = 0
NONE, GIVE, PUNISH = 0, 1, 2
DEAL, TARGET = 0, 1
EFFORT, AMOUNT = 0, 1
CATCH_TERM, DEAL_TERM, DEPLETION_TERM, COLLAPSE_TERM = 0, 1, 2, 3
STEWARD_TERM, RUIN_TERM = 0, 1


def harvester_features(core: Core) -> tuple[Feature, ...]:
    """Declare what a harvester sees."""
    slots = (2 * core.sight,)
    near = (Read("seat", "visible"), Read("alive", "visible"))
    mine: dict[str, Any] = {"visibility": "private"}
    seen: dict[str, Any] = {"visibility": "public", "shape": slots}
    own: Whose = "self"
    return (
        Feature("clock", "how far the season is", visibility="public", reads=(Read("clock"),)),
        Feature("stock", "how full the lake is", visibility="public", reads=(Read("stock"),)),
        Feature("wealth", "what I own", reads=(Read("wealth", own),), **mine),
        Feature("skill", "how well I fish", reads=(Read("skill", own),), **mine),
        Feature("catch", "what I just caught", reads=(Read("catch", own),), **mine),
        Feature(
            "received", "what others just gave or took", low=-1.0,
            reads=(Read("received", own),), **mine,
        ),
        Feature("standing", "how often I was fined", reads=(Read("fined", own),), **mine),
        Feature("near_alive", "who sits beside me", reads=near, **seen),
        Feature(
            "near_catch", "what my neighbours just caught",
            reads=(*near, Read("catch", "visible")), **seen,
        ),
        Feature(
            "near_standing", "how often my neighbours were fined",
            reads=(*near, Read("fined", "visible")), **seen,
        ),
    )  # fmt: skip


def warden_features(core: Core) -> tuple[Feature, ...]:
    """Declare what a warden sees."""
    people = (core.num_agents - core.num_wardens,)
    every: dict[str, Any] = {"visibility": "public", "shape": people}
    return (
        Feature("clock", "how far the season is", visibility="public", reads=(Read("clock"),)),
        Feature("stock", "how full the lake is", visibility="public", reads=(Read("stock"),)),
        Feature("alive", "who still lives here", reads=(Read("alive"),), **every),
        Feature("catches", "what each just caught", reads=(Read("catch"),), **every),
        Feature("standings", "how often each was fined", reads=(Read("fined"),), **every),
    )


HarvesterAt = offsets_class("HarvesterAt", harvester_features(Core()), __name__)
WardenAt = offsets_class("WardenAt", warden_features(Core()), __name__)


class Params(NamedTuple):
    """Read-only numbers for the rules."""

    harvesters: int
    sight: int
    max_steps: int
    capacity: float
    initial_stock: float
    growth_low: float
    growth_high: float
    skill_low: float
    upkeep: float
    initial_wealth: float
    wealth_cap: float
    gift_size: float
    sanction_cost: float
    sanction_size: float
    fine_size: float
    collapse_level: float
    collapse_penalty: float
    depletion_weight: float
    drought_prob: float
    drought_size: float
    full_catch: float
    most_hauled: float
    most_fined: int
    at: Any  # HarvesterAt
    warden_at: Any  # WardenAt


def params(core: Core, spec: Spec) -> Params:
    """Turn the config into what rules read."""
    harvester, warden = spec.all_roles
    same = {name: getattr(core, name) for name in Params._fields if name in type(core).model_fields}
    return Params(
        harvesters=core.num_agents - core.num_wardens,
        full_catch=core.harvest_rate * 4,
        most_hauled=core.harvest_rate * 4 * core.max_steps,
        most_fined=core.max_steps * core.num_agents,
        at=HarvesterAt(**harvester.observation.offsets),
        warden_at=WardenAt(**warden.observation.offsets),
        **same,
    )


def fields(core: Core) -> tuple[Field, ...]:
    """Declare the state."""
    each: dict[str, Any] = {"shape": (core.num_agents,), "scope": "agent"}
    open_: dict[str, Any] = {"visibility": "public"}
    mine: dict[str, Any] = {"visibility": "private"}
    cap, most = core.wealth_cap, core.max_steps
    many = most * core.num_agents
    haul, seat = core.harvest_rate * 4, Index("seat", core.num_agents)
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


def harvester(core: Core) -> Role:
    """Declare the harvesters."""
    targets = [f"{side}{k}" for k in range(1, core.sight + 1) for side in ("left", "right")]
    info = Feature(
        "neighbours", "how many living neighbours I have", high=2 * core.sight,
        visibility="public", reads=(Read("seat", "visible"), Read("alive", "visible")),
    )  # fmt: skip
    return Role(
        "harvester",
        core.num_agents - core.num_wardens,
        Layout(harvester_features(core)),
        ActionSpec(
            (
                Choice("deal", ("none", "give", "sanction"), "what to do with a neighbour"),
                Choice("target", tuple(targets), "which neighbour"),
            ),
            (
                Level("effort", meaning="how hard to fish"),
                Level("amount", meaning="how much of a full gift to give"),
            ),
        ),
        terms=(
            Term("catch", 0.0, 1.0, "this step's catch, relative to the most possible"),
            Term("deals", -1.0, 1.0, "what deals brought or cost, relative to the wealth cap"),
            Term(
                "depletion", -core.depletion_weight, core.depletion_weight,
                "how much the stock rose or fell", attribution="shared",
            ),
            Term("collapse", -core.collapse_penalty, 0.0, "the lake is lost", "terminal"),
        ),
        info=Layout((info,), dtype="float64"),
        events=("conflict", "gift", "sanction", "death"),
        body="frozen",
        meaning="lives on the lake",
    )  # fmt: skip


def warden(core: Core) -> Role:
    """Declare the wardens."""
    people = core.num_agents - core.num_wardens
    options = ("none", *(f"harvester{k}" for k in range(people)))
    return Role(
        "warden",
        core.num_wardens,
        Layout(warden_features(core)),
        ActionSpec(
            (Choice("target", options, "whom to fine"),),
            (Level("fine", meaning="how much of a full fine to take"),),
        ),
        terms=(
            Term("stewardship", 0.0, 1.0, "how full the lake is", attribution="shared"),
            Term("collapse", -core.collapse_penalty, 0.0, "the lake is lost", "terminal"),
        ),
        events=("sanction",),
        meaning="guards the lake",
    )


def spec(core: Core) -> Spec:
    """Declare everything about commons for these parameters."""
    rate = core.harvest_rate
    return Spec(
        world="commons",
        version=1,
        all_roles=(harvester(core), warden(core)),
        fields=fields(core),
        reasons=REASONS,
        events=EVENTS,
        conflicts=(Conflict("harvest", "stock", "served in f.order, last come go short", True),),
        tunables=(
            Tunable("harvest_rate", rate, 0.0, rate * 4, "catch of full effort per step"),
            Tunable("growth_scale", 1.0, 0.0, 4.0, "multiplies the hidden growth rate"),
        ),
        effects=(Effect("harvest", "multiplies an agent's catch"),),
        links=LINKS,
        turns=core.turns,
        invalid=core.invalid,
        invalid_penalty=core.invalid_penalty,
    )
