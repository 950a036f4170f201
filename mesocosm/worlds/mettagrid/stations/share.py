"""Split a gain or a cost evenly among those around an assembler."""

from typing import Any

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.geometry import PAD
from mesocosm.worlds.mettagrid.compile.kinds import CHEST_CLASS, CLASS
from mesocosm.worlds.mettagrid.grid.holding import change_stock, space
from mesocosm.worlds.mettagrid.grid.place import cell_of, is_on_map
from mesocosm.worlds.mettagrid.grid.stale import mark_stale
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.stations.recipe import AROUND, neighbour

# who takes part in a job: all around and the chests in reach, the actor, who shows a vibe
ALL_AROUND, ACTOR_ALONE, SHOWING_VIBES = range(3)


@rule
def num_places(job: Any) -> int:
    """Count the places that are searched for participants.

    Args:
        job: Place, spot of the actor, reach for chests, who takes part, the actor.
    """
    reach = job[2]
    side = 2 * reach + 1
    return AROUND + (side * side if job[3] == ALL_AROUND and reach > 0 else 0)


@rule
def participant_at(s: State, p: Params, e: int, job: Any, i: int) -> int:
    """Return the i-th participant, from the actor's cell on, then chests; -1 if there is none."""
    place, first, reach, who, actor = job
    if i >= AROUND:
        return chest_at(s, p, e, place, reach, i - AROUND)
    k = neighbour(s, p, e, place, (first + i) % AROUND)
    if k < 0 or (who == ACTOR_ALONE and k != actor) or (who == SHOWING_VIBES and s.vibe[e, k] == 0):
        return -1
    return k


@rule
def chest_at(s: State, p: Params, e: int, place: int, reach: int, i: int) -> int:
    """Return the chest on the i-th cell of the square around a place, or -1."""
    side = 2 * reach + 1
    r = place // p.pitch - PAD + i // side - reach
    c = place % p.pitch - PAD + i % side - reach
    if not is_on_map(p, r, c):
        return -1
    slot = s.cell[e, cell_of(p, r, c)] - 1
    if slot < p.agents or p.tables.kind[p.tables.kind_of[slot], CLASS] != CHEST_CLASS:
        return -1
    return slot


@rule
def toward_zero(amount: int, number: int) -> int:
    """Divide, and drop the fraction."""
    return amount // number if amount >= 0 else -(-amount // number)


@rule
def share_change(s: State, p: Params, e: int, job: Any, r: int, delta: int) -> int:
    """Split a change into equal shares; who is filled or drained by one goes first.

    The remainder falls on the earlier ones. Returns the real change.
    """
    left = 0
    for i in range(num_places(job)):
        if participant_at(s, p, e, job, i) >= 0:
            left += 1
    if left == 0:
        return 0
    rest = delta
    for _ in range(left):
        before = left
        left, rest = settle_limited(s, p, e, job, r, left, rest)
        if left == before:
            break
    for back in range(num_places(job)):
        k = participant_at(s, p, e, job, num_places(job) - 1 - back)
        if k >= 0:
            if not s.settled[e, k]:
                rest -= change_stock(s, p, e, k, r, toward_zero(rest, left))
                left -= 1
            s.settled[e, k] = False
            mark_stale(s, e, k)
    return delta - rest


@rule
def settle_limited(
    s: State, p: Params, e: int, job: Any, r: int, left: int, rest: int
) -> tuple[int, int]:
    """Settle those whom a share fills or drains; return how many and how much is left."""
    each = toward_zero(rest, max(left, 1))
    for i in range(num_places(job)):
        k = participant_at(s, p, e, job, i)
        if k < 0 or s.settled[e, k]:
            continue
        if rest > 0:
            ends = space(s, p, e, k, r) <= each
        else:
            ends = s.amount[e, k, r] <= -each
        if ends:
            rest -= change_stock(s, p, e, k, r, each)
            s.settled[e, k] = True
            left -= 1
            if left > 0:
                each = toward_zero(rest, left)
    return left, rest
