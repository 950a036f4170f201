"""What commons declares: roles, features, actions, reward terms, endings, events and handles."""

from typing import Any

from mesocosm.core.action import ActionSpec, Choice, Level
from mesocosm.core.observation import Feature, Layout, Read, Whose
from mesocosm.core.spec import (
    Conflict,
    Effect,
    EventKind,
    Link,
    Reason,
    Role,
    Spec,
    Term,
    Tunable,
    codes,
)
from mesocosm.worlds.commons.config import Core
from mesocosm.worlds.commons.state import fields

REASONS = (
    Reason("starved", "failure", "a harvester has nothing left to live on"),
    Reason("collapse", "failure", "the stock fell below the level from which it recovers"),
    Reason("timeout", "timeout", "the last step was played", truncates=True),
    Reason("died", "neutral", "a harvester's time had come"),  # only where people are mortal
)
LINKS = (
    Link("gift", "wealth", "giving to a neighbour"),
    Link("sanction", "wealth", "having a neighbour sanctioned"),
    Link("fine", "wealth", "a warden's fine"),
)
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
    # only where people are mortal
    EventKind("natural_death", "agent {actor} died"),
    EventKind("estate", "agent {target} inherited {value:.2f} from agent {actor}", target="agent"),
)
STARVED, COLLAPSE, TIMEOUT, DIED = codes(REASONS, 1)
CONFLICT, GIFT, SANCTION, DROUGHT, DEATH, NATURAL_DEATH, ESTATE = codes(EVENTS)
GIFT_LINK, SANCTION_LINK, FINE_LINK = codes(LINKS)
# tunables, and effects on agents
HARVEST_RATE, GROWTH_SCALE = 0, 1
HARVEST = 0
# a harvester's action: choices, options of `deal`, levels
DEAL, TARGET = 0, 1
DEALS = ("none", "give", "sanction")
NONE, GIVE, PUNISH = 0, 1, 2
EFFORT, AMOUNT = 0, 1
# a warden's action: choice (option 0 is nobody), level
FINE_TARGET, FIRST_FINED = 0, 1
FINE_AMOUNT = 0
# reward terms of harvesters, and of wardens
CATCH_TERM, DEAL_TERM, DEPLETION_TERM, COLLAPSE_TERM = 0, 1, 2, 3
STEWARD_TERM, RUIN_TERM = 0, 1
# a harvester's info
NEIGHBOURS = 0


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
    people = (core.num_harvesters,)
    every: dict[str, Any] = {"visibility": "public", "shape": people}
    return (
        Feature("clock", "how far the season is", visibility="public", reads=(Read("clock"),)),
        Feature("stock", "how full the lake is", visibility="public", reads=(Read("stock"),)),
        Feature("alive", "who still lives here", reads=(Read("alive"),), **every),
        Feature("catches", "what each just caught", reads=(Read("catch"),), **every),
        Feature("standings", "how often each was fined", reads=(Read("fined"),), **every),
    )


def harvester(core: Core) -> Role:
    """Declare the harvesters."""
    targets = [f"{side}{k}" for k in range(1, core.sight + 1) for side in ("left", "right")]
    near = (Read("seat", "visible"), Read("alive", "visible"))
    info = Feature(
        "neighbours", "how many living neighbours I have", high=2 * core.sight,
        visibility="public", reads=near,
    )  # fmt: skip
    return Role(
        "harvester",
        core.num_harvesters,
        Layout(harvester_features(core)),
        ActionSpec(
            (
                Choice(
                    "deal", DEALS, "what to do with a neighbour",
                    reads=(*near, Read("wealth", "self")),
                ),
                Choice(
                    "target", tuple(targets), "which neighbour", reads=near,
                    used_with={"deal": ("give", "sanction")},
                ),
            ),
            (
                Level("effort", meaning="how hard to fish"),
                Level(
                    "amount", meaning="how much of a full gift to give",
                    used_with={"deal": ("give",)},
                ),
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
        events=(
            "conflict", "gift", "sanction", "death",
            *(("natural_death", "estate") if core.is_mortal else ()),
        ),
        body="transferred" if core.leaves_estate else "frozen",
        estate=("wealth",) if core.leaves_estate else (),
        meaning="lives on the lake",
    )  # fmt: skip


def warden(core: Core) -> Role:
    """Declare the wardens."""
    options = ("none", *(f"harvester{k}" for k in range(core.num_harvesters)))
    return Role(
        "warden",
        core.num_wardens,
        Layout(warden_features(core)),
        ActionSpec(
            (Choice("target", options, "whom to fine", reads=(Read("alive"),)),),
            (
                Level(
                    "fine", meaning="how much of a full fine to take",
                    used_with={"target": options[FIRST_FINED:]},
                ),
            ),
        ),
        terms=(
            Term("stewardship", 0.0, 1.0, "how full the lake is", attribution="shared"),
            Term("collapse", -core.collapse_penalty, 0.0, "the lake is lost", "terminal"),
        ),
        events=("sanction",),
        meaning="guards the lake",
    )  # fmt: skip


def spec(core: Core) -> Spec:
    """Declare everything about commons for these parameters."""
    rate = core.harvest_rate
    return Spec(
        world="commons",
        version=1,
        all_roles=(harvester(core), warden(core)),
        fields=fields(core),
        reasons=REASONS if core.is_mortal else REASONS[: DIED - 1],
        events=EVENTS if core.is_mortal else EVENTS[:NATURAL_DEATH],
        conflicts=(
            Conflict("harvest", "stock", "served in f.order, last come go short", True, True),
        ),
        tunables=(
            Tunable(
                "harvest_rate", rate, 0.0, core.most_harvest_rate, "catch of full effort per step"
            ),
            Tunable("growth_scale", 1.0, 0.0, 4.0, "multiplies the hidden growth rate"),
        ),
        effects=(Effect("harvest", "multiplies an agent's catch"),),
        links=LINKS if core.num_wardens else LINKS[:FINE_LINK],
        turns=core.turns,
        invalid=core.invalid,
        invalid_penalty=core.invalid_penalty,
    )
