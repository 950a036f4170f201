"""Arrays as plain Python sees them: Python numbers, and no index from the end."""

import numpy as np
import pytest

from mesocosm.sim.targets.cells import wrap


def test_an_element_is_a_python_number():
    assert type(wrap(np.zeros(2, np.int16))[1]) is int


@pytest.mark.parametrize("index", [-1, (0, -1)])
def test_a_negative_index_is_refused_because_compiled_code_would_read_elsewhere(index):
    cells = wrap(np.zeros((2, 3)))
    with pytest.raises(IndexError, match="negative"):
        _ = cells[index]
    with pytest.raises(IndexError, match="negative"):
        cells[index] = 1.0
