"""The observation of a cog: tokens, nearest first."""

import numpy as np

from mesocosm.sim.bits import lowest, store_word
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.bits import FULL_WORD, WORD_BITS
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
    SPOT_LOCATIONS,
    SPOT_OFFSET,
    STRIDE,
)
from mesocosm.worlds.mettagrid.game.idmap import EMPTY_TOKEN
from mesocosm.worlds.mettagrid.grid.place import cell_of
from mesocosm.worlds.mettagrid.grid.territory import FOREIGN_LAND, NUM_LAND_LABELS, land_label
from mesocosm.worlds.mettagrid.grid.value import OVERFLOWS_AT, value_of
from mesocosm.worlds.mettagrid.observe.block import LENGTH_SHIFT, TOKEN_BITS
from mesocosm.worlds.mettagrid.observe.hints import append_token, put_globals
from mesocosm.worlds.mettagrid.observe.land_table import put_table_borders
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import LEAD_WORDS, State

UNLIMITED_SIGHT = 99
WORD_BYTES = 6  # of two tokens
SPARE_BYTES = 14  # that a block's words may reach beyond its last token


@rule
def observe(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write what a cog sees."""
    n = put_globals(s, p, e, a, out)
    if s.row[e, a] >= 0 and s.col[e, a] >= 0:
        n = see(s, p, e, a, out, n)
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
    return see(s, p, e, a, p.tables.nothing, n)


@rule
def see(s: State, p: Params, e: int, a: int, out: np.ndarray, n: int) -> int:
    """Write the tokens of everything in the window, nearest first."""
    if p.has_blockers or p.has_territory or p.has_radius:
        return see_limited(s, p, e, a, out, n)
    base = cell_of(p, s.row[e, a], s.col[e, a])
    for pair in range(p.num_pairs):
        near, far = find_ranks(p, s.occupied[e], s.row[e, a], s.col[e, a], pair)
        n = copy_ranks(s, p, e, base, out, n, near, far, 2 * pair * WORD_BITS)
    return n


@rule
def find_ranks(p: Params, bitmap: np.ndarray, r: int, c: int, pair: int) -> tuple[int, int]:
    """Return which cells of the window around (r, c) are set in a bitmap, by order of emission.

    Args:
        pair: Which two words of them: a window has one or two such pairs.
    """
    top = r + PAD - p.window_height // 2
    column = c + PAD - p.window_width // 2
    word = column // STRIDE
    shift = column - word * STRIDE
    step = 1 << p.half
    high = (1 << (p.window_width - p.half)) - 1
    first = 4 * pair
    near = 0
    far = 0
    at = 0
    for i in range(p.window_height):
        bits = bitmap[word, top + i] >> shift
        left = at + (bits & (step - 1))
        right = at + ((bits >> p.half) & high)
        near |= p.tables.ranks[first, left] | p.tables.ranks[first + 2, right]
        far |= p.tables.ranks[first + 1, left] | p.tables.ranks[first + 3, right]
        at += step
    return near, far


@rule
def copy_ranks(
    s: State, p: Params, e: int, base: int, out: np.ndarray, n: int, near: int, far: int, first: int
) -> int:
    """Copy the blocks of the things whose cells are set in two words, in order of emission."""
    bits = near
    for half in range(2):
        while bits != 0:
            rank = first + lowest(bits)
            bits &= bits - 1
            slot = s.cell[e, base + p.tables.spots[rank, SPOT_OFFSET]] - 1
            n = copy_block(s, e, out, n, p.tables.spots[rank, SPOT_LOCATIONS], slot)
        bits = far if half == 0 else 0
        first += WORD_BITS
    return n


@rule
def copy_block(s: State, e: int, out: np.ndarray, n: int, locations: int, slot: int) -> int:
    """Copy the tokens of one thing, as many as fit; give the count as if all did.

    Args:
        locations: Where it is, as both tokens of a word have it.
    """
    word = s.lead[e, slot, 0]
    number = word >> LENGTH_SHIFT
    at = 3 * n
    size = 3 * number
    if at + size + SPARE_BYTES > out.shape[0]:
        if at < out.shape[0]:
            copy_tokens(s, e, out, at, locations, slot)
        return n + number
    more = s.lead[e, slot, 1] | locations
    store_word(out, at, word | locations, min(size, WORD_BYTES))
    store_word(out, at + WORD_BYTES, more, min(max(size - WORD_BYTES, 0), WORD_BYTES))
    if number > 2 * LEAD_WORDS:
        for i in range(LEAD_WORDS, (number + 1) >> 1):
            left = size - WORD_BYTES * i
            word = s.block[e, slot, i] | locations
            store_word(out, at + WORD_BYTES * i, word, min(left, WORD_BYTES))
    return n + number


@rule
def copy_tokens(s: State, e: int, out: np.ndarray, at: int, locations: int, slot: int) -> None:
    """Copy the tokens of one thing one by one, as many as fit."""
    fits = min(s.length[e, slot], max(out.shape[0] - at, 0) // 3)
    for i in range(fits):
        token = s.block[e, slot, i // 2] >> (TOKEN_BITS * (i % 2))
        out[at] = locations & 255
        out[at + 1] = (token >> 8) & 255
        out[at + 2] = (token >> 16) & 255
        at += 3


@rule
def see_limited(s: State, p: Params, e: int, a: int, out: np.ndarray, n: int) -> int:
    """Write the tokens of everything in view, where sight is limited or land is shown."""
    r = s.row[e, a]
    c = s.col[e, a]
    reach = sight(s, p, e, a)
    for pair in range(p.num_pairs):
        near, far = find_visible(s, p, e, r, c, pair, reach)
        things = find_ranks(p, s.occupied[e], r, c, pair)
        land = (0, 0)
        if p.has_territory:
            land = find_ranks(p, s.bordering[e], r, c, pair)
        if p.mixes_land:
            land = (near, far)
        for half in range(2):
            first = (2 * pair + half) * WORD_BITS
            seen = far if half == 1 else near
            held = (things[1] if half == 1 else things[0]) & seen
            owned = (land[1] if half == 1 else land[0]) & seen
            n = copy_cells(s, p, e, a, out, n, held, owned, first, reach)
    return n


@rule
def find_visible(
    s: State, p: Params, e: int, r: int, c: int, pair: int, reach: int
) -> tuple[int, int]:
    """Return which cells of a window are within reach and not hidden, by order of emission."""
    near = FULL_WORD
    far = FULL_WORD
    if p.has_radius:
        radius = min(reach, p.tables.reaches.shape[0] - 1)
        near = p.tables.reaches[radius, 2 * pair]
        far = p.tables.reaches[radius, 2 * pair + 1]
    if p.has_blockers and not p.mixes_shadows:
        for which in range(pair + 1):
            bits, more = find_ranks(p, s.blocking[e], r, c, which)
            rank = 2 * which * WORD_BITS
            near &= ~find_shadow(p, bits, rank, 2 * pair)
            near &= ~find_shadow(p, more, rank + WORD_BITS, 2 * pair)
            far &= ~find_shadow(p, bits, rank, 2 * pair + 1)
            far &= ~find_shadow(p, more, rank + WORD_BITS, 2 * pair + 1)
    return near, far


@rule
def find_shadow(p: Params, bits: int, first: int, word: int) -> int:
    """Return which cells of a word of the window are hidden by opaque ones."""
    hidden = 0
    while bits != 0:
        hidden |= p.tables.shadows[first + lowest(bits), word]
        bits &= bits - 1
    return hidden


@rule
def copy_cells(
    s: State, p: Params, e: int, a: int, out: np.ndarray, n: int, things: int, land: int,
    first: int, reach: int,
) -> int:  # fmt: skip
    """Write the borders and copy the blocks of the cells that are set, in order of emission."""
    base = cell_of(p, s.row[e, a], s.col[e, a])
    bits = things | land
    while bits != 0:
        bit = bits & -bits
        rank = first + lowest(bits)
        bits &= bits - 1
        if p.mixes_shadows and is_hidden(s, p, e, base, rank, reach):
            continue
        if land & bit != 0 and p.mixes_land:
            if s.cell[e, base + p.tables.window[rank, OFFSET]] >= 0:
                n = put_table_borders(s, p, e, a, out, n, rank, reach)
        elif land & bit != 0:
            n = put_borders(s, p, e, a, out, n, base, rank, reach)
        if things & bit != 0:
            slot = s.cell[e, base + p.tables.spots[rank, SPOT_OFFSET]] - 1
            n = copy_block(s, e, out, n, p.tables.spots[rank, SPOT_LOCATIONS], slot)
    return n


@rule
def sight(s: State, p: Params, e: int, a: int) -> int:
    """Return how far an agent sees, where a value limits that; else farther than any window."""
    if not p.has_radius:
        return UNLIMITED_SIGHT
    which = p.tables.told[p.tables.told.shape[0] - 1, TOLD_VALUE]
    value = value_of(s, p, e, a, which)
    if not value < OVERFLOWS_AT:
        value = 0.0
    return int(min(max(value, 0.0), 1.0 * UNLIMITED_SIGHT))


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
    cell = base + p.tables.window[rank, OFFSET]
    own = land_label(s, e, a, cell)
    for side in range(4):
        dr = (1 if side == 1 else 0) - (1 if side == 0 else 0)
        dc = (1 if side == 2 else 0) - (1 if side == 3 else 0)
        if s.border[e, cell] & (1 << side) == 0 or not shows_side(p, rank, side, dr, dc, reach):
            continue
        beside = land_label(s, e, a, cell + dr * p.pitch + dc)
        if beside != own or own == FOREIGN_LAND:
            place = p.tables.window[rank, LOCATION]
            n = append_token(out, n, place, p.ids.border + side, own * NUM_LAND_LABELS + beside)
    return n


@rule
def shows_side(p: Params, rank: int, side: int, dr: int, dc: int, reach: int) -> bool:
    """Whether the cell beside one lies in the window, as far as the agent sees."""
    if p.tables.window[rank, NORTH_SEEN + side] == 0:
        return False
    if not p.has_radius:
        return True
    y = p.tables.window[rank, DR] + dr
    x = p.tables.window[rank, DC] + dc
    return is_near(p, abs(y), abs(x), reach)
