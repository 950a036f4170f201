"""Presence in areas of effect: what entering gives, and when areas begin and end."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    AREA_PRESENCE,
    END_OF_ROWS,
    PAIR_AMOUNT,
    PAIR_RESOURCE,
    PAIR_SIZE,
    POST_CELL,
    POST_JOINED,
    POST_LEFT,
    SOURCE_COL,
    SOURCE_COUNT,
    SOURCE_REACH,
    SOURCE_ROW,
    SOURCE_SIZE,
    SOURCE_SLOT,
    SOURCES_GONE,
    SOURCES_NEW,
)
from mesocosm.worlds.mettagrid.compile.columns import (
    KIND_AREAS,
    KIND_AREAS_END,
    KIND_REACH,
    KIND_SIDE,
    OWN_AREA_ROW,
)
from mesocosm.worlds.mettagrid.grid.holding import adjust_shown
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def change_presence(s: State, p: Params, e: int, a: int, at: int, sign: int) -> None:
    """Return an agent what presence in an area brings, or take it back."""
    j = p.code.data[at + AREA_PRESENCE]
    while p.code.data[j] != END_OF_ROWS:
        amount = sign * p.code.data[j + PAIR_AMOUNT]
        adjust_shown(s, p, e, a, p.code.data[j + PAIR_RESOURCE], amount)
        j += PAIR_SIZE


@rule
def add_areas(s: State, p: Params, e: int, k: int, r: int, c: int) -> None:
    """Add the areas of a new thing after all others, from the end of the step on."""
    last = 0
    for j in range(s.post.shape[1]):
        last = max(last, abs(s.post[e, j, POST_JOINED]))
    s.post[e, k, POST_CELL] = r * p.width + c
    s.post[e, k, POST_JOINED] = -1 - last
    s.post[e, k, POST_LEFT] = 0
    s.source[e, 0, SOURCES_NEW] = 1
    for i in range(1, 1 + s.source[e, 0, SOURCE_COUNT]):
        if s.source[e, i, SOURCE_SLOT] == k:
            s.source[e, i, SOURCE_ROW] = r
            s.source[e, i, SOURCE_COL] = c


@rule
def remove_areas(s: State, p: Params, e: int, k: int, r: int, c: int) -> None:
    """End all presence in the areas of a thing that is removed from a cell.

    As upstream, areas that have not begun yet will begin all the same and never end, and those that
    are fixed end only around where their thing is, though it may have moved.
    """
    place = r * p.width + c
    if p.keeps_areas:
        if s.post[e, k, POST_JOINED] < 0:
            s.post[e, k, POST_CELL] = place
        if s.post[e, k, POST_JOINED] <= 0 or s.post[e, k, POST_LEFT] > 0:
            return
    fixed = p.code.areas[p.tables.kind_of[k], KIND_REACH] >= 0
    if p.keeps_areas and fixed and place != s.post[e, k, POST_CELL]:
        s.post[e, k, POST_LEFT] = place + 1
    else:
        s.post[e, k, POST_JOINED] = 0
        s.source[e, 0, SOURCES_GONE] = 1
    kind = p.tables.kind_of[k]
    first = p.code.first_area[k]
    end = first + p.code.areas[kind, KIND_AREAS_END] - p.code.areas[kind, KIND_AREAS]
    for a in range(p.agents):
        for area in range(first, end):
            if s.crowd[e, area] > 0:
                set_inside(s, p, e, wide(a), wide(area), False)


@rule
def set_inside(s: State, p: Params, e: int, a: int, area: int, ok: bool) -> None:
    """Note whether an agent is in an area, and give or take what presence brings."""
    if ok != (s.inside[e, a, area] > 0):
        s.inside[e, a, area] = s.clock[e] if ok else 0
        list_area(s, e, a, area, ok)
        change_presence(s, p, e, a, p.code.own_areas[area, OWN_AREA_ROW], 1 if ok else -1)


@rule
def list_area(s: State, e: int, a: int, area: int, ok: bool) -> None:
    """Put an area into the list of those that an agent is in, which is in order, or take it out."""
    row = s.entered[e, a]
    number = s.within[e, a]
    at = 0
    while at < number and row[at] < area:
        at += 1
    if ok:
        for i in range(number, at, -1):
            row[i] = row[i - 1]
        row[at] = area
        s.within[e, a] = number + 1
        s.crowd[e, area] += 1
    else:
        for i in range(at, number - 1):
            row[i] = row[i + 1]
        row[number - 1] = 0
        s.within[e, a] = number - 1
        s.crowd[e, area] -= 1


@rule
def is_ended(s: State, p: Params, e: int, k: int, r: int, c: int) -> bool:
    """Whether the fixed areas of a thing do not count on a cell, since it was removed near it."""
    if s.post[e, k, POST_JOINED] <= 0:
        return True
    place = s.post[e, k, POST_LEFT] - 1
    if place < 0:
        return False
    side = p.code.areas[p.tables.kind_of[k], KIND_SIDE]
    return abs(place // p.width - r) <= side and abs(place % p.width - c) <= side


@rule
def insert_source(s: State, p: Params, e: int, k: int) -> None:
    """Insert a thing into the list of those with areas, which is in the order they joined."""
    kind = p.tables.kind_of[k]
    if p.code.areas[kind, KIND_AREAS] == p.code.areas[kind, KIND_AREAS_END]:
        return
    i = s.source[e, 0, SOURCE_COUNT] + 1
    s.source[e, 0, SOURCE_COUNT] = i
    joined = s.post[e, k, POST_JOINED]
    while i > 1 and s.post[e, s.source[e, i - 1, SOURCE_SLOT], POST_JOINED] > joined:
        for column in range(SOURCE_SIZE):
            s.source[e, i, column] = s.source[e, i - 1, column]
        i -= 1
    s.source[e, i, SOURCE_SLOT] = k
    s.source[e, i, SOURCE_ROW] = s.post[e, k, POST_CELL] // p.width
    s.source[e, i, SOURCE_COL] = s.post[e, k, POST_CELL] % p.width
    s.source[e, i, SOURCE_REACH] = p.code.areas[kind, KIND_REACH]


@rule
def drop_sources(s: State, e: int) -> None:
    """Drop what was removed from the list of things with areas."""
    if s.source[e, 0, SOURCES_GONE] == 0:
        return
    to = 1
    number = s.source[e, 0, SOURCE_COUNT]
    for i in range(1, 1 + number):
        if s.post[e, s.source[e, i, SOURCE_SLOT], POST_JOINED] > 0:
            for column in range(SOURCE_SIZE):
                s.source[e, to, column] = s.source[e, i, column]
            to += 1
    for i in range(to, 1 + number):
        for column in range(SOURCE_SIZE):
            s.source[e, i, column] = 0
    s.source[e, 0, SOURCE_COUNT] = to - 1
    s.source[e, 0, SOURCES_GONE] = 0


@rule
def join_sources(s: State, p: Params, e: int) -> None:
    """Let the areas of new things begin."""
    if s.source[e, 0, SOURCES_NEW] == 0:
        return
    drop_sources(s, e)
    for k in range(p.things):
        if s.post[e, k, POST_JOINED] < 0:
            s.post[e, k, POST_JOINED] = -s.post[e, k, POST_JOINED]
            if s.row[e, k] >= 0:
                s.post[e, k, POST_CELL] = s.row[e, k] * p.width + s.col[e, k]
            insert_source(s, p, e, wide(k))
    s.source[e, 0, SOURCES_NEW] = 0


@rule
def settle_sources(s: State, p: Params, e: int) -> None:
    """Bring the list of things with areas to what follows from the state, after a step."""
    drop_sources(s, e)
    if s.source[e, 0, SOURCES_NEW] != 0:
        s.source[e, 0, SOURCES_NEW] = 0
        for k in range(p.things):
            if s.post[e, k, POST_JOINED] < 0:
                s.source[e, 0, SOURCES_NEW] = 1


@rule
def rebuild_sources(s: State, p: Params, e: int) -> None:
    """List the things with areas, and count how many areas each agent is in."""
    for i in range(s.source.shape[1]):
        for column in range(SOURCE_SIZE):
            s.source[e, i, column] = 0
    for area in range(s.crowd.shape[1]):
        s.crowd[e, area] = 0
    for a in range(p.agents):
        s.within[e, a] = 0
        for i in range(s.entered.shape[2]):
            s.entered[e, a, i] = 0
    if p.code.schedule.num_areas == 0:
        return
    for k in range(p.things):
        if s.post[e, k, POST_JOINED] > 0:
            insert_source(s, p, e, wide(k))
        elif s.post[e, k, POST_JOINED] < 0:
            s.source[e, 0, SOURCES_NEW] = 1
    for a in range(p.agents):
        for area in range(s.inside.shape[2]):
            if s.inside[e, a, area] > 0:
                s.entered[e, a, s.within[e, a]] = area
                s.within[e, a] += 1
                s.crowd[e, area] += 1
