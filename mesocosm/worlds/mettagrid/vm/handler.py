"""Execute the bytecode of handlers."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    AFTER_USE,
    CALL_FRAME_SIZE,
    CALL_STACK,
    IS_AFTER_USE,
    MAX_CALL_DEPTH,
    NUM_SAVED,
    NUM_VOLATILE,
    ON_USE,
    REG_ACTOR,
    REG_CALL_DEPTH,
    REG_COL,
    REG_FAILED,
    REG_FLAGS,
    REG_RESULT,
    REG_ROW,
    REG_SOURCE,
    REG_TARGET,
    RETURN_ROW,
    SAVED_FLAGS,
    SAVED_REGISTERS,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import OPCODE, OPERAND_1
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.condition import test_condition
from mesocosm.worlds.mettagrid.vm.effect import apply_change, apply_effect, write_value
from mesocosm.worlds.mettagrid.vm.lists import execute_list_row
from mesocosm.worlds.mettagrid.vm.register import is_condition, kind_handler, next_row
from mesocosm.worlds.mettagrid.vm.transfer import defend, defer_change


@rule
def run_handler(
    s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float
) -> bool:
    """Run a handler on a target; return whether it succeeded."""
    if target >= 0:
        s.reg[e, REG_ROW] = s.row[e, target]
        s.reg[e, REG_COL] = s.col[e, target]
    return execute(s, p, e, actor, target, start, gain)


@rule
def execute(s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float) -> bool:
    """Execute rows from a start to the end; the target's cell is already set."""
    s.reg[e, REG_ACTOR] = actor
    s.reg[e, REG_TARGET] = target
    s.reg[e, REG_SOURCE] = -1
    at = wide(start)
    while at >= 0:
        op = p.tables.bytecode[at, OPCODE]
        if op == opcodes.END:
            at = pop_call_frame(s, p, e, p.tables.bytecode[at, OPERAND_1] != 0)
        elif op == opcodes.DEFEND:
            at = next_row(p, at, defend(s, p, e, at))
        elif is_condition(op):
            at = next_row(p, at, test_row(s, p, e, at))
        elif op == opcodes.BEGIN_CHANGES:
            s.reg[e, REG_FAILED] = 0
            at += 1
        elif op >= opcodes.LIST_TAGGED:
            at = execute_list_row(s, p, e, at)
        elif op == opcodes.CALL_TARGET:
            at = call_target(s, p, e, at)
        else:
            if op >= opcodes.SET_STAT and op <= opcodes.ADD_AMOUNT:
                write_value(s, p, e, at, gain)
            elif op >= opcodes.RELOCATE:
                apply_effect(s, p, e, at)
            elif not defer_change(s, p, e, at):
                apply_change(s, p, e, at, gain)
            at = next_row(p, at, s.reg[e, REG_FAILED] == 0)
    good = s.reg[e, REG_RESULT] == 1
    for i in range(NUM_VOLATILE):
        s.reg[e, i] = 0
    return good


@rule
def test_row(s: State, p: Params, e: int, at: int) -> bool:
    """Whether the condition in a row holds for those in the registers."""
    actor = wide(s.reg[e, REG_ACTOR])
    target = wide(s.reg[e, REG_TARGET])
    return test_condition(s, p, e, actor, target, wide(s.reg[e, REG_SOURCE]), at)


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
    push_call_frame(s, e, at, False)
    return start


@rule
def push_call_frame(s: State, e: int, at: int, after: bool) -> None:
    """Push a call frame: the row to return to, the registers and the flags."""
    depth = s.reg[e, REG_CALL_DEPTH]
    frame = CALL_STACK + CALL_FRAME_SIZE * depth
    s.reg[e, frame + RETURN_ROW] = at
    s.reg[e, frame + IS_AFTER_USE] = 1 if after else 0
    for i in range(NUM_SAVED):
        s.reg[e, frame + SAVED_REGISTERS + i] = s.reg[e, REG_TARGET + i]
    s.reg[e, frame + SAVED_FLAGS] = s.reg[e, REG_FLAGS]
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
    after = s.reg[e, frame + IS_AFTER_USE] == 1
    s.reg[e, REG_FLAGS] = s.reg[e, frame + SAVED_FLAGS]
    if not after:
        for i in range(NUM_SAVED):
            s.reg[e, REG_TARGET + i] = s.reg[e, frame + SAVED_REGISTERS + i]
        s.reg[e, REG_FAILED] = 0 if good else 1
    for i in range(CALL_FRAME_SIZE):
        s.reg[e, frame + i] = 0
    if good and not after:
        start = kind_handler(p, s.reg[e, REG_ACTOR], AFTER_USE)
        if start >= 0:
            push_call_frame(s, e, wide(at), True)
            return start
    return next_row(p, at, s.reg[e, REG_FAILED] == 0)
