"""Actions, shared by all games: begin and end a turn, stay, move, change vibes."""

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.link import may
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.code import CONFLICT, USE_LINK, USED, VIBED
from mesocosm.worlds.mettagrid.compile.columns import (
    ACTION_COL,
    ACTION_KIND,
    ACTION_OFFSET,
    ACTION_ROW,
    ACTION_VIBE,
    CHANGE_VIBE,
    COST_PAID,
    COST_REQUIRED,
    MOVE,
    NOOP,
)
from mesocosm.worlds.mettagrid.compile.kinds import USE_BYTECODE
from mesocosm.worlds.mettagrid.compile.stat_codes import (
    INVALID_INDEX,
    MOVE_DONE,
    NOOP_DONE,
    VIBE_DONE,
)
from mesocosm.worlds.mettagrid.grid.holding import adjust
from mesocosm.worlds.mettagrid.grid.place import cell_of, enter, leave, reappear
from mesocosm.worlds.mettagrid.grid.stale import mark_displaced, mark_stale
from mesocosm.worlds.mettagrid.grid.stat import count_action, count_stat
from mesocosm.worlds.mettagrid.grid.talk import speak
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

FREE_AHEAD = -1


@rule
def begin_turn(s: State, f: Frame, p: Params, e: int, a: int) -> bool:
    """Clear the last turn's result; return whether the chosen action is valid."""
    s.success[e, a] = False
    s.moved[e, a] = False
    s.last_action[e, a] = 0
    if f.violations[e, a] == s.faults[e, a]:
        return True
    own = not p.split or f.choice[e, a, 0] == NOOP
    if own:
        count_stat(s, p, e, a, INVALID_INDEX, 1.0)
        s.faults[e, a] = f.violations[e, a]
    return not own


@rule
def count_invalid(s: State, f: Frame, p: Params, e: int) -> None:
    """Count invalid actions at the first of MettaGrid's two priorities, where nobody acts."""
    if not p.has_stats or p.stats.agent[INVALID_INDEX] < 0:
        return
    for a in range(p.agents):
        if f.active[e, a] and f.violations[e, a] != s.faults[e, a]:
            count_stat(s, p, e, a, INVALID_INDEX, 1.0)


@rule
def end_split_turns(s: State, f: Frame, p: Params, e: int) -> None:
    """After all turns, count those as failed whose other part of a split action was invalid."""
    if not p.split:
        return
    for a in range(p.agents):
        if f.active[e, a] and f.violations[e, a] != s.faults[e, a]:
            s.faults[e, a] = f.violations[e, a]
            s.success[e, a] = False
            count_stat(s, p, e, a, INVALID_INDEX, 1.0)


@rule
def wait_turn(s: State, p: Params, e: int, a: int, choice: int) -> None:
    """Do a noop; changes of vibe, which come later in the step (cogs), count as one."""
    if p.tables.action[choice, ACTION_KIND] == NOOP:
        do_noop(s, p, e, a)
    elif p.has_stats and not p.split and p.tables.action[choice, ACTION_KIND] == CHANGE_VIBE:
        count_action(s, p, e, a, NOOP_DONE, True)


@rule
def slot_ahead(s: State, p: Params, e: int, a: int, choice: int) -> int:
    """Return the slot on the cell that a move leads to; -1 free, -2 off the map."""
    place = cell_of(p, s.row[e, a], s.col[e, a])
    return s.cell[e, place + p.tables.action[choice, ACTION_OFFSET]] - 1


@rule
def step_ahead(s: State, p: Params, e: int, a: int, choice: int) -> bool:
    """Step onto the next cell, if it is free."""
    if slot_ahead(s, p, e, a, choice) != FREE_AHEAD:
        return False
    r = s.row[e, a] + p.tables.action[choice, ACTION_ROW]
    c = s.col[e, a] + p.tables.action[choice, ACTION_COL]
    if p.vanishes:
        reappear(s, p, e, a, r, c)
    else:
        leave(s, p, e, a)
        enter(s, p, e, a, r, c)
    s.moved[e, a] = True
    if p.agents_claim:
        mark_displaced(s, e, a)
    return True


