"""Visibility of places and things, action masks, and the info beside the tokens."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.code import MESSAGE_TEXT
from mesocosm.worlds.mettagrid.compile.columns import (
    ACTION_COL,
    ACTION_KIND,
    ACTION_OFFSET,
    ACTION_ROW,
    CHANGE_VIBE,
    HANDLED_MOVE,
    MOVE,
)
from mesocosm.worlds.mettagrid.compile.geometry import PAD
from mesocosm.worlds.mettagrid.compile.kinds import ASSEMBLER_CLASS, CLASS, OPAQUE, USE_BYTECODE
from mesocosm.worlds.mettagrid.grid.act import can_pay, slot_ahead
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.place import cell_of
from mesocosm.worlds.mettagrid.grid.talk import speech_steps_left, write_speech
from mesocosm.worlds.mettagrid.observe.view import count_tokens, in_reach, is_hidden, sight
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.condition import would_handle

INFO_SUCCESS, INFO_WRITTEN, INFO_DROPPED, INFO_HEARD = 0, 1, 2, 3
OPEN, SHUT = -1, -2  # instead of a thing in the way


@rule
def rank_of(p: Params, dr: int, dc: int) -> int:
    """Return the place of a cell in the order of emission, or -1 outside the window."""
    r = dr + p.window_height // 2
    c = dc + p.window_width // 2
    if r < 0 or r >= p.window_height or c < 0 or c >= p.window_width:
        return -1
    return p.tables.rank_at[r * p.window_width + c]


@rule
def sees_place(s: State, p: Params, e: int, a: int, r: int, c: int, opaque: bool) -> bool:
    """Whether an agent sees a cell; an opaque thing always shows, by what it hides."""
    if s.row[e, a] < 0 or s.col[e, a] < 0 or r < 0 or c < 0:
        return False
    dr = r - s.row[e, a]
    dc = c - s.col[e, a]
    if opaque and p.mixes_shadows:
        return abs(dr) <= p.window_height // 2 and abs(dc) <= p.window_width // 2
    rank = rank_of(p, dr, dc)
    reach = sight(s, p, e, a)
    if rank < 0 or not in_reach(p, rank, reach):
        return False
    base = cell_of(p, s.row[e, a], s.col[e, a])
    return opaque or not is_hidden(s, p, e, base, rank, reach)


@rule
def sees_thing(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Whether an agent sees a thing, or an assembler whose recipe depends on it."""
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
            made = p.tables.kind[p.tables.kind_of[slot - 1], CLASS] == ASSEMBLER_CLASS
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
def hears(s: State, p: Params, e: int, a: int, j: int) -> bool:
    """Whether an agent hears another: itself, whom it sees, and fellow holders of a resource."""
    if j == a:
        return True
    if s.row[e, a] < 0 or s.row[e, j] < 0:
        return False
    if p.broadcast >= 0 and s.amount[e, a, p.broadcast] > 0 and s.amount[e, j, p.broadcast] > 0:
        return True
    if p.hears_unseen:
        return rank_of(p, s.row[e, j] - s.row[e, a], s.col[e, j] - s.col[e, a]) >= 0
    return sees(s, p, e, a, j)


@rule
def mask(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Forbid moves that would fail, as far as the agent can see that, and what it cannot pay."""
    pays = can_pay(s, p, e, a, MOVE)
    if p.looks_first or not pays or s.row[e, a] < 0 or s.col[e, a] < 0:
        for i in range(p.tables.action.shape[0]):
            if is_move(p, i):
                k = seen_ahead(s, p, e, a, i)
                out[i] = pays and (k == OPEN or (k >= 0 and is_usable(s, p, e, a, k)))
    else:
        mask_moves(s, p, e, a, out)
    if p.has_vibes:
        mask_vibes(s, p, e, a, out)


@rule
def mask_moves(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Forbid moves of an agent that can pay for them and sees all cells around."""
    place = cell_of(p, s.row[e, a], s.col[e, a])
    for i in range(p.tables.action.shape[0]):
        kind = p.tables.action[i, ACTION_KIND]
        if kind != MOVE and kind != HANDLED_MOVE:
            continue
        k = s.cell[e, place + p.tables.action[i, ACTION_OFFSET]] - 1
        ok = k == OPEN
        if kind == HANDLED_MOVE:
            ok = k >= OPEN
        elif 0 <= k < p.things:
            ok = is_usable(s, p, e, a, k)
        out[i] = ok


@rule
def is_move(p: Params, choice: int) -> bool:
    """Whether an action is a move."""
    return (
        p.tables.action[choice, ACTION_KIND] == MOVE
        or p.tables.action[choice, ACTION_KIND] == HANDLED_MOVE
    )


@rule
def mask_vibes(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Forbid vibes that the agent cannot pay."""
    pays = can_pay(s, p, e, a, CHANGE_VIBE)
    for i in range(p.tables.action.shape[0]):
        if p.tables.action[i, ACTION_KIND] == CHANGE_VIBE:
            out[i] = pays


@rule
def seen_ahead(s: State, p: Params, e: int, a: int, choice: int) -> int:
    """Return what a move leads to as far as the agent sees: a thing, or OPEN, or SHUT."""
    r = s.row[e, a]
    c = s.col[e, a]
    if r < 0 or c < 0:
        return OPEN
    k = slot_ahead(s, p, e, a, choice)
    if k < OPEN:
        return SHUT
    if p.tables.action[choice, ACTION_KIND] == HANDLED_MOVE:
        return OPEN
    if p.looks_first:
        y = r + p.tables.action[choice, ACTION_ROW]
        x = c + p.tables.action[choice, ACTION_COL]
        if not sees_place(s, p, e, a, y, x, False):
            return OPEN
    return SHUT if k >= p.things else k


@rule
def is_usable(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Whether a thing with handlers could be used."""
    start = p.tables.kind[p.tables.kind_of[k], USE_BYTECODE]
    return start >= 0 and would_handle(s, p, e, wide(a), wide(k))


@rule
def inform(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write the info: whether the action succeeded, how tokens fitted, what others say."""
    put_info(s, p, e, a, out, count_tokens(s, p, e, a) if p.counts_tokens else 0)


@rule
def put_info(s: State, p: Params, e: int, a: int, out: np.ndarray, count: int) -> None:
    """Write the info of an agent whose view has so many tokens."""
    out[INFO_SUCCESS] = 1.0 if s.success[e, a] else 0.0
    out[INFO_WRITTEN] = min(count, p.num_tokens)
    out[INFO_DROPPED] = max(count - p.num_tokens, 0)
    if p.talks:
        size = MESSAGE_TEXT + s.speech.shape[2]
        for j in range(p.agents):
            at = INFO_HEARD + j * size
            if speech_steps_left(s, e, j) > 0 and hears(s, p, e, a, j):
                write_speech(s, p, e, a, j, out, at)
            else:
                for i in range(size):
                    out[at + i] = 0.0
