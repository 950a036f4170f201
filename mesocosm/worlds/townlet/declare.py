"""What townlet declares: features, actions, rewards, endings, events, and the rules' parameters."""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.action import ActionSpec, Choice
from mesocosm.core.observation import Feature, Layout, Read, offsets_class
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
from mesocosm.worlds.townlet.config import ACTIONS, METERS, Core, effects_row
from mesocosm.worlds.townlet.state import fields

UP, DOWN, LEFT, RIGHT, INTERACT, WAIT, SET_COMM = range(7)
ENERGY, SATIATION, MOOD, HYGIENE, SOCIAL, FITNESS, HEALTH, MONEY = range(8)
SURVIVAL, THRIVING, COMPANY = range(3)
NOTHING, CONTENTION, CLOSED, CANNOT_PAY, NOT_HERE, EDGE = range(6)
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
DIFFICULTY, MOVE_COST = 0, 1
LINKS = (
    Link("wedding", "family", "marrying someone"),
    Link("inheritance", "meters", "leaving one's money to a child"),
)
WEDDING_LINK, INHERITANCE_LINK = codes(LINKS)
GAIN = 0
# lifespan, wellbeing, wealth; and whether wealth counts linearly
VALUES = {
    "none": (0.0, 0.0, 0.0, 0.0),
    "capitalist": (0.3, 0.1, 0.6, 1.0),
    "balanced": (0.5, 0.3, 0.2, 0.0),
    "hedonist": (0.2, 0.7, 0.1, 0.0),
}


_private: dict[str, Any] = {"visibility": "private"}
_public: dict[str, Any] = {"visibility": "public"}


def features(core: Core) -> tuple[Feature, ...]:
    """Declare what a resident sees; what a level does not show has size 0."""
    full = core.level <= 3
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
            "meters", "how I feel", (8,), reads=(Read("meters", "self"),), labels=METERS, **mine,
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


def social_features(core: Core) -> tuple[Feature, ...]:
    """Declare what a resident sees of others."""
    others = core.max_visible_agents if core.level >= 6 else 0
    cues, slots = len(core.shown_cues), core.max_family_size if core.level == 8 else 0
    ids = slots if core.include_family_ids else 0
    kin = (Read("family", "group"), Read("alive"))
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
    full = core.level <= 3
    near = (Read("position", "visible"), Read("alive", "visible"), Read("position", "self"))
    places = tuple(place.name for place in core.affordances)
    return (
        Feature(
            "visible_agents", "how many people I see", high=core.max_visible_agents, reads=near,
            visibility="public",
        ),
        Feature(
            "family_members", "how many of my family I hear", high=core.max_family_size,
            reads=(Read("family", "group"), Read("alive")),
        ),
        Feature(
            "action_failed", "why my last action failed", high=len(FAILURES) - 1,
            reads=(Read("failed", "self"),),
        ),
        Feature("age", "how old I am", high=2e6, unit="ticks", reads=(Read("age", "self"),)),
        Feature(
            "affordance_map", "where everything is", (len(places) if full else 0, 2), low=-1.0,
            high=core.grid_size, absent=-1.0, reads=(Read("affordance_position"),),
            visibility="public",
        ),
    )  # fmt: skip


_PROBE = Core(deployed=["Bed"])
At = offsets_class("At", features(_PROBE), __name__)
InfoAt = offsets_class("InfoAt", info_features(_PROBE), __name__)


