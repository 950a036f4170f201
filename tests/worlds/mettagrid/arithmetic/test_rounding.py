"""Numbers are rounded as those of 32 bits are."""

import math

import numpy as np
import pytest

from mesocosm.worlds.mettagrid.arithmetic.rounding import single

MOST = float(np.finfo(np.float32).max)
ODD = (0.0, 1.0, -1 / 3, MOST, MOST * (1 + 2.0**-25), MOST * (1 + 2.0**-24), -1e39, 1e300,
       2.0**-126, 2.0**-127 / 3, 2.0**-149, 2.0**-150, 2.0**-150 * 1.5, -(2.0**-148) / 3,
       math.inf, -math.inf)  # fmt: skip


@pytest.mark.parametrize("x", ODD)
def test_odd_number_is_rounded_as_in_32_bits(x):
    with np.errstate(over="ignore"):
        assert single(x) == float(np.float32(x))


def test_random_numbers_are_rounded_as_in_32_bits():
    rng = np.random.default_rng(1)
    for x in rng.normal(size=500) * 2.0 ** rng.integers(-160, 130, 500):
        with np.errstate(over="ignore"):
            assert single(float(x)) == float(np.float32(x))


def test_no_number_stays_none():
    assert math.isnan(single(math.nan))
