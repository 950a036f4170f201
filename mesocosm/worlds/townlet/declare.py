"""What townlet declares: features, actions, reward terms, endings, events and handles."""

from typing import Any

from mesocosm.core.action import ActionSpec, Choice
from mesocosm.core.observation import Feature, Layout, Read
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
from mesocosm.worlds.townlet.config import ACTIONS, METERS, NUM_METERS, Core
from mesocosm.worlds.townlet.state import MAX_AGE, SIGNALS, fields

# actions
UP, DOWN, LEFT, RIGHT, INTERACT, WAIT, SET_COMM = range(7)
# meters
ENERGY, SATIATION, MOOD, HYGIENE, SOCIAL, FITNESS, HEALTH, MONEY = range(8)
# goals
SURVIVAL, THRIVING, COMPANY = range(3)
# why an action failed
NOTHING, CONTENTION, CLOSED, CANNOT_PAY, NOT_HERE, EDGE = range(6)
UNDECIDED = 6  # of an interaction that was asked for, until it is tried
FAILURES = ("none", "contention", "closed", "cannot_pay", "nothing_here", "edge")
REASONS = (
    Reason("died", "failure", "a meter that keeps one alive reached zero"),
    Reason("retired", "success", "the whole life was lived"),
    Reason("time", "timeout", "the episode's last tick was played", truncates=True),
)
DIED, RETIRED, TIME = codes(REASONS, 1)
EVENTS = (
    EventKind("conflict", "agent {actor} found place {value:.0f} taken"),
    EventKind("death", "agent {actor} died"),
    EventKind("retirement", "agent {actor} retired at age {value:.0f}"),
    EventKind("wedding", "agents {actor} and {target} married", target="agent"),
    EventKind("birth", "agent {actor} was born to agent {target}", target="agent"),
    EventKind("arrival", "agent {actor} moved to town"),
    EventKind("departure", "agent {actor} left the parents' home"),
    EventKind(
        "inheritance",
        "agent {target} inherited {value:.2f} from agent {actor}",
        target="agent",
    ),
)
CONFLICT, DEATH, RETIREMENT, WEDDING, BIRTH, ARRIVAL, DEPARTURE, INHERITANCE = codes(EVENTS)
SURVIVAL_TERM, RETIREMENT_TERM, SCORE_TERM = 0, 1, 2
# tunables, and effects on agents
DIFFICULTY, MOVE_COST = 0, 1
GAIN = 0
# parts of the action
ACT, SIGNAL = 0, 1
LINKS = (
    Link("wedding", "family", "marrying someone"),
    Link("inheritance", "meters", "leaving one's money to a child"),
)
WEDDING_LINK, INHERITANCE_LINK = codes(LINKS)


_private: dict[str, Any] = {"visibility": "private"}
_public: dict[str, Any] = {"visibility": "public"}


def features(core: Core) -> tuple[Feature, ...]:
    """Declare what a resident sees; what a level does not show has size 0."""
    full = core.has_full_view
    window = 0 if full else 2 * core.vision_range + 1
    places = tuple(place.name for place in core.affordances)
    me, here = Read("position", "self"), Read("affordance_position")
    mine, seen = _private, _public
    return (
        Feature("grid", "where I am", (core.grid_size**2 if full else 0,), reads=(me,), **mine),
        Feature("window", "what is around me", (window, window), reads=(me, here), **seen),
        Feature(
            "position", "my coordinates", (0 if full else 2,), reads=(me,),
            labels=() if full else ("x", "y"), **mine,
        ),
        Feature(
            "meters", "how I feel", (NUM_METERS,), reads=(Read("meters", "self"),),
            labels=METERS, **mine,
        ),
        Feature(
            "affordance", "where I am standing", (len(places) + 1,), reads=(me, here),
            labels=(*places, "none"), **mine,
        ),
        Feature(
            "time", "what time it is", (0 if full else 2,), low=-1.0, reads=(Read("hour"),),
            labels=() if full else ("sin", "cos"), **seen,
        ),
        Feature(
            "progress", "how far I am with what I am doing", (0 if full else 1,),
            reads=(Read("progress", "self"),), **mine,
        ),
        *social_features(core),
    )  # fmt: skip


def _kin() -> tuple[Read, ...]:
    """Declare what it takes to know who of one's family is there."""
    ties = tuple(Read(name, "self") for name in ("standing", "partner", "child", "parent"))
    return (Read("family", "group"), Read("alive"), *ties)


