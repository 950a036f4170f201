"""Token blocks: what everything looks like, ready to be copied into observations."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.classic import current_recipe
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.plan import (
    AGENT,
    ASSEMBLER,
    CHEST,
    CLAIMS,
    CLASS,
    FIRST_VIBE,
    GROUP,
    MAX_USES,
)
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.territory import claim_land


@rule
def put(row: np.ndarray, number: int, feature: int, value: int) -> int:
    """Append one token; give how many there are."""
    row[2 * number] = feature
    row[2 * number + 1] = value & 255
    return number + 1


@rule
def put_digits(row: np.ndarray, number: int, feature: int, value: int, base: int) -> int:
    """Append a number digit by digit, the lowest first."""
    number = put(row, number, feature, value % base)
    rest = value // base
    while rest > 0:
        feature += 1
        number = put(row, number, feature, rest % base)
        rest //= base
    return number


@rule
def put_inventory(s: State, p: Params, e: int, k: int, row: np.ndarray, number: int) -> int:
    """Append what a thing holds."""
    for i in range(p.resources):
        r = s.held[e, k, i]
        if r >= 0 and s.amount[e, k, r] > 0:
            feature = p.ids.inventory + r * p.digits
            number = put_digits(row, number, feature, s.amount[e, k, r], p.base)
    return number


@rule
def put_tag_bits(row: np.ndarray, number: int, bits: np.ndarray, feature: int) -> int:
    """Append tags by ascending id."""
    for word in range(bits.shape[0]):
        rest = bits[word]
        tag = word * 62
        while rest > 0:
            if rest & 1:
                number = put(row, number, feature, tag)
            rest >>= 1
            tag += 1
    return number


@rule
def put_tag_list(row: np.ndarray, number: int, tags: np.ndarray, feature: int) -> int:
    """Append tags in the order of the config."""
    for i in range(tags[0]):
        number = put(row, number, feature, tags[1 + i])
    return number


@rule
def refresh(s: State, p: Params, e: int) -> None:
    """Write the blocks of what looks different now, and see whose land it is if that changed."""
    claims = False
    for k in range(p.things):
        if s.stale[e, k]:
            s.stale[e, k] = False
            row = s.block[e, k]
            before = s.length[e, k]
            number = write_old_block(s, p, e, k, row) if p.classic else write_block(s, p, e, k, row)
            s.length[e, k] = number
            for i in range(2 * number, 2 * before):
                row[i] = 0
            claims = claims or p.tables.kind[p.tables.kind_of[k], CLAIMS] != 0
    if claims:
        claim_land(s, p, e)


@rule
def write_block(s: State, p: Params, e: int, k: int, row: np.ndarray) -> int:
    """Write what a thing looks like; give how many tokens that takes."""
    number = put_tag_bits(row, 0, s.tag[e, k], p.ids.tag)
    if s.vibe[e, k] != 0:
        number = put(row, number, p.ids.vibe, s.vibe[e, k])
    if not s.veiled[e, k]:
        number = put_inventory(s, p, e, k, row, number)
    if k < p.agents:
        number = put(row, number, p.ids.group, p.tables.kind[p.tables.kind_of[k], GROUP])
        if p.tells_id:
            number = put(row, number, p.ids.agent_id, k)
    elif p.tells_protocols and p.tables.kind[p.tables.kind_of[k], CLASS] == ASSEMBLER:
        number = put_recipe(s, p, e, k, row, number)
    return number


@rule
def write_old_block(s: State, p: Params, e: int, k: int, row: np.ndarray) -> int:
    """Write what a thing looks like in the classic profile."""
    kind = p.tables.kind_of[k]
    which = p.tables.kind[kind, CLASS]
    number = 0
    if which == AGENT:
        number = put(row, number, p.ids.group, p.tables.kind[kind, GROUP])
        number = put(row, number, p.ids.frozen, 1 if s.frozen[e, k] > 0 else 0)
    elif which == ASSEMBLER:
        number = put_assembler(s, p, e, k, row)
    holds = which == AGENT
    holds = holds or which == CHEST
    if holds and s.vibe[e, k] != 0:
        number = put(row, number, p.ids.vibe, s.vibe[e, k])
    if holds:
        number = put_inventory(s, p, e, k, row, number)
    number = put_tag_list(row, number, p.tables.tag_list[kind], p.ids.tag)
    if not holds and s.vibe[e, k] != 0:
        number = put(row, number, p.ids.vibe, s.vibe[e, k])
    return number


@rule
def put_assembler(s: State, p: Params, e: int, k: int, row: np.ndarray) -> int:
    """Append the state of an assembler: cooling, clipped, uses left, the recipe that holds."""
    number = 0
    left = s.ready_at[e, k] - s.clock[e]
    if left > 0:
        number = put(row, number, p.ids.cooldown, min(left, 255))
    if s.clipped[e, k]:
        number = put(row, number, p.ids.clipped, 1)
    kind = p.tables.kind_of[k]
    most = p.tables.kind[kind, MAX_USES]
    if most > 0:
        number = put(row, number, p.ids.uses, min(max(most - s.uses[e, k], 0), 255))
    if p.old.hides_unclipping and s.clipped[e, k] and s.clock[e] == 0:
        return number
    return put_recipe(s, p, e, k, row, number) if p.tells_protocols else number


@rule
def put_recipe(s: State, p: Params, e: int, k: int, row: np.ndarray, number: int) -> int:
    """Append what the recipe that holds takes and makes."""
    recipe = current_recipe(s, p, e, k)
    if recipe < 0:
        return number
    for side in range(2):
        feature = p.ids.protocol_input if side == 0 else p.ids.protocol_output
        for i in range(p.resources):
            r = p.old.recipe_order[recipe, side, i]
            if r >= 0 and p.old.recipe_amount[recipe, side, r] > 0:
                amount = p.old.recipe_amount[recipe, side, r]
                number = put(row, number, feature + r, amount)
    return number


@rule
def write_ground(s: State, p: Params, e: int, k: int) -> None:
    """Write what a kind of ground looks like; `k` is its slot."""
    row = s.block[e, k]
    kind = p.tables.kind_of[k]
    vibe = p.tables.kind[kind, FIRST_VIBE]
    number = 0
    if p.classic:
        number = put_tag_list(row, number, p.tables.tag_list[kind], p.ids.tag)
    else:
        number = put_tag_bits(row, number, p.tables.first_tags[kind], p.ids.tag)
    if vibe != 0:
        number = put(row, number, p.ids.vibe, vibe)
    if not p.classic:
        for i in range(p.resources):
            r = p.tables.first_held[kind, i]
            if r >= 0:
                feature = p.ids.inventory + r * p.digits
                number = put_digits(row, number, feature, p.tables.initial[kind, r], p.base)
    s.length[e, k] = number
