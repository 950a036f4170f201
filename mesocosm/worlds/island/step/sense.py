"""Sensing: radars, eyes and listeners find units; tracks remember them."""

import math

import numpy as np

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.rng import uniform
from mesocosm.sim.rule import rule
from mesocosm.worlds.island import declare, state, tables
from mesocosm.worlds.island.params import Params
from mesocosm.worlds.island.state import State
from mesocosm.worlds.island.step.orders import cell_x, cell_y
from mesocosm.worlds.island.step.unit import (
    SAME_PLACE_KM,
    distance,
    domain_of,
    is_grounded,
    is_sheltered,
)

# how far a radar sees in its own ranges: in its focus, and an enemy that is jamming
FOCUS_REACH, JAMMER_REACH = 1.2, 2.4
LOW_M = 100.0  # aircraft below this are as high as if they stood on the ground
NOISE = 20  # and 21: streams of the errors of position, one per observing side
OLDEST = 1e6


@rule
def locate_units(s: State, p: Params, e: int) -> None:
    """Derive each unit's square of the map, its height, and where its radar looks."""
    for a in range(2):
        for square in range(s.bin_head.shape[2]):
            s.bin_head[e, a, square] = -1
        for i in range(p.n - 1, -1, -1):
            s.bin_next[e, a, i] = -1
            s.mast[e, a, i] = 0.0
            s.look[e, a, i, state.LOOK_X] = 0.0
            s.look[e, a, i, state.LOOK_Y] = 0.0
            s.look[e, a, i, state.LOOK_GAIN] = 1.0
            if i >= s.num_units[e, a] or s.kind[e, a, i] < 0 or is_sheltered(s, e, a, i):
                continue
            square = square_of(s.pos[e, a, i, 1], p.half, p.bins) * p.bins + square_of(
                s.pos[e, a, i, 0], p.half, p.bins
            )
            s.bin_next[e, a, i] = s.bin_head[e, a, square]
            s.bin_head[e, a, square] = i
            if p.unit[s.kind[e, a, i], tables.U_DOMAIN] != tables.AIR:
                s.mast[e, a, i] = p.unit[s.kind[e, a, i], tables.U_MAST]
            elif s.altitude[e, a, i] > LOW_M:
                s.mast[e, a, i] = math.sqrt(s.altitude[e, a, i])
            else:
                s.mast[e, a, i] = p.ph.ground_mast
            if s.radar[e, a, i]:
                point_radar(s, p, e, a, i)


@rule
def square_of(x: float, half: float, bins: int) -> int:
    """Return the row or column of the square that holds a coordinate."""
    return min(max(int((x + half) / state.BIN_KM), 0), bins - 1)


@rule
def point_radar(s: State, p: Params, e: int, a: int, i: int) -> None:
    """Turn a radar to its focus, as far as it can; write direction and gain."""
    cell = s.focus[e, a, i]
    hx, hy = s.heading[e, a, i, 0], s.heading[e, a, i, 1]
    wide = p.unit[s.kind[e, a, i], tables.U_WIDE] > 0.0
    if cell >= 0:
        dx, dy = (
            cell_x(cell, p.grid, p.size) - s.pos[e, a, i, 0],
            cell_y(cell, p.grid, p.size) - s.pos[e, a, i, 1],
        )
        away = distance(dx, dy)
        if away > SAME_PLACE_KM:
            dx, dy = dx / away, dy / away
            if not wide and hx * dx + hy * dy < p.cos_steer:
                side = p.sin_steer if hx * dy - hy * dx >= 0.0 else -p.sin_steer
                dx, dy = hx * p.cos_steer - hy * side, hx * side + hy * p.cos_steer
            hx, hy = dx, dy
        s.look[e, a, i, state.LOOK_GAIN] = p.ph.focus_gain
    s.look[e, a, i, state.LOOK_X] = min(max(hx, -1.0), 1.0)
    s.look[e, a, i, state.LOOK_Y] = min(max(hy, -1.0), 1.0)


@rule
def sense(s: State, f: Frame, p: Params, e: int) -> None:
    """Let both sides sense, and update their tracks."""
    locate_units(s, p, e)
    for a in range(2):
        enemy = 1 - a
        scale = f.tunable[e, declare.RADAR_SCALE] * f.effect[e, a, declare.SENSING]
        loudest, jammed, first, last = find_emitters(s, p, e, enemy)
        for i in range(s.num_units[e, a]):
            if s.hp[e, a, i] <= 0 or is_sheltered(s, e, a, i):
                continue
            kind = s.kind[e, a, i]
            own = p.unit[kind, tables.U_RADAR] * scale
            far = p.ph.visual_km
            if own > 0.0 and s.radar[e, a, i]:
                far = max(far, own * (JAMMER_REACH if jammed else FOCUS_REACH))
            if own > 0.0:
                far = max(far, loudest * p.ph.esm_factor)
            scan_area(s, f, p, e, a, i, own, far, first, last)
        for j in range(s.num_units[e, enemy]):
            update_track(s, f, p, e, a, j)


