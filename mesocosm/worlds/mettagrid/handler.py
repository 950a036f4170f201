"""Handlers at work: follow a program's conditions and changes."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid import program
from mesocosm.worlds.mettagrid.effect import act_out, apply, defends, write_value
from mesocosm.worlds.mettagrid.inventory import wide
from mesocosm.worlds.mettagrid.lists import walk
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.program import FAIL, OP, PASS, TARGET, WHO, X, Y
from mesocosm.worlds.mettagrid.register import (
    BY,
    COL,
    DEPTH_NOW,
    FAILED,
    FLAGS,
    FROM,
    RESULT,
    ROW,
    TO,
    WORD,
    apart,
    has_tag,
    is_condition,
)
from mesocosm.worlds.mettagrid.script import AFTER_USE, ON_USE, OWN
from mesocosm.worlds.mettagrid.state import CALLS, DEPTH, State
from mesocosm.worlds.mettagrid.tally import FIRST, SIZE
from mesocosm.worlds.mettagrid.value import worth_of


@rule
def holds(s: State, p: Params, e: int, actor: int, target: int, source: int, at: int) -> bool:
    """Whether the condition in a row of the program holds; of nobody, none does."""
    row = p.tables.program[at]
    op = row[OP]
    x = row[X]
    ok = True
    if op == program.PERIODIC:
        since = s.clock[e] - row[Y]
        ok = since >= 0 and since % max(x, 1) == 0
    elif op == program.LOC_EMPTY:
        ok = target < 0
    elif op == program.USABLE:
        ok = target >= 0
    elif op == program.FLAG:
        ok = (s.reg[e, FLAGS] >> x) & 1 == 1
    elif op == program.SHARED_TAG:
        ok = shares(s, p, e, actor, target, wide(x))
    elif op == program.GAME_VALUE:
        who = target if row[WHO] == TARGET else actor
        ok = worth_of(s, p, e, who, x) >= worth_of(s, p, e, who, row[Y])
    elif op != program.ALWAYS:
        who = target if row[WHO] == TARGET else actor
        ok = who >= 0
        if ok:
            ok = is_so(s, p, e, who, source if source >= 0 else actor, at)
    return ok


@rule
def is_so(s: State, p: Params, e: int, who: int, origin: int, at: int) -> bool:
    """Whether what a row asks about one thing is so."""
    row = p.tables.program[at]
    op = row[OP]
    x = row[X]
    if op == program.RESOURCE:
        ok = s.amount[e, who, x] >= row[Y]
    elif op == program.VIBE:
        ok = s.vibe[e, who] == x
    elif op == program.TAG:
        ok = has_tag(s, e, who, x)
    elif op == program.ANY_TAG:
        ok = shares(s, p, e, who, who, wide(x))
    elif op == program.THERE:
        ok = True
    elif op == program.NEAR:
        ok = is_near(s, e, who, wide(x), wide(row[Y]))
    else:
        ok = origin >= 0 and (x == 0 or apart(s, e, origin, who) <= x * x)
    return ok


@rule(apart=True)
def shares(s: State, p: Params, e: int, k: int, j: int, mask: int) -> bool:
    """Whether two things have a tag of a set in common."""
    if k < 0 or j < 0:
        return False
    for word in range(s.tag.shape[2]):
        if s.tag[e, k, word] & s.tag[e, j, word] & p.code.data[mask + word] != 0:
            return True
    return False


@rule(apart=True)
def is_near(s: State, e: int, k: int, found: int, radius: int) -> bool:
    """Whether a thing is near one of a list; a radius of 0 reaches everywhere."""
    for i in range(s.pile[e, found, SIZE]):
        if radius == 0 or apart(s, e, k, s.pile[e, found, FIRST + i]) <= radius * radius:
            return True
    return False


@rule(apart=True)
def would_pass(s: State, p: Params, e: int, actor: int, target: int, start: int) -> bool:
    """Whether a target's handler would act, without letting it; queries may find anyone."""
    at = wide(p.code.data[start + ON_USE])
    for _ in range(p.tables.program.shape[0]):
        op = p.tables.program[at, OP]
        if op == program.END:
            return False
        if op == program.BEGIN or op >= program.LIST:
            return True
        ok = not is_condition(op) or holds(s, p, e, wide(actor), wide(target), -1, at)
        at = p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL]
    return False


