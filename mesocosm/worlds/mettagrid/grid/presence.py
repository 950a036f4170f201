"""Presence in areas of effect: what entering gives, and when areas begin and end."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    AREA_PRESENCE,
    AREA_SIZE,
    END_OF_ROWS,
    PAIR_AMOUNT,
    PAIR_RESOURCE,
    PAIR_SIZE,
    POST_CELL,
    POST_JOINED,
)
from mesocosm.worlds.mettagrid.grid.holding import adjust
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def change_presence(s: State, p: Params, e: int, a: int, at: int, sign: int) -> None:
    """Return an agent what presence in an area brings, or take it back."""
    j = p.code.data[at + AREA_PRESENCE]
    while p.code.data[j] != END_OF_ROWS:
        amount = sign * p.code.data[j + PAIR_AMOUNT]
        adjust(s, p, e, a, p.code.data[j + PAIR_RESOURCE], amount)
        s.stale[e, a] = True
        j += PAIR_SIZE


@rule
def add_areas(s: State, p: Params, e: int, k: int, r: int, c: int) -> None:
    """Add the areas of a new thing after all others, from the end of the step on."""
    last = 0
    for j in range(s.post.shape[1]):
        last = max(last, abs(s.post[e, j, POST_JOINED]))
    s.post[e, k, POST_CELL] = r * p.width + c
    s.post[e, k, POST_JOINED] = -1 - last


@rule
def remove_areas(s: State, p: Params, e: int, k: int) -> None:
    """End all presence in the areas of a thing that is removed."""
    s.post[e, k, POST_JOINED] = 0
    for a in range(p.agents):
        for j in range(p.code.schedule.num_areas):
            flag = k * p.code.schedule.num_areas + j
            if s.inside[e, a, flag]:
                s.inside[e, a, flag] = False
                change_presence(s, p, e, a, p.code.schedule.areas_at + AREA_SIZE * j, -1)
