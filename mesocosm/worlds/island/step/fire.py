"""Weapons: who fires at what, how missiles fly, and what they do."""

import math

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.link import is_linked, may
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import uniform
from mesocosm.sim.rule import rule
from mesocosm.worlds.island import declare, state, tables
from mesocosm.worlds.island.params import Params
from mesocosm.worlds.island.state import State
from mesocosm.worlds.island.step.unit import (
    distance,
    domain_of,
    is_grounded,
    is_sheltered,
    remove_unit,
)

HITS, GUARDS = 10, 12  # streams of random numbers, two each: one per side
SHOTS_PER_UNIT = 4096  # tags of one unit's missiles, for random numbers
GUARDS_PER_SHOT = 256  # draws of one missile's defenders
MOST_SHOTS = 5000


@rule
def fire_all(s: State, f: Frame, p: Params, e: int) -> None:
    """Reload and fire the weapons of every unit of both sides."""
    for a in range(2):
        free = is_linked(f, e, a, 1 - a, declare.FIRE_LINK)
        held = False
        for i in range(s.num_units[e, a]):
            kind = s.kind[e, a, i]
            slots = int(p.unit[kind, tables.U_SLOTS])
            if s.hp[e, a, i] <= 0 or slots == 0:
                continue
            ready = 0
            for slot in range(slots):
                wait = s.reload[e, a, i, slot]
                if wait > 0.0:
                    s.reload[e, a, i, slot] = max(wait - p.dt, 0.0)
                if s.ammo[e, a, i, slot] > 0 and wait <= p.dt:
                    ready |= 1 << slot
            if ready == 0 or is_grounded(s.manoeuver[e, a, i], s.landed[e, a, i]):
                continue
            if free:
                fire_weapons(s, f, p, e, a, i, ready)
            else:
                held = held or has_target(s, p, e, a, i, ready)
        if held:
            may(f, e, a, 1 - a, declare.FIRE_LINK)


@rule
def has_target(s: State, p: Params, e: int, a: int, i: int, ready: int) -> bool:
    """Whether a unit would fire if its side might."""
    for slot in range(int(p.unit[s.kind[e, a, i], tables.U_SLOTS])):
        if (ready >> slot) & 1 == 1 and nearest_target(s, p, e, a, i, slot) >= 0:
            return True
    return False


@rule
def fire_weapons(s: State, f: Frame, p: Params, e: int, a: int, i: int, ready: int) -> None:
    """Fire each weapon that is ready at the nearest track it may be fired at."""
    kind = s.kind[e, a, i]
    for slot in range(int(p.unit[kind, tables.U_SLOTS])):
        if (ready >> slot) & 1 == 0:
            continue
        j = nearest_target(s, p, e, a, i, slot)
        if j >= 0:
            launch_missile(s, f, p, e, a, i, slot, j)


@rule
def nearest_target(s: State, p: Params, e: int, a: int, i: int, slot: int) -> int:
    """Find the nearest track that a weapon may be fired at, or -1."""
    weapon = p.load[s.kind[e, a, i], slot, tables.LOAD_WEAPON]
    hits = int(p.weapon[weapon, tables.W_HITS])
    reach = p.weapon[weapon, tables.W_RANGE]
    usage = s.usage[e, a, i]
    commits = s.manoeuver[e, a, i] == state.ENGAGE and (s.chosen[e, a, i] >> slot) & 1 == 1
    far = p.launch[s.level[e, a, i]] * reach if commits else 0.0
    near = 0.0
    if usage == declare.SELECTIVE:
        near = p.ph.self_defence * reach
    elif usage == declare.FREE:
        near = p.ph.free_fire * reach
    best = max(far, near)
    best = best * best
    found = -1
    if usage == declare.TIGHT and (not commits or s.outbound[e, a, i] > 0):
        return -1
    x, y, goal = s.pos[e, a, i, 0], s.pos[e, a, i, 1], s.target[e, a, i]
    tier, looks, spot, member = s.tier[e, a], s.looks[e, a], s.spot[e, a], s.member[e, a]
    for j in range(s.num_units[e, 1 - a]):
        if tier[j] == 0 or (hits >> looks[j]) & 1 == 0:
            continue
        dx, dy = spot[j, 0] - x, spot[j, 1] - y
        away = dx * dx + dy * dy
        if away > best or (found >= 0 and away >= best):
            continue
        limit = near
        if commits and member[j] == goal:
            limit = max(far, near)
        if away <= limit * limit and may_fire_at(s, p, e, a, i, j, weapon):
            best = away
            found = j
    return found


