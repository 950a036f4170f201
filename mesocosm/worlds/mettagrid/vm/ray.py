"""Rays over the map: what lies on them, up to what blocks them, and what appears along them."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.opcodes import FIRST_WAY, INCLUDES, REACH, SPAWNS, WAYS
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.register import TO, col_of, row_of
from mesocosm.worlds.mettagrid.vm.spawn import spawn, thing_at
from mesocosm.worlds.mettagrid.vm.tally import AT, FAR, FIRST, OTHER, SAVED_TO, SIZE, wipe_marks


@rule
def aim_rays(s: State, e: int, found: int, source: int) -> bool:
    """Begin with the first ray; a source of -1 is the target itself."""
    s.pile[e, found, SIZE] = 0
    s.pile[e, found, AT] = 0
    s.pile[e, found, OTHER] = 0
    s.pile[e, found, FAR] = 0
    s.pile[e, found, SAVED_TO] = s.reg[e, TO]
    return source >= 0 or s.reg[e, TO] >= 0


@rule
def next_hit(s: State, p: Params, e: int, found: int, source: int, which: int) -> bool:
    """Go on along the rays to the next thing, which becomes the target; false: none is left."""
    origins = 1 if source < 0 else s.pile[e, source, SIZE]
    while s.pile[e, found, AT] < origins:
        at = s.pile[e, found, AT]
        start = s.pile[e, found, SAVED_TO] if source < 0 else s.pile[e, source, FIRST + at]
        while s.pile[e, found, OTHER] < p.code.data[which + WAYS]:
            way = which + FIRST_WAY + 2 * s.pile[e, found, OTHER]
            while s.pile[e, found, FAR] < p.code.data[which + REACH]:
                s.pile[e, found, FAR] += 1
                r = row_of(s, e, start) + p.code.data[way] * s.pile[e, found, FAR]
                c = col_of(s, e, start) + p.code.data[way + 1] * s.pile[e, found, FAR]
                if r < 0 or c < 0 or r >= p.height or c >= p.width:
                    break
                k = thing_at(s, p, e, r, c)
                if k >= 0:
                    s.reg[e, TO] = k
                    return True
                if p.code.data[which + SPAWNS] >= 0:
                    spawn(s, p, e, wide(p.code.data[which + SPAWNS]), wide(r), wide(c))
            s.pile[e, found, OTHER] += 1
            s.pile[e, found, FAR] = 0
        s.pile[e, found, AT] += 1
        s.pile[e, found, OTHER] = 0
    wipe_marks(s, p, e, found)
    s.reg[e, TO] = s.pile[e, found, SAVED_TO]
    return False


@rule
def hit(s: State, p: Params, e: int, found: int, which: int, wanted: bool) -> None:
    """List what a ray met, once."""
    k = s.reg[e, TO]
    fresh = s.pile[e, found, FIRST + p.things + k] == 0
    if wanted and fresh and p.code.data[which + SPAWNS] < 0:
        s.pile[e, found, FIRST + p.things + k] = 1
        s.pile[e, found, FIRST + s.pile[e, found, SIZE]] = k
        s.pile[e, found, SIZE] += 1


@rule
def stop_ray(s: State, p: Params, e: int, found: int, which: int) -> None:
    """End a ray at what blocks it."""
    hit(s, p, e, found, which, p.code.data[which + INCLUDES] != 0)
    s.pile[e, found, OTHER] += 1
    s.pile[e, found, FAR] = 0
