"""Orders: which a unit can take, whether one is valid, and what it changes."""

import numpy as np

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.island import declare, state, tables
from mesocosm.worlds.island.config import DOMAINS, PACKAGES
from mesocosm.worlds.island.declare import PARTS
from mesocosm.worlds.island.params import Params
from mesocosm.worlds.island.state import State
from mesocosm.worlds.island.step.unit import clear_task, is_grounded, put_unit

NUM_PARTS, NUM_DOMAINS = len(PARTS), len(DOMAINS)


@rule
def group_domains(s: State, e: int, a: int) -> int:
    """Return bits of the domains in which a side knows of groups."""
    bits = 0
    for g in range(s.group_state.shape[2]):
        if s.group_state[e, a, g] >= state.GHOST:
            bits |= 1 << group_domain(s.group, e, a, g)
    return bits


@rule
def group_domain(group: np.ndarray, e: int, a: int, g: int) -> int:
    """Return the domain of a known group."""
    if group[e, a, g, state.GROUP_AIR] > 0.5:
        return tables.AIR
    if group[e, a, g, state.GROUP_SEA] > 0.5:
        return tables.SEA
    return tables.GROUND


@rule
def count_loaded(s: State, p: Params, e: int, a: int, i: int, domain: int) -> int:
    """Count a unit's loaded weapons that can hit a domain."""
    kind = s.kind[e, a, i]
    found = 0
    for slot in range(int(p.unit[kind, tables.U_SLOTS])):
        hits = int(p.weapon[p.load[kind, slot, tables.LOAD_WEAPON], tables.W_HITS])
        if s.ammo[e, a, i, slot] > 0 and (hits >> domain) & 1 == 1:
            found += 1
    return found


@rule
def fuel_offered(s: State, p: Params, e: int, a: int, i: int) -> int:
    """Return bits of how a unit can refuel others now."""
    kind = s.kind[e, a, i]
    if (
        kind < 0
        or s.hp[e, a, i] <= 0
        or s.pool[e, a, i] <= 0.0
        or is_grounded(s.manoeuver[e, a, i], s.landed[e, a, i])
    ):
        return 0
    return int(p.unit[kind, tables.U_GIVES])


@rule
def side_hoses(s: State, p: Params, e: int, a: int) -> int:
    """Return bits of how a side can refuel its units now."""
    bits = 0
    for j in range(s.num_units[e, a]):
        bits |= fuel_offered(s, p, e, a, j)
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
def available_orders(
    s: State, p: Params, e: int, a: int, i: int, domains: int, hoses: int, alive: int
) -> int:
    """Return bits of the order types that a unit can take now.

    Args:
        domains: Bits of the domains in which groups are known.
        hoses: Bits of how the side can refuel.
        alive: How many units the side has.
    """
    kind = s.kind[e, a, i]
    if kind < 0 or s.hp[e, a, i] <= 0:
        return 0
    bits = 0
    if p.unit[kind, tables.U_DOMAIN] == tables.AIR:
        bits |= 1 << declare.MOVE
        if s.manoeuver[e, a, i] != state.DECK:
            bits |= 1 << declare.RTB
    for domain in range(NUM_DOMAINS):
        if (domains >> domain) & 1 == 1 and count_loaded(s, p, e, a, i, domain) > 0:
            bits |= 1 << declare.ENGAGE_ORDER
    if p.unit[kind, tables.U_RADAR] > 0.0:
        bits |= (1 << declare.STEALTH) | (1 << declare.SENSE)
    if p.unit[kind, tables.U_CAPTURES] > 0.0 and s.flag_owner[e] == state.NOBODY:
        bits |= 1 << declare.CAPTURE_ORDER
    if int(p.unit[kind, tables.U_TAKES]) & hoses > 0:
        bits |= 1 << declare.REFUEL_ORDER
    if p.unit[kind, tables.U_JAMMER] > 0.0 and alive > 1:
        bits |= 1 << declare.JAM
    if s.wing[e, a, i] > 0 and s.timer[e, a, i] <= 0.0:
        bits |= 1 << declare.SPAWN
    return bits


