"""Areas of effect: what things do to the agents around them."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    AREA_AFFECTS_SOURCE,
    AREA_CONDITION,
    AREA_EFFECT,
    AREA_FIXED,
    AREA_KIND,
    AREA_PRESENCE,
    AREA_RADIUS,
    AREA_SIZE,
    LIST_ITEMS,
    LIST_SIZE,
    POST_CELL,
    POST_JOINED,
    REG_DEFERRED_TO,
)
from mesocosm.worlds.mettagrid.grid.holding import adjust
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.presence import change_presence
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.handler import execute
from mesocosm.worlds.mettagrid.vm.lists import insert_by_key


@rule
def apply_areas(s: State, p: Params, e: int) -> None:
    """Apply all areas: the fixed ones to each agent in turn, then the moving ones."""
    sources = p.code.schedule.sources
    s.pile[e, sources, LIST_SIZE] = 0
    for k in range(p.things):
        if s.post[e, k, POST_JOINED] > 0:
            insert_by_key(s.pile[e, sources], wide(k), s.post[e], POST_JOINED)
    for a in range(p.agents):
        leave_fixed_areas(s, p, e, sources, a)
        apply_fixed_areas(s, p, e, sources, a)
    for i in range(s.pile[e, sources, LIST_SIZE]):
        k = wide(s.pile[e, sources, LIST_ITEMS + i])
        for j in range(p.code.schedule.num_areas):
            at = p.code.schedule.areas_at + AREA_SIZE * j
            if (
                p.code.data[at + AREA_KIND] == p.tables.kind_of[k]
                and p.code.data[at + AREA_FIXED] == 0
            ):
                apply_moving_area(s, p, e, k, wide(at), j)
    for k in range(p.things):
        s.post[e, k, POST_JOINED] = abs(s.post[e, k, POST_JOINED])


@rule
def cell_number(s: State, p: Params, e: int, k: int) -> int:
    """Number the cell where a thing is."""
    return s.row[e, k] * p.width + s.col[e, k]


@rule
def area_covers(p: Params, place: int, at: int, to: int) -> bool:
    """Whether an area around a cell covers another."""
    dr = place // p.width - to // p.width
    dc = place % p.width - to % p.width
    return dr * dr + dc * dc <= p.code.data[at + AREA_RADIUS] * p.code.data[at + AREA_RADIUS]


@rule
def leave_fixed_areas(s: State, p: Params, e: int, sources: int, a: int) -> None:
    """End an agent's presence in fixed areas that it left."""
    here = cell_number(s, p, e, a)
    for i in range(s.pile[e, sources, LIST_SIZE]):
        k = s.pile[e, sources, LIST_ITEMS + i]
        for j in range(p.code.schedule.num_areas):
            at = p.code.schedule.areas_at + AREA_SIZE * j
            flag = k * p.code.schedule.num_areas + j
            fixed = (
                p.code.data[at + AREA_KIND] == p.tables.kind_of[k]
                and p.code.data[at + AREA_FIXED] == 1
            )
            if (
                fixed
                and s.inside[e, a, flag]
                and not area_covers(p, s.post[e, k, POST_CELL], at, here)
            ):
                s.inside[e, a, flag] = False
                change_presence(s, p, e, a, at, -1)


@rule
def apply_fixed_areas(s: State, p: Params, e: int, sources: int, a: int) -> None:
    """Apply the fixed areas around an agent; the sum of their changes is applied once.

    Areas count that cover where it is at first, even if one of them moves it.
    """
    here = cell_number(s, p, e, a)
    for i in range(s.pile[e, sources, LIST_SIZE]):
        k = wide(s.pile[e, sources, LIST_ITEMS + i])
        for j in range(p.code.schedule.num_areas):
            at = wide(p.code.schedule.areas_at + AREA_SIZE * j)
            fixed = (
                p.code.data[at + AREA_KIND] == p.tables.kind_of[k]
                and p.code.data[at + AREA_FIXED] == 1
            )
            idle = (
                p.code.data[at + AREA_EFFECT] < 0
                and p.code.data[p.code.data[at + AREA_PRESENCE]] < 0
            )
            if fixed and not idle and area_covers(p, s.post[e, k, POST_CELL], at, here):
                alone = k == a and p.code.data[at + AREA_AFFECTS_SOURCE] == 0
                ok = not alone and area_accepts(s, p, e, k, a, at)
                set_inside(s, p, e, a, at, k * p.code.schedule.num_areas + j, ok)
                if ok and p.code.data[at + AREA_EFFECT] >= 0:
                    s.reg[e, REG_DEFERRED_TO] = sources + 2
                    execute(s, p, e, k, a, wide(p.code.data[at + AREA_EFFECT]), 1.0)
    apply_area_sums(s, p, e, sources + 1, a)


@rule
def area_accepts(s: State, p: Params, e: int, k: int, a: int, at: int) -> bool:
    """Whether an area's conditions hold for an agent."""
    if p.code.data[at + AREA_CONDITION] < 0:
        return True
    return execute(s, p, e, k, a, wide(p.code.data[at + AREA_CONDITION]), 1.0)


@rule
def set_inside(s: State, p: Params, e: int, a: int, at: int, flag: int, ok: bool) -> None:
    """Note whether an agent is in an area, and give or take what presence brings."""
    if ok != s.inside[e, a, flag]:
        s.inside[e, a, flag] = ok
        change_presence(s, p, e, a, at, 1 if ok else -1)


@rule
def apply_area_sums(s: State, p: Params, e: int, sums: int, a: int) -> None:
    """Apply the sums of fixed areas to what an agent holds."""
    for i in range(s.pile[e, sums, LIST_SIZE]):
        r = s.pile[e, sums, LIST_ITEMS + i]
        total = s.pile[e, sums, LIST_ITEMS + p.resources + r]
        if total != 0:
            adjust(s, p, e, a, r, total)
            s.stale[e, a] = True
        s.pile[e, sums, LIST_ITEMS + p.resources + r] = 0
    s.pile[e, sums, LIST_SIZE] = 0


@rule
def apply_moving_area(s: State, p: Params, e: int, k: int, at: int, j: int) -> None:
    """Apply an area that moves with its source to every agent."""
    flag = k * p.code.schedule.num_areas + j
    for a in range(p.agents):
        if k == a and p.code.data[at + AREA_AFFECTS_SOURCE] == 0:
            continue
        ok = (
            s.row[e, k] >= 0
            and area_covers(p, cell_number(s, p, e, k), at, cell_number(s, p, e, a))
            and area_accepts(s, p, e, k, a, at)
        )
        set_inside(s, p, e, a, at, flag, ok)
        if ok and p.code.data[at + AREA_EFFECT] >= 0:
            execute(s, p, e, k, a, wide(p.code.data[at + AREA_EFFECT]), 1.0)
