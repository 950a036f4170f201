"""Sums over what an agent holds: what it is paid, told, and how far it sees."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

SPLIT = 536870913.0  # 2**29 + 1


@rule
def single(x: float) -> float:
    """Round to the 24 bits that the program's own numbers have."""
    wide = x * SPLIT
    return wide - (wide - x)


@rule
def worth_of(s: State, p: Params, e: int, a: int, which: int) -> float:
    """Give the value of a sum, within its bounds."""
    total = p.tables.value[which, 0]
    for k in range(p.resources):
        r = p.tables.item[which, k]
        if r < 0:
            break
        total = single(total + single(single(p.tables.weight[which, k]) * s.amount[e, a, r]))
    return min(max(total, p.tables.value[which, 1]), p.tables.value[which, 2])
