"""Work out values: expressions about an agent, a thing or the game, on a stack.

Every step is rounded to 24 bits, as in MettaGrid.
"""

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.logarithm import logarithm
from mesocosm.worlds.mettagrid.arithmetic.rounding import single
from mesocosm.worlds.mettagrid.compile.bytecode import value_opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import LIST_ITEMS, LIST_SIZE
from mesocosm.worlds.mettagrid.compile.bytecode.value_opcodes import (
    VALUE_CONSTANT,
    VALUE_HIGH,
    VALUE_LOW,
    VALUE_OPCODE,
    VALUE_OPERAND,
    VALUE_START,
)
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

Stack = tuple[float, float, float, float, float, float, float, float]  # the topmost number first


@rule
def value_of(s: State, p: Params, e: int, k: int, which: int) -> float:
    """Return a value, for a thing."""
    return evaluate(s, p, e, wide(k), wide(which))


@rule
def plain_sum(s: State, p: Params, e: int, k: int, which: int) -> float:
    """Return the value of a sum of opcode a thing holds, within its bounds."""
    v = p.values
    total = v.value[which, VALUE_CONSTANT]
    for i in range(v.item.shape[1]):
        r = v.item[which, i]
        if r < 0:
            break
        total = single(total + single(single(v.weight[which, i]) * s.amount[e, k, r]))
    return min(max(total, v.value[which, VALUE_LOW]), v.value[which, VALUE_HIGH])


@rule
def push_number(stack: Stack, x: float) -> Stack:
    """Put a number on top."""
    return (x, stack[0], stack[1], stack[2], stack[3], stack[4], stack[5], stack[6])


@rule
def drop_number(stack: Stack) -> Stack:
    """Take the topmost number off."""
    return (stack[1], stack[2], stack[3], stack[4], stack[5], stack[6], stack[7], 0.0)


@rule
def evaluate(s: State, p: Params, e: int, k: int, which: int) -> float:
    """Return a value: a plain sum, or the rows of an expression on a stack of eight."""
    v = p.values
    at = int(v.value[which, VALUE_START])
    if at < 0:
        return plain_sum(s, p, e, k, which)
    own = 0 <= k < p.agents
    stack = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for row in range(at, v.code.shape[0]):
        opcode = v.code[row, VALUE_OPCODE]
        if opcode == value_opcodes.END_VALUE:
            break
        x = v.code[row, VALUE_OPERAND]
        if opcode == value_opcodes.PUSH_CONSTANT:
            stack = push_number(stack, v.number[row])
        elif opcode == value_opcodes.PUSH_AMOUNT and k >= 0:
            stack = push_number(stack, s.amount[e, k, x] * 1.0)
        elif opcode == value_opcodes.PUSH_LISTED:
            stack = push_number(stack, sum_listed(s, e, x, int(v.number[row])))
        elif opcode == value_opcodes.PUSH_GAME_STAT or opcode == value_opcodes.PUSH_AMOUNT:
            column = x if opcode == value_opcodes.PUSH_GAME_STAT else int(v.number[row])
            stack = push_number(stack, s.game_stat[e, column] if column >= 0 else 0.0)
        elif opcode < value_opcodes.ADD:  # of an agent; things have none
            mine = 0.0
            if own:
                mine = s.stat[e, k, x] if opcode == value_opcodes.PUSH_STAT else s.glimpse[e, k, x]
            stack = push_number(stack, mine)
        elif opcode == value_opcodes.LOG:
            stack = push_number(
                drop_number(stack), single(logarithm(single(stack[0] + 1.0), v.logs))
            )
        else:
            stack = push_number(
                drop_number(drop_number(stack)), combine(stack[1], stack[0], opcode, v.number[row])
            )
    return clip(stack[0], v.value[which, VALUE_LOW], v.value[which, VALUE_HIGH])


@rule
def sum_listed(s: State, e: int, found: int, r: int) -> float:
    """Return how many things a query found, or how much of a resource they hold together."""
    if r < 0:
        return s.pile[e, found, LIST_SIZE] * 1.0
    total = 0.0
    for i in range(s.pile[e, found, LIST_SIZE]):
        total = single(total + s.amount[e, s.pile[e, found, LIST_ITEMS + i], r])
    return total


@rule
def combine(below: float, top: float, opcode: int, weight: float) -> float:
    """Bring two numbers together."""
    made = below
    if opcode == value_opcodes.ADD:
        made = single(below + top)
    elif opcode == value_opcodes.ADD_WEIGHTED:
        made = single(below + single(top * weight))
    elif opcode == value_opcodes.LESSER:
        made = top if top < below else below
    elif opcode == value_opcodes.GREATER:
        made = top if top > below else below
    elif top > 0.0:
        made = single(below / top)
    return made
