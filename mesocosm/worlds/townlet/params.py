"""What rules read of the config: one read-only record of numbers and tables."""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.observation import offsets_class
from mesocosm.core.spec import Spec
from mesocosm.worlds.townlet.config import (
    ACTIONS,
    COMPARISONS,
    DAY,
    MAX_CONDITIONS,
    METERS,
    Core,
    effects_row,
)
from mesocosm.worlds.townlet.declare import features, info_features

# columns of `place`
OPENS, CLOSES, CAPACITY, TICKS = range(4)
# when a place costs and gives: columns of `cost` (the first two) and of `gain`
AT_ONCE, PER_TICK, ON_COMPLETION = range(3)
# columns of `link` and of `cascade`
SOURCE, TARGET = range(2)
STRENGTH, THRESHOLD = range(2)
# columns of `sine` and of `ring`
SINE, COSINE = range(2)
RING_DX, RING_DY, RING_DISTANCE = range(3)
# columns of `cue_rule` and of `cue_when`; who may read a cue, and kinds of conditions
CUE_VISIBILITY, CUE_DISTANCE = range(2)
WHEN_KIND, WHEN_SUBJECT, WHEN_DETAIL = range(3)
PUBLIC, FAMILY, PRIVATE = range(3)
ON_METER, ON_PLACE, ON_ACTIONS = range(3)
BELOW, AT_MOST, ABOVE, AT_LEAST, EQUALS = range(5)  # in the order of COMPARISONS
NO_CONDITION = -1
# entries of `values`: weights, and whether wealth counts linearly
LIFESPAN, WELLBEING, WEALTH, LINEAR_WEALTH = range(4)
VALUES = {
    "none": (0.0, 0.0, 0.0, 0.0),
    "capitalist": (0.3, 0.1, 0.6, 1.0),
    "balanced": (0.5, 0.3, 0.2, 0.0),
    "hedonist": (0.2, 0.7, 0.1, 0.0),
}
_PROBE = Core(deployed=["Bed"])
At = offsets_class("At", features(_PROBE), __name__)
InfoAt = offsets_class("InfoAt", info_features(_PROBE), __name__)


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
    cue_when: Annotated[
        np.ndarray, "int64 [cue, 4, 3]"
    ]  # kind, subject, comparison or number of ticks
    cue_value: Annotated[np.ndarray, "float64 [cue, 4]"]  # what a meter is compared with
    cue_rank: Annotated[np.ndarray, "int64 [cue or 0]"]  # the order in which cues are considered
    marry_age: int
    leave_age: int
    performance: float
    marry_prob: float
    breed_prob: float
    dynasty: bool
    cull: bool
    refill: bool
    refill_ticks: int
    at: Any  # At
    info: Any  # InfoAt


def params(core: Core, spec: Spec) -> Params:
    """Turn the config into what rules read."""
    role, family = spec.all_roles[0], core.family
    same = {name: getattr(core, name) for name in Params._fields if name in type(core).model_fields}
    kept = {name: value for name, value in family if name in Params._fields}
    derived = {
        "grid": core.grid_size,
        "vision": core.vision_range,
        "chebyshev": core.visibility_metric == "chebyshev",
        "max_visible": core.max_visible_agents if core.is_social else 0,
        "max_family": core.max_family_size if core.has_families else 0,
        "family_ids": core.include_family_ids and core.has_families,
        "families": core.has_families,
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
    angles = [2.0 * math.pi * hour / DAY for hour in range(DAY)]
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
    """Count the past actions that the level's cues look at."""
    shown = [cue for cue in core.cues if cue.name in core.shown_cues]
    return max((test.times or 0 for cue in shown for test in cue.when), default=0)


def _ring(core: Core) -> np.ndarray:
    """List the cells in which others can be seen, nearest first."""
    reach = range(-core.vision_range, core.vision_range + 1)
    cells = [(dx, dy, abs(dx) + abs(dy)) for dy in reach for dx in reach]
    if core.visibility_metric == "chebyshev":
        cells = [(dx, dy, max(abs(dx), abs(dy))) for dx, dy, _ in cells]
    seen = [cell for cell in cells if cell[RING_DISTANCE] <= core.vision_range]
    return np.array(
        sorted(seen, key=lambda cell: (cell[RING_DISTANCE], cell[RING_DY], cell[RING_DX])), np.int64
    )


def _cue_tables(core: Core) -> dict[str, np.ndarray]:
    """Turn the level's cues into numbers: who reads them, when, and in which order they count."""
    table = {cue.name: cue for cue in core.cues}
    shown = [table[name] for name in core.shown_cues]
    sights = ("public", "family", "private")
    count = max(len(shown), 1)
    rule = np.zeros((count, 2), np.int64)
    when = np.full((count, MAX_CONDITIONS, 3), NO_CONDITION, np.int64)
    values = np.zeros((count, MAX_CONDITIONS))
    places = [place.name for place in core.affordances]
    for k, cue in enumerate(shown):
        rule[k] = sights.index(cue.visibility), cue.distance
        for i, test in enumerate(cue.when):
            if test.meter is not None:
                how, values[k, i] = test.threshold
                comparison = [*COMPARISONS].index(how)
                when[k, i] = ON_METER, METERS.index(test.meter), comparison
            elif test.at is not None:
                when[k, i] = ON_PLACE, places.index(test.at), 0
            else:
                when[k, i] = ON_ACTIONS, ACTIONS.index(test.action or ""), test.times or 1
    rank = sorted(range(len(shown)), key=lambda k: (-shown[k].priority, shown[k].name))
    ranks = np.array(rank, np.int64)
    return {"cue_rule": rule, "cue_when": when, "cue_value": values, "cue_rank": ranks}
