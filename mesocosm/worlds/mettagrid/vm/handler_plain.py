"""Handlers at work where they are about the actor and the target alone."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile import opcodes
from mesocosm.worlds.mettagrid.compile.opcodes import FAIL, OP, PASS, X
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.condition import holds
from mesocosm.worlds.mettagrid.vm.effect import apply
from mesocosm.worlds.mettagrid.vm.register import (
    BY,
    FROM,
    TO,
    WORD,
    is_condition,
    set_flag,
    subject,
)
from mesocosm.worlds.mettagrid.vm.spawn import vanish

# what rows may do here
ROWS = frozenset({
    opcodes.END, opcodes.RESOURCE, opcodes.VIBE, opcodes.TAG, opcodes.DISTANCE, opcodes.PERIODIC,
    opcodes.LOC_EMPTY, opcodes.USABLE, opcodes.GAME_VALUE, opcodes.ANY_TAG, opcodes.SHARED_TAG,
    opcodes.FLAG, opcodes.ALWAYS, opcodes.DELTA, opcodes.TRANSFER, opcodes.VANISH, opcodes.CLEAR,
    opcodes.SET_VIBE, opcodes.ADD_TAG, opcodes.REMOVE_TAG, opcodes.BEGIN, opcodes.SET_FLAG,
    opcodes.CLEAR_FLAG,
})  # fmt: skip


@rule
def run_plain(
    s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float
) -> bool:
    """Let a program act on a target; give whether it succeeded."""
    s.reg[e, BY] = actor
    s.reg[e, TO] = target
    s.reg[e, FROM] = -1
    at = wide(start)
    op = p.tables.program[at, OP]
    while op != opcodes.END:
        ok = True
        if is_condition(op):
            ok = holds(s, p, e, actor, target, -1, at)
        elif op == opcodes.SET_FLAG or op == opcodes.CLEAR_FLAG:
            set_flag(s, p, e, at)
        elif op == opcodes.VANISH:
            vanish(s, p, e, subject(s, p, e, at))
        elif op != opcodes.BEGIN:
            apply(s, p, e, at, gain)
        at = wide(p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL])
        op = p.tables.program[at, OP]
    for i in range(WORD):
        s.reg[e, i] = 0
    return p.tables.program[at, X] != 0
