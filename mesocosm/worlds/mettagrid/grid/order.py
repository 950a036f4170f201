"""Who acts first: the program's own generator and shuffle, or a draw of ours."""

import numpy as np

from mesocosm.sim.frame import Frame
from mesocosm.sim.rng import below
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

SIZE, MIDDLE = 624, 397
WORD = 0xFFFFFFFF
ORDER = 1
TWO_32, TWO_64 = 4294967296.0, 18446744073709551616.0
BELOW_ONE = 0.9999999999999999


@rule
def seed_twister(words: np.ndarray, seed: int) -> None:
    """Start the Mersenne twister."""
    words[0] = seed & WORD
    for i in range(1, SIZE):
        last = words[i - 1]
        words[i] = (1812433253 * (last ^ (last >> 30)) + i) & WORD
    words[SIZE] = SIZE


@rule
def twist(words: np.ndarray) -> None:
    """Make the next 624 words."""
    for i in range(SIZE):
        y = (words[i] & 0x80000000) | (words[(i + 1) % SIZE] & 0x7FFFFFFF)
        value = words[(i + MIDDLE) % SIZE] ^ (y >> 1)
        if y & 1:
            value ^= 0x9908B0DF
        words[i] = value
    words[SIZE] = 0


@rule
def next_word(words: np.ndarray) -> int:
    """Draw 32 bits."""
    if words[SIZE] >= SIZE or words[SIZE] < 0:
        twist(words)
    y = words[words[SIZE]]
    words[SIZE] += 1
    y ^= y >> 11
    y ^= (y << 7) & 0x9D2C5680
    y ^= (y << 15) & 0xEFC60000
    return (y ^ (y >> 18)) & WORD


@rule
def draw_below(words: np.ndarray, n: int) -> int:
    """Draw an integer in 0..n-1, every one as likely."""
    product = next_word(words) * n
    low = product & WORD
    if low < n:
        least = (WORD + 1 - n) % n
        while low < least:
            product = next_word(words) * n
            low = product & WORD
    return product >> 32


@rule
def draw_real(words: np.ndarray) -> float:
    """Draw a number in [0, 1) from two words, the low one first."""
    low = next_word(words)
    high = next_word(words)
    return min((low * 1.0 + high * TWO_32) / TWO_64, BELOW_ONE)


@rule
def swap(row: np.ndarray, i: int, k: int) -> None:
    """Exchange two entries."""
    kept = row[i]
    row[i] = row[k]
    row[k] = kept


@rule
def shuffle_upstream(words: np.ndarray, row: np.ndarray, n: int, first: int) -> None:
    """Shuffle n entries from the first as the program's standard library does, two per draw."""
    i = 1
    if n % 2 == 0:
        swap(row, first + 1, first + draw_below(words, 2))
        i = 2
    while i + 1 < n:
        x = draw_below(words, (i + 1) * (i + 2))
        swap(row, first + i, first + x // (i + 2))
        swap(row, first + i + 1, first + x % (i + 2))
        i += 2


@rule
def draw_order(s: State, f: Frame, p: Params, e: int, shuffled: bool) -> None:
    """Write who acts when into `s.turn`; an order that a layer set is kept as it is."""
    n = p.agents
    plain = True
    for a in range(n):
        s.turn[e, a] = f.order[e, a]
        plain = plain and f.order[e, a] == a
    if n < 2 or not (plain and shuffled):
        return
    if p.shuffles:
        shuffle_upstream(s.twister[e], s.turn[e], n, 0)
    else:
        for i in range(n - 1, 0, -1):
            swap(s.turn[e], i, below(i + 1, f.word[e], f.t[e], ORDER, i))
