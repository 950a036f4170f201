"""How a war goes: reset, one step of ten seconds, the rewards and the endings."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.rng import uniform
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import emit
from mesocosm.worlds.island import declare as d
from mesocosm.worlds.island import state as k
from mesocosm.worlds.island import tables as u
from mesocosm.worlds.island.fire import fly_missiles, open_fire, take_damage
from mesocosm.worlds.island.groups import form_groups, link
from mesocosm.worlds.island.motion import move_units, pass_fuel
from mesocosm.worlds.island.orders import take_orders
from mesocosm.worlds.island.sense import sense, survey
from mesocosm.worlds.island.state import State
from mesocosm.worlds.island.tables import Params
from mesocosm.worlds.island.unit import put_unit

PLACES = 0
LEAST_STRENGTH = 1e-3
# verdicts: 0 none; 1 + 2 * way + side for a victory, and three more
BY_CAPTURE, BY_RATIO, BY_SETTLERS, BY_TIME = range(4)
DRAWN, TIMED_OUT = 9, 10


@rule
def reset(s: State, f: Frame, p: Params, e: int) -> None:
    """Draw up both sides, each unit a little off its place, and let them look round."""
    s.clock[e] = 0
    s.flag_owner[e] = 0
    s.capturing[e] = 0
    s.verdict[e] = 0
    for a in range(2):
        reset_side(s, p, e, a)
        for i in range(p.n):
            x, y = p.place0[a, i, 0], p.place0[a, i, 1]
            if p.kind0[a, i] >= 0:
                x += p.jitter * (2.0 * uniform(f.word[e], 0, PLACES + a, 2 * i) - 1.0)
                y += p.jitter * (2.0 * uniform(f.word[e], 0, PLACES + a, 2 * i + 1) - 1.0)
            put_unit(s, p, e, a, i, p.kind0[a, i], x, y)
    sense(s, f, p, e)
    form_groups(s, p, e)
    for a in range(2):
        s.strength[e, a] = strength_of(s, p, e, a)


@rule
def reset_side(s: State, p: Params, e: int, a: int) -> None:
    """Forget what a side did and knew."""
    s.capture_progress[e, a] = 0.0
    s.casualties[e, a] = 0
    s.settlers[e, a] = p.settlers0[a]
    s.hidden_groups[e, a] = 0
    s.refused[e, a] = 0
    s.num_units[e, a] = p.count0[a]
    s.num_shots[e, a] = 0
    for column in range(3):
        s.confirmed[e, a, column] = 0.0
    for j in range(p.n):
        s.tier[e, a, j] = 0
        s.age[e, a, j] = 0.0
        s.held[e, a, j] = False
        s.looks[e, a, j] = 0
        s.member[e, a, j] = -1
        s.scratch[e, a, j] = 0
        for axis in range(2):
            s.spot[e, a, j, axis] = 0.0
            s.drift[e, a, j, axis] = 0.0
    for g in range(p.groups):
        s.group_state[e, a, g] = 0
        s.group_rest[e, a, g] = 0.0
    for shot in range(p.missiles):
        for column in range(4):
            s.shot[e, a, shot, column] = 0.0
            s.shot_id[e, a, shot, column] = 0


@rule
def rebuild(s: State, p: Params, e: int) -> None:
    """Recompute squares, heights, radar directions, clusters and missile counts."""
    survey(s, p, e)
    for a in range(2):
        link(s, p, e, a)
        for i in range(p.n):
            s.scratch[e, a, i] = 0
            s.inbound[e, a, i] = 0
            s.outbound[e, a, i] = 0
            root = s.root[e, a, i] == i and s.tier[e, a, i] > 0
            s.label[e, a, i] = s.member[e, a, i] if root else -1
        for shot in range(s.num_shots[e, a]):
            i = s.shot_id[e, a, shot, k.SHOT_SHOOTER]
            j = s.shot_id[e, a, shot, k.SHOT_TARGET]
            if i < p.n and j < p.n:
                s.outbound[e, a, i] += 1
                s.inbound[e, a, j] += 1


@rule
def transition(s: State, f: Frame, p: Params, e: int) -> None:
    """Play ten seconds: orders, five times motion and fire, then sensing and the score."""
    for a in range(2):
        for i in range(s.num_units[e, a]):
            s.timer[e, a, i] = max(s.timer[e, a, i] - p.step_s, 0.0)
    take_orders(s, f, p, e)
    for _ in range(p.substeps):
        move_units(s, f, p, e)
        fight(s, f, p, e)
    s.clock[e] = min(s.clock[e] + 1, p.max_steps)
    sense(s, f, p, e)
    form_groups(s, p, e)
    for a in range(2):
        s.strength[e, a] = strength_of(s, p, e, a)
    s.verdict[e] = judge(s, p, e)


@rule
def fight(s: State, f: Frame, p: Params, e: int) -> None:
    """Fuel, fire, missiles, damage and the island, for one sub-step."""
    pass_fuel(s, p, e)
    open_fire(s, f, p, e)
    fly_missiles(s, f, p, e)
    take_damage(s, f, p, e)
    if s.flag_owner[e] == 0:
        contest(s, f, p, e)


@rule
def contest(s: State, f: Frame, p: Params, e: int) -> None:
    """Let the side that came first, or has more settlers there, capture the island."""
    legacy, dynasty = settlers_on_island(s, p, e, 0), settlers_on_island(s, p, e, 1)
    now = s.capturing[e]
    if (now == 1 and legacy == 0) or (now == 2 and dynasty == 0):
        emit(f, e, d.CAPTURE_ENDED, now - 1, -1, 0.0)
        s.capture_progress[e, now - 1] = 0.0
        now = 0
    if now == 0 and legacy != dynasty:
        now = 1 if legacy > dynasty else 2
        emit(f, e, d.CAPTURE_STARTED, now - 1, -1, 0.0)
    s.capturing[e] = now
    if now == 0:
        return
    done = s.capture_progress[e, now - 1] + p.dt
    s.capture_progress[e, now - 1] = done
    if done >= p.capture_s:
        s.capture_progress[e, now - 1] = 0.0
        s.flag_owner[e] = now
        s.capturing[e] = 0
        emit(f, e, d.CAPTURE_ENDED, now - 1, -1, 1.0)


@rule
def settlers_on_island(s: State, p: Params, e: int, a: int) -> int:
    """Count a side's settlers on the island."""
    found = 0
    for i in range(s.num_units[e, a]):
        if s.landed[e, a, i] and s.hp[e, a, i] > 0:
            found += 1
    return found


