"""Victory: who captures the island, how strong each side is, and who has won."""

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.island import declare, state, tables
from mesocosm.worlds.island.params import Params
from mesocosm.worlds.island.state import State

LEAST_STRENGTH = 1e-3
# verdicts: UNDECIDED, 1 + 2 * way + side for a victory, or one of the last two
UNDECIDED = 0
BY_CAPTURE, BY_RATIO, BY_SETTLERS, BY_TIME = range(4)
DRAWN, TIMED_OUT = 9, 10


@rule
def contest_island(s: State, f: Frame, p: Params, e: int) -> None:
    """Advance the capture by the side that came first, or has more settlers on the island."""
    legacy = settlers_on_island(s, p, e, state.LEGACY)
    dynasty = settlers_on_island(s, p, e, state.DYNASTY)
    now = s.capturing[e]
    if (now == 1 + state.LEGACY and legacy == 0) or (now == 1 + state.DYNASTY and dynasty == 0):
        emit(f, e, declare.CAPTURE_ENDED, now - 1, -1, 0.0)
        s.capture_progress[e, now - 1] = 0.0
        now = state.NOBODY
    if now == state.NOBODY and legacy != dynasty:
        now = 1 + state.LEGACY if legacy > dynasty else 1 + state.DYNASTY
        emit(f, e, declare.CAPTURE_STARTED, now - 1, -1, 0.0)
    s.capturing[e] = now
    if now == state.NOBODY:
        return
    done = s.capture_progress[e, now - 1] + p.dt
    s.capture_progress[e, now - 1] = done
    if done >= p.capture_s:
        s.capture_progress[e, now - 1] = 0.0
        s.flag_owner[e] = now
        s.capturing[e] = state.NOBODY
        emit(f, e, declare.CAPTURE_ENDED, now - 1, -1, 1.0)


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
    """Return the share of its value that a side still has, wings of living carriers included."""
    total = 0.0
    for i in range(s.num_units[e, a]):
        if s.hp[e, a, i] > 0:
            kind = s.kind[e, a, i]
            total += p.unit[kind, tables.U_VALUE] * s.hp[e, a, i] / p.unit[kind, tables.U_HITS]
            if s.wing[e, a, i] > 0:
                for package in range(p.num_packages):
                    if (s.wing[e, a, i] >> package) & 1 == 1:
                        total += p.wing_value[package]
    return min(total / p.total[a], 1.0)


@rule
def force_ratio(mine: float, theirs: float) -> float:
    """Return my strength over the enemy's; two sides without any are equal."""
    if mine <= 0.0 and theirs <= 0.0:
        return 1.0
    return mine / max(theirs, LEAST_STRENGTH)


@rule
def won_by(s: State, p: Params, e: int, a: int) -> int:
    """Return the way in which a side has won, or -1."""
    if s.flag_owner[e] == a + 1 and not p.hold:
        return BY_CAPTURE
    if force_ratio(s.strength[e, a], s.strength[e, 1 - a]) >= p.ratio:
        return BY_RATIO
    if p.kill_settlers and s.settlers[e, 1 - a] == 0 and p.settlers0[1 - a] > 0:
        return BY_SETTLERS
    return -1


@rule
def find_verdict(s: State, p: Params, e: int) -> int:
    """Return the verdict, UNDECIDED while the war goes on."""
    legacy, dynasty = won_by(s, p, e, state.LEGACY), won_by(s, p, e, state.DYNASTY)
    if legacy >= 0 and dynasty >= 0:
        return DRAWN
    if legacy >= 0 or dynasty >= 0:
        return 1 + 2 * legacy if legacy >= 0 else 2 + 2 * dynasty
    if s.clock[e] < p.max_steps:
        return UNDECIDED
    if p.hold and s.flag_owner[e] != state.NOBODY:
        return 2 * BY_TIME + s.flag_owner[e]
    if p.judge_time and s.strength[e, 0] != s.strength[e, 1]:
        return 2 * BY_TIME + (1 if s.strength[e, 0] > s.strength[e, 1] else 2)
    return TIMED_OUT
