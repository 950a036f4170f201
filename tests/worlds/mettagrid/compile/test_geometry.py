"""The cells of a window and their order."""

import pytest

from mesocosm.worlds.mettagrid.compile.geometry import visible_cells


@pytest.mark.parametrize(
    ("size", "count"), [(3, 5), (5, 21), (7, 37), (11, 89), (13, 121), (15, 157)]
)
def test_round_window_of_a_size_has_this_many_cells(size, count):
    assert len(visible_cells(size, size, round_=True)) == count


def test_cells_are_ordered_by_distance_then_row_then_column():
    found = [(r + 1, c + 1) for r, c in visible_cells(3, 3, round_=False)]
    assert found == [(1, 1), (0, 1), (1, 0), (1, 2), (2, 1), (0, 0), (0, 2), (2, 0), (2, 2)]
