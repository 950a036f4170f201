"""Orders: which a unit can take, whether one is valid, and what it changes."""

import numpy as np

from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import emit
from mesocosm.worlds.island import declare as d
from mesocosm.worlds.island import state as k
from mesocosm.worlds.island import tables as u
from mesocosm.worlds.island.declare import PARTS
from mesocosm.worlds.island.state import State
from mesocosm.worlds.island.tables import Params
from mesocosm.worlds.island.unit import is_grounded, put_unit, release

NUM_PARTS = len(PARTS)


@rule
def group_domains(s: State, e: int, a: int) -> int:
    """Give bits of the domains in which a side knows of groups."""
    bits = 0
    for g in range(s.group_state.shape[2]):
        if s.group_state[e, a, g] >= k.GHOST:
            bits |= 1 << group_domain(s.group, e, a, g)
    return bits


@rule
def group_domain(group: np.ndarray, e: int, a: int, g: int) -> int:
    """Give the domain of a known group."""
    if group[e, a, g, 1] > 0.5:
        return u.AIR
    if group[e, a, g, 2] > 0.5:
        return u.SEA
    return u.GROUND


@rule
def loaded(s: State, p: Params, e: int, a: int, i: int, domain: int) -> int:
    """Count a unit's loaded weapons that can hit a domain."""
    kind = s.kind[e, a, i]
    found = 0
    for slot in range(int(p.unit[kind, u.U_SLOTS])):
        hits = int(p.weapon[p.load[kind, slot, 0], u.W_HITS])
        if s.ammo[e, a, i, slot] > 0 and (hits >> domain) & 1 == 1:
            found += 1
    return found


@rule
def gives(s: State, p: Params, e: int, a: int, i: int) -> int:
    """Give bits of how a unit can refuel others now."""
    kind = s.kind[e, a, i]
    if (
        kind < 0
        or s.hp[e, a, i] <= 0
        or s.pool[e, a, i] <= 0.0
        or is_grounded(s.manoeuver[e, a, i], s.landed[e, a, i])
    ):
        return 0
    return int(p.unit[kind, u.U_GIVES])


@rule
def hoses_of(s: State, p: Params, e: int, a: int) -> int:
    """Give bits of how a side can refuel its units now."""
    bits = 0
    for j in range(s.num_units[e, a]):
        bits |= gives(s, p, e, a, j)
    return bits


@rule
def num_alive(s: State, e: int, a: int) -> int:
    """Count the living units of a side."""
    found = 0
    for j in range(s.num_units[e, a]):
        if s.hp[e, a, j] > 0:
            found += 1
    return found


@rule
def abilities(
    s: State, p: Params, e: int, a: int, i: int, domains: int, hoses: int, alive: int
) -> int:
    """Give bits of the order types that a unit can take now.

    Args:
        domains: Bits of the domains in which groups are known.
        hoses: Bits of how the side can refuel.
        alive: How many units the side has.
    """
    kind = s.kind[e, a, i]
    if kind < 0 or s.hp[e, a, i] <= 0:
        return 0
    bits = 0
    if p.unit[kind, u.U_DOMAIN] == u.AIR:
        bits |= 1 << d.MOVE
        if s.manoeuver[e, a, i] != k.DECK:
            bits |= 1 << d.RTB
    for domain in range(3):
        if (domains >> domain) & 1 == 1 and loaded(s, p, e, a, i, domain) > 0:
            bits |= 1 << d.ENGAGE_ORDER
    if p.unit[kind, u.U_RADAR] > 0.0:
        bits |= (1 << d.STEALTH) | (1 << d.SENSE)
    if p.unit[kind, u.U_CAPTURES] > 0.0 and s.flag_owner[e] == 0:
        bits |= 1 << d.CAPTURE_ORDER
    if int(p.unit[kind, u.U_TAKES]) & hoses > 0:
        bits |= 1 << d.REFUEL_ORDER
    if p.unit[kind, u.U_JAMMER] > 0.0 and alive > 1:
        bits |= 1 << d.JAM
    if s.wing[e, a, i] > 0 and s.timer[e, a, i] <= 0.0:
        bits |= 1 << d.SPAWN
    return bits