@rule
def strength_of(s: State, p: Params, e: int, a: int) -> float:
    """Give the share of its value that a side still has, wings of floating carriers included."""
    total = 0.0
    for i in range(s.num_units[e, a]):
        if s.hp[e, a, i] > 0:
            kind = s.kind[e, a, i]
            total += p.unit[kind, u.U_VALUE] * s.hp[e, a, i] / p.unit[kind, u.U_HITS]
            if s.wing[e, a, i] > 0:
                for package in range(p.num_packages):
                    if (s.wing[e, a, i] >> package) & 1 == 1:
                        total += p.wing_value[package]
    return min(total / p.total[a], 1.0)


@rule
def force_ratio(mine: float, theirs: float) -> float:
    """Give my strength over the enemy's; two sides without any are equal."""
    if mine <= 0.0 and theirs <= 0.0:
        return 1.0
    return mine / max(theirs, LEAST_STRENGTH)


@rule
def won_by(s: State, p: Params, e: int, a: int) -> int:
    """Say in which way a side has won by now, or -1."""
    if s.flag_owner[e] == a + 1 and not p.hold:
        return BY_CAPTURE
    if force_ratio(s.strength[e, a], s.strength[e, 1 - a]) >= p.ratio:
        return BY_RATIO
    if p.kill_settlers and s.settlers[e, 1 - a] == 0 and p.settlers0[1 - a] > 0:
        return BY_SETTLERS
    return -1


@rule
def judge(s: State, p: Params, e: int) -> int:
    """Say how the war stands: 0 while it goes on."""
    legacy, dynasty = won_by(s, p, e, 0), won_by(s, p, e, 1)
    if legacy >= 0 and dynasty >= 0:
        return DRAWN
    if legacy >= 0 or dynasty >= 0:
        return 1 + 2 * legacy if legacy >= 0 else 2 + 2 * dynasty
    if s.clock[e] < p.max_steps:
        return 0
    if p.hold and s.flag_owner[e] > 0:
        return 2 * BY_TIME + s.flag_owner[e]
    if p.judge_time and s.strength[e, 0] != s.strength[e, 1]:
        return 2 * BY_TIME + (1 if s.strength[e, 0] > s.strength[e, 1] else 2)
    return TIMED_OUT


@rule
def terms(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Pay for the result and, if the config weighs them, for losses, kills and progress."""
    verdict = s.verdict[e]
    if 0 < verdict < DRAWN:
        f.terms[e, a, d.OUTCOME_TERM] = p.win if (verdict - 1) % 2 == a else -p.win
    lost = max(s.strength_before[e, a] - s.strength[e, a], 0.0)
    killed = max(s.strength_before[e, 1 - a] - s.strength[e, 1 - a], 0.0)
    mine = s.capture_progress[e, a] - s.capture_progress_before[e, a]
    theirs = s.capture_progress[e, 1 - a] - s.capture_progress_before[e, 1 - a]
    share = min(max((mine - theirs) / p.capture_s, -1.0), 1.0)
    if s.flag_owner[e] > 0:
        share = 0.0
    f.terms[e, a, d.LOSSES_TERM] = -p.shaping[0] * lost
    f.terms[e, a, d.KILLS_TERM] = p.shaping[1] * killed
    f.terms[e, a, d.CAPTURE_TERM] = p.shaping[2] * share


@rule
def ending(s: State, f: Frame, p: Params, e: int) -> None:
    """End the war for both sides, each with its own reason."""
    verdict = s.verdict[e]
    if verdict == 0:
        return
    if verdict == DRAWN:
        f.episode_ending[e] = d.DRAW
    elif verdict == TIMED_OUT:
        f.episode_ending[e] = d.TIME_LIMIT
    else:
        winner = (verdict - 1) % 2
        way = (verdict - 1) // 2
        f.episode_ending[e] = d.LEGACY_WIN + winner
        f.ending[e, winner] = d.CAPTURED + 2 * way
        f.ending[e, 1 - winner] = d.ISLAND_LOST + 2 * way
