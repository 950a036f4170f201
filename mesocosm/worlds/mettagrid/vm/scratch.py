"""Scratch memory of the interpreter: begin lists, clear what was used, or everything."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    BOUND_ACTORS,
    CALL_STACK,
    LIST_ITEMS,
    LIST_PEAK,
    LIST_SIZE,
)
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def used_lists(s: State) -> int:
    """Return where registers say how many lists this step used, and then which."""
    return s.reg.shape[1] - s.pile.shape[1] - 1


@rule
def begin_list(s: State, e: int, found: int, size: int) -> None:
    """Set how many things a list begins with, and note that it is used."""
    s.pile[e, found, LIST_SIZE] = size
    if s.pile[e, found, LIST_PEAK] == 0:
        used = used_lists(s)
        s.reg[e, used] += 1
        s.reg[e, used + s.reg[e, used]] = found
    s.pile[e, found, LIST_PEAK] = max(s.pile[e, found, LIST_PEAK], size + 1)


@rule
def append_item(s: State, e: int, found: int, k: int) -> None:
    """Append a thing to a list."""
    size = s.pile[e, found, LIST_SIZE]
    s.pile[e, found, LIST_ITEMS + size] = k
    begin_list(s, e, found, size + 1)


@rule
def clear_marks(s: State, p: Params, e: int, found: int) -> None:
    """Clear the marks of who is in a list."""
    for i in range(s.pile[e, found, LIST_SIZE]):
        s.pile[e, found, LIST_ITEMS + p.list_room + s.pile[e, found, LIST_ITEMS + i]] = 0


@rule
def end_scratch(s: State, e: int) -> None:
    """Clear what a step used: registers, where agents were, and lists; call frames are clear."""
    for i in range(CALL_STACK):
        s.reg[e, i] = 0
    used = used_lists(s)
    for i in range(BOUND_ACTORS, used):
        s.reg[e, i] = 0
    for j in range(s.reg[e, used], 0, -1):
        found = s.reg[e, used + j]
        s.reg[e, used + j] = 0
        for i in range(LIST_ITEMS + s.pile[e, found, LIST_PEAK]):
            s.pile[e, found, i] = 0
    s.reg[e, used] = 0


@rule
def clear_scratch(s: State, e: int) -> None:
    """Clear all registers and lists."""
    for i in range(s.reg.shape[1]):
        s.reg[e, i] = 0
    for found in range(s.pile.shape[1]):
        for i in range(s.pile.shape[2]):
            s.pile[e, found, i] = 0