def spec(core: Core) -> Spec:
    """Declare everything about townlet for these parameters."""
    acts = ACTIONS if core.level == 8 else ACTIONS[:6]
    parts: tuple[Choice, ...] = (
        Choice("act", acts, "what to do this tick", enforced=False, noop=WAIT),
    )
    if core.level == 8:
        values = tuple(str(value) for value in range(1000))
        parts += (Choice("signal", values, "what SET_COMM_CHANNEL says", masked=False),)
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
        respawn=core.level == 8,
        meaning="lives in the town",
    )
    return Spec(
        world="townlet",
        version=2,
        all_roles=(role,),
        fields=fields(core),
        reasons=REASONS,
        events=EVENTS,
        conflicts=(
            Conflict("capacity", "an affordance", "who is at it already, then f.order", True),
        ),
        tunables=(
            Tunable("difficulty", core.difficulty, 0.0, 10.0, "multiplies passive decay"),
            Tunable("move_cost", 1.0, 0.0, 10.0, "multiplies what a move costs"),
        ),
        effects=(Effect("gain", "multiplies what interactions bring"),),
        links=LINKS,
        invalid="noop",
    )


class Params(NamedTuple):
    """Read-only numbers for the rules."""

    level: int
    grid: int
    vision: int
    chebyshev: bool
    max_visible: int
    max_family: int
    family_ids: bool
    families: bool
    temporal: bool
    random_layout: bool
    layout_word: int
    lifespan: int
    max_steps: int
    num_cues: int
    max_cues: int
    history: int
    move_energy: float
    move_hygiene: float
    move_satiation: float
    wait_energy: float
    payment_slack: float
    goal_survival: float
    goal_social: float
    fitness_base: float
    fitness_low: float
    fitness_span: float
    retirement_bonus: float
    early_death_factor: float
    values: Annotated[np.ndarray, "float64 [4]"]
    initial: Annotated[np.ndarray, "float64 [meter]"]
    decay: Annotated[np.ndarray, "float64 [meter]"]
    lethal: Annotated[np.ndarray, "bool [meter]"]
    # the highest threshold at which it hurts another
    alarm: Annotated[np.ndarray, "float64 [meter]"]
    link: Annotated[np.ndarray, "int64 [cascade, 2]"]  # source, target
    cascade: Annotated[np.ndarray, "float64 [cascade, 2]"]  # strength, threshold
    deployed: Annotated[np.ndarray, "bool [type]"]
    place: Annotated[np.ndarray, "int64 [type, 4]"]  # opens, closes, capacity, ticks
    cost: Annotated[np.ndarray, "float64 [type, 2]"]  # at once, per tick
    gain: Annotated[np.ndarray, "float64 [type, 3, meter]"]  # at once, per tick, on completion
    sine: Annotated[np.ndarray, "float64 [24, 2]"]
    ring: Annotated[np.ndarray, "int64 [ring, 3]"]  # dx, dy, distance; nearest first
    cue_rule: Annotated[np.ndarray, "int64 [cue, 2]"]  # visibility, distance
    cue_when: Annotated[np.ndarray, "int64 [cue, 4, 3]"]  # kind, subject, sign or number of ticks
    cue_value: Annotated[np.ndarray, "float64 [cue, 4]"]  # what a meter is compared with
    cue_rank: Annotated[np.ndarray, "int64 [cue or 0]"]  # the order in which cues are considered
    marry_age: int
    leave_age: int
    performance: float
    marry_prob: float
    breed_prob: float
    mutation_prob: float
    mutation_size: float
    dynasty: bool
    cull: bool
    refill: bool
    refill_ticks: int
    at: Any  # At
    info: Any  # InfoAt


def params(core: Core, made: Spec) -> Params:
    """Turn the config into what rules read."""
    role, family = made.all_roles[0], core.family
    same = {name: getattr(core, name) for name in Params._fields if name in type(core).model_fields}
    kept = {name: value for name, value in family if name in Params._fields}
    derived = {
        "grid": core.grid_size,
        "vision": core.vision_range,
        "chebyshev": core.visibility_metric == "chebyshev",
        "max_visible": core.max_visible_agents if core.level >= 6 else 0,
        "max_family": core.max_family_size if core.level == 8 else 0,
        "family_ids": core.include_family_ids and core.level == 8,
        "families": core.level == 8,
        "marry_age": round(family.marry_age * core.lifespan),
        "leave_age": round(family.leave_age * core.lifespan),
        "dynasty": family.inheritance == "dynasty",
        "random_layout": core.layout == "random",
        "layout_word": core.layout_seed,
        "num_cues": len(core.shown_cues),
        "history": _history(core),
        "at": At(**role.observation.offsets),
        "info": InfoAt(**role.info.offsets),
    }
    return Params(**(same | kept | derived | _tables(core)))


