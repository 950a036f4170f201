"""Things that appear, vanish and are moved during a game."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.geometry import PAD
from mesocosm.worlds.mettagrid.inventory import wide
from mesocosm.worlds.mettagrid.place import clear_bit, set_bit
from mesocosm.worlds.mettagrid.plan import OPAQUE
from mesocosm.worlds.mettagrid.presence import join, lose_areas
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
from mesocosm.worlds.mettagrid.work import Work


@rule
def cell_at(w: Work, r: int, c: int) -> int:
    """The index of a cell in padded arrays."""
    return (r + PAD) * w.pitch + c + PAD


@rule
def lift(w: Work, k: int) -> None:
    """Take a thing off its cell."""
    cell = cell_at(w, w.row[k], w.col[k])
    w.cell[cell] = 0
    clear_bit(w.occupied, w.row[k], w.col[k])
    if w.kind[w.bag.kind_of[k], OPAQUE] != 0:
        w.opaque[cell] -= 1


@rule
def free_at(w: Work, r: int, c: int) -> bool:
    """Whether a cell is on the map and nothing is there."""
    return 0 <= r < w.height and 0 <= c < w.width and w.cell[cell_at(w, r, c)] == 0


@rule
def thing_at(w: Work, r: int, c: int) -> int:
    """What is on a cell, or -1."""
    if r < 0 or c < 0 or r >= w.height or c >= w.width:
        return -1
    return w.cell[cell_at(w, r, c)] - 1


@rule
def shift(w: Work, k: int, r: int, c: int) -> bool:
    """Move a thing to a free cell; say whether it is free.

    What was just removed stays away; who took its place goes instead.
    """
    if not free_at(w, r, c):
        return False
    if w.reg[GONE] == k + 1 and w.row[k] < 0:
        k = wide(thing_at(w, w.reg[GONE_ROW], w.reg[GONE_COL]))
        w.reg[GONE_ROW] = r
        w.reg[GONE_COL] = c
        if k < 0:
            return True
    if w.row[k] >= 0:
        lift(w, k)
    w.row[k] = r
    w.col[k] = c
    w.cell[cell_at(w, r, c)] = k + 1
    set_bit(w.occupied, r, c)
    if w.kind[w.bag.kind_of[k], OPAQUE] != 0:
        w.opaque[cell_at(w, r, c)] += 1
    w.stale[k] = True
    return True


@rule
def remove(w: Work, k: int) -> None:
    """Take a thing off the map, and remember where it was."""
    w.reg[GONE] = k + 1
    w.reg[GONE_ROW] = w.row[k]
    w.reg[GONE_COL] = w.col[k]
    if w.num_areas > 0:
        lose_areas(w, k)
    lift(w, k)
    w.row[k] = -1
    w.col[k] = -1
    forget_tags(w, k)


@rule
def idle_slot(w: Work, kind: int) -> int:
    """Find a slot for a new thing of a kind, or -1."""
    for k in range(w.agents, w.things):
        idle = w.bag.kind_of[k] == kind and w.row[k] < 0
        if idle and w.reg[GONE] != k + 1 and w.reg[TO] != k:
            return k
    return -1


@rule
def spawn(w: Work, kind: int, r: int, c: int) -> bool:
    """Let a thing appear; say whether there is room for it."""
    k = idle_slot(w, kind) if free_at(w, r, c) else -1
    if k < 0:
        return False
    size = w.resources
    for i in range(size):
        w.amount[k, i] = w.born[kind, i]
        w.held[k, i] = w.born[kind, size + i]
    w.buckets[k] = w.born[kind, 2 * size]
    w.vibe[k] = w.born[kind, 2 * size + 1]
    for word in range(w.tag.shape[1]):
        w.tag[k, word] = w.born[kind, 2 * size + 2 + word]
    w.veiled[k] = w.veils
    for tag in range(w.num_tags):
        if has_tag(w, k, tag):
            note_tag(w, k, tag, True)
    if w.num_areas > 0:
        join(w, k, r, c)
    return shift(w, k, r, c)


@rule
def spawn_target(w: Work, kind: int) -> None:
    """Let a thing appear at the target's place; it becomes no target by that."""
    if not spawn(w, kind, wide(w.reg[ROW]), wide(w.reg[COL])):
        w.reg[FAILED] = 1


@rule
def push(w: Work, by: int, k: int) -> None:
    """Move the target one cell on, away from who pushes."""
    if by < 0 or k < 0:
        w.reg[FAILED] = 1
        return
    r = row_of(w, k)
    c = col_of(w, k)
    dr = min(max(r - row_of(w, by), -1), 1)
    dc = min(max(c - col_of(w, by), -1), 1)
    if not shift(w, wide(k), wide(r + dr), wide(c + dc)):
        w.reg[FAILED] = 1
