"""Scratch memory of the interpreter: clear the marks of a list, or everything."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import LIST_ITEMS
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def clear_marks(s: State, p: Params, e: int, found: int) -> None:
    """Clear the marks of who is in a list."""
    for k in range(p.things):
        s.pile[e, found, LIST_ITEMS + p.things + k] = 0


@rule
def clear_scratch(s: State, e: int) -> None:
    """Clear all registers and lists."""
    for i in range(s.reg.shape[1]):
        s.reg[e, i] = 0
    for found in range(s.pile.shape[1]):
        for i in range(s.pile.shape[2]):
            s.pile[e, found, i] = 0
