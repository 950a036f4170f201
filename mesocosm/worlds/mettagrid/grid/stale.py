"""Which things look different: their blocks of tokens are written anew at the end of a step."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import REG_NUM_RENEWED
from mesocosm.worlds.mettagrid.state import State


@rule
def mark_stale(s: State, e: int, k: int) -> None:
    """Note that a thing looks different, once."""
    if not s.stale[e, k]:
        s.stale[e, k] = True
        s.stale_list[e, 0] += 1
        s.stale_list[e, s.stale_list[e, 0]] = k


@rule
def mark_displaced(s: State, e: int, k: int) -> None:
    """Note that a thing looks different, and may claim other land than before."""
    mark_stale(s, e, k)
    s.reg[e, REG_NUM_RENEWED] = 0


@rule
def clear_stale(s: State, e: int) -> None:
    """Note that every thing looks as its block says."""
    for i in range(s.stale_list[e, 0], 0, -1):
        s.stale[e, s.stale_list[e, i]] = False
        s.stale_list[e, i] = 0
    s.stale_list[e, 0] = 0


@rule
def mark_all_stale(s: State, e: int) -> None:
    """Note that all things look different, whatever was noted before."""
    number = s.stale.shape[1]
    s.stale_list[e, 0] = number
    for k in range(number):
        s.stale[e, k] = True
        s.stale_list[e, 1 + k] = k
