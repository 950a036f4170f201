"""Areas of effect: what things do to the agents around them."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    AREA_AFFECTS_SOURCE,
    AREA_CONDITION,
    AREA_EFFECT,
    AREA_FIXED,
    AREA_IDLE,
    AREA_RADIUS,
    AREA_SIZE,
    AREA_TESTS_ONCE,
    LIST_ITEMS,
    LIST_SIZE,
    POST_CELL,
    POST_JOINED,
    POST_LEFT,
    REG_DEFERRED_TO,
    REG_REMOVED,
    REG_REMOVED_COL,
    REG_REMOVED_ROW,
    SOURCE_COL,
    SOURCE_COUNT,
    SOURCE_REACH,
    SOURCE_ROW,
    SOURCE_SLOT,
)
from mesocosm.worlds.mettagrid.compile.columns import (
    KIND_AREAS,
    KIND_AREAS_END,
    KIND_MOVES,
    OWN_AREA_ROW,
    OWN_AREA_THING,
)
from mesocosm.worlds.mettagrid.grid.holding import adjust_shown
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.presence import (
    drop_sources,
    is_ended,
    join_sources,
    set_inside,
)
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.handler import execute
from mesocosm.worlds.mettagrid.vm.land import apply_lands


@rule
def apply_areas(s: State, p: Params, e: int) -> None:
    """Apply all areas: the fixed ones and those of land to each agent, then the moving ones."""
    for a in range(p.agents):
        drop_sources(s, e)
        if s.within[e, a] > 0:
            leave_fixed_areas(s, p, e, a)
        apply_fixed_areas(s, p, e, a)
        apply_lands(s, p, e, a)
    drop_sources(s, e)
    for i in range(1, 1 + s.source[e, 0, SOURCE_COUNT]):
        k = wide(s.source[e, i, SOURCE_SLOT])
        kind = p.tables.kind_of[k]
        if p.code.areas[kind, KIND_MOVES] != 0:
            for j in range(p.code.areas[kind, KIND_AREAS], p.code.areas[kind, KIND_AREAS_END]):
                at = p.code.schedule.areas_at + AREA_SIZE * j
                if p.code.data[at + AREA_FIXED] == 0:
                    apply_moving_area(s, p, e, k, wide(at), wide(j))
    join_sources(s, p, e)


@rule
def distance_to_source(s: State, e: int, i: int, r: int, c: int) -> int:
    """Return the squared distance of a cell from where the areas of a source are fixed."""
    dr = s.source[e, i, SOURCE_ROW] - r
    dc = s.source[e, i, SOURCE_COL] - c
    return dr * dr + dc * dc


@rule
def covers(p: Params, at: int, far: int) -> bool:
    """Whether an area reaches as far as a squared distance."""
    return far <= p.code.data[at + AREA_RADIUS] * p.code.data[at + AREA_RADIUS]


@rule
def leave_fixed_areas(s: State, p: Params, e: int, a: int) -> None:
    """End an agent's presence in fixed areas that it left, the last that it entered first."""
    area = last_left_area(s, p, e, a)
    while area >= 0:
        set_inside(s, p, e, a, area, False)
        area = last_left_area(s, p, e, a)


@rule
def last_left_area(s: State, p: Params, e: int, a: int) -> int:
    """Return which of the fixed areas that an agent left it had entered last, or -1."""
    last = wide(-1)
    for i in range(s.within[e, a]):
        area = wide(s.entered[e, a, i])
        if has_left(s, p, e, a, area) and (last < 0 or is_later(s, p, e, a, area, last)):
            last = area
    return last


@rule
def has_left(s: State, p: Params, e: int, a: int, area: int) -> bool:
    """Whether an agent is outside a fixed area that is there, or the area is gone around it."""
    k = p.code.own_areas[area, OWN_AREA_THING]
    at = p.code.own_areas[area, OWN_AREA_ROW]
    if p.code.data[at + AREA_FIXED] == 0 or s.post[e, k, POST_JOINED] <= 0:
        return False
    dr = s.post[e, k, POST_CELL] // p.width - s.row[e, a]
    dc = s.post[e, k, POST_CELL] % p.width - s.col[e, a]
    left = not covers(p, at, dr * dr + dc * dc)
    if p.keeps_areas:
        left = left or is_ended(s, p, e, k, s.row[e, a], s.col[e, a])
    return left


@rule
def is_later(s: State, p: Params, e: int, a: int, area: int, other: int) -> bool:
    """Whether an agent entered an area after another; of those at one time, by when they joined."""
    if s.inside[e, a, area] != s.inside[e, a, other]:
        return s.inside[e, a, area] > s.inside[e, a, other]
    joined = s.post[e, p.code.own_areas[area, OWN_AREA_THING], POST_JOINED]
    before = s.post[e, p.code.own_areas[other, OWN_AREA_THING], POST_JOINED]
    return joined > before or (joined == before and area > other)


@rule
def apply_fixed_areas(s: State, p: Params, e: int, a: int) -> None:
    """Apply the fixed areas around an agent; the sum of their changes is applied once.

    Areas count that cover where it is at first, even if one of them moves it.
    """
    r = s.row[e, a]
    c = s.col[e, a]
    for i in range(1, 1 + s.source[e, 0, SOURCE_COUNT]):
        far = distance_to_source(s, e, i, r, c)
        if far <= s.source[e, i, SOURCE_REACH]:
            k = wide(s.source[e, i, SOURCE_SLOT])
            if not (p.keeps_areas and is_ended(s, p, e, k, r, c)):
                apply_source(s, p, e, k, wide(a), far)
    apply_area_sums(s, p, e, p.code.schedule.sums, a)