@rule
def num_packages(wing: int) -> int:
    """Count the packages of a wing that were not launched yet."""
    found = 0
    for package in range(PACKAGES):
        found += (wing >> package) & 1
    return found


@rule
def is_valid_order(s: State, f: Frame, p: Params, e: int, a: int, first: int) -> bool:
    """Whether the order whose parts begin at `first` can be carried out."""
    order = f.choice[e, a, first + declare.TYPE]
    i = f.choice[e, a, first + declare.ENTITY]
    if order == declare.NOOP:
        return True
    if i >= s.num_units[e, a]:
        return False
    domains = group_domains(s, e, a)
    hoses = side_hoses(s, p, e, a)
    able = available_orders(s, p, e, a, i, domains, hoses, num_alive(s, e, a))
    return (able >> order) & 1 == 1 and do_parts_fit(s, f, p, e, a, i, first)


@rule
def do_parts_fit(s: State, f: Frame, p: Params, e: int, a: int, i: int, first: int) -> bool:
    """Whether the other parts of an order suit the unit, which can take such orders."""
    order = f.choice[e, a, first + declare.TYPE]
    if order == declare.ENGAGE_ORDER:
        g = f.choice[e, a, first + declare.GROUP]
        weapons = count_loaded(s, p, e, a, i, group_domain(s.group, e, a, g))
        known = s.group_state[e, a, g] >= state.GHOST
        return known and f.choice[e, a, first + declare.SELECTION] < (1 << weapons) - 1
    if order == declare.REFUEL_ORDER:
        j = f.choice[e, a, first + declare.TANKER]
        return (
            j != i
            and int(p.unit[s.kind[e, a, i], tables.U_TAKES]) & fuel_offered(s, p, e, a, j) > 0
        )
    if order == declare.JAM:
        j = f.choice[e, a, first + declare.PROTECT]
        return j != i and s.hp[e, a, j] > 0
    if order == declare.SPAWN:
        return f.choice[e, a, first + declare.COMPONENT] < num_packages(s.wing[e, a, i])
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
            if is_valid_order(s, f, p, e, a, first):
                carry_out(s, f, p, e, a, first)
            else:
                s.refused[e, a] += 1
                emit(
                    f, e, declare.ORDER_REFUSED, a, -1, f.choice[e, a, first + declare.ENTITY] * 1.0
                )


@rule
def carry_out(s: State, f: Frame, p: Params, e: int, a: int, first: int) -> None:
    """Carry out one valid order."""
    order = f.choice[e, a, first + declare.TYPE]
    i = f.choice[e, a, first + declare.ENTITY]
    if order in (declare.MOVE, declare.ENGAGE_ORDER, declare.RTB, declare.REFUEL_ORDER):
        clear_task(s, e, a, i)
    if order == declare.MOVE:
        begin_patrol(s, f, p, e, a, i, first)
    elif order == declare.ENGAGE_ORDER:
        engage_group(s, f, p, e, a, i, first)
    elif order == declare.STEALTH:
        s.radar[e, a, i] = f.choice[e, a, first + declare.SILENT] == 0
    elif order == declare.SENSE:
        s.focus[e, a, i] = cell_of(p, a, f.choice[e, a, first + declare.FOCUS])
    elif order == declare.CAPTURE_ORDER and s.manoeuver[e, a, i] != state.CAPTURE:
        clear_task(s, e, a, i)
        s.manoeuver[e, a, i] = state.CAPTURE
    elif order == declare.RTB:
        s.manoeuver[e, a, i] = state.RETURN
    elif order == declare.REFUEL_ORDER:
        s.manoeuver[e, a, i] = state.REFUEL
        s.partner[e, a, i] = f.choice[e, a, first + declare.TANKER]
    elif order == declare.JAM:
        s.jam[e, a, i] = cell_of(p, a, f.choice[e, a, first + declare.JAM_CELL])
        s.protege[e, a, i] = f.choice[e, a, first + declare.PROTECT]
    elif order == declare.SPAWN:
        launch_package(s, f, p, e, a, i, f.choice[e, a, first + declare.COMPONENT])


