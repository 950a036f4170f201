"""What a thing of one env holds, changed in place."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.inventory import change, room, wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def adjust(s: State, p: Params, e: int, k: int, r: int, delta: int) -> int:
    """Add to or take from what a thing holds; give the real change."""
    held, buckets = s.held[e], s.buckets[e]
    return change(s.amount[e], held, buckets, s.stat[e], p.bag, wide(k), wide(r), wide(delta))


@rule
def space(s: State, p: Params, e: int, k: int, r: int) -> int:
    """How much more of a resource a thing can take."""
    return room(s.amount[e], p.bag, wide(k), wide(r))