@rule
def num_packages(wing: int) -> int:
    """Count the packages of a wing that were not launched yet."""
    found = 0
    for package in range(5):
        found += (wing >> package) & 1
    return found


@rule
def accepts(s: State, f: Frame, p: Params, e: int, a: int, first: int) -> bool:
    """Whether the order whose parts begin at `first` can be carried out."""
    order = f.choice[e, a, first + d.TYPE]
    i = f.choice[e, a, first + d.ENTITY]
    if order == d.NOOP:
        return True
    if i >= s.num_units[e, a]:
        return False
    domains = group_domains(s, e, a)
    hoses = hoses_of(s, p, e, a)
    able = abilities(s, p, e, a, i, domains, hoses, num_alive(s, e, a))
    return (able >> order) & 1 == 1 and fits(s, f, p, e, a, i, first)


@rule
def fits(s: State, f: Frame, p: Params, e: int, a: int, i: int, first: int) -> bool:
    """Whether the other parts of an order suit the unit, which can take such orders."""
    order = f.choice[e, a, first + d.TYPE]
    if order == d.ENGAGE_ORDER:
        g = f.choice[e, a, first + d.GROUP]
        weapons = loaded(s, p, e, a, i, group_domain(s.group, e, a, g))
        known = s.group_state[e, a, g] >= k.GHOST
        return known and f.choice[e, a, first + d.SELECTION] < (1 << weapons) - 1
    if order == d.REFUEL_ORDER:
        j = f.choice[e, a, first + d.TANKER]
        return j != i and int(p.unit[s.kind[e, a, i], u.U_TAKES]) & gives(s, p, e, a, j) > 0
    if order == d.JAM:
        j = f.choice[e, a, first + d.PROTECT]
        return j != i and s.hp[e, a, j] > 0
    if order == d.SPAWN:
        return f.choice[e, a, first + d.COMPONENT] < num_packages(s.wing[e, a, i])
    return True


@rule
def take_orders(s: State, f: Frame, p: Params, e: int) -> None:
    """Carry out what both sides ordered; what is invalid is refused and counted."""
    for a in range(2):
        s.refused[e, a] = 0
        for number in range(p.orders):
            first = number * NUM_PARTS
            if not f.active[e, a]:
                continue
            if accepts(s, f, p, e, a, first):
                carry_out(s, f, p, e, a, first)
            else:
                s.refused[e, a] += 1
                emit(f, e, d.ORDER_REFUSED, a, -1, f.choice[e, a, first + d.ENTITY] * 1.0)


@rule
def carry_out(s: State, f: Frame, p: Params, e: int, a: int, first: int) -> None:
    """Change what one unit does."""
    order = f.choice[e, a, first + d.TYPE]
    i = f.choice[e, a, first + d.ENTITY]
    if order in (d.MOVE, d.ENGAGE_ORDER, d.RTB, d.REFUEL_ORDER):
        release(s, e, a, i)
    if order == d.MOVE:
        patrol(s, f, p, e, a, i, first)
    elif order == d.ENGAGE_ORDER:
        commit(s, f, p, e, a, i, first)
    elif order == d.STEALTH:
        s.radar[e, a, i] = f.choice[e, a, first + d.SILENT] == 0
    elif order == d.SENSE:
        s.focus[e, a, i] = cell_of(p, a, f.choice[e, a, first + d.FOCUS])
    elif order == d.CAPTURE_ORDER and s.manoeuver[e, a, i] != k.CAPTURE:
        release(s, e, a, i)
        s.manoeuver[e, a, i] = k.CAPTURE
    elif order == d.RTB:
        s.manoeuver[e, a, i] = k.RETURN
    elif order == d.REFUEL_ORDER:
        s.manoeuver[e, a, i] = k.REFUEL
        s.partner[e, a, i] = f.choice[e, a, first + d.TANKER]
    elif order == d.JAM:
        s.jam[e, a, i] = cell_of(p, a, f.choice[e, a, first + d.JAM_CELL])
        s.protege[e, a, i] = f.choice[e, a, first + d.PROTECT]
    elif order == d.SPAWN:
        spawn(s, f, p, e, a, i, f.choice[e, a, first + d.COMPONENT])


