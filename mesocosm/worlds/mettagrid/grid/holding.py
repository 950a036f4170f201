"""Change what a thing holds; every caller's integers are widened first."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.grid.inventory import change_amount, count_flow, room_left, wide
from mesocosm.worlds.mettagrid.grid.stale import mark_stale
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def adjust(s: State, p: Params, e: int, k: int, r: int, delta: int) -> int:
    """Add to or take from what a thing holds; give the real change."""
    return change_amount(s, p, e, wide(k), wide(r), wide(delta))


@rule
def adjust_shown(s: State, p: Params, e: int, k: int, r: int, delta: int) -> int:
    """Change what a thing holds, and note if it then looks different; give the real change.

    Even where the amount stays, the order of what it holds may not.
    """
    buckets = s.buckets[e, k]
    real = adjust(s, p, e, k, r, delta)
    if real != 0 or s.buckets[e, k] != buckets:
        mark_stale(s, e, k)
    return real


@rule
def change_stock(s: State, p: Params, e: int, k: int, r: int, delta: int) -> int:
    """Change what an agent or a chest holds; what chests get and give is counted for all."""
    real = adjust(s, p, e, k, r, delta)
    if p.has_stats and k >= p.agents and real != 0:
        count_flow(
            s.game_stat[e], p.stats.classic.store[r], -1, wide(s.amount[e, k, r]), wide(real)
        )
    return real


@rule
def space(s: State, p: Params, e: int, k: int, r: int) -> int:
    """Return how much more of a resource a thing can take."""
    return room_left(s, p, e, wide(k), wide(r))