@rule
def find_emitters(s: State, p: Params, e: int, enemy: int) -> tuple[float, bool, int, int]:
    """Return an enemy's strongest radar, whether it jams, and the first and last id that do."""
    loudest = 0.0
    first, last = 0, -1
    for j in range(s.num_units[e, enemy]):
        if s.hp[e, enemy, j] <= 0:
            continue
        if s.radar[e, enemy, j]:
            loudest = max(loudest, p.unit[s.kind[e, enemy, j], tables.U_RADAR])
        if s.jam[e, enemy, j] >= 0 and not is_grounded(
            s.manoeuver[e, enemy, j], s.landed[e, enemy, j]
        ):
            if last < 0:
                first = j
            last = j
    return loudest, last >= 0, first, last


@rule
def scan_area(
    s: State, f: Frame, p: Params, e: int, a: int, i: int, own: float, far: float, first: int,
    last: int,
) -> None:  # fmt: skip
    """Let one unit sense every enemy in the squares that it can reach."""
    x, y = s.pos[e, a, i, 0], s.pos[e, a, i, 1]
    low, high = square_of(x - far, p.half, p.bins), square_of(x + far, p.half, p.bins)
    place, hp, head, after = (
        s.pos[e, 1 - a],
        s.hp[e, 1 - a],
        s.bin_head[e, 1 - a],
        s.bin_next[e, 1 - a],
    )
    tier, scratch = s.tier[e, a], s.scratch[e, a]
    for row in range(square_of(y - far, p.half, p.bins), square_of(y + far, p.half, p.bins) + 1):
        for column in range(low, high + 1):
            j = head[row * p.bins + column]
            while j >= 0:
                dx, dy = place[j, 0] - x, place[j, 1] - y
                away = dx * dx + dy * dy
                if away <= far * far and (hp[j] > 0 or tier[j] > 0) and scratch[j] < state.IN_SIGHT:
                    seen = detect(s, f, p, e, a, i, j, own, dx, dy, first, last)
                    scratch[j] = max(scratch[j], seen)
                j = after[j]


@rule
def detect(
    s: State, f: Frame, p: Params, e: int, a: int, i: int, j: int, own: float, dx: float,
    dy: float, first: int, last: int,
) -> int:  # fmt: skip
    """Return the tier at which one unit sees another, 0 if it does not."""
    away = dx * dx + dy * dy
    if away <= p.ph.visual_km * p.ph.visual_km:
        return state.IN_SIGHT
    horizon = p.ph.horizon_factor * (s.mast[e, a, i] + s.mast[e, 1 - a, j])
    if own <= 0.0 or away > horizon * horizon:
        return 0
    heard = 0
    target = s.kind[e, 1 - a, j]
    if s.radar[e, 1 - a, j]:
        reach = p.ph.esm_factor * p.unit[target, tables.U_RADAR]
        if away <= reach * reach:
            heard = state.HEARD
    if not s.radar[e, a, i]:
        return heard
    gain = radar_gain(s, p, e, a, i, dx, dy, away)
    ratio = own * own / away
    signal = ratio * ratio * gain
    signal *= 1.0 if s.radar[e, 1 - a, j] else p.unit[target, tables.U_ECHO]
    if s.jam[e, 1 - a, j] >= 0:
        signal *= p.ph.jammer_visibility
    if signal < p.tiers[0]:
        return heard
    if last >= 0:
        signal /= 1.0 + jamming_noise(s, f, p, e, a, i, j, first, last)
    return max(tier_of(p.tiers, signal), heard)


@rule
def tier_of(tiers: np.ndarray, signal: float) -> int:
    """Turn signal to noise into a tier."""
    tier = 0
    for level in range(state.IN_SIGHT):
        if signal >= tiers[level]:
            tier = level + 1
    return tier


@rule
def radar_gain(
    s: State, p: Params, e: int, a: int, i: int, dx: float, dy: float, away: float
) -> float:
    """Return a radar's gain towards a target, 0 outside its field of view."""
    wide = p.unit[s.kind[e, a, i], tables.U_WIDE] > 0.0
    gain = s.look[e, a, i, state.LOOK_GAIN]
    if wide and gain == 1.0:
        return 1.0
    along = s.look[e, a, i, state.LOOK_X] * dx + s.look[e, a, i, state.LOOK_Y] * dy
    edge = p.cos_focus if wide else p.cos_cone
    if along > 0.0 and along * along >= edge * edge * away:
        return gain
    return p.ph.unfocus_gain if wide else 0.0