def social_features(core: Core) -> tuple[Feature, ...]:
    """Declare what a resident sees of others."""
    others = core.max_visible_agents if core.is_social else 0
    cues, slots = len(core.shown_cues), core.max_family_size if core.has_families else 0
    ids = slots if core.include_family_ids else 0
    kin = _kin()
    family = (Read("family_cue", "group"), *kin) if core.family_reads else ()
    near = (Read("position", "visible"), Read("alive", "visible"), Read("position", "self"))
    mine, seen = _private, _public
    return (
        Feature(
            "others", "where others are", (others, 2), low=-core.vision_range,
            high=core.vision_range, unit="cells", reads=near, labels=("dx", "dy"), table=True,
            **seen,
        ),
        Feature(
            "other_cues", "how others look", (others, cues),
            reads=(*near, Read("cue", "visible"), *family),
            labels=tuple(core.shown_cues) if cues else (), table=True,
            **(mine if core.family_reads else seen),
        ),
        Feature(
            "family_signals", "what my family signals", (slots,),
            reads=(*kin, Read("signal", "group")), **mine,
        ),
        Feature("family_ids", "who they are", (ids,), reads=kin, **mine),
    )  # fmt: skip


def info_features(core: Core) -> tuple[Feature, ...]:
    """Declare what a resident is told outside the tensor."""
    full = core.has_full_view
    near = (Read("position", "visible"), Read("alive", "visible"), Read("position", "self"))
    places = tuple(place.name for place in core.affordances)
    return (
        Feature(
            "visible_agents", "how many people I see", high=core.max_visible_agents, reads=near,
            visibility="public",
        ),
        Feature(
            "family_members", "how many of my family I hear", high=core.max_family_size,
            reads=_kin(),
        ),
        Feature(
            "action_failed", "why my last action failed", high=len(FAILURES) - 1,
            reads=(Read("failed", "self"),),
        ),
        Feature(
            "age", "how old I am", high=float(MAX_AGE), unit="ticks", reads=(Read("age", "self"),)
        ),
        Feature(
            "affordance_map", "where everything is", (len(places) if full else 0, 2), low=-1.0,
            high=core.grid_size, absent=-1.0, reads=(Read("affordance_position"),),
            visibility="public",
        ),
    )  # fmt: skip


def _links(core: Core) -> tuple[Link, ...]:
    """List by what residents affect each other at this level."""
    if not core.has_families:
        return ()
    return LINKS if core.family.inheritance == "dynasty" else LINKS[:INHERITANCE_LINK]


def _signal() -> Choice:
    """Declare what residents say to their families."""
    values = tuple(str(value) for value in range(SIGNALS))
    use = {"act": (ACTIONS[SET_COMM],)}
    return Choice("signal", values, "what SET_COMM_CHANNEL says", masked=False, used_with=use)


def spec(core: Core) -> Spec:
    """Declare everything about townlet for these parameters."""
    acts = ACTIONS if core.has_families else ACTIONS[:SET_COMM]
    me = Read("position", "self")
    told: dict[str, tuple[Read, ...]] = dict.fromkeys(acts[SET_COMM:], ())  # what decides it
    told["INTERACT"] = (me, Read("affordance_position"), Read("hour"))
    parts: tuple[Choice, ...] = (
        Choice(
            "act", acts, "what to do this tick", enforced=False, noop=WAIT, reads=(me,),
            option_reads=told,
        ),
    )  # fmt: skip
    if core.has_families:
        parts += (_signal(),)
    role = Role(
        "resident",
        core.num_agents,
        Layout(features(core)),
        ActionSpec(parts),
        terms=(
            Term("survival", 0.0, 1.0, "energy times health, while alive"),
            Term("retirement", 0.0, core.retirement_bonus, "a whole life was lived", "terminal"),
            Term("score", 0.0, 1.0, "how good the life was", "terminal"),
        ),
        info=Layout(info_features(core), dtype="float64"),
        events=tuple(event.name for event in EVENTS),
        body="removed",
        vacancy=("alive", "vacant"),
        respawn=core.has_families,
        meaning="lives in the town",
    )
    return Spec(
        world="townlet",
        version=3,
        all_roles=(role,),
        fields=fields(core),
        reasons=REASONS,
        events=EVENTS,
        conflicts=(
            Conflict("capacity", "an affordance", "who is at it already, then f.order", True, True),
        ),
        tunables=(
            Tunable("difficulty", core.difficulty, 0.0, 10.0, "multiplies passive decay"),
            Tunable("move_cost", 1.0, 0.0, 10.0, "multiplies what a move costs"),
        ),
        effects=(Effect("gain", "multiplies what interactions bring"),),
        links=_links(core),
        invalid="noop",
    )
