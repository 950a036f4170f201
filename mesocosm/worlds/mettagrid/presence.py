"""Being in areas of effect: who is, since when, and what that brings."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.inventory import change, wide
from mesocosm.worlds.mettagrid.work import Work

# what `data` says about an area
KIND, RADIUS, FIXED, OWN, TEST, EFFECT, GAINS, AREA = range(8)
# what is kept about a thing with areas: where they are fixed, and when it joined; minus: not yet
PLACE, JOINED = 0, 1


@rule
def come(w: Work, a: int, at: int, sign: int) -> None:
    """Give what an agent gains by being in an area, or take it."""
    j = w.data[at + GAINS]
    while w.data[j] >= 0:
        delta = sign * w.data[j + 1]
        change(w.amount, w.held, w.buckets, w.stat, w.bag, wide(a), w.data[j], wide(delta))
        w.stale[a] = True
        j += 2


@rule
def join(w: Work, k: int, r: int, c: int) -> None:
    """Let the areas of a new thing begin, after those of all others and at the step's end."""
    last = 0
    for j in range(w.post.shape[0]):
        last = max(last, abs(w.post[j, JOINED]))
    w.post[k, PLACE] = r * w.width + c
    w.post[k, JOINED] = -1 - last


@rule
def lose_areas(w: Work, k: int) -> None:
    """End every stay in the areas of a thing that is removed."""
    w.post[k, JOINED] = 0
    for a in range(w.agents):
        for j in range(w.num_areas):
            flag = k * w.num_areas + j
            if w.inside[a, flag]:
                w.inside[a, flag] = False
                come(w, a, w.areas_at + AREA * j, -1)
