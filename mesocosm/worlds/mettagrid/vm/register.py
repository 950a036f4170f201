"""Whom a program is about while it runs, and where they are."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.opcodes import OP, SET_FLAG, TARGET, WHO, X
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

# registers; things are their slots, -1 nobody; GONE is a slot plus one, 0 nobody; from WORD on
# they stay for a whole step
BY, TO, FROM, ROW, COL, FAILED, FLAGS, DEPTH_NOW, RESULT = range(9)
GONE, GONE_ROW, GONE_COL, DEFERS, WORD, DRAWN = range(9, 15)


@rule
def is_condition(op: int) -> bool:
    """Whether a row of a program asks something."""
    return op < 10 or (op >= 20 and op < 30)


@rule
def set_flag(s: State, p: Params, e: int, at: int) -> None:
    """Set or clear a flag, as a row says."""
    bit = 1 << p.tables.program[at, X]
    kept = s.reg[e, FLAGS] & ~bit
    s.reg[e, FLAGS] = kept | bit if p.tables.program[at, OP] == SET_FLAG else kept


@rule
def subject(s: State, p: Params, e: int, at: int) -> int:
    """Whom a row is about."""
    return s.reg[e, TO] if p.tables.program[at, WHO] == TARGET else s.reg[e, BY]


@rule
def row_of(s: State, e: int, k: int) -> int:
    """The row of a thing, or where it was when the program removed it."""
    return s.reg[e, GONE_ROW] if s.row[e, k] < 0 and s.reg[e, GONE] == k + 1 else s.row[e, k]


@rule
def col_of(s: State, e: int, k: int) -> int:
    """The column of a thing, or where it was when the program removed it."""
    return s.reg[e, GONE_COL] if s.row[e, k] < 0 and s.reg[e, GONE] == k + 1 else s.col[e, k]


@rule
def apart(s: State, e: int, k: int, j: int) -> int:
    """The squared distance of two things."""
    dr = row_of(s, e, k) - row_of(s, e, j)
    dc = col_of(s, e, k) - col_of(s, e, j)
    return dr * dr + dc * dc
