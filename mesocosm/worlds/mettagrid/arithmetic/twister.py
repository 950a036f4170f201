"""The random numbers of MettaGrid: a Mersenne twister of 32 bits."""

import numpy as np

from mesocosm.sim.rule import rule

TWISTER_WORDS, TWISTER_MIDDLE = 624, 397
TWISTER_SIZE = TWISTER_WORDS + 1  # after the words, the number of the one that comes next
MASK_32, TOP_BIT, LOW_BITS = 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF
TWO_32, TWO_64 = 4294967296.0, 18446744073709551616.0
BELOW_ONE = 0.9999999999999999


@rule
def seed_twister(words: np.ndarray, seed: int) -> None:
    """Start the Mersenne twister."""
    words[0] = seed & MASK_32
    for i in range(1, TWISTER_WORDS):
        last = words[i - 1]
        words[i] = (1812433253 * (last ^ (last >> 30)) + i) & MASK_32
    words[TWISTER_WORDS] = TWISTER_WORDS


@rule
def twist(words: np.ndarray) -> None:
    """Make the next 624 words."""
    for i in range(TWISTER_WORDS):
        y = (words[i] & TOP_BIT) | (words[(i + 1) % TWISTER_WORDS] & LOW_BITS)
        value = words[(i + TWISTER_MIDDLE) % TWISTER_WORDS] ^ (y >> 1)
        if y & 1:
            value ^= 0x9908B0DF
        words[i] = value
    words[TWISTER_WORDS] = 0


@rule
def next_word(words: np.ndarray) -> int:
    """Draw 32 bits."""
    if words[TWISTER_WORDS] >= TWISTER_WORDS or words[TWISTER_WORDS] < 0:
        twist(words)
    y = words[words[TWISTER_WORDS]]
    words[TWISTER_WORDS] += 1
    y ^= y >> 11
    y ^= (y << 7) & 0x9D2C5680
    y ^= (y << 15) & 0xEFC60000
    return (y ^ (y >> 18)) & MASK_32


@rule
def draw_below(words: np.ndarray, n: int) -> int:
    """Draw an integer in 0..n-1, every one as likely."""
    product = next_word(words) * n
    low = product & MASK_32
    if low < n:
        least = (MASK_32 + 1 - n) % n
        while low < least:
            product = next_word(words) * n
            low = product & MASK_32
    return product >> 32


@rule
def draw_real(words: np.ndarray) -> float:
    """Draw a number in [0, 1) from two words, the low one first."""
    low = next_word(words)
    high = next_word(words)
    return min((low * 1.0 + high * TWO_32) / TWO_64, BELOW_ONE)