@rule
def cell_of(p: Params, a: int, option: int) -> int:
    """Return the cell that an option of a side means, or -1 for none."""
    cells = p.grid * p.grid
    if option >= cells:
        return -1
    if p.mirror and a == state.DYNASTY:
        return cells - 1 - option
    return option


@rule
def cell_x(cell: int, grid: int, size: float) -> float:
    """Return the middle of a cell, km east of the centre."""
    return (cell % grid + 0.5) * size / grid - size / 2.0


@rule
def cell_y(cell: int, grid: int, size: float) -> float:
    """Return the middle of a cell, km north of the centre."""
    return (cell // grid + 0.5) * size / grid - size / 2.0


@rule
def begin_patrol(s: State, f: Frame, p: Params, e: int, a: int, i: int, first: int) -> None:
    """Send an aircraft round a race-track."""
    cell = cell_of(p, a, f.choice[e, a, first + declare.CENTRE])
    step = p.size / p.grid / 2.0
    sign = -1.0 if p.mirror and a == state.DYNASTY else 1.0
    s.manoeuver[e, a, i] = state.PATROL
    s.course[e, a, i, state.CENTRE_X] = cell_x(cell, p.grid, p.size)
    s.course[e, a, i, state.CENTRE_Y] = cell_y(cell, p.grid, p.size)
    s.course[e, a, i, state.HALF_SHORT] = step * (2.0 + f.choice[e, a, first + declare.SHORT] / 2.0)
    s.course[e, a, i, state.HALF_LONG] = step * (2.0 + f.choice[e, a, first + declare.LONG] / 2.0)
    s.course[e, a, i, state.AXIS_X] = sign * p.angle[f.choice[e, a, first + declare.ANGLE], 0]
    s.course[e, a, i, state.AXIS_Y] = sign * p.angle[f.choice[e, a, first + declare.ANGLE], 1]


@rule
def engage_group(s: State, f: Frame, p: Params, e: int, a: int, i: int, first: int) -> None:
    """Let a unit engage a group with some of the weapons that can hit it."""
    g = f.choice[e, a, first + declare.GROUP]
    domain = group_domain(s.group, e, a, g)
    bits = f.choice[e, a, first + declare.SELECTION] + 1
    kind = s.kind[e, a, i]
    slots = 0
    number = 0
    for slot in range(int(p.unit[kind, tables.U_SLOTS])):
        hits = int(p.weapon[p.load[kind, slot, tables.LOAD_WEAPON], tables.W_HITS])
        if s.ammo[e, a, i, slot] > 0 and (hits >> domain) & 1 == 1:
            if (bits >> number) & 1 == 1:
                slots |= 1 << slot
            number += 1
    s.manoeuver[e, a, i] = state.ENGAGE
    s.target[e, a, i] = g
    s.chosen[e, a, i] = slots
    s.usage[e, a, i] = f.choice[e, a, first + declare.USAGE]
    s.level[e, a, i] = f.choice[e, a, first + declare.LEVEL] + 1


@rule
def launch_package(s: State, f: Frame, p: Params, e: int, a: int, i: int, component: int) -> None:
    """Launch one of the packages that a carrier still has."""
    package = 0
    left = component
    while package < p.num_packages and ((s.wing[e, a, i] >> package) & 1 == 0 or left > 0):
        left -= (s.wing[e, a, i] >> package) & 1
        package += 1
    if package >= p.num_packages or s.num_units[e, a] + p.wing[package, tables.WING_COUNT] > p.n:
        return
    s.wing[e, a, i] -= 1 << package
    s.timer[e, a, i] = p.ph.spawn_interval_s
    for _ in range(p.wing[package, tables.WING_COUNT]):
        j = s.num_units[e, a]
        put_unit(
            s, p, e, a, j, p.wing[package, tables.WING_TYPE], s.pos[e, a, i, 0], s.pos[e, a, i, 1]
        )
        s.parent[e, a, j] = i
        if p.unit[p.wing[package, tables.WING_TYPE], tables.U_CAPTURES] > 0.0:
            s.settlers[e, a] += 1
        s.num_units[e, a] = j + 1
        emit(f, e, declare.SPAWNED, a, -1, j * 1.0)