@rule
def may_fire_at(s: State, p: Params, e: int, a: int, i: int, j: int, weapon: int) -> bool:
    """Whether one more missile may fly at a target."""
    if p.weapon[weapon, tables.W_EMITTERS] > 0.0 and not s.radar[e, 1 - a, j]:
        return False
    usage = s.usage[e, a, i]
    if usage == declare.TIGHT:
        return True
    hits = p.unit[s.kind[e, 1 - a, j], tables.U_HITS]
    most = 1.0 if usage == declare.SELECTIVE else 2.0
    if hits > 1.0:
        most = most * hits + p.salvo[usage - 1]
    return s.inbound[e, a, j] < most


@rule
def launch_missile(
    s: State, f: Frame, p: Params, e: int, a: int, i: int, slot: int, j: int
) -> None:
    """Fire one missile, if the side has not too many in flight."""
    shot = s.num_shots[e, a]
    if shot >= p.missiles:
        return
    weapon = p.load[s.kind[e, a, i], slot, tables.LOAD_WEAPON]
    dx = s.spot[e, a, j, 0] - s.pos[e, a, i, 0]
    dy = s.spot[e, a, j, 1] - s.pos[e, a, i, 1]
    s.num_shots[e, a] = shot + 1
    s.shot[e, a, shot, state.SHOT_X] = s.pos[e, a, i, 0]
    s.shot[e, a, shot, state.SHOT_Y] = s.pos[e, a, i, 1]
    s.shot[e, a, shot, state.SHOT_LEFT] = p.ph.overrun * p.weapon[weapon, tables.W_RANGE]
    s.shot[e, a, shot, state.SHOT_FROM] = distance(dx, dy)
    s.shot_id[e, a, shot, state.SHOT_WEAPON] = weapon
    s.shot_id[e, a, shot, state.SHOT_SHOOTER] = i
    s.shot_id[e, a, shot, state.SHOT_TARGET] = j
    s.shot_id[e, a, shot, state.SHOT_TAG] = i * SHOTS_PER_UNIT + s.fired[e, a, i] % SHOTS_PER_UNIT
    s.ammo[e, a, i, slot] -= 1
    s.reload[e, a, i, slot] = p.weapon[weapon, tables.W_RELOAD]
    s.shots[e, a, i] = min(s.shots[e, a, i] + 1, MOST_SHOTS)
    s.fired[e, a, i] += 1
    s.inbound[e, a, j] += 1
    s.outbound[e, a, i] += 1
    emit(f, e, declare.SHOT, a, 1 - a, j * 1.0)


@rule
def fly_missiles(s: State, f: Frame, p: Params, e: int) -> None:
    """Move every missile; remove those that arrive or run out."""
    for a in range(2):
        for i in range(s.num_units[e, a]):
            s.threat[e, a, i] = 0
    for a in range(2):
        shot = 0
        while shot < s.num_shots[e, a]:
            if fly_missile(s, f, p, e, a, shot):
                remove_missile(s, e, a, shot)
            else:
                shot += 1


@rule
def fly_missile(s: State, f: Frame, p: Params, e: int, a: int, shot: int) -> bool:
    """Move one missile towards its target; return whether it is spent."""
    j = s.shot_id[e, a, shot, state.SHOT_TARGET]
    if s.hp[e, 1 - a, j] <= 0 or is_sheltered(s, e, 1 - a, j):
        return True
    dx = s.pos[e, 1 - a, j, 0] - s.shot[e, a, shot, state.SHOT_X]
    dy = s.pos[e, 1 - a, j, 1] - s.shot[e, a, shot, state.SHOT_Y]
    away = math.sqrt(dx * dx + dy * dy)
    step = p.weapon[s.shot_id[e, a, shot, state.SHOT_WEAPON], tables.W_SPEED] * p.dt
    if away <= step:
        resolve_arrival(s, f, p, e, a, shot)
        return True
    s.shot[e, a, shot, state.SHOT_X] += dx / away * step
    s.shot[e, a, shot, state.SHOT_Y] += dy / away * step
    s.shot[e, a, shot, state.SHOT_LEFT] -= step
    if s.shot[e, a, shot, state.SHOT_LEFT] <= 0.0:
        return True
    if away - step <= p.ph.evade_km:
        s.threat[e, 1 - a, j] += 1
    return False


