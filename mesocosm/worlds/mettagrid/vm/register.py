"""Registers: whom bytecode is about while it runs, and where they are."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    NUM_KIND_HANDLERS,
    REG_ACTOR,
    REG_FLAGS,
    REG_REMOVED,
    REG_REMOVED_COL,
    REG_REMOVED_ROW,
    REG_TARGET,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
    END_CONDITIONS,
    END_MORE_CONDITIONS,
    JUMP_IF_FALSE,
    JUMP_IF_TRUE,
    MORE_CONDITIONS,
    OPCODE,
    OPERAND_1,
    SET_FLAG,
    TARGET,
    WHO,
)
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.proxy import is_proxy, proxy_place
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def is_condition(op: int) -> bool:
    """Whether an opcode is a condition."""
    return op < END_CONDITIONS or MORE_CONDITIONS <= op < END_MORE_CONDITIONS


@rule
def next_row(p: Params, at: int, ok: bool) -> int:
    """Return the row that a row jumps to."""
    return wide(p.tables.bytecode[at, JUMP_IF_TRUE] if ok else p.tables.bytecode[at, JUMP_IF_FALSE])


@rule
def kind_handler(p: Params, k: int, which: int) -> int:
    """Return where a handler of a thing's kind begins, or -1."""
    row = p.code.kind_handlers_at + NUM_KIND_HANDLERS * p.tables.kind_of[k]
    return wide(p.code.data[row + which])


@rule
def set_flag(s: State, p: Params, e: int, at: int) -> None:
    """Set or clear a flag, as a row says."""
    bit = 1 << p.tables.bytecode[at, OPERAND_1]
    kept = s.reg[e, REG_FLAGS] & ~bit
    s.reg[e, REG_FLAGS] = kept | bit if p.tables.bytecode[at, OPCODE] == SET_FLAG else kept


@rule
def subject(s: State, p: Params, e: int, at: int) -> int:
    """Return whom a row is about."""
    return s.reg[e, REG_TARGET] if p.tables.bytecode[at, WHO] == TARGET else s.reg[e, REG_ACTOR]


@rule
def row_of(s: State, p: Params, e: int, k: int) -> int:
    """Return the row of a thing, of who was on a proxy's land, or of what was just removed."""
    if s.row[e, k] >= 0:
        return s.row[e, k]
    if is_proxy(p, k):
        return proxy_place(s, p, e, k) // p.width
    return s.reg[e, REG_REMOVED_ROW] if s.reg[e, REG_REMOVED] == k + 1 else s.row[e, k]


@rule
def col_of(s: State, p: Params, e: int, k: int) -> int:
    """Return the column of a thing, of who was on a proxy's land, or of what was just removed."""
    if s.row[e, k] >= 0:
        return s.col[e, k]
    if is_proxy(p, k):
        return proxy_place(s, p, e, k) % p.width
    return s.reg[e, REG_REMOVED_COL] if s.reg[e, REG_REMOVED] == k + 1 else s.col[e, k]


@rule
def squared_distance(s: State, p: Params, e: int, k: int, j: int) -> int:
    """Return the squared distance of two things."""
    dr = row_of(s, p, e, k) - row_of(s, p, e, j)
    dc = col_of(s, p, e, k) - col_of(s, p, e, j)
    return dr * dr + dc * dc
