"""How the line works, and every way in which it can be wrong."""

from random import random  # by name, which vet does not see

from mesocosm.sim.event import emit
from mesocosm.sim.rng import below, uniform
from mesocosm.sim.rule import rule
from probe import BIRTH, END, OLD_AGE
from probe.flaws import (
    BODY_MOVES,
    DERIVED_DRIFTS,
    ENV_DEPENDENT,
    ESTATE_DOUBLED,
    ESTATE_KEPT,
    ESTATE_LOST,
    FUTURE_SHOCK,
    GHOST_HAUNTS,
    GHOST_INFORMS,
    GHOST_MASKS,
    GHOST_PAYS,
    GHOST_SEEN,
    IMPURE_OBSERVE,
    IMPURE_SECOND,
    IMPURE_TERMS,
    INFO_RANGE,
    LAST_WORDS,
    LATE_SECRET,
    MARCH_PAY,
    NEVER_ENDS,
    OBS_RANGE,
    OTHER_GROUP,
    OTHER_PRIVATE,
    OTHER_STONE,
    OWN_HIDDEN,
    RARE_PAY,
    RESET_KEEPS,
    ROW_BOUNDS,
    ROW_UNWRITTEN,
    STALE_DERIVED,
    STATE_RANGE,
    TERM_BOUNDS,
    TERMINAL_EARLY,
    TERMS_FRAME,
    THROUGH_INFO,
    THROUGH_MASK,
    TURN_HIDDEN,
    UNSEEDED,
    UNSEEN_POSITION,
    UNSEEN_STONE,
    WARNING_LIGHT,
    ZERO_SIGN,
)


@rule
def reset(s, f, p, e):
    s.shock_at[e] = below(1000, f.word[e], 0, 0, 0)
    s.clock[e] = 0
    for k in range(s.treasure.shape[1]):
        s.treasure[e, k] = uniform(f.word[e], 0, 1, k)
    for k in range(s.stone.shape[1]):
        s.stone[e, k] = below(p.length, f.word[e], 0, 8, k)
        s.weight[e, k] = uniform(f.word[e], 0, 9, k)
    for a in range(s.pos.shape[1]):
        s.pos[e, a] = below(p.length, f.word[e], 0, 2, a)
        s.age[e, a] = a
        s.alive[e, a] = True
        if p.flaw != RESET_KEEPS:
            s.mood[e, a] = uniform(f.word[e], 0, 3, a)
        s.secret[e, a] = uniform(f.word[e], 0, 4, a)
    if p.respawn:
        f.active[e, 0] = False
        s.alive[e, 0] = False


@rule
def rebuild(s, p, e):
    if p.flaw == STALE_DERIVED:
        return
    for a in range(s.pos.shape[1]):
        s.where[e, a] = s.pos[e, a]


@rule
def transition(s, f, p, e):
    s.clock[e] = min(s.clock[e] + 1, 1000)
    for a in range(s.pos.shape[1]):
        if f.active[e, a]:
            walk(s, f, p, e, a)
        elif p.respawn and f.t[e] % 5 == a % 5:
            f.birth[e, a] = True
            s.alive[e, a] = True
            s.age[e, a] = 0
            s.mood[e, a] = uniform(f.word[e], f.t[e], 5, a)
            emit(f, e, BIRTH, a, -1, 0.0)
        elif p.flaw == BODY_MOVES:
            s.mood[e, a] = uniform(f.word[e], f.t[e], 6, a)
        if p.flaw != DERIVED_DRIFTS and p.flaw != STALE_DERIVED:
            s.where[e, a] = s.pos[e, a]
    for a in range(s.pos.shape[1]):
        if p.leaves_estate and f.active[e, a] and not s.alive[e, a]:
            leave_estate(s, f, p, e, a)
        ghost = dead_one(s, f, e)
        if p.flaw == GHOST_HAUNTS and f.active[e, a] and ghost >= 0:
            s.mood[e, a] = s.mood[e, ghost]


