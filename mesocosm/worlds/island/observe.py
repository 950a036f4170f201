"""What a side sees, may order, and is told: from its own rows and the public score alone."""

import numpy as np

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.island import declare, state, tables
from mesocosm.worlds.island.config import DOMAINS, PACKAGES
from mesocosm.worlds.island.declare import ENTITY_FEATURES, LEVELS, MASKED, ORDERS, USAGES
from mesocosm.worlds.island.params import Params
from mesocosm.worlds.island.state import GROUP_SIZE, State
from mesocosm.worlds.island.step.groups import compass
from mesocosm.worlds.island.step.motion import is_coupled
from mesocosm.worlds.island.step.orders import (
    available_orders,
    count_loaded,
    fuel_offered,
    group_domain,
    group_domains,
    num_alive,
    num_packages,
    side_hoses,
)
from mesocosm.worlds.island.step.unit import distance, is_grounded
from mesocosm.worlds.island.step.victory import force_ratio

WIDTH = len(ENTITY_FEATURES)
(
    CAN_ENGAGE, CAN_SENSE, CAN_REFUEL, CAN_REFUEL_OTHERS, CAN_CAPTURE, HAS_JAMMER, HAS_PARENT,
    DOMAIN_AIR, DOMAIN_SEA, DOMAIN_GROUND, GRID_X, GRID_Y, HEADING_SIN, HEADING_COS, SPEED,
    ALTITUDE, MANOEUVER, DISTANCE, BEARING, HEALTH, RADAR_ON, RADAR_FOCUS, FUEL, REFUELING,
    AT_BASE, RANGE_LEFT, AIR_WEAPONS, SURFACE_WEAPONS, AIR_AMMO, SURFACE_AMMO, ENGAGING, SHOTS,
    TARGET_RANGE, TARGET_BEARING, TARGET_AIR, TARGET_SURFACE, TARGET_LAND, TIME_TO_SHOOT, TIGHT,
    SELECTIVE, FREE, LEVEL, IS_IDLE, ROLE_ATTACK, ROLE_DEFENSE, ROLE_SUPPORT, META_VALUE,
    OFFENSIVE, DEFENSIVE, ENDURANCE, SCOUTING, ABILITY,
) = range(52)  # fmt: skip
LEGACY_FLAG, DYNASTY_FLAG = 0.33, 0.66
SHOTS_SHOWN, WAIT_SHOWN, MOST_RATIO = 8.0, 60.0, 1e3  # shown as 1; the greatest that is told
HERE_KM = 1e-3  # a point nearer than this has no bearing
LOSSES, STRENGTH, SETTLERS = range(3)  # what the scoreboard tells of the enemy
NUM_LEVELS, NUM_USAGES, NUM_DOMAINS = len(LEVELS), len(USAGES), len(DOMAINS)
AIR_BIT = 1 << tables.AIR