@rule
def cell_of(p: Params, a: int, option: int) -> int:
    """Give the cell that a side means, or -1 for none."""
    cells = p.grid * p.grid
    if option >= cells:
        return -1
    if p.mirror and a == 1:
        return cells - 1 - option
    return option


@rule
def cell_x(cell: int, grid: int, size: float) -> float:
    """Give the middle of a cell, km east of the centre."""
    return (cell % grid + 0.5) * size / grid - size / 2.0


@rule
def cell_y(cell: int, grid: int, size: float) -> float:
    """Give the middle of a cell, km north of the centre."""
    return (cell // grid + 0.5) * size / grid - size / 2.0


@rule
def patrol(s: State, f: Frame, p: Params, e: int, a: int, i: int, first: int) -> None:
    """Send an aircraft round a race-track."""
    cell = cell_of(p, a, f.choice[e, a, first + d.CENTRE])
    step = p.size / p.grid / 2.0
    sign = -1.0 if p.mirror and a == 1 else 1.0
    s.manoeuver[e, a, i] = k.PATROL
    s.course[e, a, i, k.CENTRE_X] = cell_x(cell, p.grid, p.size)
    s.course[e, a, i, k.CENTRE_Y] = cell_y(cell, p.grid, p.size)
    s.course[e, a, i, k.HALF_SHORT] = step * (2.0 + f.choice[e, a, first + d.SHORT] / 2.0)
    s.course[e, a, i, k.HALF_LONG] = step * (2.0 + f.choice[e, a, first + d.LONG] / 2.0)
    s.course[e, a, i, k.AXIS_X] = sign * p.angle[f.choice[e, a, first + d.ANGLE], 0]
    s.course[e, a, i, k.AXIS_Y] = sign * p.angle[f.choice[e, a, first + d.ANGLE], 1]


@rule
def commit(s: State, f: Frame, p: Params, e: int, a: int, i: int, first: int) -> None:
    """Let a unit engage a group with some of the weapons that can hit it."""
    g = f.choice[e, a, first + d.GROUP]
    domain = group_domain(s.group, e, a, g)
    bits = f.choice[e, a, first + d.SELECTION] + 1
    kind = s.kind[e, a, i]
    slots = 0
    number = 0
    for slot in range(int(p.unit[kind, u.U_SLOTS])):
        hits = int(p.weapon[p.load[kind, slot, 0], u.W_HITS])
        if s.ammo[e, a, i, slot] > 0 and (hits >> domain) & 1 == 1:
            if (bits >> number) & 1 == 1:
                slots |= 1 << slot
            number += 1
    s.manoeuver[e, a, i] = k.ENGAGE
    s.target[e, a, i] = g
    s.chosen[e, a, i] = slots
    s.usage[e, a, i] = f.choice[e, a, first + d.USAGE]
    s.level[e, a, i] = f.choice[e, a, first + d.LEVEL] + 1


@rule
def spawn(s: State, f: Frame, p: Params, e: int, a: int, i: int, component: int) -> None:
    """Launch one of the packages that a carrier still has."""
    package = 0
    left = component
    while package < p.num_packages and ((s.wing[e, a, i] >> package) & 1 == 0 or left > 0):
        left -= (s.wing[e, a, i] >> package) & 1
        package += 1
    if package >= p.num_packages or s.num_units[e, a] + p.wing[package, 1] > p.n:
        return
    s.wing[e, a, i] -= 1 << package
    s.timer[e, a, i] = p.ph.spawn_interval_s
    for _ in range(p.wing[package, 1]):
        j = s.num_units[e, a]
        put_unit(s, p, e, a, j, p.wing[package, 0], s.pos[e, a, i, 0], s.pos[e, a, i, 1])
        s.parent[e, a, j] = i
        if p.unit[p.wing[package, 0], u.U_CAPTURES] > 0.0:
            s.settlers[e, a] += 1
        s.num_units[e, a] = j + 1
        emit(f, e, d.SPAWNED, a, -1, j * 1.0)
