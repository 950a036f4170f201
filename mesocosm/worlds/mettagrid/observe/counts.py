"""Statistics of observations: tokens, and for how long things were unseen."""

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.rounding import MOST_STAT, add_rounded
from mesocosm.worlds.mettagrid.compile.geometry import OFFSET
from mesocosm.worlds.mettagrid.compile.stat_codes import (
    CELLS_VISITED,
    GLIMPSE_TOKENS,
    GLIMPSE_VISITED,
    TOKENS_DROPPED,
    TOKENS_FREE,
    TOKENS_WRITTEN,
)
from mesocosm.worlds.mettagrid.grid.place import cell_of
from mesocosm.worlds.mettagrid.grid.stat import add_to_stat
from mesocosm.worlds.mettagrid.observe.view import in_reach, is_hidden, sight
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def note_counts(s: State, p: Params, e: int, a: int) -> None:
    """Copy the counts into an agent's glimpse before its own view adds to them."""
    column = p.stats.agent[CELLS_VISITED]
    if column >= 0:
        s.glimpse[e, a, GLIMPSE_VISITED] = s.stat[e, a, column]
    for k in range(p.stats.game.shape[0]):
        if p.stats.game[k] >= 0:
            s.glimpse[e, a, GLIMPSE_TOKENS + k] = s.game_stat[e, p.stats.game[k]]


@rule
def names_tokens(p: Params) -> bool:
    """Whether a game names a statistic of tokens."""
    game = p.stats.game
    return game[TOKENS_WRITTEN] >= 0 or game[TOKENS_DROPPED] >= 0 or game[TOKENS_FREE] >= 0


@rule
def count_view(s: State, p: Params, e: int, a: int, number: int) -> None:
    """Count the tokens of an agent's view, and the things in it."""
    told = min(number, p.num_tokens)
    add_to_stat(s.game_stat[e], p.stats.game[TOKENS_WRITTEN], told * 1.0)
    add_to_stat(s.game_stat[e], p.stats.game[TOKENS_DROPPED], (number - told) * 1.0)
    add_to_stat(s.game_stat[e], p.stats.game[TOKENS_FREE], (p.num_tokens - told) * 1.0)
    column = p.stats.agent[CELLS_VISITED]
    if column >= 0:
        count_seen(s, p, e, a, column)


@rule
def count_seen(s: State, p: Params, e: int, a: int, column: int) -> None:
    """Add the steps for which nobody saw the things in view; the first to see one gets them."""
    if s.row[e, a] < 0 or s.col[e, a] < 0:
        return
    base = cell_of(p, s.row[e, a], s.col[e, a])
    reach = sight(s, p, e, a)
    for rank in range(p.tables.window.shape[0]):
        cell = base + p.tables.window[rank, OFFSET]
        slot = s.cell[e, cell] - 1
        if slot < 0 or not in_reach(p, rank, reach) or is_hidden(s, p, e, base, rank, reach):
            continue
        which = slot if slot < p.things else p.things + cell
        since = s.clock[e] - s.seen_at[e, which]
        if since > 0:
            s.seen_at[e, which] = s.clock[e]
            total = add_rounded(s.stat[e, a, column], since * 1.0)
            s.stat[e, a, column] = clip(total, -MOST_STAT, MOST_STAT)
