"""Areas of effect: what things do to the agents around them."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.effect import adjust
from mesocosm.worlds.mettagrid.handler import follow
from mesocosm.worlds.mettagrid.inventory import wide
from mesocosm.worlds.mettagrid.presence import (
    AREA,
    EFFECT,
    FIXED,
    GAINS,
    JOINED,
    KIND,
    OWN,
    PLACE,
    RADIUS,
    TEST,
    come,
)
from mesocosm.worlds.mettagrid.register import DEFERS
from mesocosm.worlds.mettagrid.tally import FIRST, SIZE
from mesocosm.worlds.mettagrid.work import Work


@rule
def affect(w: Work, sources: int) -> None:
    """Let all areas act: the fixed ones on each agent in turn, then the moving ones."""
    size = 0
    for k in range(w.things):
        joined = w.post[k, JOINED]
        if joined > 0:
            i = size
            while i > 0 and w.post[w.pile[sources, FIRST + i - 1], JOINED] > joined:
                w.pile[sources, FIRST + i] = w.pile[sources, FIRST + i - 1]
                i -= 1
            w.pile[sources, FIRST + i] = k
            size += 1
    w.pile[sources, SIZE] = size
    for a in range(w.agents):
        leave_fixed(w, sources, a)
        stand_in(w, sources, a)
    for i in range(size):
        k = wide(w.pile[sources, FIRST + i])
        for j in range(w.num_areas):
            at = w.areas_at + AREA * j
            if w.data[at + KIND] == w.bag.kind_of[k] and w.data[at + FIXED] == 0:
                carry(w, k, wide(at), j)
    for k in range(w.things):
        w.post[k, JOINED] = abs(w.post[k, JOINED])


@rule
def spot(w: Work, k: int) -> int:
    """Number the cell where a thing is."""
    return w.row[k] * w.width + w.col[k]


@rule
def covers(w: Work, place: int, at: int, to: int) -> bool:
    """Whether an area around a place reaches another."""
    dr = place // w.width - to // w.width
    dc = place % w.width - to % w.width
    return dr * dr + dc * dc <= w.data[at + RADIUS] * w.data[at + RADIUS]


@rule
def leave_fixed(w: Work, sources: int, a: int) -> None:
    """End the stay in fixed areas that an agent walked out of."""
    here = spot(w, a)
    for i in range(w.pile[sources, SIZE]):
        k = w.pile[sources, FIRST + i]
        for j in range(w.num_areas):
            at = w.areas_at + AREA * j
            flag = k * w.num_areas + j
            fixed = w.data[at + KIND] == w.bag.kind_of[k] and w.data[at + FIXED] == 1
            if fixed and w.inside[a, flag] and not covers(w, w.post[k, PLACE], at, here):
                w.inside[a, flag] = False
                come(w, a, at, -1)


@rule
def stand_in(w: Work, sources: int, a: int) -> None:
    """Let the fixed areas around an agent act; what they add up to is changed once.

    Those count that reach where it is at first, even if one of them takes it elsewhere.
    """
    here = spot(w, a)
    for i in range(w.pile[sources, SIZE]):
        k = wide(w.pile[sources, FIRST + i])
        for j in range(w.num_areas):
            at = wide(w.areas_at + AREA * j)
            fixed = w.data[at + KIND] == w.bag.kind_of[k] and w.data[at + FIXED] == 1
            idle = w.data[at + EFFECT] < 0 and w.data[w.data[at + GAINS]] < 0
            if fixed and not idle and covers(w, w.post[k, PLACE], at, here):
                alone = k == a and w.data[at + OWN] == 0
                ok = not alone and passes(w, k, a, at)
                stay(w, a, at, k * w.num_areas + j, ok)
                if ok and w.data[at + EFFECT] >= 0:
                    w.reg[DEFERS] = sources + 2
                    follow(w, k, a, wide(w.data[at + EFFECT]), 1.0)
    settle_sums(w, sources + 1, a)


@rule
def passes(w: Work, k: int, a: int, at: int) -> bool:
    """Whether an area's conditions hold for an agent."""
    if w.data[at + TEST] < 0:
        return True
    return follow(w, k, a, wide(w.data[at + TEST]), 1.0)


@rule
def stay(w: Work, a: int, at: int, flag: int, ok: bool) -> None:
    """Note that an agent is in an area, or no longer."""
    if ok != w.inside[a, flag]:
        w.inside[a, flag] = ok
        come(w, a, at, 1 if ok else -1)


@rule
def settle_sums(w: Work, sums: int, a: int) -> None:
    """Change what an agent holds by what fixed areas added up to."""
    for i in range(w.pile[sums, SIZE]):
        r = w.pile[sums, FIRST + i]
        total = w.pile[sums, FIRST + w.resources + r]
        if total != 0:
            adjust(w, a, r, total)
            w.stale[a] = True
        w.pile[sums, FIRST + w.resources + r] = 0
    w.pile[sums, SIZE] = 0


@rule
def carry(w: Work, k: int, at: int, j: int) -> None:
    """Let an area that goes with its source act on every agent."""
    flag = k * w.num_areas + j
    for a in range(w.agents):
        if k == a and w.data[at + OWN] == 0:
            continue
        ok = w.row[k] >= 0 and covers(w, spot(w, k), at, spot(w, a)) and passes(w, k, a, at)
        stay(w, a, at, flag, ok)
        if ok and w.data[at + EFFECT] >= 0:
            follow(w, k, a, wide(w.data[at + EFFECT]), 1.0)