@rule
def remove_missile(s: State, e: int, a: int, shot: int) -> None:
    """Take a missile out of the list; the last one takes its place."""
    s.inbound[e, a, s.shot_id[e, a, shot, state.SHOT_TARGET]] -= 1
    s.outbound[e, a, s.shot_id[e, a, shot, state.SHOT_SHOOTER]] -= 1
    last = s.num_shots[e, a] - 1
    for column in range(state.SHOT_SIZE):
        s.shot[e, a, shot, column] = s.shot[e, a, last, column]
        s.shot_id[e, a, shot, column] = s.shot_id[e, a, last, column]
        s.shot[e, a, last, column] = 0.0
        s.shot_id[e, a, last, column] = 0
    s.num_shots[e, a] = last


@rule
def resolve_arrival(s: State, f: Frame, p: Params, e: int, a: int, shot: int) -> None:
    """Decide whether a missile that arrives is stopped, hits or misses; damage comes later."""
    j = s.shot_id[e, a, shot, state.SHOT_TARGET]
    tag = s.shot_id[e, a, shot, state.SHOT_TAG]
    weapon = s.shot_id[e, a, shot, state.SHOT_WEAPON]
    flies = domain_of(s, p, e, 1 - a, j) == tables.AIR
    if not flies and is_stopped(s, f, p, e, a, j, weapon, tag):
        return
    chance = (
        p.weapon[weapon, tables.W_KILL]
        * f.tunable[e, declare.HIT_SCALE]
        * f.effect[e, a, declare.ACCURACY]
    )
    share = s.shot[e, a, shot, state.SHOT_FROM] / p.weapon[weapon, tables.W_RANGE]
    chance *= range_factor(share, p.ph.full_kill_range, p.ph.far_kill)
    if flies:
        top = p.unit[s.kind[e, 1 - a, j], tables.U_TOP] * 1e3
        chance *= 1.0 - p.ph.agility * min(top / p.ph.agility_ms, 1.0)
    alone = s.shot[e, a, shot, state.SHOT_FROM] <= p.weapon[weapon, tables.W_ALONE]
    guided = s.tier[e, a, j] > 0 and s.age[e, a, j] <= p.ph.guidance_s
    if not alone and not guided:
        chance *= p.ph.unguided
    if uniform(f.word[e], f.t[e], HITS + a, tag) < chance:
        s.scratch[e, 1 - a, j] += 1
        emit(f, e, declare.HIT, a, 1 - a, j * 1.0)


@rule
def range_factor(share: float, full: float, far: float) -> float:
    """Return the accuracy of a launch at a share of the range: 1 up to `full`, `far` at its end."""
    beyond = (share - full) / max(1.0 - full, 1e-9)
    return 1.0 - (1.0 - far) * clip(beyond, 0.0, 1.0)


@rule
def is_stopped(
    s: State, f: Frame, p: Params, e: int, a: int, j: int, weapon: int, tag: int
) -> bool:
    """Let the defenders round a target try in turn, each with one round, until one succeeds."""
    fast = p.weapon[weapon, tables.W_SPEED] * 1e3 > p.ph.fast_missile_ms
    enemy = 1 - a
    for i in range(s.num_units[e, enemy]):
        if s.guard[e, enemy, i] <= 0 or s.hp[e, enemy, i] <= 0:
            continue
        kind = s.kind[e, enemy, i]
        dx = s.pos[e, enemy, i, 0] - s.pos[e, enemy, j, 0]
        dy = s.pos[e, enemy, i, 1] - s.pos[e, enemy, j, 1]
        reach = p.unit[kind, tables.U_GUARD_KM]
        if dx * dx + dy * dy > reach * reach:
            continue
        s.guard[e, enemy, i] -= 1
        chance = p.unit[kind, tables.U_GUARD] * (p.ph.fast_guard if fast else 1.0)
        if uniform(f.word[e], f.t[e], GUARDS + a, tag * GUARDS_PER_SHOT + i) < chance:
            return True
    return False


@rule
def take_damage(s: State, f: Frame, p: Params, e: int) -> None:
    """Apply the hits of a sub-step to both sides at once."""
    for a in range(2):
        for i in range(s.num_units[e, a]):
            hits = s.scratch[e, a, i]
            if hits > 0:
                s.scratch[e, a, i] = 0
                left = s.hp[e, a, i] - hits
                s.hp[e, a, i] = max(left, 0)
                if left <= 0:
                    remove_unit(s, f, p, e, a, i, True)
