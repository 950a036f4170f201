"""Lists of things that programs fill, go through and shorten."""

import numpy as np

from mesocosm.sim.rng import below
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid import program
from mesocosm.worlds.mettagrid.order import shuffle_upstream, swap
from mesocosm.worlds.mettagrid.program import FAIL, OP, PASS, WHO, X, Y
from mesocosm.worlds.mettagrid.ray import aim_rays, hit, next_hit, stop_ray
from mesocosm.worlds.mettagrid.register import DRAWN, FROM, TO, WORD
from mesocosm.worlds.mettagrid.tally import (
    AT,
    FIRST,
    KEPT,
    OTHER,
    SAVED_FROM,
    SAVED_TO,
    SIZE,
    wipe_marks,
)
from mesocosm.worlds.mettagrid.work import Work

DRAWS = 2


@rule
def walk(w: Work, at: int) -> int:
    """Do what a row says about a list; give the row that follows."""
    row = w.program[at]
    op = row[OP]
    found = row[X]
    good = True
    if op == program.LIST:
        gather(w, found, row[Y])
    elif op == program.EACH:
        w.pile[found, AT] = 0
        w.pile[found, KEPT] = 0
        w.pile[found, SAVED_TO] = w.reg[TO]
    elif op == program.NEXT:
        good = next_one(w, found)
    elif op == program.KEEP:
        w.pile[found, FIRST + w.pile[found, KEPT]] = w.reg[TO]
        w.pile[found, KEPT] += 1
    elif op == program.LIMIT:
        limit(w, found, row[WHO] != 0, row[Y])
    elif op == program.GROW:
        plant(w, found, row[Y])
    elif op == program.GROW_NEXT:
        good = next_edge(w, found, row[WHO])
    elif op == program.JOIN:
        append(w, found, w.reg[TO])
    elif op == program.RAY:
        good = aim_rays(w, found, row[WHO])
    elif op == program.RAY_NEXT:
        good = next_hit(w, found, row[WHO], row[Y])
    elif op == program.HIT:
        hit(w, found, row[Y], True)
    else:
        stop_ray(w, found, row[Y])
    return row[PASS] if good else row[FAIL]


@rule
def gather(w: Work, found: int, tag: int) -> None:
    """List who has a tag, in the order they got it."""
    place = w.data[tag]
    size = 0
    for k in range(w.things):
        since = w.since[k, place]
        if since > 0:
            i = size
            while i > 0 and w.since[w.pile[found, FIRST + i - 1], place] > since:
                w.pile[found, FIRST + i] = w.pile[found, FIRST + i - 1]
                i -= 1
            w.pile[found, FIRST + i] = k
            size += 1
    w.pile[found, SIZE] = size


@rule
def next_one(w: Work, found: int) -> bool:
    """Turn to the next thing of a list; at its end, only what was kept stays in it."""
    if w.pile[found, AT] < w.pile[found, SIZE]:
        w.reg[TO] = w.pile[found, FIRST + w.pile[found, AT]]
        w.pile[found, AT] += 1
        return True
    w.pile[found, SIZE] = w.pile[found, KEPT]
    w.reg[TO] = w.pile[found, SAVED_TO]
    return False


@rule
def shuffle(w: Work, found: int, size: int) -> None:
    """Put a list into an order drawn at random."""
    if size < 2:
        return
    if w.shuffles:
        shuffle_upstream(w.twister, w.pile[found], size, FIRST)
        return
    for i in range(size - 1, 0, -1):
        w.reg[DRAWN] += 1
        other = below(i + 1, w.reg[WORD], w.clock, DRAWS, w.reg[DRAWN])
        swap(w.pile[found], FIRST + i, FIRST + other)


@rule
def limit(w: Work, found: int, shuffled: bool, most: int) -> None:
    """Shuffle a list if asked, and cut what is beyond its limit."""
    if shuffled:
        shuffle(w, found, w.pile[found, SIZE])
    if most >= 0:
        w.pile[found, SIZE] = min(w.pile[found, SIZE], most)


@rule
def append(w: Work, found: int, k: int) -> None:
    """Add a thing that a list does not have yet."""
    if w.pile[found, FIRST + w.things + k] == 0:
        w.pile[found, FIRST + w.things + k] = 1
        w.pile[found, FIRST + w.pile[found, SIZE]] = k
        w.pile[found, SIZE] += 1


@rule
def plant(w: Work, found: int, source: int) -> None:
    """Begin a closure with the things of another list."""
    w.pile[found, SIZE] = 0
    for i in range(w.pile[source, SIZE]):
        append(w, found, w.pile[source, FIRST + i])
    w.pile[found, AT] = 0
    w.pile[found, OTHER] = 0
    w.pile[found, SAVED_TO] = w.reg[TO]
    w.pile[found, SAVED_FROM] = w.reg[FROM]


@rule
def next_edge(w: Work, found: int, pool: int) -> bool:
    """Turn to the next pair of a thing taken in and one that is not, or end the closure."""
    while w.pile[found, AT] < w.pile[found, SIZE]:
        while w.pile[found, OTHER] < w.pile[pool, SIZE]:
            k = w.pile[pool, FIRST + w.pile[found, OTHER]]
            w.pile[found, OTHER] += 1
            if w.pile[found, FIRST + w.things + k] == 0:
                w.reg[FROM] = w.pile[found, FIRST + w.pile[found, AT]]
                w.reg[TO] = k
                return True
        w.pile[found, AT] += 1
        w.pile[found, OTHER] = 0
    wipe_marks(w, found)
    w.reg[TO] = w.pile[found, SAVED_TO]
    w.reg[FROM] = w.pile[found, SAVED_FROM]
    return False


@rule
def tidy(reg: np.ndarray, pile: np.ndarray) -> None:
    """Leave no trace of what programs did in a step."""
    for i in range(reg.shape[0]):
        reg[i] = 0
    for found in range(pile.shape[0]):
        for i in range(pile.shape[1]):
            pile[found, i] = 0
