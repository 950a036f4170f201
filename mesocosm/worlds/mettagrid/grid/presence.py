"""Being in areas of effect: who is, since when, and what that brings."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.grid.holding import adjust
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

# what `data` says about an area
KIND, RADIUS, FIXED, OWN, TEST, EFFECT, GAINS, AREA = range(8)
# what is kept about a thing with areas: where they are fixed, and when it joined; minus: not yet
PLACE, JOINED = 0, 1


@rule
def come(s: State, p: Params, e: int, a: int, at: int, sign: int) -> None:
    """Give what an agent gains by being in an area, or take it."""
    j = p.code.data[at + GAINS]
    while p.code.data[j] >= 0:
        adjust(s, p, e, a, p.code.data[j], sign * p.code.data[j + 1])
        s.stale[e, a] = True
        j += 2


@rule
def join(s: State, p: Params, e: int, k: int, r: int, c: int) -> None:
    """Let the areas of a new thing begin, after those of all others and at the step's end."""
    last = 0
    for j in range(s.post.shape[1]):
        last = max(last, abs(s.post[e, j, JOINED]))
    s.post[e, k, PLACE] = r * p.width + c
    s.post[e, k, JOINED] = -1 - last


@rule
def lose_areas(s: State, p: Params, e: int, k: int) -> None:
    """End every stay in the areas of a thing that is removed."""
    s.post[e, k, JOINED] = 0
    for a in range(p.agents):
        for j in range(p.code.plot.num_areas):
            flag = k * p.code.plot.num_areas + j
            if s.inside[e, a, flag]:
                s.inside[e, a, flag] = False
                come(s, p, e, a, p.code.plot.areas_at + AREA * j, -1)
