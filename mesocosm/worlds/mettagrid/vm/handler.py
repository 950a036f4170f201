"""Handlers at work: follow a program's conditions and changes."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile import opcodes
from mesocosm.worlds.mettagrid.compile.opcodes import FAIL, OP, PASS, X
from mesocosm.worlds.mettagrid.compile.script import AFTER_USE, ON_USE, OWN
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import CALLS, DEPTH, State
from mesocosm.worlds.mettagrid.vm.condition import holds
from mesocosm.worlds.mettagrid.vm.effect import act_out, apply, defends, defers, write_value
from mesocosm.worlds.mettagrid.vm.lists import walk
from mesocosm.worlds.mettagrid.vm.register import (
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
    is_condition,
)


@rule
def run(s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float) -> bool:
    """Let a program act on a target; give whether it succeeded."""
    if target >= 0:
        s.reg[e, ROW] = s.row[e, target]
        s.reg[e, COL] = s.col[e, target]
    return follow(s, p, e, actor, target, start, gain)


@rule
def follow(s: State, p: Params, e: int, actor: int, target: int, start: int, gain: float) -> bool:
    """Go through the rows of a program to its end; the target's place is set."""
    s.reg[e, BY] = actor
    s.reg[e, TO] = target
    s.reg[e, FROM] = -1
    at = wide(start)
    while at >= 0:
        op = p.tables.program[at, OP]
        if op == opcodes.END:
            at = resume(s, p, e, p.tables.program[at, X] != 0)
        elif op == opcodes.DEFENDS:
            at = p.tables.program[at, PASS] if defends(s, p, e, at) else p.tables.program[at, FAIL]
        elif is_condition(op):
            ok = holds(s, p, e, wide(s.reg[e, BY]), wide(s.reg[e, TO]), wide(s.reg[e, FROM]), at)
            at = p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL]
        elif op == opcodes.BEGIN:
            s.reg[e, FAILED] = 0
            at += 1
        elif op >= opcodes.LIST:
            at = walk(s, p, e, at)
        elif op == opcodes.USE:
            at = use_target(s, p, e, at)
        else:
            if op >= opcodes.SET_STAT and op <= opcodes.ADD_ITEM:
                write_value(s, p, e, at, gain)
            elif op >= opcodes.RELOCATE:
                act_out(s, p, e, at)
            elif not defers(s, p, e, at):
                apply(s, p, e, at, gain)
            ok = s.reg[e, FAILED] == 0
            at = p.tables.program[at, PASS] if ok else p.tables.program[at, FAIL]
    good = s.reg[e, RESULT] == 1
    for i in range(WORD):
        s.reg[e, i] = 0
    return good


@rule
def use_target(s: State, p: Params, e: int, at: int) -> int:
    """Go over to the target's own program; come back to this row."""
    k = s.reg[e, TO]
    depth = s.reg[e, DEPTH_NOW]
    by = s.reg[e, BY]
    start = -1
    if 0 <= k < p.things and 0 <= by < p.agents and depth < DEPTH - 1:
        start = p.code.data[p.code.own_at + OWN * p.tables.kind_of[k] + ON_USE]
    if start < 0:
        s.reg[e, FAILED] = 1
        return wide(p.tables.program[at, FAIL])
    wait(s, e, at, False)
    return wide(start)


@rule
def wait(s: State, e: int, at: int, after: bool) -> None:
    """Note where a program goes on when another is over, and whom it is about."""
    depth = s.reg[e, DEPTH_NOW]
    s.reg[e, CALLS + 8 * depth + 0] = at
    s.reg[e, CALLS + 8 * depth + 1] = 1 if after else 0
    for i in range(5):
        s.reg[e, CALLS + 8 * depth + 2 + i] = s.reg[e, TO + i]
    s.reg[e, CALLS + 8 * depth + 7] = s.reg[e, FLAGS]
    s.reg[e, DEPTH_NOW] = depth + 1
    s.reg[e, FLAGS] = 0


@rule
def resume(s: State, p: Params, e: int, good: bool) -> int:
    """End a program: go on with the one that waits for it, or give -1.

    What an agent does after a use can change the target, and can fail; the use itself can not.
    """
    if s.reg[e, DEPTH_NOW] == 0:
        s.reg[e, RESULT] = 1 if good else 0
        return -1
    depth = s.reg[e, DEPTH_NOW] - 1
    s.reg[e, DEPTH_NOW] = depth
    at = s.reg[e, CALLS + 8 * depth + 0]
    after = s.reg[e, CALLS + 8 * depth + 1] == 1
    s.reg[e, FLAGS] = s.reg[e, CALLS + 8 * depth + 7]
    if not after:
        for i in range(5):
            s.reg[e, TO + i] = s.reg[e, CALLS + 8 * depth + 2 + i]
        s.reg[e, FAILED] = 0 if good else 1
    for i in range(8):
        s.reg[e, CALLS + 8 * depth + i] = 0
    if good and not after:
        start = p.code.data[p.code.own_at + OWN * p.tables.kind_of[s.reg[e, BY]] + AFTER_USE]
        if start >= 0:
            wait(s, e, wide(at), True)
            return wide(start)
    return wide(p.tables.program[at, PASS] if s.reg[e, FAILED] == 0 else p.tables.program[at, FAIL])
