"""Tables of the classic profile."""

import pytest

from mesocosm.worlds.mettagrid.compile.classic import length_scale


@pytest.mark.parametrize(
    ("area", "count", "scale"), [(100, 4, 2), (1600, 20, 4), (81, 81, 1), (10000, 1, 50)]
)
def test_length_scale_is_half_the_root_of_area_per_assembler(area, count, scale):
    assert length_scale(area, count) == scale