@rule
def apply_source(s: State, p: Params, e: int, k: int, a: int, far: int) -> None:
    """Apply the fixed areas of one source to an agent at a squared distance."""
    kind = p.tables.kind_of[k]
    for j in range(p.code.areas[kind, KIND_AREAS], p.code.areas[kind, KIND_AREAS_END]):
        at = wide(p.code.schedule.areas_at + AREA_SIZE * j)
        if (
            p.code.data[at + AREA_FIXED] == 1
            and p.code.data[at + AREA_IDLE] == 0
            and covers(p, at, far)
        ):
            area = own_area(p, k, j)
            if k == a and p.code.data[at + AREA_AFFECTS_SOURCE] == 0:
                set_inside(s, p, e, a, area, False)
            else:
                apply_area(s, p, e, k, a, area, p.code.schedule.sums + 1)


@rule
def own_area(p: Params, k: int, j: int) -> int:
    """Return the number of an area of a thing, among those of all things."""
    return p.code.first_area[k] + j - p.code.areas[p.tables.kind_of[k], KIND_AREAS]


@rule
def apply_area(s: State, p: Params, e: int, k: int, a: int, area: int, sums: int) -> None:
    """Apply an area that covers an agent, if its conditions hold.

    They are tested by themselves, and again before the effect if presence or a query come between.

    Args:
        sums: The list, plus one, to which changes of amounts are added; 0: they are made at once.
    """
    at = p.code.own_areas[area, OWN_AREA_ROW]
    effect = wide(p.code.data[at + AREA_EFFECT])
    if p.code.data[at + AREA_TESTS_ONCE] != 0:
        there = s.post[e, k, POST_JOINED] != 0 and s.post[e, k, POST_LEFT] == 0
        s.reg[e, REG_DEFERRED_TO] = sums
        act_from_post(s, p, e, k)
        ok = execute(s, p, e, k, a, effect, 1.0)
        gone = there and (s.post[e, k, POST_JOINED] == 0 or s.post[e, k, POST_LEFT] != 0)
        set_inside(s, p, e, a, area, ok and not gone)
        return
    ok = True
    if p.code.data[at + AREA_CONDITION] >= 0:
        act_from_post(s, p, e, k)
        ok = execute(s, p, e, k, a, wide(p.code.data[at + AREA_CONDITION]), 1.0)
    set_inside(s, p, e, a, area, ok)
    if ok and effect >= 0:
        s.reg[e, REG_DEFERRED_TO] = sums
        act_from_post(s, p, e, k)
        execute(s, p, e, k, a, effect, 1.0)


@rule
def act_from_post(s: State, p: Params, e: int, k: int) -> None:
    """Let a thing that was removed before its areas ended act from where it was."""
    if p.keeps_areas and s.row[e, k] < 0 and k >= p.agents:
        place = source_place(s, p, e, k)
        s.reg[e, REG_REMOVED] = k + 1
        s.reg[e, REG_REMOVED_ROW] = place // p.width
        s.reg[e, REG_REMOVED_COL] = place % p.width


@rule
def source_place(s: State, p: Params, e: int, k: int) -> int:
    """Return where a thing with areas is, or was when it was removed."""
    if s.row[e, k] >= 0:
        return s.row[e, k] * p.width + s.col[e, k]
    return s.post[e, k, POST_LEFT] - 1 if s.post[e, k, POST_LEFT] > 0 else s.post[e, k, POST_CELL]


@rule
def apply_area_sums(s: State, p: Params, e: int, sums: int, a: int) -> None:
    """Apply the sums of fixed areas to what an agent holds."""
    for i in range(s.pile[e, sums, LIST_SIZE]):
        r = s.pile[e, sums, LIST_ITEMS + i]
        total = s.pile[e, sums, LIST_ITEMS + p.resources + r]
        if total != 0:
            adjust_shown(s, p, e, a, r, total)
        s.pile[e, sums, LIST_ITEMS + p.resources + r] = 0
    s.pile[e, sums, LIST_SIZE] = 0


@rule
def apply_moving_area(s: State, p: Params, e: int, k: int, at: int, j: int) -> None:
    """Apply an area that moves with its source to every agent."""
    area = own_area(p, k, j)
    if s.post[e, k, POST_JOINED] <= 0 or s.post[e, k, POST_LEFT] > 0:
        return
    for a in range(p.agents):
        if k == a and p.code.data[at + AREA_AFFECTS_SOURCE] == 0:
            continue
        r = wide(s.row[e, k])
        c = wide(s.col[e, k])
        if r < 0:
            r = source_place(s, p, e, k) // p.width
            c = source_place(s, p, e, k) % p.width
        dr = r - s.row[e, a]
        dc = c - s.col[e, a]
        if covers(p, at, dr * dr + dc * dc):
            apply_area(s, p, e, k, wide(a), area, 0)
        elif s.crowd[e, area] > 0:
            set_inside(s, p, e, wide(a), area, False)
