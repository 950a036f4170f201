"""Handlers at work: follow a program's conditions and changes."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid import program
from mesocosm.worlds.mettagrid.effect import act_out, apply, defends
from mesocosm.worlds.mettagrid.lists import walk
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.plan import PROGRAM
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
    apart,
    has_tag,
    is_condition,
)
from mesocosm.worlds.mettagrid.state import DEPTH, REGISTERS, State
from mesocosm.worlds.mettagrid.tally import SIZE

AFTER_USE = 0


@rule
def holds(s: State, p: Params, e: int, actor: int, target: int, source: int, at: int) -> bool:
    """Whether the condition in a row of the program holds; of nobody, none does."""
    row = p.tables.program[at]
    op = row[OP]
    who = target if row[WHO] == TARGET else actor
    x = row[X]
    if op == program.PERIODIC:
        since = s.clock[e] - row[Y]
        return since >= 0 and since % max(x, 1) == 0
    if op == program.ALWAYS:
        return True
    if op == program.LOC_EMPTY:
        return target < 0
    if op == program.USABLE:
        return target >= 0
    if op == program.FLAG:
        return (s.reg[e, FLAGS] >> x) & 1 == 1
    if op == program.SHARED_TAG:
        return shares(s, p, e, actor, target, x)
    if who < 0:
        return False
    if op == program.RESOURCE:
        return s.amount[e, who, x] >= row[Y]
    if op == program.VIBE:
        return s.vibe[e, who] == x
    if op == program.TAG:
        return has_tag(s, e, who, x)
    if op == program.ANY_TAG:
        return shares(s, p, e, who, who, x)
    if op == program.NEAR:
        return is_near(s, e, who, x, row[Y])
    first = source if source >= 0 else actor
    return first >= 0 and (x == 0 or apart(s, e, first, who) <= x * x)


@rule
def shares(s: State, p: Params, e: int, k: int, j: int, mask: int) -> bool:
    """Whether two things have a tag of a set in common."""
    if k < 0 or j < 0:
        return False
    for word in range(s.tag.shape[2]):
        if s.tag[e, k, word] & s.tag[e, j, word] & p.code.masks[mask, word] != 0:
            return True
    return False


@rule
def is_near(s: State, e: int, k: int, found: int, radius: int) -> bool:
    """Whether a thing is near one of a list; a radius of 0 reaches everywhere."""
    for i in range(s.tally[e, found, SIZE]):
        if radius == 0 or apart(s, e, k, s.pile[e, found, i]) <= radius * radius:
            return True
    return False


@rule
def would_pass(s: State, p: Params, e: int, actor: int, target: int, start: int) -> bool:
    """Whether some handler of a program would act, without letting it; queries may find anyone."""
    at = start
    for _ in range(p.tables.program.shape[0]):
        op = p.tables.program[at, OP]
        if op == program.END:
            return False
        if op == program.BEGIN or op >= program.LIST:
            return True
        ok = not is_condition(op) or holds(s, p, e, actor, target, -1, at)
        at = p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL]
    return False


@rule(inline=False)
def run(s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float) -> bool:
    """Let a program act on a target; give whether it succeeded."""
    if target >= 0:
        s.reg[e, ROW] = s.row[e, target]
        s.reg[e, COL] = s.col[e, target]
    return follow(s, p, e, actor, target, start, gain)


@rule(inline=False)
def follow(s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float) -> bool:
    """Go through the rows of a program to its end; the target's place is set."""
    s.reg[e, BY] = actor
    s.reg[e, TO] = target
    s.reg[e, FROM] = -1
    at = start
    while at >= 0:
        op = p.tables.program[at, OP]
        if op == program.END:
            at = resume(s, p, e, p.tables.program[at, X] != 0)
        elif op == program.DEFENDS:
            at = p.tables.program[at, PASS] if defends(s, p, e, at) else p.tables.program[at, FAIL]
        elif is_condition(op):
            ok = holds(s, p, e, s.reg[e, BY], s.reg[e, TO], s.reg[e, FROM], at)
            at = p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL]
        elif op >= program.LIST:
            at = walk(s, p, e, at)
        elif op == program.USE:
            at = use_target(s, p, e, at)
        else:
            if op < program.RELOCATE:
                apply(s, p, e, at, gain)
            else:
                act_out(s, p, e, at)
            ok = s.reg[e, FAILED] == 0
            at = p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL]
    good = s.reg[e, RESULT] == 1
    for i in range(REGISTERS):
        s.reg[e, i] = 0
    return good


@rule(inline=False)
def use_target(s: State, p: Params, e: int, at: int) -> int:
    """Go over to the target's own program; come back to this row."""
    k = s.reg[e, TO]
    depth = s.reg[e, DEPTH_NOW]
    by = s.reg[e, BY]
    start = -1
    if 0 <= k < p.things and 0 <= by < p.agents and depth < DEPTH - 1:
        start = p.tables.kind[p.tables.kind_of[k], PROGRAM]
    if start < 0:
        s.reg[e, FAILED] = 1
        return p.tables.program[at, FAIL]
    wait(s, e, at, False)
    return start


@rule
def wait(s: State, e: int, at: int, after: bool) -> None:
    """Note where a program goes on when another is over, and whom it is about."""
    depth = s.reg[e, DEPTH_NOW]
    s.call[e, depth, 0] = at
    s.call[e, depth, 1] = 1 if after else 0
    for i in range(5):
        s.call[e, depth, 2 + i] = s.reg[e, TO + i]
    s.call[e, depth, 7] = s.reg[e, FLAGS]
    s.reg[e, DEPTH_NOW] = depth + 1
    s.reg[e, FLAGS] = 0


@rule(inline=False)
def resume(s: State, p: Params, e: int, good: bool) -> int:
    """End a program: go on with the one that waits for it, or give -1.

    What an agent does after a use can change the target, and can fail; the use itself can not.
    """
    if s.reg[e, DEPTH_NOW] == 0:
        s.reg[e, RESULT] = 1 if good else 0
        return -1
    depth = s.reg[e, DEPTH_NOW] - 1
    s.reg[e, DEPTH_NOW] = depth
    at = s.call[e, depth, 0]
    after = s.call[e, depth, 1] == 1
    s.reg[e, FLAGS] = s.call[e, depth, 7]
    if not after:
        for i in range(5):
            s.reg[e, TO + i] = s.call[e, depth, 2 + i]
        s.reg[e, FAILED] = 0 if good else 1
    for i in range(8):
        s.call[e, depth, i] = 0
    if good and not after:
        start = p.code.own[p.tables.kind_of[s.reg[e, BY]], AFTER_USE]
        if start >= 0:
            wait(s, e, at, True)
            return start
    return p.tables.program[at, PASS] if s.reg[e, FAILED] == 0 else p.tables.program[at, FAIL]
