"""How units move: where each wants to go, how it turns, climbs and burns fuel."""

import math

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.island import declare, state, tables
from mesocosm.worlds.island.params import TURN_COS, TURN_SIN, Params
from mesocosm.worlds.island.state import FASTEST, State
from mesocosm.worlds.island.step.orders import group_domain
from mesocosm.worlds.island.step.unit import (
    SAME_PLACE_KM,
    clear_task,
    distance,
    has_carrier,
    load_weapons,
    remove_unit,
)

CORNERS = 4  # of a race-track
CORNER_KM = 6.0  # nearer than this a corner of a race-track counts as reached
NEVER = 1e6  # s until a shot that will not come


@rule
def move_units(s: State, f: Frame, p: Params, e: int) -> None:
    """Move every unit for one sub-step."""
    for a in range(2):
        for i in range(s.num_units[e, a]):
            if s.hp[e, a, i] <= 0:
                continue
            domain = p.unit[s.kind[e, a, i], tables.U_DOMAIN]
            if s.manoeuver[e, a, i] == state.ENGAGE:
                check_target(s, p, e, a, i)
            if domain == tables.GROUND:
                continue
            if s.manoeuver[e, a, i] == state.DECK:
                stay_on_deck(s, p, e, a, i)
            elif not s.landed[e, a, i]:
                steer_unit(s, f, p, e, a, i, int(domain))
                if domain == tables.AIR:
                    burn_fuel(s, f, p, e, a, i)


@rule
def check_target(s: State, p: Params, e: int, a: int, i: int) -> None:
    """End an engagement whose group or ammunition is gone, or update the time to the next shot."""
    g = s.target[e, a, i]
    if g < 0 or s.group_state[e, a, g] < state.GHOST:
        clear_task(s, e, a, i)
        return
    reach = chosen_reach(s, p, e, a, i, group_domain(s.group, e, a, g))
    if reach <= 0.0:
        clear_task(s, e, a, i)
        if p.unit[s.kind[e, a, i], tables.U_DOMAIN] == tables.AIR:
            s.manoeuver[e, a, i] = state.RETURN
        return
    dx = s.group[e, a, g, state.GROUP_X] * p.size - p.half - s.pos[e, a, i, 0]
    dy = s.group[e, a, g, state.GROUP_Y] * p.size - p.half - s.pos[e, a, i, 1]
    gap = distance(dx, dy) - p.launch[s.level[e, a, i]] * reach
    top = p.unit[s.kind[e, a, i], tables.U_TOP]
    wait = first_ready(s, e, a, i)
    if gap > 0.0:
        wait = max(wait, gap / top if top > 0.0 else NEVER)
    s.aim[e, a, i] = min(wait, NEVER)


@rule
def first_ready(s: State, e: int, a: int, i: int) -> float:
    """Return the time until the first chosen weapon is loaded again."""
    wait = NEVER
    for slot in range(s.ammo.shape[3]):
        if (s.chosen[e, a, i] >> slot) & 1 == 1 and s.ammo[e, a, i, slot] > 0:
            wait = min(wait, s.reload[e, a, i, slot])
    return wait


@rule
def chosen_reach(s: State, p: Params, e: int, a: int, i: int, domain: int) -> float:
    """Return the longest range among the chosen, loaded weapons that can hit a domain."""
    kind = s.kind[e, a, i]
    reach = 0.0
    for slot in range(int(p.unit[kind, tables.U_SLOTS])):
        weapon = p.load[kind, slot, tables.LOAD_WEAPON]
        if (
            (s.chosen[e, a, i] >> slot) & 1 == 1
            and s.ammo[e, a, i, slot] > 0
            and (int(p.weapon[weapon, tables.W_HITS]) >> domain) & 1 == 1
        ):
            reach = max(reach, p.weapon[weapon, tables.W_RANGE])
    return reach


