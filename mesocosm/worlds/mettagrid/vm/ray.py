"""Rays: list what lies on them, up to what blocks them, or spawn things along them."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    LIST_CURSOR,
    LIST_INNER_CURSOR,
    LIST_ITEMS,
    LIST_RAY_LENGTH,
    LIST_SAVED_TARGET,
    LIST_SIZE,
    REG_TARGET,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
    RAY_DIRECTIONS,
    RAY_INCLUDES_BLOCKER,
    RAY_NUM_DIRECTIONS,
    RAY_REACH,
    RAY_SPAWNS,
)
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.place import is_on_map
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.register import col_of, row_of
from mesocosm.worlds.mettagrid.vm.scratch import clear_marks
from mesocosm.worlds.mettagrid.vm.spawn import spawn, thing_at


@rule
def begin_rays(s: State, e: int, found: int, source: int) -> bool:
    """Begin with the first ray; a source of -1 is the target."""
    s.pile[e, found, LIST_SIZE] = 0
    s.pile[e, found, LIST_CURSOR] = 0
    s.pile[e, found, LIST_INNER_CURSOR] = 0
    s.pile[e, found, LIST_RAY_LENGTH] = 0
    s.pile[e, found, LIST_SAVED_TARGET] = s.reg[e, REG_TARGET]
    return source >= 0 or s.reg[e, REG_TARGET] >= 0


@rule
def next_ray_hit(s: State, p: Params, e: int, found: int, source: int, which: int) -> bool:
    """Set the target to the next thing along the rays; return False when none is left."""
    origins = 1 if source < 0 else s.pile[e, source, LIST_SIZE]
    while s.pile[e, found, LIST_CURSOR] < origins:
        at = s.pile[e, found, LIST_CURSOR]
        start = (
            s.pile[e, found, LIST_SAVED_TARGET]
            if source < 0
            else s.pile[e, source, LIST_ITEMS + at]
        )
        while s.pile[e, found, LIST_INNER_CURSOR] < p.code.data[which + RAY_NUM_DIRECTIONS]:
            way = which + RAY_DIRECTIONS + 2 * s.pile[e, found, LIST_INNER_CURSOR]
            while s.pile[e, found, LIST_RAY_LENGTH] < p.code.data[which + RAY_REACH]:
                s.pile[e, found, LIST_RAY_LENGTH] += 1
                r = row_of(s, e, start) + p.code.data[way] * s.pile[e, found, LIST_RAY_LENGTH]
                c = col_of(s, e, start) + p.code.data[way + 1] * s.pile[e, found, LIST_RAY_LENGTH]
                if not is_on_map(p, r, c):
                    break
                k = thing_at(s, p, e, r, c)
                if k >= 0:
                    s.reg[e, REG_TARGET] = k
                    return True
                if p.code.data[which + RAY_SPAWNS] >= 0:
                    spawn(s, p, e, wide(p.code.data[which + RAY_SPAWNS]), wide(r), wide(c))
            s.pile[e, found, LIST_INNER_CURSOR] += 1
            s.pile[e, found, LIST_RAY_LENGTH] = 0
        s.pile[e, found, LIST_CURSOR] += 1
        s.pile[e, found, LIST_INNER_CURSOR] = 0
    clear_marks(s, p, e, found)
    s.reg[e, REG_TARGET] = s.pile[e, found, LIST_SAVED_TARGET]
    return False


@rule
def keep_ray_hit(s: State, p: Params, e: int, found: int, which: int, wanted: bool) -> None:
    """Append the thing that a ray hit, once."""
    k = s.reg[e, REG_TARGET]
    fresh = s.pile[e, found, LIST_ITEMS + p.things + k] == 0
    if wanted and fresh and p.code.data[which + RAY_SPAWNS] < 0:
        s.pile[e, found, LIST_ITEMS + p.things + k] = 1
        s.pile[e, found, LIST_ITEMS + s.pile[e, found, LIST_SIZE]] = k
        s.pile[e, found, LIST_SIZE] += 1


@rule
def block_ray(s: State, p: Params, e: int, found: int, which: int) -> None:
    """End a ray at what blocks it."""
    keep_ray_hit(s, p, e, found, which, p.code.data[which + RAY_INCLUDES_BLOCKER] != 0)
    s.pile[e, found, LIST_INNER_CURSOR] += 1
    s.pile[e, found, LIST_RAY_LENGTH] = 0
