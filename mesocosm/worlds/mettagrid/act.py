"""What an agent does in a step: stay, move, use what it moves into, change its vibe."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import emit
from mesocosm.worlds.mettagrid.classic_meet import meet
from mesocosm.worlds.mettagrid.classic_use import use_old
from mesocosm.worlds.mettagrid.code import BOUNTY, CONFLICT, USED, VIBED, YIELD
from mesocosm.worlds.mettagrid.handler import run
from mesocosm.worlds.mettagrid.holding import adjust
from mesocosm.worlds.mettagrid.inventory import wide
from mesocosm.worlds.mettagrid.params import CHANGE_VIBE, HANDLED, MOVE, NOOP, Params
from mesocosm.worlds.mettagrid.place import cell_of, enter, leave
from mesocosm.worlds.mettagrid.plan import CHEST, CLASS, PROGRAM
from mesocosm.worlds.mettagrid.stat import note, note_action, tally
from mesocosm.worlds.mettagrid.stat_code import FROZEN, INVALID, MOVE_DONE, NOOP_DONE, VIBE_DONE
from mesocosm.worlds.mettagrid.stat_old import FROZEN_TICKS
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.tick import move_by_handlers


@rule
def act(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Carry out an agent's own action."""
    wrong = f.violations[e, a] != s.faults[e, a]
    s.faults[e, a] = f.violations[e, a]
    s.success[e, a] = False
    s.moved[e, a] = False
    s.last_action[e, a] = 0
    if wrong and p.has_stats:  # once for each of the program's two priorities
        tally(s, p, e, a, INVALID, 2.0)
    if wrong and not (p.split and f.choice[e, a, 0] != NOOP):
        return
    if p.classic and s.frozen[e, a] > 0:
        s.frozen[e, a] -= 1
        s.stale[e, a] = True
        if p.has_stats:
            tally(s, p, e, a, FROZEN, 1.0)
            note(s.stat[e, a], p.stats.old.team[p.tables.kind_of[a], FROZEN_TICKS], 1.0)
        return
    choice = f.choice[e, a, 0]
    kind = p.tables.action[choice, 0]
    if kind in (MOVE, HANDLED):
        walk(s, f, p, e, a, choice)
    elif kind == CHANGE_VIBE and p.classic:
        take_on(s, f, p, e, a, choice)
    elif kind == NOOP:
        stay(s, p, e, a)
    elif p.has_stats and not p.split:
        note_action(s, p, e, a, NOOP_DONE, True)  # who changes its vibe stays as well
    if wrong:  # the other part was: what was done stays, but counts as failed
        s.success[e, a] = False


@rule
def walk(s: State, f: Frame, p: Params, e: int, a: int, choice: int) -> None:
    """Move, if that can be paid and succeeds."""
    done = can_pay(s, p, e, a, MOVE) and move(s, f, p, e, a, choice)
    if p.has_stats:
        note_action(s, p, e, a, MOVE_DONE, done)
    if done:
        s.success[e, a] = True
        s.last_action[e, a] = choice
        spend(s, p, e, a, MOVE)


@rule
def stay(s: State, p: Params, e: int, a: int) -> None:
    """Do nothing, if that can be paid."""
    done = can_pay(s, p, e, a, NOOP)
    if p.has_stats:
        note_action(s, p, e, a, NOOP_DONE, done)
    if done:
        s.success[e, a] = True
        spend(s, p, e, a, NOOP)


@rule
def can_pay(s: State, p: Params, e: int, a: int, kind: int) -> bool:
    """Whether an agent has what an action requires."""
    if not p.has_costs:
        return True
    for r in range(p.resources):
        if s.amount[e, a, r] < p.tables.cost[kind, 0, r]:
            return False
    return True


@rule
def spend(s: State, p: Params, e: int, a: int, kind: int) -> None:
    """Take what an action costs."""
    spent = False
    if not p.has_costs:
        return
    for i in range(p.resources):
        r = p.old.cost_order[kind, i]
        if r >= 0 and p.tables.cost[kind, 1, r] > 0:
            adjust(s, p, e, a, r, -p.tables.cost[kind, 1, r])
            spent = True
    if spent:
        s.stale[e, a] = True


@rule
def move(s: State, f: Frame, p: Params, e: int, a: int, choice: int) -> bool:
    """Step onto a free cell, or use what stands there; say whether that succeeded."""
    if p.tables.action[choice, 0] == HANDLED:
        way = (p.tables.action[choice, 1], p.tables.action[choice, 2])
        if move_by_handlers(s, p, e, wide(a), wide(way[0]), wide(way[1])):
            return True
    r = s.row[e, a]
    c = s.col[e, a]
    slot = s.cell[e, cell_of(p, r, c) + p.tables.action[choice, 3]]
    if slot == 0:
        leave(s, p, e, a)
        enter(s, p, e, a, r + p.tables.action[choice, 1], c + p.tables.action[choice, 2])
        s.moved[e, a] = True
        return True
    return slot > 0 and use(s, f, p, e, a, slot - 1)


@rule
def use(s: State, f: Frame, p: Params, e: int, a: int, k: int) -> bool:
    """Use what stands in the way."""
    if k >= p.things:
        return False
    if k < p.agents:
        r = s.row[e, a]
        c = s.col[e, a]
        if p.classic and meet(s, f, p, e, a, k):
            s.moved[e, a] = r != s.row[e, a] or c != s.col[e, a]
            return True
        if p.tables.kind[p.tables.kind_of[k], PROGRAM] < 0:
            emit(f, e, CONFLICT, a, k, 0.0)
            return False
    done = False
    if p.classic or p.tables.kind[p.tables.kind_of[k], CLASS] >= CHEST:
        done = use_old(s, p, e, a, k)
    else:
        start = p.tables.kind[p.tables.kind_of[k], PROGRAM]
        if start >= 0:
            gain = f.effect[e, a, YIELD] * f.tunable[e, BOUNTY]
            done = run(s, p, e, wide(a), wide(k), wide(start), gain)
    if done:
        emit(f, e, USED, a, k, 0.0)
    return done


@rule
def change_vibe(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Carry out the change of vibe, after everyone's own action (cogs)."""
    if p.classic:
        return
    choice = f.choice[e, a, 1] if p.split else f.choice[e, a, 0]
    if p.tables.action[choice, 0] == CHANGE_VIBE:
        take_on(s, f, p, e, a, choice)


@rule
def take_on(s: State, f: Frame, p: Params, e: int, a: int, choice: int) -> None:
    """Take on a vibe, if it can be paid."""
    done = can_pay(s, p, e, a, CHANGE_VIBE)
    if p.has_stats:
        note_action(s, p, e, a, VIBE_DONE, done)
    if done:
        s.vibe[e, a] = p.tables.action[choice, 1]
        s.success[e, a] = True
        s.last_action[e, a] = choice
        spend(s, p, e, a, CHANGE_VIBE)
        s.stale[e, a] = True
        emit(f, e, VIBED, a, -1, s.vibe[e, a])
