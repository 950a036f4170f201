"""Keep freed memory: a trainer asks for the same blocks again and again."""

import ctypes
from contextlib import suppress

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3  # of glibc
LARGE = 1 << 30
PAD = 1 << 26


def keep_freed_memory() -> None:
    """Have glibc keep what is freed; else every large array costs a page fault per 4 KiB.

    That was a fifth of the time of an update. Other C libraries are left as they are.
    """
    with suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        for option, value in (
            (M_MMAP_THRESHOLD, LARGE),
            (M_TRIM_THRESHOLD, LARGE),
            (M_TOP_PAD, PAD),
        ):
            mallopt(option, value)
