"""The observation of a cog: tokens, nearest first."""

import numpy as np

from mesocosm.sim.bits import lowest
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
from mesocosm.worlds.mettagrid.compile.columns import TOLD_VALUE
from mesocosm.worlds.mettagrid.compile.geometry import (
    DC,
    DR,
    LOCATION,
    NORTH_SEEN,
    OFFSET,
    PAD,
    RAY_AT,
    RAY_LEN,
    STRIDE,
)
from mesocosm.worlds.mettagrid.game.idmap import EMPTY_TOKEN
from mesocosm.worlds.mettagrid.grid.place import cell_of, is_on_map
from mesocosm.worlds.mettagrid.grid.territory import FOREIGN_LAND, NUM_LAND_LABELS, land_label
from mesocosm.worlds.mettagrid.grid.value import value_of
from mesocosm.worlds.mettagrid.observe.hints import append_token, put_globals
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

UNLIMITED_SIGHT = 99


@rule
def observe(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write what a cog sees."""
    n = put_globals(s, p, e, a, out)
    if s.row[e, a] >= 0 and s.col[e, a] >= 0:
        if p.has_blockers or p.has_territory or p.has_radius:
            n = see_cells(s, p, e, a, out, n)
        else:
            n = see_things(s, p, e, a, out, n)
    end_view(p, out, n)


@rule
def end_view(p: Params, out: np.ndarray, n: int) -> None:
    """Fill what is behind the first `n` tokens with empty ones."""
    for i in range(3 * min(n, p.num_tokens), 3 * p.num_tokens):
        out[i] = EMPTY_TOKEN


@rule
def count_tokens(s: State, p: Params, e: int, a: int) -> int:
    """Return how many tokens an agent's view has, whether or not they fit."""
    n = put_globals(s, p, e, a, p.tables.nothing)
    if s.row[e, a] < 0 or s.col[e, a] < 0:
        return n
    return see_cells(s, p, e, a, p.tables.nothing, n)


@rule
def see_things(s: State, p: Params, e: int, a: int, out: np.ndarray, n: int) -> int:
    """Write the tokens of everything in the window, found by the bits of occupied cells."""
    top = s.row[e, a] + PAD - p.window_height // 2
    left = s.col[e, a] + PAD - p.window_width // 2
    word = left // STRIDE
    shift = left - word * STRIDE
    low = (1 << p.half) - 1
    first = 0
    second = 0
    third = 0
    fourth = 0
    for i in range(p.window_height):
        bits = (s.occupied[e, word, top + i] >> shift) & p.tables.masks[i]
        at = ((2 * i) << p.half) + (bits & low)
        to = ((2 * i + 1) << p.half) + (bits >> p.half)
        first |= p.tables.ranks[at, 0] | p.tables.ranks[to, 0]
        if p.tables.ranks.shape[1] > 1:
            second |= p.tables.ranks[at, 1] | p.tables.ranks[to, 1]
        if p.tables.ranks.shape[1] > 2:
            third |= p.tables.ranks[at, 2] | p.tables.ranks[to, 2]
        if p.tables.ranks.shape[1] > 3:
            fourth |= p.tables.ranks[at, 3] | p.tables.ranks[to, 3]
    base = cell_of(p, s.row[e, a], s.col[e, a])
    n = copy_ranks(s, p, e, base, out, n, first, 0)
    n = copy_ranks(s, p, e, base, out, n, second, WORD_BITS)
    n = copy_ranks(s, p, e, base, out, n, third, 2 * WORD_BITS)
    return copy_ranks(s, p, e, base, out, n, fourth, 3 * WORD_BITS)


@rule
def copy_ranks(
    s: State, p: Params, e: int, base: int, out: np.ndarray, n: int, bits: int, first: int
) -> int:
    """Copy the blocks of the things whose cells are set in a word, in order of emission."""
    while bits != 0:
        rank = first + lowest(bits)
        bits &= bits - 1
        slot = s.cell[e, base + p.tables.window[rank, OFFSET]] - 1
        n = copy_block(s, e, out, n, p.tables.window[rank, LOCATION], slot)
    return n


@rule
def copy_block(s: State, e: int, out: np.ndarray, n: int, place: int, slot: int) -> int:
    """Copy the tokens of one thing, as many as fit; give the count as if all did."""
    number = s.length[e, slot]
    at = 3 * n
    fits = number
    if at + 3 * number > out.shape[0]:
        fits = max(out.shape[0] - at, 0) // 3
    for i in range(fits):
        out[at] = place
        out[at + 1] = s.block[e, slot, 2 * i]
        out[at + 2] = s.block[e, slot, 2 * i + 1]
        at += 3
    return n + number


@rule
def see_cells(s: State, p: Params, e: int, a: int, out: np.ndarray, n: int) -> int:
    """Write the tokens of every cell in turn, where sight is blocked or land is shown."""
    base = cell_of(p, s.row[e, a], s.col[e, a])
    reach = sight(s, p, e, a)
    for rank in range(p.tables.window.shape[0]):
        cell = base + p.tables.window[rank, OFFSET]
        if not (p.has_territory or s.cell[e, cell] > 0):
            continue
        if not in_reach(p, rank, reach) or is_hidden(s, p, e, base, rank, reach):
            continue
        if p.has_territory:
            n = put_borders(s, p, e, a, out, n, base, rank, reach)
        if s.cell[e, cell] > 0:
            n = copy_block(s, e, out, n, p.tables.window[rank, LOCATION], s.cell[e, cell] - 1)
    return n


@rule
def sight(s: State, p: Params, e: int, a: int) -> int:
    """Return how far an agent sees, where a value limits that; else farther than any window."""
    if not p.has_radius:
        return UNLIMITED_SIGHT
    which = p.tables.told[p.tables.told.shape[0] - 1, TOLD_VALUE]
    return int(min(max(value_of(s, p, e, a, which), 0.0), 1.0 * UNLIMITED_SIGHT))


@rule
def in_reach(p: Params, rank: int, reach: int) -> bool:
    """Whether a cell of the window lies in the smaller window that a radius leaves."""
    if not p.has_radius:
        return True
    return is_near(p, abs(p.tables.window[rank, DR]), abs(p.tables.window[rank, DC]), reach)


@rule
def is_near(p: Params, dr: int, dc: int, reach: int) -> bool:
    """Whether a distance lies within a radius, and within the window."""
    rows = min(reach, p.window_height // 2)
    cols = min(reach, p.window_width // 2)
    if dr > rows or dc > cols:
        return False
    if rows != cols:
        return dr * dr * cols * cols + dc * dc * rows * rows <= rows * rows * cols * cols
    far = dr * dr + dc * dc
    return far <= rows * rows or (rows >= 2 and far == rows * rows + 1 and max(dr, dc) == rows)


@rule
def is_hidden(s: State, p: Params, e: int, base: int, rank: int, reach: int) -> bool:
    """Whether something on the ray to a cell blocks the view.

    As upstream, where a radius leaves fewer columns, the cells of the window are counted by these,
    and a cell is hidden if another one is.
    """
    if not p.has_blockers:
        return False
    at = p.tables.window[rank, RAY_AT]
    number = p.tables.window[rank, RAY_LEN]
    if p.mixes_shadows:
        columns = 2 * min(reach, p.window_width // 2) + 1
        r = p.tables.window[rank, DR] + p.window_height // 2
        which = r * columns + p.tables.window[rank, DC] + p.window_width // 2
        at = p.tables.ray_of[which, 0]
        number = p.tables.ray_of[which, 1]
    for i in range(at, at + number):
        if s.opaque[e, base + p.tables.rays[i]] > 0:
            return True
    return False


@rule
def put_borders(
    s: State, p: Params, e: int, a: int, out: np.ndarray, n: int, base: int, rank: int, reach: int
) -> int:
    """Write where the land beside a cell is someone else's."""
    r = s.row[e, a] + p.tables.window[rank, DR]
    c = s.col[e, a] + p.tables.window[rank, DC]
    if not is_on_map(p, r, c):
        return n
    cell = base + p.tables.window[rank, OFFSET]
    if s.border[e, cell] == 0:
        return n
    own = land_label(s, e, a, cell)
    for side in range(4):
        if s.border[e, cell] & (1 << side) == 0 or p.tables.window[rank, NORTH_SEEN + side] == 0:
            continue
        y = r + (1 if side == 1 else 0) - (1 if side == 0 else 0)
        x = c + (1 if side == 2 else 0) - (1 if side == 3 else 0)
        if not is_on_map(p, y, x):
            continue
        if p.has_radius and not is_near(p, abs(y - s.row[e, a]), abs(x - s.col[e, a]), reach):
            continue
        other = cell_of(p, y, x)
        beside = land_label(s, e, a, other)
        if beside != own or (own == FOREIGN_LAND and s.owner[e, cell] != s.owner[e, other]):
            place = p.tables.window[rank, LOCATION]
            n = append_token(out, n, place, p.ids.border + side, own * NUM_LAND_LABELS + beside)
    return n
