"""What a thing of one env holds, changed in place."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.inventory import change, room
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def adjust(s: State, p: Params, e: int, k: int, r: int, delta: int) -> int:
    """Add to or take from what a thing holds; give the real change."""
    return change(s.amount, s.held, s.buckets, s.stat, p.bag, e, k, r, delta)


@rule
def space(s: State, p: Params, e: int, k: int, r: int) -> int:
    """How much more of a resource a thing can take."""
    return room(s.amount, p.bag, e, k, r)
