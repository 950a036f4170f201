"""Land where sight is limited, as upstream: whose it is stands in a table of the whole window.

MettaGrid fills one table for all agents in turn. It counts the rows of that table by the columns
that an agent sees, writes the land of the whole window into it, and looks it up by the places of
the whole window, so that what is told of a cell may be the land of another one, or what stood
there before. What was never written is told as nothing here.
"""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.geometry import DC, DR, LOCATION, OFFSET
from mesocosm.worlds.mettagrid.grid.place import cell_of
from mesocosm.worlds.mettagrid.grid.territory import (
    FOREIGN_LAND,
    NUM_LAND_LABELS,
    NUM_SIDES,
    land_label,
)
from mesocosm.worlds.mettagrid.observe.hints import append_token
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def columns_seen(p: Params, reach: int) -> int:
    """Return how many columns of the window an agent sees."""
    return min(2 * reach + 1, p.window_width)


@rule
def rows_seen(p: Params, reach: int) -> int:
    """Return how many rows of the window an agent sees."""
    return min(2 * reach + 1, p.window_height)


@rule
def fill_land_table(s: State, p: Params, e: int, a: int, reach: int) -> None:
    """Write the land in an agent's window into the table, over what the last agent left there."""
    before = a - 1 if a > 0 else p.agents - 1
    columns = columns_seen(p, reach)
    rows = rows_seen(p, reach)
    for i in range(s.land_table.shape[2]):
        s.land_table[e, a, i] = s.land_table[e, before, i] if i >= rows * columns else 0
    base = cell_of(p, s.row[e, a], s.col[e, a])
    for rank in range(p.tables.window.shape[0]):
        cell = base + p.tables.window[rank, OFFSET]
        r = p.tables.window[rank, DR] + rows // 2
        at = r * columns + p.tables.window[rank, DC] + columns // 2
        if at >= 0 and s.cell[e, cell] >= 0:
            label = land_label(s, e, a, cell)
            s.land_table[e, a, at] = 1 + label + NUM_LAND_LABELS * s.owner[e, cell]


@rule
def put_table_borders(
    s: State, p: Params, e: int, a: int, out: np.ndarray, n: int, rank: int, reach: int
) -> int:
    """Write where the table says that the land beside a cell is someone else's."""
    columns = columns_seen(p, reach)
    r = p.tables.window[rank, DR] + p.window_height // 2
    c = p.tables.window[rank, DC] + p.window_width // 2
    here = s.land_table[e, a, r * columns + c] - 1
    if here < 0:
        return n
    own = here % NUM_LAND_LABELS
    for side in range(NUM_SIDES):
        y = r + (1 if side == 1 else 0) - (1 if side == 0 else 0)
        x = c + (1 if side == 2 else 0) - (1 if side == 3 else 0)
        if y < 0 or y >= rows_seen(p, reach) or x < 0 or x >= columns:
            continue
        there = s.land_table[e, a, y * columns + x] - 1
        beside = there % NUM_LAND_LABELS
        if there >= 0 and (beside != own or (own == FOREIGN_LAND and here != there)):
            place = p.tables.window[rank, LOCATION]
            n = append_token(out, n, place, p.ids.border + side, own * NUM_LAND_LABELS + beside)
    return n
