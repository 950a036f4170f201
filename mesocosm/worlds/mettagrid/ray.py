"""Rays over the map: what lies on them, up to what blocks them, and what appears along them."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.inventory import wide
from mesocosm.worlds.mettagrid.program import FIRST_WAY, INCLUDES, REACH, SPAWNS, WAYS
from mesocosm.worlds.mettagrid.register import TO, col_of, row_of
from mesocosm.worlds.mettagrid.spawn import spawn, thing_at
from mesocosm.worlds.mettagrid.tally import AT, FAR, FIRST, OTHER, SAVED_TO, SIZE, wipe_marks
from mesocosm.worlds.mettagrid.work import Work


@rule
def aim_rays(w: Work, found: int, source: int) -> bool:
    """Begin with the first ray; a source of -1 is the target itself."""
    w.pile[found, SIZE] = 0
    w.pile[found, AT] = 0
    w.pile[found, OTHER] = 0
    w.pile[found, FAR] = 0
    w.pile[found, SAVED_TO] = w.reg[TO]
    return source >= 0 or w.reg[TO] >= 0


@rule
def next_hit(w: Work, found: int, source: int, which: int) -> bool:
    """Go on along the rays to the next thing, which becomes the target; false: none is left."""
    origins = 1 if source < 0 else w.pile[source, SIZE]
    while w.pile[found, AT] < origins:
        at = w.pile[found, AT]
        start = w.pile[found, SAVED_TO] if source < 0 else w.pile[source, FIRST + at]
        while w.pile[found, OTHER] < w.data[which + WAYS]:
            way = which + FIRST_WAY + 2 * w.pile[found, OTHER]
            while w.pile[found, FAR] < w.data[which + REACH]:
                w.pile[found, FAR] += 1
                r = row_of(w, start) + w.data[way] * w.pile[found, FAR]
                c = col_of(w, start) + w.data[way + 1] * w.pile[found, FAR]
                if r < 0 or c < 0 or r >= w.height or c >= w.width:
                    break
                k = thing_at(w, r, c)
                if k >= 0:
                    w.reg[TO] = k
                    return True
                if w.data[which + SPAWNS] >= 0:
                    spawn(w, wide(w.data[which + SPAWNS]), wide(r), wide(c))
            w.pile[found, OTHER] += 1
            w.pile[found, FAR] = 0
        w.pile[found, AT] += 1
        w.pile[found, OTHER] = 0
    wipe_marks(w, found)
    w.reg[TO] = w.pile[found, SAVED_TO]
    return False


@rule
def hit(w: Work, found: int, which: int, wanted: bool) -> None:
    """List what a ray met, once."""
    k = w.reg[TO]
    fresh = w.pile[found, FIRST + w.things + k] == 0
    if wanted and fresh and w.data[which + SPAWNS] < 0:
        w.pile[found, FIRST + w.things + k] = 1
        w.pile[found, FIRST + w.pile[found, SIZE]] = k
        w.pile[found, SIZE] += 1


@rule
def stop_ray(w: Work, found: int, which: int) -> None:
    """End a ray at what blocks it."""
    hit(w, found, which, w.data[which + INCLUDES] != 0)
    w.pile[found, OTHER] += 1
    w.pile[found, FAR] = 0