@rule
def stay_on_deck(s: State, p: Params, e: int, a: int, i: int) -> None:
    """Take fuel on deck and, once full, ammunition; go where the carrier goes."""
    s.fuel[e, a, i] = min(s.fuel[e, a, i] + p.dt / p.ph.deck_fuel_s, 1.0)
    if s.fuel[e, a, i] >= 1.0:
        load_weapons(s, p, e, a, i)
        s.pool[e, a, i] = p.unit[s.kind[e, a, i], tables.U_POOL]
    if has_carrier(s.parent, s.hp, e, a, i):
        parent = s.parent[e, a, i]
        s.pos[e, a, i, 0] = s.pos[e, a, parent, 0]
        s.pos[e, a, i, 1] = s.pos[e, a, parent, 1]


@rule
def home_x(s: State, p: Params, e: int, a: int, i: int) -> float:
    """Return where a unit lands, km east: at its carrier while that lives, else at the base."""
    return (
        s.pos[e, a, s.parent[e, a, i], 0] if has_carrier(s.parent, s.hp, e, a, i) else p.base[a, 0]
    )


@rule
def home_y(s: State, p: Params, e: int, a: int, i: int) -> float:
    """Return where a unit lands, km north of the centre."""
    return (
        s.pos[e, a, s.parent[e, a, i], 1] if has_carrier(s.parent, s.hp, e, a, i) else p.base[a, 1]
    )


@rule
def steer_unit(s: State, f: Frame, p: Params, e: int, a: int, i: int, domain: int) -> None:
    """Choose a direction and a speed by the task, and move for one sub-step."""
    kind = s.kind[e, a, i]
    task = s.manoeuver[e, a, i]
    away = NEVER
    dx, dy = s.heading[e, a, i, 0], s.heading[e, a, i, 1]
    speed = p.unit[kind, tables.U_CRUISE]
    if domain == tables.AIR and s.threat[e, a, i] > 0:
        dx, dy, speed = dy, -dx, p.unit[kind, tables.U_TOP]
    elif task == state.IDLE:
        if domain == tables.AIR:
            dx, dy, speed = dy, -dx, speed * p.ph.orbit_speed
        else:
            speed = 0.0
    elif task == state.ENGAGE:
        dx, dy, speed = close_in(s, p, e, a, i)
    elif task == state.REFUEL:
        dx, dy, speed = meet_tanker(s, p, e, a, i)
    else:
        x, y = destination(s, p, e, a, i)
        x, y = x - s.pos[e, a, i, 0], y - s.pos[e, a, i, 1]
        away = distance(x, y)
        if away > SAME_PLACE_KM:
            dx, dy = x / away, y / away
        if task == state.CAPTURE:
            speed = p.unit[kind, tables.U_TOP]
    advance_unit(s, f, p, e, a, i, dx, dy, speed)
    if away < CORNER_KM:
        end_leg(s, p, e, a, i, away)


@rule
def destination(s: State, p: Params, e: int, a: int, i: int) -> tuple[float, float]:
    """Return the point that a patrol, a way home or a capture leads to next."""
    task = s.manoeuver[e, a, i]
    if task == state.CAPTURE:
        return p.island_x, p.island_y
    if task == state.RETURN:
        return home_x(s, p, e, a, i), home_y(s, p, e, a, i)
    leg = s.leg[e, a, i]
    along = s.course[e, a, i, state.HALF_LONG] * (1.0 if leg == 0 or leg == 3 else -1.0)
    aside = s.course[e, a, i, state.HALF_SHORT] * (1.0 if leg < 2 else -1.0)
    ax, ay = s.course[e, a, i, state.AXIS_X], s.course[e, a, i, state.AXIS_Y]
    x = s.course[e, a, i, state.CENTRE_X] + ax * along + ay * aside
    y = s.course[e, a, i, state.CENTRE_Y] + ay * along - ax * aside
    return min(max(x, -p.half), p.half), min(max(y, -p.half), p.half)


