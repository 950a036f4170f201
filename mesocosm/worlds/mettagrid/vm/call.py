"""Calls: handlers that run within others, of a use, of what follows it, or of a lost tag."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    AFTER_USE,
    AFTER_USE_FRAME,
    CALL_FRAME_SIZE,
    CALL_STACK,
    FRAME_KIND,
    LIST_CURSOR,
    LIST_ITEMS,
    LIST_SIZE,
    LOST_TAG_FRAME,
    MAX_CALL_DEPTH,
    NUM_SAVED,
    ON_USE,
    REG_ACTOR,
    REG_CALL_DEPTH,
    REG_COL,
    REG_DEFERRED_TO,
    REG_FAILED,
    REG_FLAGS,
    REG_RESULT,
    REG_ROW,
    REG_SOURCE,
    REG_TARGET,
    RETURN_ROW,
    SAVED_ACTOR,
    SAVED_DEFERRED,
    SAVED_FLAGS,
    SAVED_REGISTERS,
    USE_FRAME,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import OPCODE, OPERAND_1, OPERAND_2
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.tag import has_tag, set_tag
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.register import (
    col_of,
    kind_handler,
    next_row,
    row_of,
    subject,
)


@rule
def is_call(op: int) -> bool:
    """Whether an opcode may call another handler."""
    return op == opcodes.CALL_TARGET or op == opcodes.DROP_TAG or op == opcodes.NEXT_LOST


@rule
def call(s: State, p: Params, e: int, at: int) -> int:
    """Execute a row that may call another handler; return the row to go on with."""
    if p.tables.bytecode[at, OPCODE] == opcodes.CALL_TARGET:
        return call_target(s, p, e, at)
    return lose_tag(s, p, e, at)


@rule
def call_target(s: State, p: Params, e: int, at: int) -> int:
    """Call the target's own handler; return the row to go on with."""
    k = s.reg[e, REG_TARGET]
    depth = s.reg[e, REG_CALL_DEPTH]
    by = s.reg[e, REG_ACTOR]
    start = -1
    if 0 <= k < p.things and 0 <= by < p.agents and depth < MAX_CALL_DEPTH - 1:
        start = kind_handler(p, k, ON_USE)
    if start < 0:
        s.reg[e, REG_FAILED] = 1
        return next_row(p, at, False)
    push_call_frame(s, e, at, USE_FRAME)
    return start


@rule
def lose_tag(s: State, p: Params, e: int, at: int) -> int:
    """Take a tag away, or find the next that lost it; call what happens then."""
    row = p.tables.bytecode[at]
    k = -1
    tag = wide(row[OPERAND_1])
    if row[OPCODE] == opcodes.NEXT_LOST:
        tag = wide(row[OPERAND_2])
        k = next_without_tag(s, p, e, row[OPERAND_1], tag)
        if k < 0:
            return next_row(p, at, False)
    else:
        who = wide(subject(s, p, e, at))
        if who >= 0 and has_tag(s, e, who, tag):
            set_tag(s, p, e, who, tag, False)
            k = who
    start = removal_handler(p, k, tag)
    if start < 0 or s.reg[e, REG_CALL_DEPTH] >= MAX_CALL_DEPTH - 1:
        return next_row(p, at, True)
    push_call_frame(s, e, at, LOST_TAG_FRAME)
    s.reg[e, REG_ACTOR] = k
    s.reg[e, REG_TARGET] = k
    s.reg[e, REG_SOURCE] = -1
    s.reg[e, REG_ROW] = row_of(s, p, e, k)
    s.reg[e, REG_COL] = col_of(s, p, e, k)
    s.reg[e, REG_DEFERRED_TO] = 0
    return start


@rule
def next_without_tag(s: State, p: Params, e: int, found: int, tag: int) -> int:
    """Return the next thing of a list that does not have a tag any more, or -1."""
    while s.pile[e, found, LIST_CURSOR] < s.pile[e, found, LIST_SIZE]:
        k = s.pile[e, found, LIST_ITEMS + s.pile[e, found, LIST_CURSOR]]
        s.pile[e, found, LIST_CURSOR] += 1
        if not has_tag(s, e, k, tag):
            return wide(k)
    return -1


@rule
def removal_handler(p: Params, k: int, tag: int) -> int:
    """Return where what happens begins when a thing loses a tag, or -1."""
    if k < 0:
        return -1
    row = p.code.schedule.removals_at + p.code.num_tags * p.tables.kind_of[k]
    return wide(p.code.data[row + tag])


@rule
def push_call_frame(s: State, e: int, at: int, kind: int) -> None:
    """Push a call frame: the row to return to, the registers and the flags."""
    depth = s.reg[e, REG_CALL_DEPTH]
    frame = CALL_STACK + CALL_FRAME_SIZE * depth
    s.reg[e, frame + RETURN_ROW] = at
    s.reg[e, frame + FRAME_KIND] = kind
    for i in range(NUM_SAVED):
        s.reg[e, frame + SAVED_REGISTERS + i] = s.reg[e, REG_TARGET + i]
    s.reg[e, frame + SAVED_FLAGS] = s.reg[e, REG_FLAGS]
    s.reg[e, frame + SAVED_ACTOR] = s.reg[e, REG_ACTOR]
    s.reg[e, frame + SAVED_DEFERRED] = s.reg[e, REG_DEFERRED_TO]
    s.reg[e, REG_CALL_DEPTH] = depth + 1
    s.reg[e, REG_FLAGS] = 0


@rule
def pop_call_frame(s: State, p: Params, e: int, good: bool) -> int:
    """End a handler: pop a call frame and return the row to go on with, or -1.

    What an agent does after a use may change the target and may fail; the use itself may not.
    """
    if s.reg[e, REG_CALL_DEPTH] == 0:
        s.reg[e, REG_RESULT] = 1 if good else 0
        return -1
    depth = s.reg[e, REG_CALL_DEPTH] - 1
    s.reg[e, REG_CALL_DEPTH] = depth
    frame = CALL_STACK + CALL_FRAME_SIZE * depth
    at = s.reg[e, frame + RETURN_ROW]
    kind = s.reg[e, frame + FRAME_KIND]
    s.reg[e, REG_FLAGS] = s.reg[e, frame + SAVED_FLAGS]
    s.reg[e, REG_ACTOR] = s.reg[e, frame + SAVED_ACTOR]
    s.reg[e, REG_DEFERRED_TO] = s.reg[e, frame + SAVED_DEFERRED]
    if kind != AFTER_USE_FRAME:
        for i in range(NUM_SAVED):
            s.reg[e, REG_TARGET + i] = s.reg[e, frame + SAVED_REGISTERS + i]
    if kind == USE_FRAME:
        s.reg[e, REG_FAILED] = 0 if good else 1
    for i in range(CALL_FRAME_SIZE):
        s.reg[e, frame + i] = 0
    if good and kind == USE_FRAME:
        start = kind_handler(p, s.reg[e, REG_ACTOR], AFTER_USE)
        if start >= 0:
            push_call_frame(s, e, wide(at), AFTER_USE_FRAME)
            return start
    if kind == LOST_TAG_FRAME:
        return next_row(p, at, True)
    return next_row(p, at, s.reg[e, REG_FAILED] == 0)
