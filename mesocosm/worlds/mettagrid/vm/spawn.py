"""Things that appear, vanish and are moved during a game."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    REG_COL,
    REG_FAILED,
    REG_REMOVED,
    REG_REMOVED_COL,
    REG_REMOVED_ROW,
    REG_ROW,
    REG_TARGET,
)
from mesocosm.worlds.mettagrid.compile.kinds import OPAQUE
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.place import cell_of, clear_bit, is_on_map, set_bit
from mesocosm.worlds.mettagrid.grid.presence import add_areas
from mesocosm.worlds.mettagrid.grid.tag import has_tag, leave_tag_lists, list_under_tag
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.register import col_of, row_of


@rule
def leave_cell(s: State, p: Params, e: int, k: int) -> None:
    """Take a thing off its cell."""
    cell = cell_of(p, s.row[e, k], s.col[e, k])
    s.cell[e, cell] = 0
    clear_bit(s.occupied[e], s.row[e, k], s.col[e, k])
    if p.tables.kind[p.tables.kind_of[k], OPAQUE] != 0:
        s.opaque[e, cell] -= 1


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

    A thing that was just removed stays away; whatever took its cell moves instead.
    """
    if not free_at(s, p, e, r, c):
        return False
    if s.reg[e, REG_REMOVED] == k + 1 and s.row[e, k] < 0:
        k = wide(thing_at(s, p, e, s.reg[e, REG_REMOVED_ROW], s.reg[e, REG_REMOVED_COL]))
        s.reg[e, REG_REMOVED_ROW] = r
        s.reg[e, REG_REMOVED_COL] = c
        if k < 0:
            return True
    if s.row[e, k] >= 0:
        leave_cell(s, p, e, k)
    s.row[e, k] = r
    s.col[e, k] = c
    s.cell[e, cell_of(p, r, c)] = k + 1
    set_bit(s.occupied[e], r, c)
    if p.tables.kind[p.tables.kind_of[k], OPAQUE] != 0:
        s.opaque[e, cell_of(p, r, c)] += 1
    s.stale[e, k] = True
    return True


@rule
def remove_if_empty(s: State, p: Params, e: int, k: int) -> bool:
    """Remove an object that holds nothing, and note where it was; return whether it went."""
    if k < 0:
        return False
    s.stale[e, k] = True
    if k < p.agents or s.held[e, k, 0] >= 0 or s.row[e, k] < 0:
        return False
    s.reg[e, REG_REMOVED] = k + 1
    s.reg[e, REG_REMOVED_ROW] = s.row[e, k]
    s.reg[e, REG_REMOVED_COL] = s.col[e, k]
    leave_cell(s, p, e, k)
    s.row[e, k] = -1
    s.col[e, k] = -1
    leave_tag_lists(s, e, k)
    return True


@rule
def idle_slot(s: State, p: Params, e: int, kind: int) -> int:
    """Find a slot for a new thing of a kind, or -1."""
    for k in range(p.agents, p.things):
        idle = p.tables.kind_of[k] == kind and s.row[e, k] < 0
        if idle and s.reg[e, REG_REMOVED] != k + 1 and s.reg[e, REG_TARGET] != k:
            return k
    return -1


@rule
def spawn(s: State, p: Params, e: int, kind: int, r: int, c: int) -> bool:
    """Spawn a thing; return whether there is room for it."""
    k = idle_slot(s, p, e, kind) if free_at(s, p, e, r, c) else -1
    if k < 0:
        return False
    size = p.resources
    for i in range(size):
        s.amount[e, k, i] = p.code.born[kind, i]
        s.held[e, k, i] = p.code.born[kind, size + i]
    s.buckets[e, k] = p.code.born[kind, 2 * size]
    s.vibe[e, k] = p.code.born[kind, 2 * size + 1]
    for word in range(s.tag.shape[2]):
        s.tag[e, k, word] = p.code.born[kind, 2 * size + 2 + word]
    s.veiled[e, k] = p.veils
    for tag in range(p.code.num_tags):
        if has_tag(s, e, k, tag):
            list_under_tag(s, p, e, k, tag, True)
    if p.code.schedule.num_areas > 0:
        add_areas(s, p, e, k, r, c)
    return move_thing(s, p, e, k, r, c)


@rule
def spawn_target(s: State, p: Params, e: int, kind: int) -> None:
    """Spawn a thing at the target's cell; it does not become the target."""
    if not spawn(s, p, e, kind, wide(s.reg[e, REG_ROW]), wide(s.reg[e, REG_COL])):
        s.reg[e, REG_FAILED] = 1


@rule
def push_target(s: State, p: Params, e: int, by: int, k: int) -> None:
    """Move the target one cell on, away from who pushes."""
    if by < 0 or k < 0:
        s.reg[e, REG_FAILED] = 1
        return
    r = row_of(s, e, k)
    c = col_of(s, e, k)
    dr = min(max(r - row_of(s, e, by), -1), 1)
    dc = min(max(c - col_of(s, e, by), -1), 1)
    if not move_thing(s, p, e, wide(k), wide(r + dr), wide(c + dc)):
        s.reg[e, REG_FAILED] = 1
