"""Execute the bytecode of handlers."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    NUM_VOLATILE,
    REG_ACTOR,
    REG_COL,
    REG_FAILED,
    REG_RESULT,
    REG_ROW,
    REG_SOURCE,
    REG_TARGET,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import OPCODE, OPERAND_1
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.call import call, is_call, pop_call_frame
from mesocosm.worlds.mettagrid.vm.condition import test_condition
from mesocosm.worlds.mettagrid.vm.effect import apply_change, apply_effect, write_value
from mesocosm.worlds.mettagrid.vm.lists import execute_list_row
from mesocosm.worlds.mettagrid.vm.register import col_of, is_condition, next_row, row_of
from mesocosm.worlds.mettagrid.vm.transfer import defend, defer_change


@rule
def run_handler(
    s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float
) -> bool:
    """Run a handler on a target; return whether it succeeded."""
    if target >= 0:
        s.reg[e, REG_ROW] = row_of(s, p, e, target)
        s.reg[e, REG_COL] = col_of(s, p, e, target)
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
            by = wide(s.reg[e, REG_ACTOR])
            to = wide(s.reg[e, REG_TARGET])
            ok = test_condition(s, p, e, by, to, wide(s.reg[e, REG_SOURCE]), at)
            at = next_row(p, at, ok)
        elif op == opcodes.BEGIN_CHANGES:
            s.reg[e, REG_FAILED] = 0
            at += 1
        elif op >= opcodes.LIST_TAGGED:
            at = execute_list_row(s, p, e, at)
        elif is_call(op):
            at = call(s, p, e, at)
        else:
            if op >= opcodes.SET_STAT and op <= opcodes.ADD_IF_NOBODY:
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
