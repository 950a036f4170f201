"""Handlers at work: follow a program's conditions and changes."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid import program
from mesocosm.worlds.mettagrid.effect import act_out, apply, defends, worth, write_value
from mesocosm.worlds.mettagrid.inventory import wide
from mesocosm.worlds.mettagrid.lists import walk
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
from mesocosm.worlds.mettagrid.state import CALLS, DEPTH
from mesocosm.worlds.mettagrid.tally import FIRST, SIZE
from mesocosm.worlds.mettagrid.work import Seen, View, Work


@rule
def holds(w: Seen, actor: int, target: int, source: int, at: int) -> bool:
    """Whether the condition in a row of the program holds; of nobody, none does."""
    row = w.program[at]
    op = row[OP]
    x = row[X]
    ok = True
    if op == program.PERIODIC:
        since = w.clock - row[Y]
        ok = since >= 0 and since % max(x, 1) == 0
    elif op == program.LOC_EMPTY:
        ok = target < 0
    elif op == program.USABLE:
        ok = target >= 0
    elif op == program.FLAG:
        ok = (w.reg[FLAGS] >> x) & 1 == 1
    elif op == program.SHARED_TAG:
        ok = shares(w, actor, target, wide(x))
    elif op == program.GAME_VALUE:
        who = target if row[WHO] == TARGET else actor
        ok = worth(w, who, x) >= worth(w, who, row[Y])
    elif op != program.ALWAYS:
        who = target if row[WHO] == TARGET else actor
        ok = who >= 0
        if ok:
            ok = is_so(w, who, source if source >= 0 else actor, at)
    return ok


@rule
def is_so(w: Seen, who: int, origin: int, at: int) -> bool:
    """Whether what a row asks about one thing is so."""
    row = w.program[at]
    op = row[OP]
    x = row[X]
    if op == program.RESOURCE:
        ok = w.amount[who, x] >= row[Y]
    elif op == program.VIBE:
        ok = w.vibe[who] == x
    elif op == program.TAG:
        ok = has_tag(w, who, x)
    elif op == program.ANY_TAG:
        ok = shares(w, who, who, wide(x))
    elif op == program.THERE:
        ok = True
    elif op == program.NEAR:
        ok = is_near(w, who, wide(x), wide(row[Y]))
    else:
        ok = origin >= 0 and (x == 0 or apart(w, origin, who) <= x * x)
    return ok


@rule
def shares(w: Seen, k: int, j: int, mask: int) -> bool:
    """Whether two things have a tag of a set in common."""
    if k < 0 or j < 0:
        return False
    for word in range(w.tag.shape[1]):
        if w.tag[k, word] & w.tag[j, word] & w.data[mask + word] != 0:
            return True
    return False


@rule
def is_near(w: Seen, k: int, found: int, radius: int) -> bool:
    """Whether a thing is near one of a list; a radius of 0 reaches everywhere."""
    for i in range(w.pile[found, SIZE]):
        if radius == 0 or apart(w, k, w.pile[found, FIRST + i]) <= radius * radius:
            return True
    return False


@rule
def would_pass(w: View, actor: int, target: int, start: int) -> bool:
    """Whether a target's handler would act, without letting it; queries may find anyone."""
    at = wide(w.data[start + ON_USE])
    for _ in range(w.program.shape[0]):
        op = w.program[at, OP]
        if op == program.END:
            return False
        if op == program.BEGIN or op >= program.LIST:
            return True
        ok = not is_condition(op) or holds(w, wide(actor), wide(target), -1, at)
        at = w.program[at, PASS] if ok else w.program[at, FAIL]
    return False


@rule
def run(w: Work, actor: int, target: int, start: int, gain: float) -> bool:
    """Let a program act on a target; give whether it succeeded."""
    if target >= 0:
        w.reg[ROW] = w.row[target]
        w.reg[COL] = w.col[target]
    return follow(w, actor, target, start, gain)


@rule
def follow(w: Work, actor: int, target: int, start: int, gain: float) -> bool:
    """Go through the rows of a program to its end; the target's place is set."""
    w.reg[BY] = actor
    w.reg[TO] = target
    w.reg[FROM] = -1
    at = wide(start)
    while at >= 0:
        op = w.program[at, OP]
        if op == program.END:
            at = resume(w, w.program[at, X] != 0)
        elif op == program.DEFENDS:
            at = w.program[at, PASS] if defends(w, at) else w.program[at, FAIL]
        elif is_condition(op):
            ok = holds(w, wide(w.reg[BY]), wide(w.reg[TO]), wide(w.reg[FROM]), at)
            at = w.program[at, PASS] if ok else w.program[at, FAIL]
        elif op == program.BEGIN:
            w.reg[FAILED] = 0
            at += 1
        elif op >= program.LIST:
            at = walk(w, at)
        elif op == program.USE:
            at = use_target(w, at)
        else:
            if op >= program.SET_STAT and op <= program.ADD_ITEM:
                write_value(w, at, gain)
            elif op < program.RELOCATE:
                apply(w, at, gain)
            else:
                act_out(w, at)
            ok = w.reg[FAILED] == 0
            at = w.program[at, PASS] if ok else w.program[at, FAIL]
    good = w.reg[RESULT] == 1
    for i in range(WORD):
        w.reg[i] = 0
    return good


@rule
def use_target(w: Work, at: int) -> int:
    """Go over to the target's own program; come back to this row."""
    k = w.reg[TO]
    depth = w.reg[DEPTH_NOW]
    by = w.reg[BY]
    start = -1
    if 0 <= k < w.things and 0 <= by < w.agents and depth < DEPTH - 1:
        start = w.data[w.own_at + OWN * w.bag.kind_of[k] + ON_USE]
    if start < 0:
        w.reg[FAILED] = 1
        return wide(w.program[at, FAIL])
    wait(w, at, False)
    return wide(start)


@rule
def wait(w: Work, at: int, after: bool) -> None:
    """Note where a program goes on when another is over, and whom it is about."""
    depth = w.reg[DEPTH_NOW]
    w.reg[CALLS + 8 * depth + 0] = at
    w.reg[CALLS + 8 * depth + 1] = 1 if after else 0
    for i in range(5):
        w.reg[CALLS + 8 * depth + 2 + i] = w.reg[TO + i]
    w.reg[CALLS + 8 * depth + 7] = w.reg[FLAGS]
    w.reg[DEPTH_NOW] = depth + 1
    w.reg[FLAGS] = 0


@rule
def resume(w: Work, good: bool) -> int:
    """End a program: go on with the one that waits for it, or give -1.

    What an agent does after a use can change the target, and can fail; the use itself can not.
    """
    if w.reg[DEPTH_NOW] == 0:
        w.reg[RESULT] = 1 if good else 0
        return -1
    depth = w.reg[DEPTH_NOW] - 1
    w.reg[DEPTH_NOW] = depth
    at = w.reg[CALLS + 8 * depth + 0]
    after = w.reg[CALLS + 8 * depth + 1] == 1
    w.reg[FLAGS] = w.reg[CALLS + 8 * depth + 7]
    if not after:
        for i in range(5):
            w.reg[TO + i] = w.reg[CALLS + 8 * depth + 2 + i]
        w.reg[FAILED] = 0 if good else 1
    for i in range(8):
        w.reg[CALLS + 8 * depth + i] = 0
    if good and not after:
        start = w.data[w.own_at + OWN * w.bag.kind_of[w.reg[BY]] + AFTER_USE]
        if start >= 0:
            wait(w, wide(at), True)
            return wide(start)
    return wide(w.program[at, PASS] if w.reg[FAILED] == 0 else w.program[at, FAIL])
