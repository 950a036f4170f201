"""Let layers change what agents hold: within limits, with the tokens and rewards that follow."""

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.rounding import single
from mesocosm.worlds.mettagrid.compile.bytecode.value_opcodes import VALUE_START
from mesocosm.worlds.mettagrid.compile.columns import PAID_TERM, PAID_VALUE
from mesocosm.worlds.mettagrid.grid.holding import adjust
from mesocosm.worlds.mettagrid.grid.value import plain_sum
from mesocosm.worlds.mettagrid.observe.block import end_block, write_block
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import SCORES, State


@rule
def read_inventory(s: State, p: Params, e: int, a: int, k: int) -> int:
    """Return how much of a resource an agent holds."""
    return s.amount[e, a, k]


@rule
def write_inventory(s: State, p: Params, e: int, a: int, k: int, value: int) -> None:
    """Let an agent hold so much of a resource, as far as it can; write its block."""
    if change_inventory(s, p, e, a, k, value):
        end_block(s, e, a, write_block(s, p, e, a, s.block[e, a]))


@rule
def change_inventory(s: State, p: Params, e: int, a: int, k: int, value: int) -> bool:
    """Change what an agent holds and what that is worth; return whether there was a change."""
    delta = value - s.amount[e, a, k]
    if delta == 0:
        return False
    adjust(s, p, e, a, k, delta)
    pay_change(s, p, e, a)
    return True


@rule
def pay_change(s: State, p: Params, e: int, a: int) -> None:
    """Add what plain sums gained or lost to what the step paid; expressions are paid next step."""
    kind = p.tables.kind_of[a]
    for i in range(p.tables.paid.shape[1]):
        which = p.tables.paid[kind, i, PAID_VALUE]
        if which < 0:
            break
        if p.has_values and p.values.value[which, VALUE_START] >= 0.0:
            continue
        k = p.tables.paid[kind, i, PAID_TERM]
        now = plain_sum(s, p, e, a, which)
        gain = single(now - s.worth[e, a, k])
        s.earned[e, a, k] += gain
        s.worth[e, a, k] = now
        s.score[e, a] = clip(s.score[e, a] + gain, -SCORES, SCORES)
        s.booked[e, a] = clip(s.booked[e, a] + gain, -SCORES, SCORES)
