"""Token blocks and observations of the classic profile."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.kinds import (
    AGENT_CLASS,
    ASSEMBLER_CLASS,
    CHEST_CLASS,
    CLASS,
    FIRST_VIBE,
    GROUP,
    MAX_USES,
)
from mesocosm.worlds.mettagrid.game.idmap import LOCATION_ROW
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.stale import clear_stale
from mesocosm.worlds.mettagrid.observe.block import (
    end_block,
    put_inventory,
    put_token,
    set_length,
)
from mesocosm.worlds.mettagrid.observe.hints import append_token, put_common
from mesocosm.worlds.mettagrid.observe.view import end_view, see
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.stations.recipe import put_recipe


@rule
def put_tag_list(row: np.ndarray, number: int, tags: np.ndarray, feature: int) -> int:
    """Append tags in the order of the config."""
    for i in range(tags[0]):
        number = put_token(row, number, feature, tags[1 + i])
    return number


@rule
def refresh_classic(s: State, p: Params, e: int) -> None:
    """Write the blocks of stale things."""
    for i in range(1, 1 + s.stale_list[e, 0]):
        k = wide(s.stale_list[e, i])
        end_block(s, e, k, write_block_classic(s, p, e, k, s.block[e, k]))
    clear_stale(s, e)


@rule
def write_block_classic(s: State, p: Params, e: int, k: int, row: np.ndarray) -> int:
    """Write the tokens of a thing; return how many there are."""
    kind = p.tables.kind_of[k]
    which = p.tables.kind[kind, CLASS]
    number = 0
    if which == AGENT_CLASS:
        number = put_token(row, number, p.ids.group, p.tables.kind[kind, GROUP])
        number = put_token(row, number, p.ids.frozen, 1 if s.frozen[e, k] > 0 else 0)
    elif which == ASSEMBLER_CLASS:
        number = put_assembler(s, p, e, k, row)
    holds = which == AGENT_CLASS
    holds = holds or which == CHEST_CLASS
    if holds and s.vibe[e, k] != 0:
        number = put_token(row, number, p.ids.vibe, s.vibe[e, k])
    if holds:
        number = put_inventory(s, p, e, k, row, number)
    number = put_tag_list(row, number, p.tables.tag_list[kind], p.ids.tag)
    if not holds and s.vibe[e, k] != 0:
        number = put_token(row, number, p.ids.vibe, s.vibe[e, k])
    return number


@rule
def put_assembler(s: State, p: Params, e: int, k: int, row: np.ndarray) -> int:
    """Append the state of an assembler: cooling, clipped, uses left, the recipe that holds."""
    number = 0
    left = s.ready_at[e, k] - s.clock[e]
    if left > 0:
        number = put_token(row, number, p.ids.cooldown, min(left, 255))
    if s.clipped[e, k]:
        number = put_token(row, number, p.ids.clipped, 1)
    kind = p.tables.kind_of[k]
    most = p.tables.kind[kind, MAX_USES]
    if most > 0:
        number = put_token(row, number, p.ids.uses, min(max(most - s.uses[e, k], 0), 255))
    if p.classic.hides_unclipping and s.clipped[e, k] and s.clock[e] == 0:
        return number
    return put_recipe(s, p, e, k, row, number) if p.tells_protocols else number


@rule
def write_ground_classic(s: State, p: Params, e: int) -> None:
    """Write the tokens of every kind of ground."""
    for k in range(p.things, s.length.shape[1]):
        row = s.block[e, k]
        kind = p.tables.kind_of[k]
        vibe = p.tables.kind[kind, FIRST_VIBE]
        number = put_tag_list(row, 0, p.tables.tag_list[kind], p.ids.tag)
        if vibe != 0:
            number = put_token(row, number, p.ids.vibe, vibe)
        set_length(s, e, k, number)


@rule
def observe_classic(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write what an agent sees."""
    n = put_globals_classic(s, p, e, a, out)
    if s.row[e, a] >= 0 and s.col[e, a] >= 0:
        n = see(s, p, e, a, out, n)
    end_view(p, out, n)


@rule
def count_tokens_classic(s: State, p: Params, e: int, a: int) -> int:
    """Return how many tokens an agent's view has, whether or not they fit."""
    n = put_globals_classic(s, p, e, a, p.tables.nothing)
    if s.row[e, a] < 0 or s.col[e, a] < 0:
        return n
    return see(s, p, e, a, p.tables.nothing, n)


@rule
def put_globals_classic(s: State, p: Params, e: int, a: int, out: np.ndarray) -> int:
    """Write what is told about oneself, at one's own place."""
    n = put_common(s, p, e, a, out, p.centre)
    return put_compass(s, p, e, a, out, n) if p.tells_compass else n


@rule
def sign(x: int) -> int:
    """Return the sign: -1, 0 or 1."""
    return (1 if x > 0 else 0) - (1 if x < 0 else 0)


@rule
def put_compass(s: State, p: Params, e: int, a: int, out: np.ndarray, n: int) -> int:
    """Point to the centre of the map, or to the nearest assembler."""
    dr = p.height // 2 - s.row[e, a]
    dc = p.width // 2 - s.col[e, a]
    if not p.compass_centre:
        best = 1 << 30
        for k in range(p.agents, p.things):
            y = s.row[e, k] - s.row[e, a]
            x = s.col[e, k] - s.col[e, a]
            near = p.tables.kind[p.tables.kind_of[k], CLASS] == ASSEMBLER_CLASS
            if near and s.row[e, k] >= 0 and y * y + x * x < best:
                best = y * y + x * x
                dr = y
                dc = x
    if dr == 0 and dc == 0:
        return n
    if (dr != 0 and p.window_height < 3) or (dc != 0 and p.window_width < 3):
        return n  # it would lie outside the window
    place = p.centre + LOCATION_ROW * sign(dr) + sign(dc)
    return append_token(out, n, place, p.ids.compass, 1)