@rule
def leave_estate(s, f, p, e, a):
    part = s.secret[e, a]
    for j in range(s.pos.shape[1]):
        if f.active[e, j] and s.alive[e, j] and p.flaw != ESTATE_LOST:
            s.secret[e, j] = min(s.secret[e, j] + part, 1.0)
            if p.flaw != ESTATE_DOUBLED:
                part = 0.0
    if p.flaw != ESTATE_KEPT:
        s.secret[e, a] = 0.0


@rule
def dead_one(s, f, e):
    for a in range(s.pos.shape[1]):
        if not f.active[e, a]:
            return a
    return -1


@rule
def walk(s, f, p, e, a):
    move = f.choice[e, a, 0]
    if move == 1:
        s.pos[e, a] = max(s.pos[e, a] - 1, 0)
    elif move == 2:
        s.pos[e, a] = min(s.pos[e, a] + 1, p.length - 1)
    s.age[e, a] = min(s.age[e, a] + 1, 2000)
    s.alive[e, a] = s.age[e, a] < p.hazard or p.flaw == NEVER_ENDS
    s.mood[e, a] = uniform(f.word[e], f.t[e], 7, a)
    if p.flaw == ENV_DEPENDENT:
        s.mood[e, a] = (e % 7) / 7.0
    elif p.flaw == UNSEEDED:
        s.mood[e, a] = random()
    elif p.flaw == STATE_RANGE:
        s.secret[e, a] = 1.5


@rule
def turn(s, f, p, e):
    for a in range(s.pos.shape[1]):
        f.acting[e, a] = s.pos[e, a] % 2 == f.t[e] % 2
        if p.flaw == TURN_HIDDEN:
            f.acting[e, a] = s.secret[e, a] > 0.5


@rule
def ending(s, f, p, e):
    for a in range(s.pos.shape[1]):
        if f.active[e, a] and not s.alive[e, a]:
            f.ending[e, a] = OLD_AGE
    if f.t[e] >= p.max_steps and p.flaw != NEVER_ENDS:
        f.episode_ending[e] = END


@rule
def terms(s, f, p, e, a):
    f.terms[e, a, 0] = (s.age[e, a] - s.age_before[e, a]) / 2.0
    if not s.alive[e, a] or p.flaw == TERMINAL_EARLY:
        f.terms[e, a, 1] = -1.0
    if p.flaw == TERM_BOUNDS:
        f.terms[e, a, 0] = 7.0
    elif (p.flaw == RARE_PAY and s.treasure[e, 0] > 0.99) or (
        p.flaw == MARCH_PAY and all_at_the_end(s, p, e)
    ):
        f.terms[e, a, 0] = 5.0
    elif p.flaw == IMPURE_TERMS:
        s.secret[e, a] = 0.5
    elif p.flaw == TERMS_FRAME:
        f.generation[e, a] += 1
    elif p.flaw == GHOST_PAYS and dead_one(s, f, e) >= 0:
        f.terms[e, a, 0] = s.mood[e, dead_one(s, f, e)]


@rule
def all_at_the_end(s, p, e):
    count = 0
    for a in range(s.pos.shape[1]):
        if s.pos[e, a] == p.length - 1:
            count += 1
    return count == s.pos.shape[1]


@rule
def observe(s, p, e, a, out):
    at = p.at
    cells = 2 * p.sight + 1
    out[at.clock] = s.clock[e] / 1000.0
    if p.flaw != ROW_UNWRITTEN:
        out[at.mood] = s.mood[e, a]
    out[at.ours] = s.treasure[e, group_of(s, p, e, a)]
    observe_stones(s, p, e, a, out)
    for k in range(2 * cells):
        out[at.window + k] = 0.0
    for j in range(s.pos.shape[1]):
        away = s.pos[e, j] - s.pos[e, a]
        out[at.others + j] = 0.0
        if j != a and s.alive[e, j] and away >= -p.sight and away <= p.sight:
            out[at.window + away + p.sight] = 1.0
            out[at.window + cells + away + p.sight] = s.pos[e, j] / p.length
        show_flaw(s, p, e, a, j, out)


