"""Areas of effect: what things do to the agents around them."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.grid.holding import adjust
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.presence import (
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
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.handler import follow
from mesocosm.worlds.mettagrid.vm.register import DEFERS
from mesocosm.worlds.mettagrid.vm.tally import FIRST, SIZE


@rule
def affect(s: State, p: Params, e: int) -> None:
    """Let all areas act: the fixed ones on each agent in turn, then the moving ones."""
    sources = p.code.plot.sources
    size = 0
    for k in range(p.things):
        joined = s.post[e, k, JOINED]
        if joined > 0:
            i = size
            while i > 0 and s.post[e, s.pile[e, sources, FIRST + i - 1], JOINED] > joined:
                s.pile[e, sources, FIRST + i] = s.pile[e, sources, FIRST + i - 1]
                i -= 1
            s.pile[e, sources, FIRST + i] = k
            size += 1
    s.pile[e, sources, SIZE] = size
    for a in range(p.agents):
        leave_fixed(s, p, e, sources, a)
        stand_in(s, p, e, sources, a)
    for i in range(size):
        k = wide(s.pile[e, sources, FIRST + i])
        for j in range(p.code.plot.num_areas):
            at = p.code.plot.areas_at + AREA * j
            if p.code.data[at + KIND] == p.tables.kind_of[k] and p.code.data[at + FIXED] == 0:
                carry(s, p, e, k, wide(at), j)
    for k in range(p.things):
        s.post[e, k, JOINED] = abs(s.post[e, k, JOINED])


@rule
def spot(s: State, p: Params, e: int, k: int) -> int:
    """Number the cell where a thing is."""
    return s.row[e, k] * p.width + s.col[e, k]


@rule
def covers(p: Params, place: int, at: int, to: int) -> bool:
    """Whether an area around a place reaches another."""
    dr = place // p.width - to // p.width
    dc = place % p.width - to % p.width
    return dr * dr + dc * dc <= p.code.data[at + RADIUS] * p.code.data[at + RADIUS]


@rule
def leave_fixed(s: State, p: Params, e: int, sources: int, a: int) -> None:
    """End the stay in fixed areas that an agent walked out of."""
    here = spot(s, p, e, a)
    for i in range(s.pile[e, sources, SIZE]):
        k = s.pile[e, sources, FIRST + i]
        for j in range(p.code.plot.num_areas):
            at = p.code.plot.areas_at + AREA * j
            flag = k * p.code.plot.num_areas + j
            fixed = p.code.data[at + KIND] == p.tables.kind_of[k] and p.code.data[at + FIXED] == 1
            if fixed and s.inside[e, a, flag] and not covers(p, s.post[e, k, PLACE], at, here):
                s.inside[e, a, flag] = False
                come(s, p, e, a, at, -1)


@rule
def stand_in(s: State, p: Params, e: int, sources: int, a: int) -> None:
    """Let the fixed areas around an agent act; what they add up to is changed once.

    Those count that reach where it is at first, even if one of them takes it elsewhere.
    """
    here = spot(s, p, e, a)
    for i in range(s.pile[e, sources, SIZE]):
        k = wide(s.pile[e, sources, FIRST + i])
        for j in range(p.code.plot.num_areas):
            at = wide(p.code.plot.areas_at + AREA * j)
            fixed = p.code.data[at + KIND] == p.tables.kind_of[k] and p.code.data[at + FIXED] == 1
            idle = p.code.data[at + EFFECT] < 0 and p.code.data[p.code.data[at + GAINS]] < 0
            if fixed and not idle and covers(p, s.post[e, k, PLACE], at, here):
                alone = k == a and p.code.data[at + OWN] == 0
                ok = not alone and passes(s, p, e, k, a, at)
                stay(s, p, e, a, at, k * p.code.plot.num_areas + j, ok)
                if ok and p.code.data[at + EFFECT] >= 0:
                    s.reg[e, DEFERS] = sources + 2
                    follow(s, p, e, k, a, wide(p.code.data[at + EFFECT]), 1.0)
    settle_sums(s, p, e, sources + 1, a)


@rule
def passes(s: State, p: Params, e: int, k: int, a: int, at: int) -> bool:
    """Whether an area's conditions hold for an agent."""
    if p.code.data[at + TEST] < 0:
        return True
    return follow(s, p, e, k, a, wide(p.code.data[at + TEST]), 1.0)


@rule
def stay(s: State, p: Params, e: int, a: int, at: int, flag: int, ok: bool) -> None:
    """Note that an agent is in an area, or no longer."""
    if ok != s.inside[e, a, flag]:
        s.inside[e, a, flag] = ok
        come(s, p, e, a, at, 1 if ok else -1)


@rule
def settle_sums(s: State, p: Params, e: int, sums: int, a: int) -> None:
    """Change what an agent holds by what fixed areas added up to."""
    for i in range(s.pile[e, sums, SIZE]):
        r = s.pile[e, sums, FIRST + i]
        total = s.pile[e, sums, FIRST + p.resources + r]
        if total != 0:
            adjust(s, p, e, a, r, total)
            s.stale[e, a] = True
        s.pile[e, sums, FIRST + p.resources + r] = 0
    s.pile[e, sums, SIZE] = 0


@rule
def carry(s: State, p: Params, e: int, k: int, at: int, j: int) -> None:
    """Let an area that goes with its source act on every agent."""
    flag = k * p.code.plot.num_areas + j
    for a in range(p.agents):
        if k == a and p.code.data[at + OWN] == 0:
            continue
        ok = (
            s.row[e, k] >= 0
            and covers(p, spot(s, p, e, k), at, spot(s, p, e, a))
            and passes(s, p, e, k, a, at)
        )
        stay(s, p, e, a, at, flag, ok)
        if ok and p.code.data[at + EFFECT] >= 0:
            follow(s, p, e, k, a, wide(p.code.data[at + EFFECT]), 1.0)