@rule
def observe(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write what a side sees."""
    observe_score(s, p, e, a, out)
    turned = p.mirror and a == state.DYNASTY
    for i in range(p.n):
        at = p.at.entities + i * WIDTH
        kind = s.kind[e, a, i]
        if kind < 0:
            for column in range(WIDTH):
                out[at + column] = 0.0
            continue
        for column in range(WIDTH):
            out[at + column] = p.static[kind, column]
        out[at + HAS_PARENT] = 1.0 if s.parent[e, a, i] >= 0 else 0.0
        if s.hp[e, a, i] <= 0:
            out[at + AIR_WEAPONS] = 0.0
            out[at + SURFACE_WEAPONS] = 0.0
            continue
        observe_motion(s, p, e, a, i, out, at, turned)
        observe_status(s, p, e, a, i, out, at)
        observe_weapons(s, p, e, a, i, out, at)
        if s.manoeuver[e, a, i] == state.ENGAGE and s.target[e, a, i] >= 0:
            observe_target(s, p, e, a, i, out, at, turned)
    for g in range(p.groups):
        observe_group(s, p, e, a, g, out, turned)


@rule
def enemy_score(s: State, p: Params, e: int, a: int, what: int) -> float:
    """Return the enemy's losses, strength or settlers, as far as the scoreboard tells."""
    if what == LOSSES:
        return s.confirmed[e, a, state.KILLS] if p.confirmed else s.casualties[e, 1 - a] * 1.0
    if what == STRENGTH:
        left = 1.0 - s.confirmed[e, a, state.VALUE_LOST]
        return max(left, 0.0) if p.confirmed else s.strength[e, 1 - a]
    left = p.settlers0[1 - a] - s.confirmed[e, a, state.SETTLERS_LOST]
    return max(left, 0.0) if p.confirmed else s.settlers[e, 1 - a] * 1.0


@rule
def observe_score(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write the features of the whole war."""
    at = p.at
    still = s.flag_owner[e] == state.NOBODY and s.capturing[e] == state.NOBODY
    owner = s.flag_owner[e]
    if p.ego and owner != state.NOBODY and a == state.DYNASTY:
        owner = 3 - owner  # 1 becomes 2: mine, and theirs
    flag = 0.0
    if owner != state.NOBODY:
        flag = LEGACY_FLAG if owner == 1 + state.LEGACY else DYNASTY_FLAG
    ratio = force_ratio(s.strength[e, a], enemy_score(s, p, e, a, STRENGTH))
    x, y = (p.island_x + p.half) / p.size, (p.island_y + p.half) / p.size
    turned = p.mirror and a == state.DYNASTY
    out[at.time_remaining_norm] = 1.0 - s.clock[e] / p.max_steps
    out[at.my_casualties_norm] = s.casualties[e, a] / p.n
    out[at.enemy_casualties_norm] = clip(enemy_score(s, p, e, a, LOSSES) / p.n, 0.0, 1.0)
    out[at.force_ratio_norm] = clip(ratio / p.ratio, 0.0, 1.0)
    out[at.capture_progress_norm] = s.capture_progress[e, a] / p.capture_s
    out[at.capture_possible_flag] = 1.0 if still and s.settlers[e, a] > 0 else 0.0
    out[at.enemy_capture_progress_norm] = s.capture_progress[e, 1 - a] / p.capture_s
    out[at.flag_faction] = flag
    out[at.enemy_capture_possible_flag] = (
        1.0 if still and enemy_score(s, p, e, a, SETTLERS) > 0.0 else 0.0
    )
    out[at.island_center_x_norm] = 1.0 - x if turned else x
    out[at.island_center_y_norm] = 1.0 - y if turned else y


@rule
def seen_place(share: float, turned: bool, quantize: bool, grid: int) -> float:
    """Return a coordinate in [0, 1] as a side sees it: turned, or as a cell."""
    if turned:
        share = 1.0 - share
    if quantize:
        share = min(int(share * grid), grid - 1) / (grid - 1.0)
    return clip(share, 0.0, 1.0)


@rule
def bearing(dx: float, dy: float, turned: bool) -> float:
    """Return the direction of a point as a share of a turn; 0 for a point that is here."""
    if distance(dx, dy) < HERE_KM:
        return 0.0
    return compass(-dx, -dy) if turned else compass(dx, dy)


@rule
def observe_motion(
    s: State, p: Params, e: int, a: int, i: int, out: np.ndarray, at: int, turned: bool
) -> None:
    """Write where a unit is, how it moves, and how far the island is."""
    x, y = s.pos[e, a, i, 0], s.pos[e, a, i, 1]
    sign = -0.5 if turned else 0.5
    task = s.manoeuver[e, a, i]
    kind = s.kind[e, a, i]
    if (
        s.threat[e, a, i] > 0
        and p.unit[kind, tables.U_DOMAIN] == tables.AIR
        and not is_grounded(s.manoeuver[e, a, i], s.landed[e, a, i])
    ):
        task = state.EVADE
    top = p.unit[kind, tables.U_TOP]
    dx, dy = p.island_x - x, p.island_y - y
    out[at + GRID_X] = seen_place((x + p.half) / p.size, turned, p.quantize, p.grid)
    out[at + GRID_Y] = seen_place((y + p.half) / p.size, turned, p.quantize, p.grid)
    out[at + HEADING_SIN] = clip(0.5 + sign * s.heading[e, a, i, 0], 0.0, 1.0)
    out[at + HEADING_COS] = clip(0.5 + sign * s.heading[e, a, i, 1], 0.0, 1.0)
    out[at + SPEED] = clip(s.speed[e, a, i] / top, 0.0, 1.0) if top > 0.0 else 0.0
    out[at + ALTITUDE] = s.altitude[e, a, i] / tables.CEILING_M
    out[at + MANOEUVER] = task / state.DECK
    out[at + IS_IDLE] = 1.0 if task == state.IDLE else 0.0
    out[at + AT_BASE] = 1.0 if task == state.DECK else 0.0
    out[at + DISTANCE] = clip(distance(dx, dy) / p.diagonal, 0.0, 1.0)
    out[at + BEARING] = bearing(dx, dy, turned)


@rule
def observe_status(s: State, p: Params, e: int, a: int, i: int, out: np.ndarray, at: int) -> None:
    """Write health, radar, fuel, and whether a special ability is at work."""
    kind = s.kind[e, a, i]
    able = p.unit[kind, tables.U_GIVES] > 0.0 and s.pool[e, a, i] > 0.0
    supplies = able and is_supplying(s, p, e, a, i)
    reach = p.unit[kind, tables.U_REACH]
    active = s.jam[e, a, i] >= 0 or s.landed[e, a, i] or supplies or s.timer[e, a, i] > 0.0
    focus = s.focus[e, a, i]
    if focus >= 0 and p.mirror and a == state.DYNASTY:
        focus = p.grid * p.grid - 1 - focus
    out[at + HEALTH] = 1.0
    out[at + RADAR_ON] = 1.0 if s.radar[e, a, i] else 0.0
    out[at + RADAR_FOCUS] = (focus + 1) / (p.grid * p.grid)
    out[at + FUEL] = s.fuel[e, a, i]
    out[at + REFUELING] = 1.0 if supplies or is_coupled(s, p, e, a, i) else 0.0
    out[at + RANGE_LEFT] = clip(s.fuel[e, a, i] * reach / p.diagonal, 0.0, 1.0)
    if reach <= 0.0:
        out[at + RANGE_LEFT] = 1.0
    out[at + CAN_REFUEL_OTHERS] = 1.0 if able else 0.0
    out[at + ABILITY] = 1.0 if active else 0.0


@rule
def is_supplying(s: State, p: Params, e: int, a: int, i: int) -> bool:
    """Whether another unit takes fuel from this one now."""
    for j in range(s.num_units[e, a]):
        if s.partner[e, a, j] == i and is_coupled(s, p, e, a, j):
            return True
    return False


@rule
def observe_weapons(s: State, p: Params, e: int, a: int, i: int, out: np.ndarray, at: int) -> None:
    """Write ammunition, firing mode and engagement; a target's numbers come after."""
    kind = s.kind[e, a, i]
    air, surface, total = 0, 0, 0
    for slot in range(int(p.unit[kind, tables.U_SLOTS])):
        hits = int(p.weapon[p.load[kind, slot, tables.LOAD_WEAPON], tables.W_HITS])
        ammo = s.ammo[e, a, i, slot]
        total += ammo
        air += ammo if hits & AIR_BIT > 0 else 0
        surface += ammo if hits > AIR_BIT else 0
    full_air, full_surface = p.unit[kind, tables.U_AIR_FULL], p.unit[kind, tables.U_SURFACE_FULL]
    armed = p.unit[kind, tables.U_SLOTS] > 0.0
    out[at + CAN_ENGAGE] = 1.0 if total > 0 else 0.0
    out[at + AIR_AMMO] = clip(air / full_air, 0.0, 1.0) if full_air > 0.0 else 0.0
    out[at + SURFACE_AMMO] = clip(surface / full_surface, 0.0, 1.0) if full_surface > 0.0 else 0.0
    out[at + SHOTS] = min(s.shots[e, a, i] / SHOTS_SHOWN, 1.0)
    wait = s.aim[e, a, i]
    out[at + TIME_TO_SHOOT] = min(wait / WAIT_SHOWN, 1.0) if wait >= 0.0 else 1.0
    for mode in range(NUM_USAGES):
        out[at + TIGHT + mode] = 1.0 if armed and s.usage[e, a, i] == mode else 0.0
    out[at + LEVEL] = s.level[e, a, i] / NUM_LEVELS


@rule
def observe_target(
    s: State, p: Params, e: int, a: int, i: int, out: np.ndarray, at: int, turned: bool
) -> None:
    """Write what a unit engages."""
    g = s.target[e, a, i]
    dx = s.group[e, a, g, state.GROUP_X] * p.size - p.half - s.pos[e, a, i, 0]
    dy = s.group[e, a, g, state.GROUP_Y] * p.size - p.half - s.pos[e, a, i, 1]
    out[at + ENGAGING] = 1.0
    if s.group_state[e, a, g] >= state.GHOST:
        out[at + TARGET_RANGE] = clip(distance(dx, dy) / p.diagonal, 0.0, 1.0)
        out[at + TARGET_BEARING] = bearing(dx, dy, turned)
        out[at + TARGET_AIR + group_domain(s.group, e, a, g)] = 1.0


@rule
def observe_group(
    s: State, p: Params, e: int, a: int, g: int, out: np.ndarray, turned: bool
) -> None:
    """Write what is known of one enemy group."""
    at = p.at.groups + g * GROUP_SIZE
    for column in range(GROUP_SIZE):
        out[at + column] = s.group[e, a, g, column]
    if s.group[e, a, g, state.GROUP_COUNT] <= 0.0:
        return
    out[at + state.GROUP_X] = seen_place(
        s.group[e, a, g, state.GROUP_X], turned, p.quantize, p.grid
    )
    out[at + state.GROUP_Y] = seen_place(
        s.group[e, a, g, state.GROUP_Y], turned, p.quantize, p.grid
    )
    if turned:
        out[at + state.GROUP_VX] = 1.0 - s.group[e, a, g, state.GROUP_VX]
        out[at + state.GROUP_VY] = 1.0 - s.group[e, a, g, state.GROUP_VY]
        heading = s.group[e, a, g, state.GROUP_HEADING]
        if s.group[e, a, g, state.GROUP_SPEED] > 0.0:
            heading = heading + 0.5 if heading < 0.5 else heading - 0.5
        out[at + state.GROUP_HEADING] = heading


@rule
def mask(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Clear orders that nobody can take, units that can take none, and targets not there."""
    domains, hoses, alive = group_domains(s, e, a), side_hoses(s, p, e, a), num_alive(s, e, a)
    some = 0
    most = 0
    types = len(ORDERS)
    groups, tankers = types + p.n, types + p.n + p.groups
    for i in range(p.n):
        bits = available_orders(s, p, e, a, i, domains, hoses, alive)
        some |= bits
        out[types + i] = bits > 0
        out[tankers + i] = fuel_offered(s, p, e, a, i) > 0
        if (bits >> declare.SPAWN) & 1 == 1:
            most = max(most, num_packages(s.wing[e, a, i]))
    for order in range(1, types):
        out[order] = (some >> order) & 1 == 1
    for g in range(p.groups):
        out[groups + g] = s.group_state[e, a, g] >= state.GHOST
    for component in range(PACKAGES):
        out[tankers + p.n + component] = component < most
    width = tankers + p.n + PACKAGES
    for number in range(1, p.orders):
        for option in range(width):
            out[number * width + option] = out[option]


@rule
def inform(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write what a side is told outside the tensor."""
    at = p.info
    out[at.steps] = s.clock[e]
    out[at.flag] = s.flag_owner[e]
    out[at.capturer] = s.capturing[e]
    out[at.lost] = s.casualties[e, a]
    out[at.enemy_lost] = enemy_score(s, p, e, a, LOSSES)
    ratio = force_ratio(s.strength[e, a], enemy_score(s, p, e, a, STRENGTH))
    out[at.force_ratio] = min(ratio, MOST_RATIO)
    out[at.seconds] = s.capture_progress[e, a]
    out[at.enemy_seconds] = s.capture_progress[e, 1 - a]
    out[at.settlers_left] = s.settlers[e, a]
    out[at.enemy_settlers_left] = enemy_score(s, p, e, a, SETTLERS)
    out[at.unnumbered] = s.hidden_groups[e, a]
    out[at.refused] = s.refused[e, a]
    domains, hoses, alive = group_domains(s, e, a), side_hoses(s, p, e, a), num_alive(s, e, a)
    for i in range(p.n):
        bits = available_orders(s, p, e, a, i, domains, hoses, alive)
        inform_unit(s, p, e, a, i, bits, out)
    for g in range(p.groups):
        out[at.contacts + g] = s.group_state[e, a, g]


@rule
def inform_unit(s: State, p: Params, e: int, a: int, i: int, bits: int, out: np.ndarray) -> None:
    """Tell what a side knows of one of its ids."""
    at = p.info
    kind = s.kind[e, a, i]
    lives = kind >= 0 and s.hp[e, a, i] > 0
    out[at.kinds + i] = kind
    out[at.health + i] = (
        clip(s.hp[e, a, i] / p.unit[kind, tables.U_HITS], 0.0, 1.0) if lives else 0.0
    )
    out[at.orders + i] = bits
    for domain in range(NUM_DOMAINS):
        out[at.weapons + NUM_DOMAINS * i + domain] = (
            count_loaded(s, p, e, a, i, domain) if lives else 0
        )
    out[at.hoses + 2 * i] = p.unit[kind, tables.U_TAKES] if lives else 0.0
    out[at.hoses + 2 * i + 1] = fuel_offered(s, p, e, a, i) if lives else 0
    out[at.packages + i] = num_packages(s.wing[e, a, i]) if lives else 0
    out[at.threats + i] = s.threat[e, a, i] if lives else 0


PART_ORDER = MASKED  # the mask's parts, in the order in which `mask` writes them
