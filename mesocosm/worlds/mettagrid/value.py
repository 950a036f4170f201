"""Numbers about an agent, a thing or the game: what is paid, told, asked for, and how far one sees.

They are worked out as the program does it: every step is rounded to 24 bits.
"""

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid import value_plan as op
from mesocosm.worlds.mettagrid.logarithm import logarithm
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.rounding import single
from mesocosm.worlds.mettagrid.state import State

Pile = tuple[float, float, float, float, float, float, float, float]  # the topmost first


@rule
def plain_sum(s: State, p: Params, e: int, k: int, which: int) -> float:
    """Give the value of a sum of what a thing holds, within its bounds."""
    total = p.tables.value[which, op.CONSTANT]
    for i in range(p.resources):
        r = p.tables.item[which, i]
        if r < 0:
            break
        total = single(total + single(single(p.tables.weight[which, i]) * s.amount[e, k, r]))
    return min(max(total, p.tables.value[which, op.LOW]), p.tables.value[which, op.HIGH])


@rule
def push(pile: Pile, x: float) -> Pile:
    """Put a number on top."""
    return (x, pile[0], pile[1], pile[2], pile[3], pile[4], pile[5], pile[6])


@rule
def drop(pile: Pile) -> Pile:
    """Take the topmost number off."""
    return (pile[1], pile[2], pile[3], pile[4], pile[5], pile[6], pile[7], 0.0)


@rule(inline=False)
def worth_of(s: State, p: Params, e: int, k: int, which: int) -> float:
    """Give the value of a sum, or follow the rows of an expression, eight numbers at hand."""
    at = int(p.tables.value[which, op.START])
    if at < 0:
        return plain_sum(s, p, e, k, which)
    pile = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for row in range(at, p.stats.code.shape[0]):
        what = p.stats.code[row, 0]
        if what == op.STOP:
            break
        if what < op.ADD:
            pile = push(pile, fetch(s, p, e, k, row))
        elif what == op.LOG:
            made = single(logarithm(single(pile[0] + 1.0), p.stats.logs))
            pile = push(drop(pile), made)
        else:
            made = fold(pile[1], pile[0], what, p.stats.number[row])
            pile = push(drop(drop(pile)), made)
    return clip(pile[0], p.tables.value[which, op.LOW], p.tables.value[which, op.HIGH])


@rule
def fetch(s: State, p: Params, e: int, k: int, row: int) -> float:
    """Give the number that a row names."""
    what = p.stats.code[row, 0]
    x = p.stats.code[row, 1]
    found = p.stats.number[row]
    if what == op.ITEM:
        found = s.amount[e, k, x] * 1.0
    elif what == op.GAME_STAT:
        found = s.game_stat[e, x]
    elif what == op.STAT:
        found = s.stat[e, k, x] if k < p.agents else 0.0
    elif what == op.GLIMPSE:
        found = s.glimpse[e, k, x] if k < p.agents else 0.0
    return found


@rule
def fold(below: float, top: float, what: int, weight: float) -> float:
    """Bring two numbers together."""
    made = below
    if what == op.ADD:
        made = single(below + top)
    elif what == op.ADD_WEIGHTED:
        made = single(below + single(top * weight))
    elif what == op.LESSER:
        made = top if top < below else below
    elif what == op.GREATER:
        made = top if top > below else below
    elif top > 0.0:
        made = single(below / top)
    return made
