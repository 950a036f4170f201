"""Random numbers as the C++ standard library draws them."""

import numpy as np

from mesocosm.worlds.mettagrid.arithmetic.twister import (
    draw_below,
    draw_real,
    next_word,
    seed_twister,
)


def test_draws_equal_those_of_libstdcxx():
    words = np.zeros(625, np.int64)
    seed_twister(words, 42)
    assert [draw_below(words, 3) for _ in range(5)] == [1, 2, 2, 0, 2]
    assert [draw_below(words, 3) + 1 for _ in range(3)] == [3, 2, 2]
    assert [draw_below(words, 17) + 1 for _ in range(3)] == [3, 8, 3]
    sums = np.array([10 / 14, 13 / 14, 1.0])
    found = [int(np.searchsorted(sums, draw_real(words))) for _ in range(20)]
    assert found == [0, 1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert next_word(words) == 2655947709
    seed_twister(words, 3)
    assert draw_real(words) == 0.070724880451056613
