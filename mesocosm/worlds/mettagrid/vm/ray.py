"""Rays: list what lies on them, up to what blocks them, or spawn things along them."""

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    BOUND_ACTORS,
    LIST_CURSOR,
    LIST_INNER_CURSOR,
    LIST_ITEMS,
    LIST_RAY_LENGTH,
    LIST_REACH,
    LIST_SAVED_TARGET,
    LIST_SIZE,
    REG_ACTOR,
    REG_TARGET,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
    OPCODE,
    OPERAND_1,
    OPERAND_2,
    RAY_DIRECTIONS,
    RAY_INCLUDES_BLOCKER,
    RAY_NUM_DIRECTIONS,
    RAY_REACH,
    RAY_SPAWNS,
    RAY_STOPS_AT_ORIGIN,
    WHO,
)
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.place import cell_of
from mesocosm.worlds.mettagrid.grid.value import OVERFLOWS_AT, value_of
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.register import col_of, row_of
from mesocosm.worlds.mettagrid.vm.scratch import append_item, begin_list, clear_marks
from mesocosm.worlds.mettagrid.vm.spawn import spawn

MAX_REACH = 65535  # farther than any map


@rule
def execute_ray_row(s: State, p: Params, e: int, at: int) -> bool:
    """Execute a row about rays; return whether it goes on."""
    row = p.tables.bytecode[at]
    op = row[OPCODE]
    found = row[OPERAND_1]
    good = True
    if op == opcodes.BEGIN_RAYS:
        good = begin_rays(s, p, e, found, row[WHO], row[OPERAND_2])
    elif op == opcodes.NEXT_ORIGIN:
        good = next_origin(s, p, e, found, row[WHO], row[OPERAND_2])
    else:
        set_reach(s, p, e, found, row[WHO], row[OPERAND_2])
    return good


@rule
def begin_rays(s: State, p: Params, e: int, found: int, source: int, which: int) -> bool:
    """Begin with the first ray; a source of -1 is the target."""
    s.pile[e, found, LIST_REACH] = p.code.data[which + RAY_REACH]
    begin_list(s, e, found, 0)
    s.pile[e, found, LIST_CURSOR] = 0
    s.pile[e, found, LIST_INNER_CURSOR] = 0
    s.pile[e, found, LIST_RAY_LENGTH] = 0
    s.pile[e, found, LIST_SAVED_TARGET] = s.reg[e, REG_TARGET]
    return source >= 0 or s.reg[e, REG_TARGET] >= 0


@rule
def num_origins(s: State, e: int, source: int) -> int:
    """Return from how many things rays begin."""
    return 1 if source < 0 else s.pile[e, source, LIST_SIZE]


@rule
def origin(s: State, e: int, found: int, source: int) -> int:
    """Return the thing from which the rays at hand begin."""
    if source < 0:
        return s.pile[e, found, LIST_SAVED_TARGET]
    return s.pile[e, source, LIST_ITEMS + s.pile[e, found, LIST_CURSOR]]


@rule
def next_origin(s: State, p: Params, e: int, found: int, source: int, depth: int) -> bool:
    """Bind the next origin as the actor, for a value that says how far its rays go."""
    if s.pile[e, found, LIST_CURSOR] < num_origins(s, e, source):
        s.reg[e, BOUND_ACTORS + depth] = s.reg[e, REG_ACTOR]
        s.reg[e, REG_ACTOR] = origin(s, e, found, source)
        return True
    clear_marks(s, p, e, found)
    s.reg[e, REG_TARGET] = s.pile[e, found, LIST_SAVED_TARGET]
    return False


@rule
def set_reach(s: State, p: Params, e: int, found: int, depth: int, which: int) -> None:
    """Set how far rays go to a value of the origin; what 32 bits cannot hold is nothing."""
    value = value_of(s, p, e, wide(s.reg[e, REG_ACTOR]), which)
    if not value < OVERFLOWS_AT:
        value = 0.0
    s.pile[e, found, LIST_REACH] = int(clip(value, 0.0, 1.0 * MAX_REACH))
    s.reg[e, REG_ACTOR] = s.reg[e, BOUND_ACTORS + depth]
    s.reg[e, BOUND_ACTORS + depth] = 0


@rule
def next_ray_hit(s: State, p: Params, e: int, found: int, source: int, which: int) -> bool:
    """Set the target to the next thing along the rays; return False when none is left."""
    cursor = wide(s.pile[e, found, LIST_CURSOR])
    while cursor < num_origins(s, e, source):
        if search_rays(s, p, e, found, which, wide(origin(s, e, found, source))):
            return True
        cursor += 1
        s.pile[e, found, LIST_CURSOR] = cursor
        if p.code.data[which + RAY_STOPS_AT_ORIGIN] != 0:
            return False
    clear_marks(s, p, e, found)
    s.reg[e, REG_TARGET] = s.pile[e, found, LIST_SAVED_TARGET]
    return False


@rule
def search_rays(s: State, p: Params, e: int, found: int, which: int, start: int) -> bool:
    """Set the target to the next thing on the rays of one origin; return False after the last."""
    ways = p.code.data[which + RAY_NUM_DIRECTIONS]
    spawns = p.code.data[which + RAY_SPAWNS]
    reach = wide(s.pile[e, found, LIST_REACH])
    side = wide(s.pile[e, found, LIST_INNER_CURSOR])
    length = wide(s.pile[e, found, LIST_RAY_LENGTH])
    row = wide(row_of(s, p, e, start))
    col = wide(col_of(s, p, e, start))
    while side < ways:
        dr = p.code.data[which + RAY_DIRECTIONS + 2 * side]
        dc = p.code.data[which + RAY_DIRECTIONS + 2 * side + 1]
        cell = cell_of(p, row + dr * length, col + dc * length)
        while length < reach:
            length += 1
            cell += dr * p.pitch + dc
            shown = s.cell[e, cell]
            if shown > 0:
                s.reg[e, REG_TARGET] = shown - 1
                s.pile[e, found, LIST_INNER_CURSOR] = side
                s.pile[e, found, LIST_RAY_LENGTH] = length
                return True
            if shown < 0:
                break
            if spawns >= 0:
                spawn(s, p, e, wide(spawns), wide(row + dr * length), wide(col + dc * length))
        side += 1
        length = 0
    s.pile[e, found, LIST_INNER_CURSOR] = 0
    s.pile[e, found, LIST_RAY_LENGTH] = 0
    return False


@rule
def keep_ray_hit(s: State, p: Params, e: int, found: int, which: int, wanted: bool) -> None:
    """Append the thing that a ray hit, once."""
    k = s.reg[e, REG_TARGET]
    fresh = s.pile[e, found, LIST_ITEMS + p.list_room + k] == 0
    if wanted and fresh and p.code.data[which + RAY_SPAWNS] < 0:
        s.pile[e, found, LIST_ITEMS + p.list_room + k] = 1
        append_item(s, e, found, k)


@rule
def block_ray(s: State, p: Params, e: int, found: int, which: int) -> None:
    """End a ray at what blocks it."""
    keep_ray_hit(s, p, e, found, which, p.code.data[which + RAY_INCLUDES_BLOCKER] != 0)
    s.pile[e, found, LIST_INNER_CURSOR] += 1
    s.pile[e, found, LIST_RAY_LENGTH] = 0