@rule
def end_move(s: State, p: Params, e: int, a: int, choice: int, done: bool) -> None:
    """Count a move, and pay for it if it succeeded."""
    if p.has_stats:
        count_action(s, p, e, a, MOVE_DONE, done)
    if done:
        s.success[e, a] = True
        s.last_action[e, a] = choice
        spend(s, p, e, a, MOVE)


@rule
def has_use(f: Frame, p: Params, e: int, a: int, k: int) -> bool:
    """Whether what stands in the way has a use that is open; an agent without is a conflict."""
    if k < 0 or k >= p.things:
        return False
    if p.tables.kind[p.tables.kind_of[k], USE_BYTECODE] >= 0:
        return k >= p.agents or may(f, e, a, k, USE_LINK)
    if k < p.agents:
        emit(f, e, CONFLICT, a, k, 0.0)
    return False


@rule
def end_use(f: Frame, e: int, a: int, k: int, done: bool) -> bool:
    """Report a use that succeeded."""
    if done:
        emit(f, e, USED, a, k, 0.0)
    return done


@rule
def change_vibes(s: State, f: Frame, p: Params, e: int) -> None:
    """Change vibes in the order of turns, after all other actions (cogs)."""
    if not p.has_vibes:
        return
    for i in range(p.agents):
        a = s.turn[e, i]
        if f.active[e, a]:
            choice = f.choice[e, a, 1] if p.split else f.choice[e, a, 0]
            if p.tables.action[choice, ACTION_KIND] == CHANGE_VIBE:
                change_vibe(s, f, p, e, a, choice)


@rule
def end_turns(s: State, f: Frame, p: Params, e: int) -> None:
    """Change vibes and take messages, after everyone's own action (cogs)."""
    change_vibes(s, f, p, e)
    if p.talks:
        speak(s, f, p, e)


@rule
def do_noop(s: State, p: Params, e: int, a: int) -> None:
    """Do nothing, if that can be paid."""
    done = can_pay(s, p, e, a, NOOP)
    if p.has_stats:
        count_action(s, p, e, a, NOOP_DONE, done)
    if done:
        s.success[e, a] = True
        spend(s, p, e, a, NOOP)


@rule
def can_pay(s: State, p: Params, e: int, a: int, kind: int) -> bool:
    """Whether an agent has what an action requires."""
    if not p.has_costs:
        return True
    for r in range(p.resources):
        if s.amount[e, a, r] < p.tables.cost[kind, COST_REQUIRED, r]:
            return False
    return True


@rule
def spend(s: State, p: Params, e: int, a: int, kind: int) -> None:
    """Take what an action costs."""
    spent = False
    if not p.has_costs:
        return
    for i in range(p.resources):
        r = p.classic.cost_order[kind, i]
        if r >= 0 and p.tables.cost[kind, COST_PAID, r] > 0:
            adjust(s, p, e, a, r, -p.tables.cost[kind, COST_PAID, r])
            spent = True
    if spent:
        mark_stale(s, e, a)


@rule
def change_vibe(s: State, f: Frame, p: Params, e: int, a: int, choice: int) -> None:
    """Change an agent's vibe, if that can be paid."""
    done = can_pay(s, p, e, a, CHANGE_VIBE)
    if p.has_stats:
        count_action(s, p, e, a, VIBE_DONE, done)
    if done:
        s.vibe[e, a] = p.tables.action[choice, ACTION_VIBE]
        s.success[e, a] = True
        s.last_action[e, a] = choice
        spend(s, p, e, a, CHANGE_VIBE)
        mark_stale(s, e, a)
        emit(f, e, VIBED, a, -1, s.vibe[e, a] * 1.0)