def _tables(core: Core) -> dict[str, np.ndarray]:
    places = core.affordances
    angles = [2.0 * math.pi * hour / 24.0 for hour in range(24)]
    kinds = [[place.effects, place.tick_effects, place.bonus] for place in places]
    return {
        "values": np.array(VALUES[core.terminal_score]),
        "initial": np.array([meter.initial for meter in core.meters]),
        "decay": np.array([meter.decay for meter in core.meters]),
        "lethal": np.array([meter.lethal for meter in core.meters]),
        "alarm": np.array(
            [
                max((c.threshold for c in core.cascades if c.source == m), default=0.0)
                for m in METERS
            ]
        ),
        "link": np.array(
            [(METERS.index(c.source), METERS.index(c.target)) for c in core.cascades], np.int64
        ).reshape(-1, 2),
        "cascade": np.array([(c.strength, c.threshold) for c in core.cascades]).reshape(-1, 2),
        "deployed": np.array([place.name in core.deployed for place in places], np.bool_),
        "place": np.array(
            [(p.opens, p.closes, p.capacity, p.ticks) for p in places], np.int64
        ).reshape(-1, 4),
        "cost": np.array([(place.cost, place.tick_cost) for place in places]).reshape(-1, 2),
        "gain": np.array([[effects_row(effects) for effects in three] for three in kinds]).reshape(
            -1, 3, len(core.meters)
        ),
        "sine": np.array([(math.sin(angle), math.cos(angle)) for angle in angles]),
        "ring": _ring(core),
    } | _cue_tables(core)


def _history(core: Core) -> int:
    """How many past actions the level's cues look at."""
    shown = [cue for cue in core.cues if cue.name in core.shown_cues]
    return max((test.times or 0 for cue in shown for test in cue.when), default=0)


def _ring(core: Core) -> np.ndarray:
    """List the cells in which others can be seen, nearest first."""
    reach = range(-core.vision_range, core.vision_range + 1)
    cells = [(dx, dy, abs(dx) + abs(dy)) for dy in reach for dx in reach]
    if core.visibility_metric == "chebyshev":
        cells = [(dx, dy, max(abs(dx), abs(dy))) for dx, dy, _ in cells]
    seen = [cell for cell in cells if cell[2] <= core.vision_range]
    return np.array(sorted(seen, key=lambda cell: (cell[2], cell[1], cell[0])), np.int64)


def _cue_tables(core: Core) -> dict[str, np.ndarray]:
    """Turn the level's cues into numbers: who reads them, when, and in which order they count."""
    table = {cue.name: cue for cue in core.cues}
    shown = [table[name] for name in core.shown_cues]
    sights = ("public", "family", "private")
    count = max(len(shown), 1)
    rule = np.zeros((count, 2), np.int64)
    when = np.full((count, 4, 3), -1, np.int64)
    values = np.zeros((count, 4))
    places = [place.name for place in core.affordances]
    for k, cue in enumerate(shown):
        rule[k] = sights.index(cue.visibility), cue.distance
        for i, test in enumerate(cue.when):
            if test.meter is not None:
                value = test.below if test.below is not None else test.above
                sign = -1 if test.below is not None else 1
                when[k, i], values[k, i] = (0, METERS.index(test.meter), sign), value
            elif test.at is not None:
                when[k, i] = 1, places.index(test.at), 0
            else:
                when[k, i] = 2, ACTIONS.index(test.action or ""), test.times or 1
    rank = sorted(range(len(shown)), key=lambda k: (-shown[k].priority, shown[k].name))
    ranks = np.array(rank, np.int64)
    return {"cue_rule": rule, "cue_when": when, "cue_value": values, "cue_rank": ranks}
