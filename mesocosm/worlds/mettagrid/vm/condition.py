"""Conditions of programs: whether what a row asks is so."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile import opcodes
from mesocosm.worlds.mettagrid.compile.opcodes import FAIL, OP, PASS, TARGET, WHO, X, Y
from mesocosm.worlds.mettagrid.compile.script import ON_USE
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.tag import has_tag
from mesocosm.worlds.mettagrid.grid.value import worth_of
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.register import FLAGS, apart, is_condition
from mesocosm.worlds.mettagrid.vm.tally import FIRST, SIZE


@rule
def holds(s: State, p: Params, e: int, actor: int, target: int, source: int, at: int) -> bool:
    """Whether the condition in a row of the program holds; of nobody, none does."""
    row = p.tables.program[at]
    op = row[OP]
    x = row[X]
    ok = True
    if op == opcodes.PERIODIC:
        since = s.clock[e] - row[Y]
        ok = since >= 0 and since % max(x, 1) == 0
    elif op == opcodes.LOC_EMPTY:
        ok = target < 0
    elif op == opcodes.USABLE:
        ok = target >= 0
    elif op == opcodes.FLAG:
        ok = (s.reg[e, FLAGS] >> x) & 1 == 1
    elif op == opcodes.SHARED_TAG:
        ok = shares(s, p, e, actor, target, wide(x))
    elif op == opcodes.GAME_VALUE:
        who = target if row[WHO] == TARGET else actor
        ok = worth_of(s, p, e, who, x) >= worth_of(s, p, e, who, row[Y])
    elif op != opcodes.ALWAYS:
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
    if op == opcodes.RESOURCE:
        ok = s.amount[e, who, x] >= row[Y]
    elif op == opcodes.VIBE:
        ok = s.vibe[e, who] == x
    elif op == opcodes.TAG:
        ok = has_tag(s, e, who, x)
    elif op == opcodes.ANY_TAG:
        ok = shares(s, p, e, who, who, wide(x))
    elif op == opcodes.THERE:
        ok = True
    elif op == opcodes.NEAR:
        ok = is_near(s, e, who, wide(x), wide(row[Y]))
    else:
        ok = origin >= 0 and (x == 0 or apart(s, e, origin, who) <= x * x)
    return ok


@rule
def shares(s: State, p: Params, e: int, k: int, j: int, mask: int) -> bool:
    """Whether two things have a tag of a set in common."""
    if k < 0 or j < 0:
        return False
    for word in range(s.tag.shape[2]):
        if s.tag[e, k, word] & s.tag[e, j, word] & p.code.data[mask + word] != 0:
            return True
    return False


@rule
def is_near(s: State, e: int, k: int, found: int, radius: int) -> bool:
    """Whether a thing is near one of a list; a radius of 0 reaches everywhere."""
    for i in range(s.pile[e, found, SIZE]):
        if radius == 0 or apart(s, e, k, s.pile[e, found, FIRST + i]) <= radius * radius:
            return True
    return False


@rule
def would_pass(s: State, p: Params, e: int, actor: int, target: int, start: int) -> bool:
    """Whether a target's handler would act, without letting it; queries may find anyone."""
    at = wide(p.code.data[start + ON_USE])
    for _ in range(p.tables.program.shape[0]):
        op = p.tables.program[at, OP]
        if op == opcodes.END:
            return False
        if op == opcodes.BEGIN or op >= opcodes.LIST:
            return True
        ok = not is_condition(op) or holds(s, p, e, wide(actor), wide(target), -1, at)
        at = p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL]
    return False
