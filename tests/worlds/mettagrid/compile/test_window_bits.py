"""The window as bits: tables agree with the cells, rays and radii that they are made of."""

import numpy as np
import pytest

from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
from mesocosm.worlds.mettagrid.compile.geometry import (
    LOCATION,
    OFFSET,
    SPOT_LOCATIONS,
    SPOT_OFFSET,
    between,
    geometry,
    half_of,
    visible_cells,
)

SHAPES = [(3, 3, True), (11, 11, True), (15, 15, True), (15, 15, False), (5, 13, True)]
shapes = pytest.mark.parametrize(("height", "width", "round_"), SHAPES)


def ranks_in(words):
    """List the ranks whose bits are set."""
    return [
        WORD_BITS * k + bit
        for k, word in enumerate(words)
        for bit in range(WORD_BITS)
        if int(word) >> bit & 1
    ]


@shapes
def test_shadow_of_a_cell_is_every_cell_whose_ray_touches_it(height, width, round_):
    made = geometry(height, width, 60, round_=round_)
    cells = visible_cells(height, width, round_=round_)
    for cell, words in zip(cells, made.shadows, strict=True):
        assert ranks_in(words) == [k for k, other in enumerate(cells) if cell in between(*other)]


@shapes
def test_rank_tables_find_every_cell_of_a_row(height, width, round_):
    made = geometry(height, width, 60, round_=round_)
    cells = visible_cells(height, width, round_=round_)
    half, found = half_of(width), set()
    for row in range(height):
        for col in range(width):
            side, bit = divmod(col, half)
            words = []
            for pair in range(made.ranks.shape[0] // 4):
                first = 4 * pair + 2 * side
                words += made.ranks[first : first + 2, (row << half) + (1 << bit)].tolist()
            ranks = ranks_in(words)
            assert [cells[k] for k in ranks] == [
                cell for cell in [(row - height // 2, col - width // 2)] if cell in cells
            ]
            found |= set(ranks)
    assert found == set(range(len(cells)))


@shapes
def test_largest_radius_reaches_the_round_window(height, width, round_):
    made = geometry(height, width, 60, round_=round_)
    cells = visible_cells(height, width, round_=round_)
    whole = set(visible_cells(height, width, round_=True))
    reached = {cells[k] for k in ranks_in(made.reaches[-1])}
    assert reached == whole
    assert [cells[k] for k in ranks_in(made.reaches[0])] == [(0, 0)]


def test_spots_repeat_the_location_for_both_tokens_of_a_word():
    made = geometry(11, 11, 60, round_=True)
    place = made.window[:, LOCATION].astype(np.int64)
    assert (made.spots[:, SPOT_OFFSET] == made.window[:, OFFSET]).all()
    assert (made.spots[:, SPOT_LOCATIONS] & 255 == place).all()
    assert (made.spots[:, SPOT_LOCATIONS] >> 24 == place).all()
