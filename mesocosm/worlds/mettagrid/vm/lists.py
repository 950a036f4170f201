"""Lists of things that programs fill, go through and shorten."""

from mesocosm.sim.rng import below
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile import opcodes
from mesocosm.worlds.mettagrid.compile.opcodes import FAIL, OP, PASS, WHO, X, Y
from mesocosm.worlds.mettagrid.grid.order import shuffle_upstream, swap
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.ray import aim_rays, hit, next_hit, stop_ray
from mesocosm.worlds.mettagrid.vm.register import DRAWN, FROM, TO, WORD
from mesocosm.worlds.mettagrid.vm.tally import (
    AT,
    FIRST,
    KEPT,
    OTHER,
    SAVED_FROM,
    SAVED_TO,
    SIZE,
    wipe_marks,
)

DRAWS = 2


@rule
def walk(s: State, p: Params, e: int, at: int) -> int:
    """Do what a row says about a list; give the row that follows."""
    row = p.tables.program[at]
    op = row[OP]
    found = row[X]
    good = True
    if op == opcodes.LIST:
        gather(s, p, e, found, row[Y])
    elif op == opcodes.EACH:
        s.pile[e, found, AT] = 0
        s.pile[e, found, KEPT] = 0
        s.pile[e, found, SAVED_TO] = s.reg[e, TO]
    elif op == opcodes.NEXT:
        good = next_one(s, e, found)
    elif op == opcodes.KEEP:
        s.pile[e, found, FIRST + s.pile[e, found, KEPT]] = s.reg[e, TO]
        s.pile[e, found, KEPT] += 1
    elif op == opcodes.LIMIT:
        limit(s, p, e, found, row[WHO] != 0, row[Y])
    elif op == opcodes.GROW:
        plant(s, p, e, found, row[Y])
    elif op == opcodes.GROW_NEXT:
        good = next_edge(s, p, e, found, row[WHO])
    elif op == opcodes.JOIN:
        append(s, p, e, found, s.reg[e, TO])
    elif op == opcodes.RAY:
        good = aim_rays(s, e, found, row[WHO])
    elif op == opcodes.RAY_NEXT:
        good = next_hit(s, p, e, found, row[WHO], row[Y])
    elif op == opcodes.HIT:
        hit(s, p, e, found, row[Y], True)
    else:
        stop_ray(s, p, e, found, row[Y])
    return row[PASS] if good else row[FAIL]


@rule
def gather(s: State, p: Params, e: int, found: int, tag: int) -> None:
    """List who has a tag, in the order they got it."""
    place = p.code.data[tag]
    size = 0
    for k in range(p.things):
        since = s.since[e, k, place]
        if since > 0:
            i = size
            while i > 0 and s.since[e, s.pile[e, found, FIRST + i - 1], place] > since:
                s.pile[e, found, FIRST + i] = s.pile[e, found, FIRST + i - 1]
                i -= 1
            s.pile[e, found, FIRST + i] = k
            size += 1
    s.pile[e, found, SIZE] = size


@rule
def next_one(s: State, e: int, found: int) -> bool:
    """Turn to the next thing of a list; at its end, only what was kept stays in it."""
    if s.pile[e, found, AT] < s.pile[e, found, SIZE]:
        s.reg[e, TO] = s.pile[e, found, FIRST + s.pile[e, found, AT]]
        s.pile[e, found, AT] += 1
        return True
    s.pile[e, found, SIZE] = s.pile[e, found, KEPT]
    s.reg[e, TO] = s.pile[e, found, SAVED_TO]
    return False


@rule
def shuffle(s: State, p: Params, e: int, found: int, size: int) -> None:
    """Put a list into an order drawn at random."""
    if size < 2:
        return
    if p.shuffles:
        shuffle_upstream(s.twister[e], s.pile[e, found], size, FIRST)
        return
    for i in range(size - 1, 0, -1):
        s.reg[e, DRAWN] += 1
        other = below(i + 1, s.reg[e, WORD], s.clock[e], DRAWS, s.reg[e, DRAWN])
        swap(s.pile[e, found], FIRST + i, FIRST + other)


@rule
def limit(s: State, p: Params, e: int, found: int, shuffled: bool, most: int) -> None:
    """Shuffle a list if asked, and cut what is beyond its limit."""
    if shuffled:
        shuffle(s, p, e, found, s.pile[e, found, SIZE])
    if most >= 0:
        s.pile[e, found, SIZE] = min(s.pile[e, found, SIZE], most)


@rule
def append(s: State, p: Params, e: int, found: int, k: int) -> None:
    """Add a thing that a list does not have yet."""
    if s.pile[e, found, FIRST + p.things + k] == 0:
        s.pile[e, found, FIRST + p.things + k] = 1
        s.pile[e, found, FIRST + s.pile[e, found, SIZE]] = k
        s.pile[e, found, SIZE] += 1


@rule
def plant(s: State, p: Params, e: int, found: int, source: int) -> None:
    """Begin a closure with the things of another list."""
    s.pile[e, found, SIZE] = 0
    for i in range(s.pile[e, source, SIZE]):
        append(s, p, e, found, s.pile[e, source, FIRST + i])
    s.pile[e, found, AT] = 0
    s.pile[e, found, OTHER] = 0
    s.pile[e, found, SAVED_TO] = s.reg[e, TO]
    s.pile[e, found, SAVED_FROM] = s.reg[e, FROM]


@rule
def next_edge(s: State, p: Params, e: int, found: int, pool: int) -> bool:
    """Turn to the next pair of a thing taken in and one that is not, or end the closure."""
    while s.pile[e, found, AT] < s.pile[e, found, SIZE]:
        while s.pile[e, found, OTHER] < s.pile[e, pool, SIZE]:
            k = s.pile[e, pool, FIRST + s.pile[e, found, OTHER]]
            s.pile[e, found, OTHER] += 1
            if s.pile[e, found, FIRST + p.things + k] == 0:
                s.reg[e, FROM] = s.pile[e, found, FIRST + s.pile[e, found, AT]]
                s.reg[e, TO] = k
                return True
        s.pile[e, found, AT] += 1
        s.pile[e, found, OTHER] = 0
    wipe_marks(s, p, e, found)
    s.reg[e, TO] = s.pile[e, found, SAVED_TO]
    s.reg[e, FROM] = s.pile[e, found, SAVED_FROM]
    return False