@rule
def end_leg(s: State, p: Params, e: int, a: int, i: int, away: float) -> None:
    """Land at home or on the island, or turn into the next leg of a patrol."""
    task = s.manoeuver[e, a, i]
    if task == state.PATROL:
        s.leg[e, a, i] = (s.leg[e, a, i] + 1) % CORNERS
    elif away <= p.ph.landing_km:
        s.speed[e, a, i] = 0.0
        s.altitude[e, a, i] = 0.0
        if task == state.CAPTURE:
            s.landed[e, a, i] = True
        else:
            s.pos[e, a, i, 0] = home_x(s, p, e, a, i)
            s.pos[e, a, i, 1] = home_y(s, p, e, a, i)
            clear_task(s, e, a, i)
            s.manoeuver[e, a, i] = state.DECK


@rule
def close_in(s: State, p: Params, e: int, a: int, i: int) -> tuple[float, float, float]:
    """Approach a group up to launch range, keep the stand-off distance, withdraw if closer."""
    g = s.target[e, a, i]
    kind = s.kind[e, a, i]
    reach = chosen_reach(s, p, e, a, i, group_domain(s.group, e, a, g))
    dx = s.group[e, a, g, state.GROUP_X] * p.size - p.half - s.pos[e, a, i, 0]
    dy = s.group[e, a, g, state.GROUP_Y] * p.size - p.half - s.pos[e, a, i, 1]
    away = distance(dx, dy)
    fast = away < p.ph.sprint_ranges * reach
    speed = p.unit[kind, tables.U_TOP] if fast else p.unit[kind, tables.U_CRUISE]
    if away <= SAME_PLACE_KM:
        return s.heading[e, a, i, 1], -s.heading[e, a, i, 0], speed
    dx, dy = dx / away, dy / away
    if away < p.stand_off[s.level[e, a, i]] * reach:
        return -dx, -dy, speed
    if away < p.launch[s.level[e, a, i]] * reach:
        return dy, -dx, speed
    return dx, dy, speed


@rule
def meet_tanker(s: State, p: Params, e: int, a: int, i: int) -> tuple[float, float, float]:
    """Fly to the tanker and then beside it; give up when it is gone."""
    j = s.partner[e, a, i]
    if j < 0 or s.hp[e, a, j] <= 0 or s.manoeuver[e, a, j] == state.DECK:
        clear_task(s, e, a, i)
        return s.heading[e, a, i, 0], s.heading[e, a, i, 1], s.speed[e, a, i]
    dx, dy = s.pos[e, a, j, 0] - s.pos[e, a, i, 0], s.pos[e, a, j, 1] - s.pos[e, a, i, 1]
    away = distance(dx, dy)
    if away > p.ph.tanker_km / 2.0:
        return dx / away, dy / away, p.unit[s.kind[e, a, i], tables.U_TOP]
    return s.heading[e, a, j, 0], s.heading[e, a, j, 1], s.speed[e, a, j]


@rule
def advance_unit(
    s: State, f: Frame, p: Params, e: int, a: int, i: int, dx: float, dy: float, speed: float
) -> None:
    """Turn, accelerate and climb towards what is wanted, within limits, and move."""
    domain = int(p.unit[s.kind[e, a, i], tables.U_DOMAIN])
    hx, hy = s.heading[e, a, i, 0], s.heading[e, a, i, 1]
    most, sin_most = p.turn[domain, TURN_COS], p.turn[domain, TURN_SIN]
    if hx * dx + hy * dy >= most:
        hx, hy = dx, dy
    else:
        if hx * dy - hy * dx < 0.0:
            sin_most = -sin_most
        hx, hy = hx * most - hy * sin_most, hx * sin_most + hy * most
    length = math.sqrt(hx * hx + hy * hy)
    if length > 0.0:
        hx, hy = hx / length, hy / length
    want = min(speed * f.effect[e, a, declare.SPEED], FASTEST)
    now = s.speed[e, a, i]
    now = min(max(want, now - p.speed_up[domain]), now + p.speed_up[domain])
    s.heading[e, a, i, 0] = min(max(hx, -1.0), 1.0)
    s.heading[e, a, i, 1] = min(max(hy, -1.0), 1.0)
    s.speed[e, a, i] = now
    s.pos[e, a, i, 0] = min(max(s.pos[e, a, i, 0] + hx * now * p.dt, -p.half), p.half)
    s.pos[e, a, i, 1] = min(max(s.pos[e, a, i, 1] + hy * now * p.dt, -p.half), p.half)
    band = p.unit[s.kind[e, a, i], tables.U_ALTITUDE]
    s.altitude[e, a, i] = min(s.altitude[e, a, i] + p.climb, band)


