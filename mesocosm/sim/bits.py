"""Bits of whole numbers, for worlds that keep maps as words."""


def lowest(x: int) -> int:
    """Give the index of the lowest set bit of a positive number (compiled: one instruction)."""
    return (x & -x).bit_length() - 1