@rule
def run(s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float) -> bool:
    """Let a program act on a target; give whether it succeeded."""
    if target >= 0:
        s.reg[e, ROW] = s.row[e, target]
        s.reg[e, COL] = s.col[e, target]
    return follow(s, p, e, actor, target, start, gain)


@rule(apart=True)
def follow(s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float) -> bool:
    """Go through the rows of a program to its end; the target's place is set."""
    s.reg[e, BY] = actor
    s.reg[e, TO] = target
    s.reg[e, FROM] = -1
    at = wide(start)
    while at >= 0:
        op = p.tables.program[at, OP]
        if op == program.END:
            at = resume(s, p, e, p.tables.program[at, X] != 0)
        elif op == program.DEFENDS:
            at = p.tables.program[at, PASS] if defends(s, p, e, at) else p.tables.program[at, FAIL]
        elif is_condition(op):
            ok = holds(s, p, e, wide(s.reg[e, BY]), wide(s.reg[e, TO]), wide(s.reg[e, FROM]), at)
            at = p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL]
        elif op == program.BEGIN:
            s.reg[e, FAILED] = 0
            at += 1
        elif op >= program.LIST:
            at = walk(s, p, e, at)
        elif op == program.USE:
            at = use_target(s, p, e, at)
        else:
            if op >= program.SET_STAT and op <= program.ADD_ITEM:
                write_value(s, p, e, at, gain)
            elif op < program.RELOCATE:
                apply(s, p, e, at, gain)
            else:
                act_out(s, p, e, at)
            ok = s.reg[e, FAILED] == 0
            at = p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL]
    good = s.reg[e, RESULT] == 1
    for i in range(WORD):
        s.reg[e, i] = 0
    return good


@rule(apart=True)
def use_target(s: State, p: Params, e: int, at: int) -> int:
    """Go over to the target's own program; come back to this row."""
    k = s.reg[e, TO]
    depth = s.reg[e, DEPTH_NOW]
    by = s.reg[e, BY]
    start = -1
    if 0 <= k < p.things and 0 <= by < p.agents and depth < DEPTH - 1:
        start = p.code.data[p.code.own_at + OWN * p.tables.kind_of[k] + ON_USE]
    if start < 0:
        s.reg[e, FAILED] = 1
        return wide(p.tables.program[at, FAIL])
    wait(s, e, at, False)
    return wide(start)


@rule
def wait(s: State, e: int, at: int, after: bool) -> None:
    """Note where a program goes on when another is over, and whom it is about."""
    depth = s.reg[e, DEPTH_NOW]
    s.reg[e, CALLS + 8 * depth + 0] = at
    s.reg[e, CALLS + 8 * depth + 1] = 1 if after else 0
    for i in range(5):
        s.reg[e, CALLS + 8 * depth + 2 + i] = s.reg[e, TO + i]
    s.reg[e, CALLS + 8 * depth + 7] = s.reg[e, FLAGS]
    s.reg[e, DEPTH_NOW] = depth + 1
    s.reg[e, FLAGS] = 0


@rule(apart=True)
def resume(s: State, p: Params, e: int, good: bool) -> int:
    """End a program: go on with the one that waits for it, or give -1.

    What an agent does after a use can change the target, and can fail; the use itself can not.
    """
    if s.reg[e, DEPTH_NOW] == 0:
        s.reg[e, RESULT] = 1 if good else 0
        return -1
    depth = s.reg[e, DEPTH_NOW] - 1
    s.reg[e, DEPTH_NOW] = depth
    at = s.reg[e, CALLS + 8 * depth + 0]
    after = s.reg[e, CALLS + 8 * depth + 1] == 1
    s.reg[e, FLAGS] = s.reg[e, CALLS + 8 * depth + 7]
    if not after:
        for i in range(5):
            s.reg[e, TO + i] = s.reg[e, CALLS + 8 * depth + 2 + i]
        s.reg[e, FAILED] = 0 if good else 1
    for i in range(8):
        s.reg[e, CALLS + 8 * depth + i] = 0
    if good and not after:
        start = p.code.data[p.code.own_at + OWN * p.tables.kind_of[s.reg[e, BY]] + AFTER_USE]
        if start >= 0:
            wait(s, e, wide(at), True)
            return wide(start)
    return wide(p.tables.program[at, PASS] if s.reg[e, FAILED] == 0 else p.tables.program[at, FAIL])
