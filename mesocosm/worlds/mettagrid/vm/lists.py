"""Lists of things that bytecode fills, filters and shortens."""

from mesocosm.sim.maths import clip
from mesocosm.sim.rng import below
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    BOUND_ACTORS,
    LIST_CURSOR,
    LIST_INNER_CURSOR,
    LIST_ITEMS,
    LIST_KEPT,
    LIST_SAVED_SOURCE,
    LIST_SAVED_TARGET,
    LIST_SIZE,
    REG_ACTOR,
    REG_NUM_DRAWN,
    REG_RANDOM_WORD,
    REG_SOURCE,
    REG_TARGET,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
    JUMP_IF_FALSE,
    JUMP_IF_TRUE,
    OPCODE,
    OPERAND_1,
    OPERAND_2,
    WHO,
)
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.order import shuffle_upstream, swap
from mesocosm.worlds.mettagrid.grid.value import OVERFLOWS_AT, value_of
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.condition import test_condition
from mesocosm.worlds.mettagrid.vm.ray import (
    block_ray,
    execute_ray_row,
    keep_ray_hit,
    next_ray_hit,
)
from mesocosm.worlds.mettagrid.vm.register import is_condition, next_row
from mesocosm.worlds.mettagrid.vm.scratch import append_item, begin_list, clear_marks

SHUFFLE_STREAM = 2


@rule
def execute_list_row(s: State, p: Params, e: int, at: int) -> int:
    """Execute a row about a list; return the row that follows."""
    row = p.tables.bytecode[at]
    op = row[OPCODE]
    found = row[OPERAND_1]
    good = True
    if is_loop(op):
        return run_loop(s, p, e, at)
    if op == opcodes.LIST_TAGGED:
        list_tagged(s, p, e, found, row[OPERAND_2])
    elif op == opcodes.BEGIN_FILTER:
        s.pile[e, found, LIST_CURSOR] = 0
        s.pile[e, found, LIST_KEPT] = 0
        s.pile[e, found, LIST_SAVED_TARGET] = s.reg[e, REG_TARGET]
    elif op == opcodes.LIMIT_LIST:
        limit_list(s, p, e, found, row[WHO] != 0, row[OPERAND_2])
    elif op == opcodes.BEGIN_CLOSURE:
        begin_closure(s, p, e, found, row[OPERAND_2])
    elif takes_thing(op):
        take_thing(s, p, e, at)
    elif op >= opcodes.BEGIN_RAYS:
        good = execute_ray_row(s, p, e, at)
    else:
        bind_or_limit(s, p, e, at)
    return row[JUMP_IF_TRUE] if good else row[JUMP_IF_FALSE]


@rule
def is_loop(op: int) -> bool:
    """Whether an opcode goes on to the next thing of a list."""
    return op == opcodes.NEXT_LISTED or op == opcodes.NEXT_RAY_HIT or op == opcodes.NEXT_EDGE


@rule
def run_loop(s: State, p: Params, e: int, at: int) -> int:
    """Execute a loop through a list as far as it has conditions only; return the row to go on with.

    What each thing is tested for, and what is done with it then, stands in the rows that follow.
    """
    while next_thing(s, p, e, at):
        row = next_row(p, at, True)
        while tests(p.tables.bytecode[row, OPCODE]):
            by = wide(s.reg[e, REG_ACTOR])
            to = wide(s.reg[e, REG_TARGET])
            ok = test_condition(s, p, e, by, to, wide(s.reg[e, REG_SOURCE]), row)
            row = next_row(p, row, ok)
        if row != at and takes_thing(p.tables.bytecode[row, OPCODE]):
            take_thing(s, p, e, row)
            row = next_row(p, row, True)
        if row != at:
            return row
    return next_row(p, at, False)


@rule
def tests(op: int) -> bool:
    """Whether an opcode is a condition that changes nothing."""
    return is_condition(op) and op != opcodes.END and op != opcodes.DEFEND


@rule
def next_thing(s: State, p: Params, e: int, at: int) -> bool:
    """Set the target to the next thing of a list; return False after the last."""
    row = p.tables.bytecode[at]
    if row[OPCODE] == opcodes.NEXT_LISTED:
        return next_listed(s, e, row[OPERAND_1])
    if row[OPCODE] == opcodes.NEXT_RAY_HIT:
        return next_ray_hit(s, p, e, row[OPERAND_1], row[WHO], row[OPERAND_2])
    return next_edge(s, p, e, row[OPERAND_1], row[WHO])


@rule
def takes_thing(op: int) -> bool:
    """Whether an opcode takes the target into a list, or ends a ray there."""
    return (
        op == opcodes.KEEP_LISTED
        or op == opcodes.JOIN_CLOSURE
        or op == opcodes.KEEP_RAY_HIT
        or op == opcodes.BLOCK_RAY
    )


@rule
def take_thing(s: State, p: Params, e: int, at: int) -> None:
    """Take the target into a list, or end a ray there."""
    row = p.tables.bytecode[at]
    if row[OPCODE] == opcodes.KEEP_LISTED:
        keep_listed(s, e, row[OPERAND_1])
    elif row[OPCODE] == opcodes.KEEP_RAY_HIT:
        keep_ray_hit(s, p, e, row[OPERAND_1], row[OPERAND_2], True)
    elif row[OPCODE] == opcodes.BLOCK_RAY:
        block_ray(s, p, e, row[OPERAND_1], row[OPERAND_2])
    else:
        append_once(s, p, e, row[OPERAND_1], s.reg[e, REG_TARGET])


