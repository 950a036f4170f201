"""Handlers at work where they are about the actor and the target alone."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid import program
from mesocosm.worlds.mettagrid.condition import holds
from mesocosm.worlds.mettagrid.effect import apply
from mesocosm.worlds.mettagrid.inventory import wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.program import FAIL, OP, PASS, X
from mesocosm.worlds.mettagrid.register import BY, FROM, TO, WORD, is_condition, set_flag, subject
from mesocosm.worlds.mettagrid.spawn import vanish
from mesocosm.worlds.mettagrid.state import State

# what rows may do here
ROWS = frozenset({
    program.END, program.RESOURCE, program.VIBE, program.TAG, program.DISTANCE, program.PERIODIC,
    program.LOC_EMPTY, program.USABLE, program.GAME_VALUE, program.ANY_TAG, program.SHARED_TAG,
    program.FLAG, program.ALWAYS, program.DELTA, program.TRANSFER, program.VANISH, program.CLEAR,
    program.SET_VIBE, program.ADD_TAG, program.REMOVE_TAG, program.BEGIN, program.SET_FLAG,
    program.CLEAR_FLAG,
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
    while op != program.END:
        ok = True
        if is_condition(op):
            ok = holds(s, p, e, actor, target, -1, at)
        elif op == program.SET_FLAG or op == program.CLEAR_FLAG:
            set_flag(s, p, e, at)
        elif op == program.VANISH:
            vanish(s, p, e, subject(s, p, e, at))
        elif op != program.BEGIN:
            apply(s, p, e, at, gain)
        at = wide(p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL])
        op = p.tables.program[at, OP]
    for i in range(WORD):
        s.reg[e, i] = 0
    return p.tables.program[at, X] != 0
