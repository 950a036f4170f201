"""Things that appear, vanish and are moved during a game."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    POST_JOINED,
    REG_ACTOR,
    REG_COL,
    REG_FAILED,
    REG_REMOVED,
    REG_REMOVED_COL,
    REG_REMOVED_ROW,
    REG_ROW,
    REG_TARGET,
)
from mesocosm.worlds.mettagrid.compile.kinds import CLAIMS
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.place import (
    block_sight,
    cell_of,
    clear_cell,
    enter,
    is_on_map,
    leave,
    reappear,
    show_proxy,
)
from mesocosm.worlds.mettagrid.grid.presence import add_areas
from mesocosm.worlds.mettagrid.grid.proxy import is_proxy
from mesocosm.worlds.mettagrid.grid.stale import mark_displaced
from mesocosm.worlds.mettagrid.grid.tag import has_tag, leave_tag_lists, list_under_tag
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.register import col_of, row_of


@rule
def leave_cell(s: State, p: Params, e: int, k: int) -> None:
    """Take a thing off its cell."""
    leave(s, p, e, k)
    block_sight(s, p, e, k, -1)


@rule
def free_at(s: State, p: Params, e: int, r: int, c: int) -> bool:
    """Whether a cell is on the map and nothing is there."""
    return is_on_map(p, r, c) and s.cell[e, cell_of(p, r, c)] == 0


@rule
def thing_at(s: State, p: Params, e: int, r: int, c: int) -> int:
    """Return what is on a cell, or -1."""
    if not is_on_map(p, r, c):
        return -1
    return s.cell[e, cell_of(p, r, c)] - 1


@rule
def move_thing(s: State, p: Params, e: int, k: int, r: int, c: int) -> bool:
    """Move a thing to a cell; return whether that is free.

    A thing that was just removed stays away; whatever took its cell moves instead. One that
    vanished and moves to where it is already stays vanished, as upstream clears what it left.
    """
    if not free_at(s, p, e, r, c):
        return False
    if p.moves_proxies and is_proxy(p, k):
        show_proxy(s, p, e, k, r, c)
        mark_displaced(s, e, k)
        return True
    if p.vanishes:
        if row_of(s, p, e, k) == r and col_of(s, p, e, k) == c:
            return True
        if s.reg[e, REG_REMOVED] == k + 1 and s.row[e, k] < 0:
            y = wide(s.reg[e, REG_REMOVED_ROW])
            clear_cell(s, p, e, y, wide(s.reg[e, REG_REMOVED_COL]))
        reappear(s, p, e, k, r, c)
        mark_displaced(s, e, k)
        return True
    if s.reg[e, REG_REMOVED] == k + 1 and s.row[e, k] < 0:
        k = wide(thing_at(s, p, e, s.reg[e, REG_REMOVED_ROW], s.reg[e, REG_REMOVED_COL]))
        s.reg[e, REG_REMOVED_ROW] = r
        s.reg[e, REG_REMOVED_COL] = c
        if p.keeps_land:
            s.left_at[e, s.reg[e, REG_REMOVED] - 1] = r * p.width + c + 1
        if k < 0:
            return True
    if s.row[e, k] >= 0:
        leave_cell(s, p, e, k)
    enter(s, p, e, k, r, c)
    block_sight(s, p, e, k, 1)
    mark_displaced(s, e, k)
    return True


@rule
def vanish(s: State, p: Params, e: int, k: int) -> bool:
    """Take what is shown where a thing is off the map; an agent stays there and acts on."""
    y = wide(row_of(s, p, e, k))
    x = wide(col_of(s, p, e, k))
    if y < 0:
        return False
    clear_cell(s, p, e, y, x)
    if s.row[e, k] >= 0 and k >= p.agents:
        s.reg[e, REG_REMOVED] = k + 1
        s.reg[e, REG_REMOVED_ROW] = y
        s.reg[e, REG_REMOVED_COL] = x
        if p.keeps_land and p.tables.kind[p.tables.kind_of[k], CLAIMS] != 0:
            s.left_at[e, k] = y * p.width + x + 1
        s.row[e, k] = -1
        s.col[e, k] = -1
    leave_tag_lists(s, p, e, k)
    return True


@rule
def remove_if_empty(s: State, p: Params, e: int, k: int) -> bool:
    """Remove an object that holds nothing, and note where it was; return whether it went."""
    if k < 0:
        return False
    mark_displaced(s, e, k)
    if p.vanishes:
        return s.held[e, k, 0] < 0 and vanish(s, p, e, k)
    if k < p.agents or s.held[e, k, 0] >= 0 or s.row[e, k] < 0:
        return False
    s.reg[e, REG_REMOVED] = k + 1
    s.reg[e, REG_REMOVED_ROW] = s.row[e, k]
    s.reg[e, REG_REMOVED_COL] = s.col[e, k]
    if p.keeps_land and p.tables.kind[p.tables.kind_of[k], CLAIMS] != 0:
        s.left_at[e, k] = s.row[e, k] * p.width + s.col[e, k] + 1
    leave_cell(s, p, e, k)
    s.row[e, k] = -1
    s.col[e, k] = -1
    leave_tag_lists(s, p, e, k)
    return True


@rule
def idle_slot(s: State, p: Params, e: int, kind: int) -> int:
    """Find a slot for a new thing of a kind, or -1."""
    for k in range(p.agents, p.things):
        idle = p.tables.kind_of[k] == kind and s.row[e, k] < 0
        if p.keeps_land:
            idle = idle and s.left_at[e, k] == 0
        if p.keeps_areas:
            idle = idle and s.post[e, k, POST_JOINED] == 0
        free = s.reg[e, REG_REMOVED] != k + 1 and s.game_target[e] != k + 1
        if idle and free and s.reg[e, REG_TARGET] != k:
            return k
    return -1


@rule
def spawn(s: State, p: Params, e: int, kind: int, r: int, c: int) -> int:
    """Spawn a thing; return it, or -1 if there is no room for it."""
    k = idle_slot(s, p, e, kind) if free_at(s, p, e, r, c) else -1
    if k < 0:
        return -1
    size = p.resources
    for i in range(size):
        s.amount[e, k, i] = p.code.born[kind, i]
        s.held[e, k, i] = p.code.born[kind, size + i]
    s.buckets[e, k] = p.code.born[kind, 2 * size]
    s.vibe[e, k] = p.code.born[kind, 2 * size + 1]
    for word in range(s.tag.shape[2]):
        s.tag[e, k, word] = p.code.born[kind, 2 * size + 2 + word]
    s.veiled[e, k] = p.veils
    if s.seen_at.shape[1] > k:
        s.seen_at[e, k] = 0
    for tag in range(p.code.num_tags):
        if has_tag(s, e, k, tag):
            list_under_tag(s, p, e, k, tag, True)
    if p.code.schedule.num_areas > 0:
        add_areas(s, p, e, k, r, c)
    move_thing(s, p, e, k, r, c)
    return k


@rule
def spawn_target(s: State, p: Params, e: int, kind: int) -> None:
    """Spawn a thing at the target's cell; it becomes the target."""
    k = spawn(s, p, e, kind, wide(s.reg[e, REG_ROW]), wide(s.reg[e, REG_COL]))
    if k < 0:
        s.reg[e, REG_FAILED] = 1
    else:
        s.reg[e, REG_TARGET] = k
        if p.veils and s.reg[e, REG_ACTOR] < 0:
            s.game_target[e] = k + 1  # as upstream, where the game's tick never forgets it


@rule
def push_target(s: State, p: Params, e: int, by: int, k: int) -> None:
    """Move the target one cell on, away from who pushes."""
    if by < 0 or k < 0:
        s.reg[e, REG_FAILED] = 1
        return
    r = row_of(s, p, e, k)
    c = col_of(s, p, e, k)
    dr = min(max(r - row_of(s, p, e, by), -1), 1)
    dc = min(max(c - col_of(s, p, e, by), -1), 1)
    if not move_thing(s, p, e, wide(k), wide(r + dr), wide(c + dc)):
        s.reg[e, REG_FAILED] = 1