@rule
def keep_listed(s: State, e: int, found: int) -> None:
    """Keep the target in the list that is filtered."""
    s.pile[e, found, LIST_ITEMS + s.pile[e, found, LIST_KEPT]] = s.reg[e, REG_TARGET]
    s.pile[e, found, LIST_KEPT] += 1


@rule
def bind_or_limit(s: State, p: Params, e: int, at: int) -> None:
    """Bind the target as the actor of a value's queries, undo that, or limit a list by a value."""
    row = p.tables.bytecode[at]
    x = row[OPERAND_1]
    by = wide(s.reg[e, REG_ACTOR])
    if row[OPCODE] == opcodes.BIND_ACTOR:
        s.reg[e, BOUND_ACTORS + x] = by
        s.reg[e, REG_ACTOR] = s.reg[e, REG_TARGET]
    elif row[OPCODE] == opcodes.UNBIND_ACTOR:
        s.reg[e, REG_ACTOR] = s.reg[e, BOUND_ACTORS + x]
        s.reg[e, BOUND_ACTORS + x] = 0
    else:
        most = value_of(s, p, e, by, row[OPERAND_2])
        if not most < OVERFLOWS_AT:
            most = -1.0
        most = clip(most, -1.0, 1.0 * s.pile[e, x, LIST_SIZE])
        limit_list(s, p, e, x, False, int(most))


@rule
def list_tagged(s: State, p: Params, e: int, found: int, tag: int) -> None:
    """List who has a tag, in the order they got it."""
    column = p.code.data[tag]
    row = s.listed[e, column]
    number = row[0]
    for i in range(number):
        s.pile[e, found, LIST_ITEMS + i] = row[1 + i]
    begin_list(s, e, found, number)


@rule
def next_listed(s: State, e: int, found: int) -> bool:
    """Set the target to the next thing of a list; at its end, shorten it to what was kept."""
    if s.pile[e, found, LIST_CURSOR] < s.pile[e, found, LIST_SIZE]:
        s.reg[e, REG_TARGET] = s.pile[e, found, LIST_ITEMS + s.pile[e, found, LIST_CURSOR]]
        s.pile[e, found, LIST_CURSOR] += 1
        return True
    s.pile[e, found, LIST_SIZE] = s.pile[e, found, LIST_KEPT]
    s.reg[e, REG_TARGET] = s.pile[e, found, LIST_SAVED_TARGET]
    return False


@rule
def shuffle_list(s: State, p: Params, e: int, found: int, size: int) -> None:
    """Shuffle a list."""
    if size < 2:
        return
    if p.shuffles:
        shuffle_upstream(s.twister[e], s.pile[e, found], size, LIST_ITEMS)
        return
    for i in range(size - 1, 0, -1):
        s.reg[e, REG_NUM_DRAWN] += 1
        other = below(
            i + 1, s.reg[e, REG_RANDOM_WORD], s.clock[e], SHUFFLE_STREAM, s.reg[e, REG_NUM_DRAWN]
        )
        swap(s.pile[e, found], LIST_ITEMS + i, LIST_ITEMS + other)


@rule
def limit_list(s: State, p: Params, e: int, found: int, shuffled: bool, most: int) -> None:
    """Shuffle a list if asked, and cut what is beyond its limit."""
    if shuffled:
        shuffle_list(s, p, e, found, s.pile[e, found, LIST_SIZE])
    if most >= 0:
        s.pile[e, found, LIST_SIZE] = min(s.pile[e, found, LIST_SIZE], most)


@rule
def append_once(s: State, p: Params, e: int, found: int, k: int) -> None:
    """Add a thing that a list does not have yet."""
    if s.pile[e, found, LIST_ITEMS + p.list_room + k] == 0:
        s.pile[e, found, LIST_ITEMS + p.list_room + k] = 1
        append_item(s, e, found, k)


@rule
def begin_closure(s: State, p: Params, e: int, found: int, source: int) -> None:
    """Begin a closure with the things of another list."""
    begin_list(s, e, found, 0)
    for i in range(s.pile[e, source, LIST_SIZE]):
        append_once(s, p, e, found, s.pile[e, source, LIST_ITEMS + i])
    s.pile[e, found, LIST_CURSOR] = 0
    s.pile[e, found, LIST_INNER_CURSOR] = 0
    s.pile[e, found, LIST_SAVED_TARGET] = s.reg[e, REG_TARGET]
    s.pile[e, found, LIST_SAVED_SOURCE] = s.reg[e, REG_SOURCE]


@rule
def next_edge(s: State, p: Params, e: int, found: int, pool: int) -> bool:
    """Set source and target to the next pair of a member and a candidate, or end the closure."""
    while s.pile[e, found, LIST_CURSOR] < s.pile[e, found, LIST_SIZE]:
        while s.pile[e, found, LIST_INNER_CURSOR] < s.pile[e, pool, LIST_SIZE]:
            k = s.pile[e, pool, LIST_ITEMS + s.pile[e, found, LIST_INNER_CURSOR]]
            s.pile[e, found, LIST_INNER_CURSOR] += 1
            if s.pile[e, found, LIST_ITEMS + p.list_room + k] == 0:
                s.reg[e, REG_SOURCE] = s.pile[e, found, LIST_ITEMS + s.pile[e, found, LIST_CURSOR]]
                s.reg[e, REG_TARGET] = k
                return True
        s.pile[e, found, LIST_CURSOR] += 1
        s.pile[e, found, LIST_INNER_CURSOR] = 0
    clear_marks(s, p, e, found)
    s.reg[e, REG_TARGET] = s.pile[e, found, LIST_SAVED_TARGET]
    s.reg[e, REG_SOURCE] = s.pile[e, found, LIST_SAVED_SOURCE]
    return False
