"""One unit: how it is created, where and as what it is seen, and how it is lost."""

import math

import numpy as np

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.island import declare, state, tables
from mesocosm.worlds.island.params import Params
from mesocosm.worlds.island.state import State

SAME_PLACE_KM = 1e-9  # nearer than this two points have no direction


@rule
def put_unit(s: State, p: Params, e: int, a: int, i: int, kind: int, x: float, y: float) -> None:
    """Create a unit of a type at a place, or clear an id (kind -1)."""
    s.kind[e, a, i] = kind
    s.pos[e, a, i, 0] = min(max(x, -p.half), p.half)
    s.pos[e, a, i, 1] = min(max(y, -p.half), p.half)
    s.heading[e, a, i, 0] = 1.0 if a == 0 else -1.0
    s.heading[e, a, i, 1] = 0.0
    s.fuel[e, a, i] = 1.0
    s.radar[e, a, i] = kind >= 0 and p.unit[kind, tables.U_RADAR] > 0.0
    flies = kind >= 0 and p.unit[kind, tables.U_DOMAIN] == tables.AIR
    s.hp[e, a, i] = int(p.unit[kind, tables.U_HITS]) if kind >= 0 else 0
    s.altitude[e, a, i] = p.unit[kind, tables.U_ALTITUDE] if flies else 0.0
    s.speed[e, a, i] = p.unit[kind, tables.U_CRUISE] * p.ph.orbit_speed if flies else 0.0
    s.pool[e, a, i] = p.unit[kind, tables.U_POOL] if kind >= 0 else 0.0
    s.wing[e, a, i] = 0
    if kind >= 0 and p.unit[kind, tables.U_CARRIER] > 0.0:
        s.wing[e, a, i] = (1 << p.num_packages) - 1
    s.fired[e, a, i] = 0
    s.timer[e, a, i] = 0.0
    s.parent[e, a, i] = -1
    s.usage[e, a, i] = declare.SELECTIVE
    s.focus[e, a, i] = -1
    s.jam[e, a, i] = -1
    s.protege[e, a, i] = -1
    s.threat[e, a, i] = 0
    load_weapons(s, p, e, a, i)
    clear_task(s, e, a, i)
    for column in range(state.COURSE_SIZE):
        s.course[e, a, i, column] = 0.0
    for slot in range(s.reload.shape[3]):
        s.reload[e, a, i, slot] = 0.0


@rule
def load_weapons(s: State, p: Params, e: int, a: int, i: int) -> None:
    """Fill every weapon slot, and the point defence."""
    kind = s.kind[e, a, i]
    for slot in range(s.ammo.shape[3]):
        s.ammo[e, a, i, slot] = max(p.load[kind, slot, tables.LOAD_ROUNDS], 0) if kind >= 0 else 0
    s.guard[e, a, i] = int(p.unit[kind, tables.U_GUARD_N]) if kind >= 0 else 0


@rule
def clear_task(s: State, e: int, a: int, i: int) -> None:
    """End the current task of a unit."""
    s.manoeuver[e, a, i] = state.IDLE
    s.target[e, a, i] = -1
    s.chosen[e, a, i] = 0
    s.level[e, a, i] = 0
    s.shots[e, a, i] = 0
    s.aim[e, a, i] = -1.0
    s.partner[e, a, i] = -1
    s.landed[e, a, i] = False
    s.leg[e, a, i] = 0


@rule
def is_grounded(task: int, landed: bool) -> bool:
    """Whether an aircraft stands on the ground or on a deck."""
    return task == state.DECK or landed


@rule
def has_carrier(parent: np.ndarray, hp: np.ndarray, e: int, a: int, i: int) -> bool:
    """Whether the carrier that a unit came from is alive."""
    carrier = parent[e, a, i]
    return carrier >= 0 and hp[e, a, carrier] > 0


@rule
def is_sheltered(s: State, e: int, a: int, i: int) -> bool:
    """Whether a unit is below the deck of its carrier, where nothing finds or hits it."""
    return s.manoeuver[e, a, i] == state.DECK and has_carrier(s.parent, s.hp, e, a, i)


@rule
def domain_of(s: State, p: Params, e: int, a: int, i: int) -> int:
    """Return the domain as which a unit is seen and hit: aircraft on the ground are GROUND."""
    domain = int(p.unit[s.kind[e, a, i], tables.U_DOMAIN])
    if domain == tables.AIR and is_grounded(s.manoeuver[e, a, i], s.landed[e, a, i]):
        return tables.GROUND
    return domain


@rule
def distance(x: float, y: float) -> float:
    """Return the length of a vector."""
    return math.sqrt(x * x + y * y)


@rule
def remove_unit(s: State, f: Frame, p: Params, e: int, a: int, i: int, seen: bool) -> None:
    """Remove a unit that was lost; `seen` says whether the enemy knows even without a track."""
    kind = s.kind[e, a, i]
    enemy = 1 - a
    s.hp[e, a, i] = 0
    s.casualties[e, a] += 1
    captures = p.unit[kind, tables.U_CAPTURES] > 0.0
    if captures:
        s.settlers[e, a] -= 1
    clear_task(s, e, a, i)
    s.speed[e, a, i] = 0.0
    s.altitude[e, a, i] = 0.0
    s.radar[e, a, i] = False
    s.jam[e, a, i] = -1
    s.wing[e, a, i] = 0
    s.threat[e, a, i] = 0
    if seen or s.held[e, enemy, i]:
        s.tier[e, enemy, i] = 0
        s.held[e, enemy, i] = False
        s.confirmed[e, enemy, state.KILLS] += 1.0
        s.confirmed[e, enemy, state.VALUE_LOST] += p.unit[kind, tables.U_VALUE] / p.total[a]
        if captures:
            s.confirmed[e, enemy, state.SETTLERS_LOST] += 1.0
        emit(f, e, declare.KILL, enemy, a, i * 1.0)
