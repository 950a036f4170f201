"""What agents do in a step, shared by all games: begin and end a turn, stay, move, change vibes."""

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.code import CONFLICT, USED, VIBED
from mesocosm.worlds.mettagrid.holding import adjust
from mesocosm.worlds.mettagrid.params import CHANGE_VIBE, MOVE, NOOP, Params
from mesocosm.worlds.mettagrid.place import cell_of, enter, leave
from mesocosm.worlds.mettagrid.plan import PROGRAM
from mesocosm.worlds.mettagrid.stat import note_action, tally
from mesocosm.worlds.mettagrid.stat_code import INVALID, MOVE_DONE, NOOP_DONE, VIBE_DONE
from mesocosm.worlds.mettagrid.state import State


@rule
def begin_turn(s: State, f: Frame, p: Params, e: int, a: int) -> bool:
    """Forget the last turn; say whether the agent chose something that can be carried out."""
    s.success[e, a] = False
    s.moved[e, a] = False
    s.last_action[e, a] = 0
    if f.violations[e, a] == s.faults[e, a]:
        return True
    if p.has_stats:  # once for each of the program's two priorities
        tally(s, p, e, a, INVALID, 2.0)
    if p.split and f.choice[e, a, 0] != NOOP:
        return True
    s.faults[e, a] = f.violations[e, a]
    return False


@rule
def end_turn(s: State, f: Frame, e: int, a: int) -> None:
    """Where the other part of an action was invalid, what was done stays, but counts as failed."""
    if f.violations[e, a] != s.faults[e, a]:
        s.faults[e, a] = f.violations[e, a]
        s.success[e, a] = False


@rule
def rest(s: State, p: Params, e: int, a: int, choice: int) -> None:
    """Stay; who changes its vibe later in the step stays as well (cogs)."""
    if p.tables.action[choice, 0] == NOOP:
        stay(s, p, e, a)
    elif p.has_stats and not p.split:
        note_action(s, p, e, a, NOOP_DONE, True)


@rule
def ahead(s: State, p: Params, e: int, a: int, choice: int) -> int:
    """What stands where a move leads: a slot, -1 if nothing does, -2 off the map."""
    place = cell_of(p, s.row[e, a], s.col[e, a])
    return s.cell[e, place + p.tables.action[choice, 3]] - 1


@rule
def step(s: State, p: Params, e: int, a: int, choice: int) -> bool:
    """Step onto the next cell, if it is free."""
    if ahead(s, p, e, a, choice) != -1:
        return False
    r = s.row[e, a] + p.tables.action[choice, 1]
    c = s.col[e, a] + p.tables.action[choice, 2]
    leave(s, p, e, a)
    enter(s, p, e, a, r, c)
    s.moved[e, a] = True
    return True


@rule
def end_move(s: State, p: Params, e: int, a: int, choice: int, done: bool) -> None:
    """Count a move, and pay for it if it succeeded."""
    if p.has_stats:
        note_action(s, p, e, a, MOVE_DONE, done)
    if done:
        s.success[e, a] = True
        s.last_action[e, a] = choice
        spend(s, p, e, a, MOVE)


@rule
def has_use(f: Frame, p: Params, e: int, a: int, k: int) -> bool:
    """Whether what stands in the way has handlers for its use; an agent without is a conflict."""
    if k < 0 or k >= p.things:
        return False
    if p.tables.kind[p.tables.kind_of[k], PROGRAM] >= 0:
        return True
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
    """Let vibes change in the order of turns, after everyone's own action (cogs)."""
    if not p.has_vibes:
        return
    for i in range(p.agents):
        a = s.turn[e, i]
        if f.active[e, a]:
            choice = f.choice[e, a, 1] if p.split else f.choice[e, a, 0]
            if p.tables.action[choice, 0] == CHANGE_VIBE:
                take_on(s, f, p, e, a, choice)


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
        emit(f, e, VIBED, a, -1, s.vibe[e, a] * 1.0)
