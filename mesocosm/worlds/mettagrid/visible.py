"""Who sees what, what may be done now, and what is told beside the tokens."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.act import can_pay
from mesocosm.worlds.mettagrid.classic import current_recipe
from mesocosm.worlds.mettagrid.geometry import PAD
from mesocosm.worlds.mettagrid.handler import would_pass
from mesocosm.worlds.mettagrid.inventory import wide
from mesocosm.worlds.mettagrid.observe import count_tokens, in_reach, is_hidden, sight
from mesocosm.worlds.mettagrid.params import CHANGE_VIBE, HANDLED, MOVE, Params
from mesocosm.worlds.mettagrid.place import cell_of
from mesocosm.worlds.mettagrid.plan import (
    ASSEMBLER,
    CHEST,
    CLASS,
    MAX_USES,
    OPAQUE,
    PARTIAL,
    PROGRAM,
)
from mesocosm.worlds.mettagrid.script import OWN
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.talk import hear

SUCCESS, WRITTEN, DROPPED, HEARD = 0, 1, 2, 3


@rule
def rank_of(p: Params, dr: int, dc: int) -> int:
    """The place of a cell in the order of emission, or -1 outside the window."""
    for rank in range(p.tables.window.shape[0]):
        if p.tables.window[rank, 2] == dr and p.tables.window[rank, 3] == dc:
            return rank
    return -1


@rule
def sees_place(s: State, p: Params, e: int, a: int, r: int, c: int, opaque: bool) -> bool:
    """Whether an agent sees a place; what blocks sight shows by what it hides."""
    if s.row[e, a] < 0 or s.col[e, a] < 0 or r < 0 or c < 0:
        return False
    rank = rank_of(p, r - s.row[e, a], c - s.col[e, a])
    if rank < 0 or not in_reach(p, rank, sight(s, p, e, a)):
        return False
    base = cell_of(p, s.row[e, a], s.col[e, a])
    return opaque or not is_hidden(s, p, e, base, rank)


@rule
def sees_thing(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Whether an agent sees a thing, or sees by an assembler's recipe who stands there."""
    opaque = p.tables.kind[p.tables.kind_of[k], OPAQUE] != 0
    if sees_place(s, p, e, a, s.row[e, k], s.col[e, k], opaque):
        return True
    return p.tells_protocols and shows_in_recipe(s, p, e, a, k)


@rule
def shows_in_recipe(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Whether an agent sees an assembler that something stands beside."""
    if s.row[e, k] < 0 or s.col[e, k] < 0:
        return False
    for i in range(9):
        r = s.row[e, k] + i // 3 - 1
        c = s.col[e, k] + i % 3 - 1
        slot = s.cell[e, cell_of(p, r, c)]
        if p.agents < slot <= p.things:
            made = p.tables.kind[p.tables.kind_of[slot - 1], CLASS] == ASSEMBLER
            if made and sees_place(s, p, e, a, r, c, False):
                return True
    return False


@rule
def owns_thing(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Whether a thing is the agent itself."""
    return a == k


@rule
def sees_cell(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Whether an agent sees a cell; ground can block sight wherever it is in the window."""
    r = k // p.pitch - PAD
    c = k % p.pitch - PAD
    return sees_place(s, p, e, a, r, c, p.has_blockers)


@rule
def sees(s: State, p: Params, e: int, a: int, j: int) -> bool:
    """Whether an agent sees another."""
    return sees_place(s, p, e, a, s.row[e, j], s.col[e, j], False)


@rule
def mask(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Forbid moves that would fail, as far as the agent can see that, and what it cannot pay."""
    pays_move = can_pay(s, p, e, a, MOVE)
    pays_vibe = can_pay(s, p, e, a, CHANGE_VIBE)
    for i in range(p.tables.action.shape[0]):
        kind = p.tables.action[i, 0]
        if kind in (MOVE, HANDLED):
            out[i] = pays_move and may_move(s, p, e, a, i)
        elif kind == CHANGE_VIBE:
            out[i] = pays_vibe


@rule
def may_move(s: State, p: Params, e: int, a: int, choice: int) -> bool:
    """Whether a move would succeed, as far as the agent sees where it leads."""
    r = s.row[e, a]
    c = s.col[e, a]
    if r < 0 or c < 0:
        return True
    slot = s.cell[e, cell_of(p, r, c) + p.tables.action[choice, 3]]
    if slot < 0:
        return False
    if p.tables.action[choice, 0] == HANDLED:
        return True
    if p.looks_first:
        y = r + p.tables.action[choice, 1]
        x = c + p.tables.action[choice, 2]
        if not sees_place(s, p, e, a, y, x, False):
            return True
    return slot == 0 or usable(s, p, e, a, slot - 1)


@rule
def usable(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Whether what stands in the way could be used."""
    if k >= p.things:
        return False
    if p.classic or p.tables.kind[p.tables.kind_of[k], CLASS] >= CHEST:
        return usable_old(s, p, e, a, k)
    start = p.tables.kind[p.tables.kind_of[k], PROGRAM]
    own = p.code.own_at + OWN * p.tables.kind_of[k]
    return start >= 0 and would_pass(s, p, e, wide(a), wide(k), wide(own))


@rule
def usable_old(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Whether something could be used in the classic profile."""
    kind = p.tables.kind_of[k]
    if k < p.agents:
        if s.vibe[e, a] >= p.old.vibe.shape[0]:
            return s.frozen[e, k] > 0
        vibe = s.vibe[e, a]
        return s.frozen[e, k] > 0 or p.old.vibe[vibe, 0] != 0 or p.old.vibe[vibe, 1] >= 0
    if p.tables.kind[kind, CLASS] == ASSEMBLER:
        most = p.tables.kind[kind, MAX_USES]
        cools = s.ready_at[e, k] > s.clock[e] and p.tables.kind[kind, PARTIAL] == 0
        if cools or (most > 0 and s.uses[e, k] >= most):
            return False
        return current_recipe(s, p, e, k) >= 0
    for i in range(p.old.chest.shape[0]):
        if p.old.chest[i, 0] == kind and p.old.chest[i, 1] == s.vibe[e, a]:
            return True
    return False


@rule
def inform(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Tell whether the action succeeded, how the tokens fitted, and what others say."""
    out[SUCCESS] = 1.0 if s.success[e, a] else 0.0
    out[WRITTEN] = 0.0
    out[DROPPED] = 0.0
    if p.counts_tokens:
        count = count_tokens(s, p, e, a)
        out[WRITTEN] = min(count, p.num_tokens)
        out[DROPPED] = max(count - p.num_tokens, 0)
    if p.talks:
        size = s.speech.shape[2]
        for j in range(p.agents):
            at = HEARD + j * (size + 1)
            if j == a or sees(s, p, e, a, j):
                hear(s, e, j, out, at, size)
            else:
                for i in range(size + 1):
                    out[at + i] = 0.0
