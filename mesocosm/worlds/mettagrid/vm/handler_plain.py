"""Execute bytecode that is about the actor and the target alone."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    NUM_VOLATILE,
    REG_ACTOR,
    REG_SOURCE,
    REG_TARGET,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import OPCODE, OPERAND_1
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.condition import test_condition
from mesocosm.worlds.mettagrid.vm.effect import apply_change
from mesocosm.worlds.mettagrid.vm.register import is_condition, next_row, set_flag, subject
from mesocosm.worlds.mettagrid.vm.spawn import remove_if_empty

# what rows may do here
PLAIN_OPCODES = frozenset({
    opcodes.END, opcodes.HAS_RESOURCE, opcodes.HAS_VIBE, opcodes.HAS_TAG, opcodes.WITHIN_DISTANCE,
    opcodes.PERIODIC, opcodes.TARGET_CELL_EMPTY, opcodes.TARGET_USABLE, opcodes.GAME_VALUE,
    opcodes.HAS_ANY_TAG, opcodes.SHARED_TAG, opcodes.TEST_FLAG, opcodes.JUMP, opcodes.CHANGE_AMOUNT,
    opcodes.TRANSFER, opcodes.REMOVE_IF_EMPTY, opcodes.CLEAR_RESOURCE, opcodes.SET_VIBE,
    opcodes.ADD_TAG, opcodes.REMOVE_TAG, opcodes.BEGIN_CHANGES, opcodes.SET_FLAG,
    opcodes.CLEAR_FLAG,
})  # fmt: skip


@rule
def run_plain(
    s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float
) -> bool:
    """Run a handler on a target; return whether it succeeded."""
    s.reg[e, REG_ACTOR] = actor
    s.reg[e, REG_TARGET] = target
    s.reg[e, REG_SOURCE] = -1
    at = wide(start)
    op = p.tables.bytecode[at, OPCODE]
    while op != opcodes.END:
        ok = True
        if is_condition(op):
            ok = test_condition(s, p, e, actor, target, -1, at)
        elif op == opcodes.SET_FLAG or op == opcodes.CLEAR_FLAG:
            set_flag(s, p, e, at)
        elif op == opcodes.REMOVE_IF_EMPTY:
            remove_if_empty(s, p, e, subject(s, p, e, at))
        elif op != opcodes.BEGIN_CHANGES:
            apply_change(s, p, e, at, gain)
        at = next_row(p, at, ok)
        op = p.tables.bytecode[at, OPCODE]
    for i in range(NUM_VOLATILE):
        s.reg[e, i] = 0
    return p.tables.bytecode[at, OPERAND_1] != 0
