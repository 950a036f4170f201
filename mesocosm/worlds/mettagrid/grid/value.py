"""Work out values: expressions about an agent, a thing or the game, on a stack.

Every step is rounded to 24 bits, as in MettaGrid.
"""

import math

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.logarithm import logarithm
from mesocosm.worlds.mettagrid.arithmetic.rounding import single
from mesocosm.worlds.mettagrid.compile.bytecode import value_opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import LIST_ITEMS, LIST_SIZE
from mesocosm.worlds.mettagrid.compile.bytecode.value_opcodes import (
    VALUE_CONSTANT,
    VALUE_FOLD,
    VALUE_HIGH,
    VALUE_LOG,
    VALUE_LOW,
    VALUE_NUMBER,
    VALUE_OPCODE,
    VALUE_OPERAND,
    VALUE_START,
    VALUE_WEIGHT,
)
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

OVERFLOWS_AT = 2147483648.0  # what 32 bits cannot hold
Stack = tuple[float, float, float, float, float, float, float, float]  # the topmost number first


@rule
def value_of(s: State, p: Params, e: int, k: int, which: int) -> float:
    """Return a value, for a thing; upstream it may be NaN or infinite."""
    return evaluate(s, p, e, wide(k), wide(which))


@rule
def is_at_least(s: State, p: Params, e: int, k: int, which: int, least: int) -> bool:
    """Whether a value of a thing is not less than another; NaN is not."""
    return evaluate(s, p, e, wide(k), wide(which)) >= evaluate(s, p, e, wide(k), wide(least))


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
    """Return a value: a plain sum, or the rows of an expression, with results put on a stack."""
    v = p.values
    row = int(v.value[which, VALUE_START])
    if row < 0:
        return plain_sum(s, p, e, k, which)
    stack = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    result = 0.0
    opcode = v.code[row, VALUE_OPCODE]
    while opcode != value_opcodes.END_VALUE:
        fold = v.code[row, VALUE_FOLD]
        if opcode == value_opcodes.TAKE_RESULT:
            x = result
            result = stack[0]
            stack = drop_number(stack)
        else:
            x = read_number(s, p, e, k, row)
        if v.code[row, VALUE_LOG] != 0:
            x = log_of(p, single(x + 1.0))
        if fold == value_opcodes.BEGIN:
            stack = push_number(stack, result)
            result = x
        else:
            result = combine(result, x, fold, v.number[row, VALUE_WEIGHT])
        row += 1
        opcode = v.code[row, VALUE_OPCODE]
    return clip(result, v.value[which, VALUE_LOW], v.value[which, VALUE_HIGH])


@rule
def log_of(p: Params, x: float) -> float:
    """Return a logarithm; upstream, of 0 it is minus infinity, of less NaN."""
    if not p.wraps_told or 0.0 < x < math.inf:
        return single(logarithm(x, p.values.logs))
    if x == 0.0:
        return -math.inf
    return x if x > 0.0 else math.nan


@rule
def read_number(s: State, p: Params, e: int, k: int, row: int) -> float:
    """Return the number that a row reads; things have no statistics."""
    opcode = p.values.code[row, VALUE_OPCODE]
    x = p.values.code[row, VALUE_OPERAND]
    number = p.values.number[row, VALUE_NUMBER]
    if opcode == value_opcodes.READ_CONSTANT:
        return number
    if opcode == value_opcodes.READ_AMOUNT and k >= 0:
        return s.amount[e, k, x] * 1.0
    if opcode == value_opcodes.READ_LISTED:
        return sum_listed(s, e, x, int(number))
    if opcode == value_opcodes.READ_GAME_STAT or opcode == value_opcodes.READ_AMOUNT:
        column = x if opcode == value_opcodes.READ_GAME_STAT else int(number)
        return s.game_stat[e, column] if column >= 0 else 0.0
    if k < 0 or k >= p.agents:
        return 0.0
    return s.stat[e, k, x] if opcode == value_opcodes.READ_STAT else s.glimpse[e, k, x]


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
def combine(below: float, top: float, fold: int, weight: float) -> float:
    """Fold a number into a result."""
    made = below
    if fold == value_opcodes.ADD:
        made = single(below + top)
    elif fold == value_opcodes.ADD_WEIGHTED:
        made = single(below + single(top * weight))
    elif fold == value_opcodes.LESSER:
        made = top if top < below else below
    elif fold == value_opcodes.GREATER:
        made = top if top > below else below
    elif top > 0.0:
        made = single(below / top)
    return made