@rule
def burn_fuel(s: State, f: Frame, p: Params, e: int, a: int, i: int) -> None:
    """Use fuel; return home when it runs short, and lose the unit when it is gone."""
    kind = s.kind[e, a, i]
    share = s.speed[e, a, i] / p.unit[kind, tables.U_CRUISE]
    rate = (p.ph.burn_base + p.ph.burn_speed * share * share) * p.unit[kind, tables.U_BURN]
    left = s.fuel[e, a, i] - rate * p.dt * f.tunable[e, declare.BURN_SCALE]
    s.fuel[e, a, i] = max(left, 0.0)
    if left <= 0.0:
        emit(f, e, declare.OUT_OF_FUEL, a, -1, i * 1.0)
        remove_unit(s, f, p, e, a, i, False)
        return
    task = s.manoeuver[e, a, i]
    if not p.bingo or p.unit[kind, tables.U_CAPTURES] > 0.0:
        return
    if task == state.IDLE or task == state.PATROL or task == state.ENGAGE:
        dx = home_x(s, p, e, a, i) - s.pos[e, a, i, 0]
        dy = home_y(s, p, e, a, i) - s.pos[e, a, i, 1]
        if left * p.unit[kind, tables.U_REACH] < p.ph.bingo_margin * distance(dx, dy):
            clear_task(s, e, a, i)
            s.manoeuver[e, a, i] = state.RETURN


@rule
def pass_fuel(s: State, p: Params, e: int) -> None:
    """Let tankers fill those who fly beside them, the lowest ids first."""
    for a in range(2):
        for i in range(s.num_units[e, a]):
            if s.manoeuver[e, a, i] == state.REFUEL and is_coupled(s, p, e, a, i):
                j = s.partner[e, a, i]
                given = min(p.dt / p.ph.tanker_fuel_s, 1.0 - s.fuel[e, a, i], s.pool[e, a, j])
                s.fuel[e, a, i] = min(s.fuel[e, a, i] + given, 1.0)
                s.pool[e, a, j] = max(s.pool[e, a, j] - given, 0.0)
                if s.fuel[e, a, i] >= 1.0 or s.pool[e, a, j] <= 0.0:
                    clear_task(s, e, a, i)


@rule
def is_coupled(s: State, p: Params, e: int, a: int, i: int) -> bool:
    """Whether a unit is near its tanker and has one of its hoses."""
    if not is_near_tanker(s, p, e, a, i):
        return False
    before = 0
    for other in range(i):
        if s.partner[e, a, other] == s.partner[e, a, i] and is_near_tanker(s, p, e, a, other):
            before += 1
    return before < p.ph.tanker_slots


@rule
def is_near_tanker(s: State, p: Params, e: int, a: int, i: int) -> bool:
    """Whether a unit that wants fuel flies beside its living tanker."""
    j = s.partner[e, a, i]
    if s.manoeuver[e, a, i] != state.REFUEL or j < 0:
        return False
    if s.hp[e, a, i] <= 0 or s.hp[e, a, j] <= 0:
        return False
    dx, dy = s.pos[e, a, j, 0] - s.pos[e, a, i, 0], s.pos[e, a, j, 1] - s.pos[e, a, i, 1]
    return dx * dx + dy * dy <= p.ph.tanker_km * p.ph.tanker_km