@rule
def jamming_noise(
    s: State, f: Frame, p: Params, e: int, a: int, i: int, j: int, first: int, last: int
) -> float:
    """Sum the noise to signal that the enemy's jammers put on one radar's view of a target."""
    enemy = 1 - a
    total = 0.0
    tx = s.pos[e, enemy, j, 0] - s.pos[e, a, i, 0]
    ty = s.pos[e, enemy, j, 1] - s.pos[e, a, i, 1]
    target = distance(tx, ty)
    for m in range(first, last + 1):
        cell = s.jam[e, enemy, m]
        if (
            cell < 0
            or s.hp[e, enemy, m] <= 0
            or is_grounded(s.manoeuver[e, enemy, m], s.landed[e, enemy, m])
        ):
            continue
        rx = s.pos[e, a, i, 0] - s.pos[e, enemy, m, 0]
        ry = s.pos[e, a, i, 1] - s.pos[e, enemy, m, 1]
        away = max(distance(rx, ry), 1.0)
        horizon = p.ph.horizon_factor * (s.mast[e, a, i] + s.mast[e, enemy, m])
        bx = cell_x(cell, p.grid, p.size) - s.pos[e, enemy, m, 0]
        by = cell_y(cell, p.grid, p.size) - s.pos[e, enemy, m, 1]
        beam = max(distance(bx, by), SAME_PLACE_KM)
        if away > horizon or rx * bx + ry * by < p.cos_beam * away * beam:
            continue
        power = p.ph.jam_reference_km / away
        power = p.ph.jam_power * power * power * f.tunable[e, declare.JAM_SCALE]
        edge = p.cos_protect if s.protege[e, enemy, m] == j else p.cos_lobe
        if -(rx * tx + ry * ty) < edge * away * target:
            power /= p.ph.jam_sidelobe
        total += power
    return total


@rule
def update_track(s: State, f: Frame, p: Params, e: int, a: int, j: int) -> None:
    """Renew, age or drop what a side knows of one enemy."""
    enemy = 1 - a
    seen = s.scratch[e, a, j]
    s.scratch[e, a, j] = 0
    kind = s.kind[e, enemy, j]
    domain = int(p.unit[kind, tables.U_DOMAIN])
    alive = s.hp[e, enemy, j] > 0
    if alive and domain == tables.SEA and is_satellite_due(s, p, e):
        seen = max(seen, state.HEARD)
    if seen > 0 and alive:
        if s.tier[e, a, j] == 0:
            emit(f, e, declare.CONTACT, a, enemy, j * 1.0)
        renew_track(s, f, p, e, a, j, seen)
        return
    if s.tier[e, a, j] == 0:
        return
    s.held[e, a, j] = False
    s.age[e, a, j] = min(s.age[e, a, j] + p.step_s, OLDEST)
    if s.looks[e, a, j] != tables.GROUND:
        for axis in range(2):
            there = s.spot[e, a, j, axis] + s.drift[e, a, j, axis] * p.step_s
            s.spot[e, a, j, axis] = min(max(there, -p.half), p.half)
    memory = p.ph.sea_memory_s if domain == tables.SEA else p.ph.air_memory_s
    if seen > 0 or (domain != tables.GROUND and s.age[e, a, j] > memory):
        s.tier[e, a, j] = 0
        emit(f, e, declare.CONTACT_LOST, a, enemy, j * 1.0)


@rule
def is_satellite_due(s: State, p: Params, e: int) -> bool:
    """Whether all ships are seen from above in this step."""
    if p.ph.satellite_s <= 0.0:
        return False
    passes = math.floor(s.clock[e] * p.step_s / p.ph.satellite_s)
    before = math.floor((s.clock[e] - 1) * p.step_s / p.ph.satellite_s)
    return passes > before


@rule
def renew_track(s: State, f: Frame, p: Params, e: int, a: int, j: int, seen: int) -> None:
    """Renew a track: where the unit was seen, with the position error of its tier."""
    enemy = 1 - a
    s.tier[e, a, j] = seen
    s.age[e, a, j] = 0.0
    s.held[e, a, j] = True
    s.looks[e, a, j] = domain_of(s, p, e, enemy, j)
    error = p.noise[seen - 1]
    for axis in range(2):
        there = s.pos[e, enemy, j, axis]
        if error > 0.0:
            there += error * (2.0 * uniform(f.word[e], 0, NOISE + a, 2 * j + axis) - 1.0)
        s.spot[e, a, j, axis] = min(max(there, -p.half), p.half)
        s.drift[e, a, j, axis] = s.heading[e, enemy, j, axis] * s.speed[e, enemy, j]