@rule
def observe_stones(s, p, e, a, out):
    weight = 0.0
    for k in range(s.stone.shape[1]):
        near = sees_stone(s, p, e, a, k)
        out[p.at.stones + k] = 1.0 if near else 0.0
        if p.flaw == UNSEEN_STONE:
            out[p.at.stones + k] = s.stone[e, k] / p.length
        if owns_stone(s, p, e, a, k) or p.flaw == OTHER_STONE:
            weight += s.weight[e, k]
    out[p.at.weight] = weight


@rule
def show_flaw(s, p, e, a, j, out):
    at = p.at.others
    if p.flaw == OWN_HIDDEN and j == a:
        out[at + j] = s.secret[e, a]
    elif p.flaw == OTHER_PRIVATE and j != a:
        out[at + j] = s.mood[e, j]
    elif p.flaw == UNSEEN_POSITION:
        out[at + j] = s.pos[e, j] / p.length
    elif p.flaw == FUTURE_SHOCK:
        out[at + j] = s.shock_at[e] / 1000.0
    elif p.flaw == STALE_DERIVED and j == a:
        out[at + j] = s.where[e, j] / p.length
    elif p.flaw == OTHER_GROUP and j == a:
        out[at + j] = s.treasure[e, 1 - group_of(s, p, e, a)]
    elif p.flaw == ROW_BOUNDS:
        out[at + j + 1] = 0.0
    elif p.flaw == OBS_RANGE:
        out[at + j] = 2.0
    elif p.flaw == IMPURE_OBSERVE and j == a:
        s.secret[e, a] = 0.25
    else:
        show_rare_flaw(s, p, e, a, j, out)


@rule
def show_rare_flaw(s, p, e, a, j, out):
    at = p.at.others
    ahead = s.shock_at[e] - s.clock[e]
    if p.flaw == WARNING_LIGHT and ahead >= 0 and ahead < 3:
        out[at + j] = 1.0
    elif p.flaw == ZERO_SIGN and s.secret[e, a] > 0.5:
        out[at + j] = -0.0
    elif p.flaw == LAST_WORDS and not s.alive[e, a]:
        out[at + j] = s.secret[e, a]
    elif p.flaw == LATE_SECRET and s.clock[e] > 25:
        out[at + j] = s.secret[e, a]
    elif p.flaw == IMPURE_SECOND and a == 1:
        s.secret[e, a] = 0.75
    elif p.flaw == GHOST_SEEN and not s.alive[e, j]:
        out[at + j] = s.pos[e, j] / p.length


@rule
def mask(s, p, e, a, out):
    out[1] = s.pos[e, a] > 0
    out[2] = s.pos[e, a] < p.length - 1
    if p.flaw == THROUGH_MASK:
        out[2] = s.mood[e, (a + 1) % s.pos.shape[1]] > 0.5
    for j in range(s.pos.shape[1]):
        if p.flaw == GHOST_MASKS and not s.alive[e, j]:
            out[2] = s.mood[e, j] > 0.5


@rule
def inform(s, p, e, a, out):
    out[0] = s.age[e, a]
    if p.flaw == THROUGH_INFO:
        out[0] = s.secret[e, a]
    elif p.flaw == INFO_RANGE:
        out[0] = -5.0
    for j in range(s.pos.shape[1]):
        if p.flaw == GHOST_INFORMS and not s.alive[e, j]:
            out[0] = s.secret[e, j]


@rule
def sees(s, p, e, a, j):
    away = s.pos[e, j] - s.pos[e, a]
    return s.alive[e, j] and away >= -p.sight and away <= p.sight


@rule
def sees_stone(s, p, e, a, k):
    away = s.stone[e, k] - s.pos[e, a]
    return away >= -p.sight and away <= p.sight


@rule
def owns_stone(s, p, e, a, k):
    return k == a


@rule
def group_of(s, p, e, a):
    return a % 2
