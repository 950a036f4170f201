"""Values of queries: how many things one finds, and what they hold together."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.handler import follow
from mesocosm.worlds.mettagrid.tally import FIRST, SIZE
from mesocosm.worlds.mettagrid.work import Work


@rule(apart=True)
def query_count(w: Work, a: int, start: int, found: int) -> int:
    """Count what a query finds for an agent; its program begins at `start` and fills `found`."""
    follow(w, a, a, start, 1.0)
    return w.pile[found, SIZE] + 0


@rule(apart=True)
def query_sum(w: Work, a: int, start: int, found: int, r: int) -> int:
    """Add up how much of a resource those hold that a query finds for an agent."""
    follow(w, a, a, start, 1.0)
    total = 0
    for i in range(w.pile[found, SIZE]):
        total += w.amount[w.pile[found, FIRST + i], r]
    return total
