"""The logarithm of game values."""

import zlib

import numpy as np

from mesocosm.worlds.mettagrid.arithmetic.logarithm import log_table, logarithm
from mesocosm.worlds.mettagrid.arithmetic.rounding import single


def test_logarithm_has_the_bits_of_glibc():
    numbers = [float(k) for k in range(1, 5001)]
    numbers += [float(np.float32(k * 0.37 + 0.001)) for k in range(5000)]
    numbers += [float(np.float32(1.37**k)) for k in range(-60, 100)]
    found = np.array([single(logarithm(x, log_table())) for x in numbers], np.float32)
    assert zlib.crc32(found.tobytes()) == 0x5CC347C8  # of logf in glibc 2.36
    assert logarithm(0.0, log_table()) == logarithm(-1.0, log_table()) < -103.0
