"""Sight: which people each person sees, nearest first."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.townlet.params import RING_DISTANCE, RING_DX, RING_DY, Params
from mesocosm.worlds.townlet.state import State


@rule
def find_people(s: State, p: Params, e: int, a: int) -> None:
    """Fill an agent's slots with the nearest people, ties by index; -1 where nobody is."""
    found = list_people(s, p, e, a) if p.max_visible > 0 else 0
    for slot in range(found, p.max_visible):
        s.seen[e, a, slot] = -1


@rule
def list_people(s: State, p: Params, e: int, a: int) -> int:
    """Write the nearest people into an agent's slots; return how many there are."""
    found = 0
    first = 0
    away = -1
    x = s.position[e, a, 0]
    y = s.position[e, a, 1]
    for i in range(p.ring.shape[0]):
        if p.ring[i, RING_DISTANCE] != away:
            away = p.ring[i, RING_DISTANCE]
            first = found
            if found >= p.max_visible:
                return found
        column = x + p.ring[i, RING_DX]
        row = y + p.ring[i, RING_DY]
        if column >= 0 and row >= 0 and column < p.grid and row < p.grid:
            other = s.head[e, row * p.grid + column]
            while other >= 0:
                if other != a:
                    found = list_person(s, p, e, a, first, found, other)
                other = s.after[e, other]
    return found


@rule
def list_person(s: State, p: Params, e: int, a: int, first: int, found: int, other: int) -> int:
    """Insert an agent among those of the same distance, by number; return how many there are."""
    slot = found
    if found >= p.max_visible:
        slot = found - 1
        if slot < first or s.seen[e, a, slot] < other:
            return found
    while slot > first and s.seen[e, a, slot - 1] > other:
        s.seen[e, a, slot] = s.seen[e, a, slot - 1]
        slot -= 1
    s.seen[e, a, slot] = other
    return min(found + 1, p.max_visible)
