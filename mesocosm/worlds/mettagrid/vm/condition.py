"""Conditions of bytecode."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    LIST_ITEMS,
    LIST_SIZE,
    ON_USE,
    REG_FAILED,
    REG_FLAGS,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
    OPCODE,
    OPERAND_1,
    OPERAND_2,
    TARGET,
    WHO,
)
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.tag import has_tag
from mesocosm.worlds.mettagrid.grid.value import is_at_least
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.register import (
    is_condition,
    kind_handler,
    next_row,
    squared_distance,
)


@rule
def test_condition(
    s: State, p: Params, e: int, actor: int, target: int, source: int, at: int
) -> bool:
    """Whether the condition in a row holds; of nobody, none does."""
    row = p.tables.bytecode[at]
    op = row[OPCODE]
    x = row[OPERAND_1]
    ok = True
    if op == opcodes.PERIODIC:
        since = s.clock[e] - row[OPERAND_2]
        ok = since >= 0 and since % max(x, 1) == 0
    elif op == opcodes.TARGET_CELL_EMPTY:
        ok = target < 0
    elif op == opcodes.TARGET_USABLE:
        ok = target >= 0
        if not ok and row[OPERAND_2] != 0:
            s.reg[e, REG_FAILED] = 1
    elif op == opcodes.TEST_FLAG:
        ok = (s.reg[e, REG_FLAGS] >> x) & 1 == 1
    elif op == opcodes.SHARED_TAG:
        ok = share_tag(s, p, e, actor, target, wide(x))
    elif op == opcodes.GAME_VALUE:
        who = target if row[WHO] == TARGET else actor
        ok = is_at_least(s, p, e, who, x, row[OPERAND_2])
    elif op != opcodes.JUMP:
        who = target if row[WHO] == TARGET else actor
        ok = who >= 0
        if ok:
            ok = test_thing(s, p, e, who, source if source >= 0 else actor, at)
    return ok


@rule
def test_thing(s: State, p: Params, e: int, who: int, origin: int, at: int) -> bool:
    """Whether a row's condition about one thing holds."""
    row = p.tables.bytecode[at]
    op = row[OPCODE]
    x = row[OPERAND_1]
    if op == opcodes.HAS_RESOURCE:
        ok = s.amount[e, who, x] >= row[OPERAND_2]
    elif op == opcodes.HAS_VIBE:
        ok = s.vibe[e, who] == x
    elif op == opcodes.HAS_TAG:
        ok = has_tag(s, e, who, x)
    elif op == opcodes.HAS_ANY_TAG:
        ok = share_tag(s, p, e, who, who, wide(x))
    elif op == opcodes.EXISTS:
        ok = True
    elif op == opcodes.NEAR_LISTED:
        ok = near_listed(s, p, e, who, wide(x), wide(row[OPERAND_2]))
    else:
        ok = origin >= 0 and (x == 0 or squared_distance(s, p, e, origin, who) <= x * x)
    return ok


@rule
def share_tag(s: State, p: Params, e: int, k: int, j: int, mask: int) -> bool:
    """Whether two things have a tag of a set in common."""
    if k < 0 or j < 0:
        return False
    for word in range(s.tag.shape[2]):
        if s.tag[e, k, word] & s.tag[e, j, word] & p.code.data[mask + word] != 0:
            return True
    return False


@rule
def near_listed(s: State, p: Params, e: int, k: int, found: int, radius: int) -> bool:
    """Whether a thing is near one of a list; a radius of 0 reaches everywhere."""
    for i in range(s.pile[e, found, LIST_SIZE]):
        if (
            radius == 0
            or squared_distance(s, p, e, k, s.pile[e, found, LIST_ITEMS + i]) <= radius * radius
        ):
            return True
    return False


@rule
def would_handle(s: State, p: Params, e: int, actor: int, target: int) -> bool:
    """Whether a target's handler would make a change; any query counts as passing."""
    at = kind_handler(p, target, ON_USE)
    for _ in range(p.tables.bytecode.shape[0]):
        op = p.tables.bytecode[at, OPCODE]
        if op == opcodes.END:
            return False
        if op == opcodes.BEGIN_CHANGES or op >= opcodes.LIST_TAGGED:
            return True
        ok = not is_condition(op) or test_condition(s, p, e, wide(actor), wide(target), -1, at)
        at = next_row(p, at, ok)
    return False
