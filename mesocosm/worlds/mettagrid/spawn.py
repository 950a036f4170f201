"""Things that appear, vanish and are moved during a game."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.place import cell_of, enter, leave, vanish
from mesocosm.worlds.mettagrid.plan import FIRST_VIBE, OPAQUE
from mesocosm.worlds.mettagrid.register import (
    COL,
    FAILED,
    GONE,
    GONE_COL,
    GONE_ROW,
    ROW,
    TO,
    col_of,
    forget_tags,
    has_tag,
    note_tag,
    row_of,
)
from mesocosm.worlds.mettagrid.state import State


@rule
def free_at(s: State, p: Params, e: int, r: int, c: int) -> bool:
    """Whether a cell is on the map and nothing is there."""
    return 0 <= r < p.height and 0 <= c < p.width and s.cell[e, cell_of(p, r, c)] == 0


@rule
def thing_at(s: State, p: Params, e: int, r: int, c: int) -> int:
    """What is on a cell, or -1."""
    if r < 0 or c < 0 or r >= p.height or c >= p.width:
        return -1
    return s.cell[e, cell_of(p, r, c)] - 1


@rule(inline=False)
def shift(s: State, p: Params, e: int, k: int, r: int, c: int) -> bool:
    """Move a thing to a free cell; say whether it is free."""
    if not free_at(s, p, e, r, c):
        return False
    solid = p.tables.kind[p.tables.kind_of[k], OPAQUE] != 0
    if s.row[e, k] >= 0:
        if solid:
            s.opaque[e, cell_of(p, s.row[e, k], s.col[e, k])] -= 1
        leave(s, p, e, k)
    enter(s, p, e, k, r, c)
    if solid:
        s.opaque[e, cell_of(p, r, c)] += 1
    s.stale[e, k] = True
    return True


@rule(inline=False)
def remove(s: State, p: Params, e: int, k: int) -> None:
    """Take a thing off the map, and remember where it was."""
    s.reg[e, GONE] = k + 1
    s.reg[e, GONE_ROW] = s.row[e, k]
    s.reg[e, GONE_COL] = s.col[e, k]
    vanish(s, p, e, k)
    forget_tags(s, e, k)


@rule
def idle_slot(s: State, p: Params, e: int, kind: int) -> int:
    """Find a slot for a new thing of a kind, or -1."""
    for k in range(p.agents, p.things):
        if p.tables.kind_of[k] == kind and s.row[e, k] < 0:
            if s.reg[e, GONE] != k + 1 and s.reg[e, TO] != k:
                return k
    return -1


@rule(inline=False)
def spawn(s: State, p: Params, e: int, kind: int, r: int, c: int) -> bool:
    """Let a thing appear; say whether there is room for it."""
    k = idle_slot(s, p, e, kind) if free_at(s, p, e, r, c) else -1
    if k < 0:
        return False
    for i in range(p.resources):
        s.amount[e, k, i] = p.tables.initial[kind, i]
        s.held[e, k, i] = p.tables.first_held[kind, i]
    s.buckets[e, k] = p.tables.first_buckets[kind]
    s.vibe[e, k] = p.tables.kind[kind, FIRST_VIBE]
    for word in range(s.tag.shape[2]):
        s.tag[e, k, word] = p.tables.first_tags[kind, word]
    s.spawned[e, k] = True
    for tag in range(p.code.kept.shape[0]):
        if has_tag(s, e, k, tag):
            note_tag(s, p, e, k, tag, True)
    return shift(s, p, e, k, r, c)


@rule
def spawn_target(s: State, p: Params, e: int, kind: int) -> None:
    """Let a thing appear at the target's place; it becomes no target by that."""
    if not spawn(s, p, e, kind, s.reg[e, ROW], s.reg[e, COL]):
        s.reg[e, FAILED] = 1


@rule
def push(s: State, p: Params, e: int, by: int, k: int) -> None:
    """Move the target one cell on, away from who pushes."""
    if by < 0 or k < 0:
        s.reg[e, FAILED] = 1
        return
    r = row_of(s, e, k)
    c = col_of(s, e, k)
    dr = min(max(r - row_of(s, e, by), -1), 1)
    dc = min(max(c - col_of(s, e, by), -1), 1)
    if not shift(s, p, e, k, r + dr, c + dc):
        s.reg[e, FAILED] = 1
