"""Numbers about an agent, a thing or the game: what is paid, told, asked for, and how far one sees.

They are worked out as the program does it: every step is rounded to 24 bits.
"""

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.logarithm import logarithm
from mesocosm.worlds.mettagrid.arithmetic.rounding import single
from mesocosm.worlds.mettagrid.compile import values as op
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

SIZE, FIRST = 0, 8  # of a list of things: how many, and where they begin

Hand = tuple[float, float, float, float, float, float, float, float]  # the topmost first


@rule
def worth_of(s: State, p: Params, e: int, k: int, which: int) -> float:
    """Give a value, for a thing."""
    return evaluate(s, p, e, wide(k), wide(which))


@rule
def plain_sum(s: State, p: Params, e: int, k: int, which: int) -> float:
    """Give the value of a sum of what a thing holds, within its bounds."""
    v = p.values
    total = v.value[which, op.CONSTANT]
    for i in range(v.item.shape[1]):
        r = v.item[which, i]
        if r < 0:
            break
        total = single(total + single(single(v.weight[which, i]) * s.amount[e, k, r]))
    return min(max(total, v.value[which, op.LOW]), v.value[which, op.HIGH])


@rule
def push(hand: Hand, x: float) -> Hand:
    """Put a number on top."""
    return (x, hand[0], hand[1], hand[2], hand[3], hand[4], hand[5], hand[6])


@rule
def drop(hand: Hand) -> Hand:
    """Take the topmost number off."""
    return (hand[1], hand[2], hand[3], hand[4], hand[5], hand[6], hand[7], 0.0)


@rule
def evaluate(s: State, p: Params, e: int, k: int, which: int) -> float:
    """Give the value of a sum, or follow the rows of an expression, eight numbers at hand."""
    v = p.values
    at = int(v.value[which, op.START])
    if at < 0:
        return plain_sum(s, p, e, k, which)
    own = 0 <= k < p.agents
    hand = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for row in range(at, v.code.shape[0]):
        what = v.code[row, 0]
        if what == op.STOP:
            break
        x = v.code[row, 1]
        if what == op.CONST:
            hand = push(hand, v.number[row])
        elif what == op.ITEM and k >= 0:
            hand = push(hand, s.amount[e, k, x] * 1.0)
        elif what == op.LISTED:
            hand = push(hand, listed(s, e, x, int(v.number[row])))
        elif what == op.GAME_STAT or what == op.ITEM:
            column = x if what == op.GAME_STAT else int(v.number[row])
            hand = push(hand, s.game_stat[e, column] if column >= 0 else 0.0)
        elif what < op.ADD:  # of an agent; things have none
            mine = 0.0
            if own:
                mine = s.stat[e, k, x] if what == op.STAT else s.glimpse[e, k, x]
            hand = push(hand, mine)
        elif what == op.LOG:
            hand = push(drop(hand), single(logarithm(single(hand[0] + 1.0), v.logs)))
        else:
            hand = push(drop(drop(hand)), fold(hand[1], hand[0], what, v.number[row]))
    return clip(hand[0], v.value[which, op.LOW], v.value[which, op.HIGH])


@rule
def listed(s: State, e: int, found: int, r: int) -> float:
    """How many things a query found, or how much of a resource they hold together."""
    if r < 0:
        return s.pile[e, found, SIZE] * 1.0
    total = 0.0
    for i in range(s.pile[e, found, SIZE]):
        total = single(total + s.amount[e, s.pile[e, found, FIRST + i], r])
    return total


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
