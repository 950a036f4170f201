"""Bits and bytes of whole numbers, for worlds that keep maps and tokens as words."""

import numpy as np


def lowest(x: int) -> int:
    """Give the index of the lowest set bit of a positive number (compiled: one instruction)."""
    return (x & -x).bit_length() - 1


def store_word(row: np.ndarray, at: int, word: int, count: int) -> None:
    """Write the lowest `count` bytes of a word into a row of bytes, the lowest first.

    Compiled for a CPU it is one store of all eight: whatever lies up to there must be in the row,
    and must be written afterwards.
    """
    for i in range(count):
        row[at + i] = (word >> (8 * i)) & 255
