"""Where things are: the cell they stand on, and the bits that say that something is there."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
from mesocosm.worlds.mettagrid.compile.geometry import PAD, STRIDE
from mesocosm.worlds.mettagrid.compile.kinds import OPAQUE
from mesocosm.worlds.mettagrid.grid.proxy import is_proxy, proxy_place, set_proxy_place
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import MAX_OPAQUE, State


@rule
def cell_of(p: Params, r: int, c: int) -> int:
    """Return the index of a cell in padded arrays."""
    return (r + PAD) * p.pitch + c + PAD


@rule
def is_on_map(p: Params, r: int, c: int) -> bool:
    """Whether a row and a column are on the map."""
    return 0 <= r < p.height and 0 <= c < p.width


@rule
def set_bit(words: np.ndarray, r: int, c: int) -> None:
    """Mark (r, c) as occupied, in every word that covers it."""
    word = (c + PAD) // STRIDE
    bit = (c + PAD) - word * STRIDE
    words[word, r + PAD] = words[word, r + PAD] | (1 << bit)
    if word > 0 and bit + STRIDE < WORD_BITS:
        words[word - 1, r + PAD] = words[word - 1, r + PAD] | (1 << (bit + STRIDE))


@rule
def clear_bit(words: np.ndarray, r: int, c: int) -> None:
    """Mark (r, c) as free."""
    word = (c + PAD) // STRIDE
    bit = (c + PAD) - word * STRIDE
    words[word, r + PAD] = words[word, r + PAD] & ~(1 << bit)
    if word > 0 and bit + STRIDE < WORD_BITS:
        words[word - 1, r + PAD] = words[word - 1, r + PAD] & ~(1 << (bit + STRIDE))


@rule
def enter(s: State, p: Params, e: int, k: int, r: int, c: int) -> None:
    """Put a thing on a cell."""
    s.row[e, k] = r
    s.col[e, k] = c
    s.cell[e, cell_of(p, r, c)] = k + 1
    set_bit(s.occupied[e], r, c)


@rule
def leave(s: State, p: Params, e: int, k: int) -> None:
    """Take a thing off its cell."""
    r = s.row[e, k]
    c = s.col[e, k]
    s.cell[e, cell_of(p, r, c)] = 0
    clear_bit(s.occupied[e], r, c)


@rule
def clear_cell(s: State, p: Params, e: int, r: int, c: int) -> None:
    """Let whatever a cell shows vanish."""
    shown = s.cell[e, cell_of(p, r, c)]
    if shown > 0:
        s.cell[e, cell_of(p, r, c)] = 0
        clear_bit(s.occupied[e], r, c)
        block_sight_at(s, p, e, shown - 1, r, c, -1)
        if p.moves_proxies and is_proxy(p, shown - 1):
            s.proxy_on[e, cell_of(p, r, c)] = 0
        elif shown <= p.things:
            s.vanished[e, shown - 1] = True


@rule
def reappear(s: State, p: Params, e: int, k: int, r: int, c: int) -> None:
    """Clear the cell where a thing is, and put it on another, whether or not it had vanished."""
    if s.row[e, k] >= 0:
        clear_cell(s, p, e, s.row[e, k], s.col[e, k])
    enter(s, p, e, k, r, c)
    s.vanished[e, k] = False
    block_sight(s, p, e, k, 1)


@rule
def show_proxy(s: State, p: Params, e: int, k: int, r: int, c: int) -> None:
    """Clear the cell where a proxy acts, and let another show it; it may be on several."""
    place = proxy_place(s, p, e, k)
    clear_cell(s, p, e, place // p.width, place % p.width)
    set_proxy_place(s, p, e, k, r, c)
    cell = cell_of(p, r, c)
    s.proxy_on[e, cell] = k + 1 - p.things + p.code.schedule.num_lands
    s.cell[e, cell] = k + 1
    set_bit(s.occupied[e], r, c)


@rule
def block_sight(s: State, p: Params, e: int, k: int, by: int) -> None:
    """Count a thing that blocks sight on its cell (1), or no longer (-1)."""
    block_sight_at(s, p, e, k, s.row[e, k], s.col[e, k], by)


@rule
def block_sight_at(s: State, p: Params, e: int, k: int, r: int, c: int, by: int) -> None:
    """Count a thing that blocks sight on a cell (1), or no longer (-1)."""
    if p.tables.kind[p.tables.kind_of[k], OPAQUE] == 0:
        return
    cell = cell_of(p, r, c)
    s.opaque[e, cell] = min(s.opaque[e, cell] + by, MAX_OPAQUE)
    if s.opaque[e, cell] > 0:
        set_bit(s.blocking[e], r, c)
    else:
        clear_bit(s.blocking[e], r, c)


@rule
def swap_places(s: State, p: Params, e: int, actor: int, target: int) -> None:
    """Swap the places of two things."""
    r, c = s.row[e, actor], s.col[e, actor]
    y, x = s.row[e, target], s.col[e, target]
    if r < 0 or y < 0:
        return
    block_sight(s, p, e, actor, -1)
    block_sight(s, p, e, target, -1)
    s.row[e, actor], s.col[e, actor] = y, x
    s.row[e, target], s.col[e, target] = r, c
    s.cell[e, cell_of(p, y, x)] = actor + 1
    s.cell[e, cell_of(p, r, c)] = target + 1
    if p.vanishes:
        set_bit(s.occupied[e], r, c)
        set_bit(s.occupied[e], y, x)
        s.vanished[e, actor] = False
        s.vanished[e, target] = False
        if p.moves_proxies:  # where one had vanished, a proxy may be
            s.proxy_on[e, cell_of(p, r, c)] = 0
            s.proxy_on[e, cell_of(p, y, x)] = 0
    block_sight(s, p, e, actor, 1)
    block_sight(s, p, e, target, 1)
