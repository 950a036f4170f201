"""Token blocks: the tokens of each thing, ready to be copied into observations.

A word holds two tokens of three bytes, whose locations are left open. The first words of all blocks
also lie side by side, the very first with the number of tokens: most need no more.
"""

import numpy as np

from mesocosm.sim.bits import lowest
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
from mesocosm.worlds.mettagrid.compile.kinds import CLAIMS, FIRST_VIBE, GROUP
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.stale import clear_stale
from mesocosm.worlds.mettagrid.grid.territory import renew_claim
from mesocosm.worlds.mettagrid.observe.hints import goal_feature
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

TOKEN_BITS = 24
LENGTH_SHIFT = 2 * TOKEN_BITS


@rule
def put_token(row: np.ndarray, number: int, feature: int, value: int) -> int:
    """Append one token; give how many there are."""
    token = (feature << 8) | ((value & 255) << 16)
    if number % 2 == 0:
        row[number // 2] = token
    else:
        row[number // 2] = row[number // 2] | (token << TOKEN_BITS)
    return number + 1


@rule
def put_digits(row: np.ndarray, number: int, feature: int, value: int, base: int) -> int:
    """Append a number digit by digit, the lowest first."""
    if value < base:
        return put_token(row, number, feature, value)
    number = put_token(row, number, feature, value % base)
    rest = value // base
    while rest > 0:
        feature += 1
        number = put_token(row, number, feature, rest % base)
        rest //= base
    return number


@rule
def put_inventory(s: State, p: Params, e: int, k: int, row: np.ndarray, number: int) -> int:
    """Append what a thing holds."""
    for i in range(p.resources):
        r = s.held[e, k, i]
        if r >= 0 and s.amount[e, k, r] > 0:
            feature = p.ids.inventory + r * p.digits
            amount = min(s.amount[e, k, r], p.most_told)
            number = put_digits(row, number, feature, amount, p.base)
    return number


@rule
def put_tag_bits(row: np.ndarray, number: int, bits: np.ndarray, feature: int) -> int:
    """Append tags by ascending id."""
    for word in range(bits.shape[0]):
        rest = bits[word]
        while rest > 0:
            number = put_token(row, number, feature, word * WORD_BITS + lowest(rest))
            rest &= rest - 1
    return number


@rule
def put_goals_of(p: Params, a: int, row: np.ndarray, number: int) -> int:
    """Append which resources an agent is rewarded for, by their feature ids."""
    kind = p.tables.kind_of[a]
    for i in range(p.classic.goal[kind, 0]):
        number = put_token(row, number, p.ids.goal, goal_feature(p, kind, i))
    return number


@rule
def refresh(s: State, p: Params, e: int) -> None:
    """Write the blocks of stale things, and the owners of cells if a claim changed."""
    for i in range(1, 1 + s.stale_list[e, 0]):
        k = wide(s.stale_list[e, i])
        end_block(s, e, k, write_block(s, p, e, k, s.block[e, k]))
        if p.tables.kind[p.tables.kind_of[k], CLAIMS] != 0:
            renew_claim(s, p, e, k)
    clear_stale(s, e)


@rule
def end_block(s: State, e: int, k: int, number: int) -> None:
    """Set the length of a block, and clear what is behind it."""
    for i in range((number + 1) // 2, (s.length[e, k] + 1) // 2):
        s.block[e, k, i] = 0
    set_length(s, e, k, number)


@rule
def set_length(s: State, e: int, k: int, number: int) -> None:
    """Set the length of a block whose words are written."""
    s.length[e, k] = number
    s.lead[e, k, 0] = s.block[e, k, 0] | (number << LENGTH_SHIFT)
    s.lead[e, k, 1] = s.block[e, k, 1]


@rule
def write_block(s: State, p: Params, e: int, k: int, row: np.ndarray) -> int:
    """Write the tokens of a thing; return how many there are."""
    number = put_tag_bits(row, 0, s.tag[e, k], p.ids.tag)
    if s.vibe[e, k] != 0:
        number = put_token(row, number, p.ids.vibe, s.vibe[e, k])
    if not s.veiled[e, k]:
        number = put_inventory(s, p, e, k, row, number)
    if k < p.agents:
        number = put_token(row, number, p.ids.group, p.tables.kind[p.tables.kind_of[k], GROUP])
        if p.tells_id:
            number = put_token(row, number, p.ids.agent_id, k)
        if p.goal_on_cells:
            number = put_goals_of(p, k, row, number)
    return number


@rule
def write_ground(s: State, p: Params, e: int) -> None:
    """Write the tokens of every kind of ground."""
    for k in range(p.things, s.length.shape[1]):
        row = s.block[e, k]
        kind = p.tables.kind_of[k]
        vibe = p.tables.kind[kind, FIRST_VIBE]
        number = put_tag_bits(row, 0, p.tables.first_tags[kind], p.ids.tag)
        if vibe != 0:
            number = put_token(row, number, p.ids.vibe, vibe)
        for i in range(p.resources):
            r = p.tables.first_held[kind, i]
            if r >= 0:
                feature = p.ids.inventory + r * p.digits
                amount = min(p.tables.initial[kind, r], p.most_told)
                number = put_digits(row, number, feature, amount, p.base)
        set_length(s, e, k, number)
