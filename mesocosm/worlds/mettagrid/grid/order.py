"""The order of turns: MettaGrid's shuffle, or a counter-based one."""

import numpy as np

from mesocosm.sim.frame import Frame
from mesocosm.sim.rng import below
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.twister import draw_below
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

ORDER_STREAM = 1


@rule
def swap(row: np.ndarray, i: int, k: int) -> None:
    """Exchange two entries."""
    kept = row[i]
    row[i] = row[k]
    row[k] = kept


@rule
def shuffle_upstream(words: np.ndarray, row: np.ndarray, n: int, first: int) -> None:
    """Shuffle n entries from the first as MettaGrid's standard library does, two per draw."""
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
    plain = not f.ranked[e]
    for a in range(n):
        s.turn[e, a] = f.order[e, a]
        plain = plain and f.order[e, a] == a
    if n < 2 or not (plain and shuffled):
        return
    if p.shuffles:
        shuffle_upstream(s.twister[e], s.turn[e], n, 0)
    else:
        for i in range(n - 1, 0, -1):
            swap(s.turn[e], i, below(i + 1, f.word[e], f.t[e], ORDER_STREAM, i))
