"""What exists in island: the arrays that rules read and write, and how they are declared.

Everything that belongs to a side stands in that side's rows: its units, and what it knows of the
enemy. An observation reads its own side's rows alone, and the public score.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.index import Bits, Index
from mesocosm.core.spec import Field
from mesocosm.worlds.island.config import PACKAGES, Core
from mesocosm.worlds.island.scenario import SLOTS

# sides; `flag_owner` and `capturing` hold 1 + side, or NOBODY
LEGACY, DYNASTY = range(2)
NOBODY = 0
# manoeuvres
IDLE, PATROL, ENGAGE, RETURN, REFUEL, CAPTURE, EVADE, DECK = range(8)
# states of a group's number
UNUSED, TOMBSTONE, GHOST, ACTIVE = range(4)
# quality of a track: a unit that was only heard, and one in plain sight
HEARD, IN_SIGHT = 1, 4
# columns of `course`
CENTRE_X, CENTRE_Y, HALF_SHORT, HALF_LONG, AXIS_X, AXIS_Y = range(6)
COURSE_SIZE = 6
# columns of `shot` and `shot_id`
SHOT_X, SHOT_Y, SHOT_LEFT, SHOT_FROM = range(4)
SHOT_WEAPON, SHOT_SHOOTER, SHOT_TARGET, SHOT_TAG = range(4)
SHOT_SIZE = 4
# columns of `confirmed`
KILLS, VALUE_LOST, SETTLERS_LOST = range(3)
CONFIRMED_SIZE = 3
# columns of `group`, as an observation shows them
(
    GROUP_DETECTED, GROUP_AIR, GROUP_SEA, GROUP_GROUND, GROUP_X, GROUP_Y, GROUP_VX, GROUP_VY,
    GROUP_SPEED, GROUP_HEADING, GROUP_COUNT, GROUP_DISTANCE,
) = range(12)  # fmt: skip
GROUP_SIZE = 12
# columns of `look`
LOOK_X, LOOK_Y, LOOK_GAIN = range(3)
FASTEST = 1.1  # km/s
BIN_KM = 100.0
MOST_TAG = 10**6  # of a missile, for random numbers


class State(NamedTuple):
    """The truth about a war; the axis after env is the side."""

    clock: Annotated[np.ndarray, "int32 [env]"]  # steps played
    flag_owner: Annotated[np.ndarray, "int8 [env]"]  # 0 nobody, else 1 + side
    capturing: Annotated[np.ndarray, "int8 [env]"]  # who is capturing, as above
    verdict: Annotated[np.ndarray, "int8 [env]"]  # how the war ended, 0 while it goes on
    capture_progress: Annotated[np.ndarray, "float64 [env, 2]"]  # seconds
    capture_progress_before: np.ndarray
    casualties: Annotated[np.ndarray, "int32 [env, 2]"]
    strength: Annotated[np.ndarray, "float64 [env, 2]"]  # 1 at the start
    strength_before: np.ndarray
    settlers: Annotated[np.ndarray, "int16 [env, 2]"]  # alive and able to capture
    confirmed: Annotated[np.ndarray, "float64 [env, 2, 3]"]  # enemy losses that the side saw
    hidden_groups: Annotated[np.ndarray, "int16 [env, 2]"]  # clusters without a number
    refused: Annotated[np.ndarray, "int8 [env, 2]"]  # orders of the last step that were invalid
    num_units: Annotated[np.ndarray, "int16 [env, 2]"]  # ids given so far
    num_shots: Annotated[np.ndarray, "int16 [env, 2]"]  # missiles in flight
    kind: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # type, -1 for an id not given
    hp: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # hits left; 0 is dead
    pos: Annotated[np.ndarray, "float64 [env, 2, unit, 2]"]  # km east and north of the centre
    altitude: Annotated[np.ndarray, "float64 [env, 2, unit]"]  # m
    heading: Annotated[np.ndarray, "float64 [env, 2, unit, 2]"]  # unit vector, east and north
    speed: Annotated[np.ndarray, "float64 [env, 2, unit]"]  # km/s
    fuel: Annotated[np.ndarray, "float64 [env, 2, unit]"]  # share of a full tank
    pool: Annotated[np.ndarray, "float64 [env, 2, unit]"]  # full tanks to give away
    ammo: Annotated[np.ndarray, "int16 [env, 2, unit, 5]"]
    guard: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # rounds of point defence
    reload: Annotated[np.ndarray, "float64 [env, 2, unit, 5]"]  # s until it can fire again
    radar: Annotated[np.ndarray, "bool [env, 2, unit]"]
    focus: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # cell, or -1
    manoeuver: Annotated[np.ndarray, "int8 [env, 2, unit]"]
    course: Annotated[np.ndarray, "float64 [env, 2, unit, 6]"]  # the race-track of a patrol
    leg: Annotated[np.ndarray, "int8 [env, 2, unit]"]  # which corner of it is next
    target: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # group engaged, or -1
    chosen: Annotated[np.ndarray, "int8 [env, 2, unit]"]  # bits of the slots to fire
    usage: Annotated[np.ndarray, "int8 [env, 2, unit]"]  # tight, selective, free
    level: Annotated[np.ndarray, "int8 [env, 2, unit]"]  # 0 none, 1 defensive .. 4 offensive
    shots: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # fired in this engagement
    fired: Annotated[np.ndarray, "int32 [env, 2, unit]"]  # fired in all
    # s until it expects to fire, -1 if it does not
    aim: Annotated[np.ndarray, "float64 [env, 2, unit]"]
    partner: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # tanker, or -1
    jam: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # cell that is jammed, or -1
    protege: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # friend that is screened, or -1
    timer: Annotated[np.ndarray, "float64 [env, 2, unit]"]  # s until a carrier can launch again
    parent: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # carrier it came from, or -1
    wing: Annotated[np.ndarray, "int8 [env, 2, unit]"]  # bits of the packages not launched yet
    landed: Annotated[np.ndarray, "bool [env, 2, unit]"]  # settler on the island
    threat: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # missiles close by
    tier: Annotated[np.ndarray, "int8 [env, 2, enemy]"]  # quality of the track, 0 none
    age: Annotated[np.ndarray, "float64 [env, 2, enemy]"]  # s since a sensor held it
    held: Annotated[np.ndarray, "bool [env, 2, enemy]"]  # a sensor holds it now
    spot: Annotated[np.ndarray, "float64 [env, 2, enemy, 2]"]  # where it is thought to be
    drift: Annotated[np.ndarray, "float64 [env, 2, enemy, 2]"]  # how it is thought to move, km/s
    looks: Annotated[np.ndarray, "int8 [env, 2, enemy]"]  # its domain as seen
    member: Annotated[np.ndarray, "int16 [env, 2, enemy]"]  # its group, or -1
    group: Annotated[np.ndarray, "float64 [env, 2, group, 12]"]  # what the side knows of each group
    group_state: Annotated[np.ndarray, "int8 [env, 2, group]"]
    group_rest: Annotated[np.ndarray, "float64 [env, 2, group]"]  # s since it was lost
    shot: Annotated[np.ndarray, "float64 [env, 2, missile, 4]"]
    shot_id: Annotated[np.ndarray, "int32 [env, 2, missile, 4]"]
    # first unit in a square of the map (derived)
    bin_head: Annotated[np.ndarray, "int16 [env, 2, bin]"]
    # next unit in the same square (derived)
    bin_next: Annotated[np.ndarray, "int16 [env, 2, unit]"]
    mast: Annotated[np.ndarray, "float64 [env, 2, unit]"]  # root of the height in m (derived)
    # where a radar looks, and its gain (derived)
    look: Annotated[np.ndarray, "float64 [env, 2, unit, 3]"]
    inbound: Annotated[np.ndarray, "int16 [env, 2, enemy]"]  # missiles flying at it (derived)
    outbound: Annotated[np.ndarray, "int16 [env, 2, unit]"]  # its missiles in flight (derived)
    # zero between the parts of a step (derived)
    scratch: Annotated[np.ndarray, "int16 [env, 2, unit]"]
    root: Annotated[np.ndarray, "int16 [env, 2, enemy]"]  # first member of its cluster (derived)
    # group of the cluster, at its root (derived)
    label: Annotated[np.ndarray, "int16 [env, 2, enemy]"]


def num_bins(core: Core) -> int:
    """Return how many squares the map has along a side."""
    return max(int(-(-core.map_km // BIN_KM)), 1)


def fields(core: Core) -> tuple[Field, ...]:
    """Declare the state."""
    return (*_score(core), *_units(core), *_orders(core), *_knowledge(core), *_shots(core))


def _score(core: Core) -> tuple[Field, ...]:
    n = core.max_entities
    seen: dict[str, Any] = {"visibility": "public"}
    side: dict[str, Any] = {"shape": (2,), "scope": "agent"}
    mine: dict[str, Any] = {**side, "visibility": "private"}
    need, owner = core.capture_required_seconds, Index("side", 2, first=1, none=True)
    return (
        Field("clock", "steps played", dtype="int32", high=core.max_steps, **seen),
        Field("flag_owner", "who holds the island", dtype="int8", indexes=owner, **seen),
        Field("capturing", "who is capturing it", dtype="int8", indexes=owner, **seen),
        Field("verdict", "how the war ended", dtype="int8", high=10),
        Field("capture_progress", "time on the island", high=need, previous=True, unit="s",
              **side, **seen),
        Field("casualties", "units lost", dtype="int32", high=n, **side, **seen),
        Field("strength", "share of the value left", previous=True, **side, **seen),
        Field("settlers", "settlers alive", dtype="int16", high=n, **side, **seen),
        Field("confirmed", "enemy losses that were seen", (2, CONFIRMED_SIZE), scope="agent",
              high=n, visibility="private"),
        Field("hidden_groups", "clusters without a number", dtype="int16", high=n, **mine),
        Field("refused", "invalid orders of the last step", dtype="int8", high=8, **mine),
        Field("num_units", "ids given", dtype="int16", high=n, **mine),
        Field("num_shots", "missiles in flight", dtype="int16", high=core.max_missiles, **side),
    )  # fmt: skip


def _units(core: Core) -> tuple[Field, ...]:
    n, half = core.max_entities, core.map_km / 2.0
    own: dict[str, Any] = {"scope": "agent", "visibility": "private"}
    each: dict[str, Any] = {**own, "shape": (2, n)}
    loads = max(unit.fuel_loads for unit in core.units)
    return (
        Field("kind", "type", dtype="int16", indexes=Index("type", len(core.units), none=True),
              **each),
        Field("hp", "hits left", dtype="int16", high=max(u.hits for u in core.units), **each),
        Field("pos", "place", (2, n, 2), low=-half, high=half, unit="km", **own),
        Field("altitude", "altitude", high=20000.0, unit="m", **each),
        Field("heading", "direction", (2, n, 2), low=-1.0, **own),
        Field("speed", "speed", high=FASTEST, unit="km/s", **each),
        Field("fuel", "share of a tank", malleable=True, **each),
        Field("pool", "tanks to give", high=loads, malleable=True, **each),
        Field("ammo", "rounds by slot", (2, n, SLOTS), "int16", high=1000, **own),
        Field("guard", "rounds of point defence", dtype="int16", high=1000, **each),
        Field("reload", "time to the next shot", (2, n, SLOTS), high=1e4, unit="s", **own),
        Field("radar", "radar on", dtype="bool", **each),
    )  # fmt: skip


def _orders(core: Core) -> tuple[Field, ...]:
    n, cells = core.max_entities, core.grid**2
    own: dict[str, Any] = {"scope": "agent", "visibility": "private"}
    each: dict[str, Any] = {**own, "shape": (2, n)}
    whole: dict[str, Any] = {**each, "dtype": "int16"}
    cell: dict[str, Any] = {**whole, "indexes": Index("cell", cells, none=True)}
    unit: dict[str, Any] = {**whole, "indexes": Index("unit", n, none=True)}
    target = Index("target group", core.max_target_groups, none=True)
    return (
        Field("focus", "cell the radar looks at", **cell),
        Field("manoeuver", "what it does", dtype="int8", indexes=Index("manoeuver", DECK + 1),
              **each),
        Field("course", "race-track", (2, n, COURSE_SIZE), low=-5000.0, high=5000.0, **own),
        Field("leg", "next corner", dtype="int8", indexes=Index("corner", 4), **each),
        Field("target", "group engaged", dtype="int16", indexes=target, **each),
        Field("chosen", "slots to fire", dtype="int8", indexes=Bits("slot", SLOTS), **each),
        Field("usage", "weapon usage", dtype="int8", indexes=Index("usage", 3), **each),
        Field("level", "engagement level", dtype="int8", indexes=Index("level", 5), **each),
        Field("shots", "fired in this engagement", dtype="int16", high=5000, **each),
        Field("fired", "fired in all", dtype="int32", high=10**6, **each),
        Field("aim", "time to the next shot", low=-1.0, high=1e6, unit="s", **each),
        Field("partner", "tanker", **unit),
        Field("jam", "cell that is jammed", **cell),
        Field("protege", "friend that is screened", **unit),
        Field("timer", "time to the next launch", high=1e5, unit="s", **each),
        Field("parent", "carrier it came from", **unit),
        Field("wing", "packages not launched", dtype="int8", indexes=Bits("package", PACKAGES),
              **each),
        Field("landed", "on the island", dtype="bool", **each),
        Field("threat", "missiles close by", dtype="int16", high=core.max_missiles, **each),
    )  # fmt: skip


def _knowledge(core: Core) -> tuple[Field, ...]:
    n, groups, half = core.max_entities, core.max_target_groups, core.map_km / 2.0
    own: dict[str, Any] = {"scope": "agent", "visibility": "private"}
    each: dict[str, Any] = {**own, "shape": (2, n)}
    member = Index("target group", groups, none=True)
    return (
        Field("tier", "quality of a track", dtype="int8", high=IN_SIGHT, **each),
        Field("age", "time since it was held", high=1e6, unit="s", **each),
        Field("held", "a sensor holds it", dtype="bool", **each),
        Field("spot", "where it is thought", (2, n, 2), low=-half, high=half, unit="km", **own),
        Field("drift", "how it moves", (2, n, 2), low=-FASTEST, high=FASTEST, unit="km/s", **own),
        Field("looks", "domain as seen", dtype="int8", indexes=Index("domain", 3), **each),
        Field("member", "group of a track", dtype="int16", indexes=member, **each),
        Field("group", "what is known of groups", (2, groups, GROUP_SIZE), **own),
        Field("group_state", "state of a number", (2, groups), "int8", high=ACTIVE, **own),
        Field("group_rest", "time since it was lost", (2, groups), high=1e6, unit="s", **own),
    )


def _shots(core: Core) -> tuple[Field, ...]:
    n, m, bins = core.max_entities, core.max_missiles, num_bins(core) ** 2
    far = 2.0 * max(5000.0, core.map_km)
    last: dict[str, Any] = {"dtype": "int16", "scope": "agent", "derived": True}
    one = Index("unit", n, none=True)
    unit: dict[str, Any] = {**last, "shape": (2, n), "indexes": one}
    whose = (Index("weapon", len(core.weapons)), Index("unit", n), Index("unit", n), None)
    most: dict[str, Any] = {**last, "shape": (2, n), "high": m}
    real: dict[str, Any] = {"scope": "agent", "derived": True}
    return (
        Field("shot", "missiles", (2, m, SHOT_SIZE), scope="agent", low=-far, high=far, unit="km"),
        Field("shot_id", "whose they are", (2, m, SHOT_SIZE), "int32", "agent",
              high=MOST_TAG,
              indexes=whose),
        Field("bin_head", "first in a square", (2, bins), indexes=one, **last),
        Field("bin_next", "next in the square", **unit),
        Field("mast", "root of the height", (2, n), high=150.0, **real),
        Field("look", "where radars look", (2, n, 3), low=-1.0, high=1e4, **real),
        Field("inbound", "missiles at an enemy", **most),
        Field("outbound", "missiles of a unit", **most),
        Field("scratch", "zero between parts", (2, n), high=0, **last),
        Field("root", "first of a cluster", **unit),
        Field("label", "group of a cluster", (2, n),
              indexes=Index("target group", core.max_target_groups, none=True), **last),
    )  # fmt: skip
