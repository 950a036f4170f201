"""Games of the profile cogs whose handlers are about the actor and the target alone."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.code import BOUNTY, YIELD
from mesocosm.worlds.mettagrid.compile.columns import ACTION_KIND, MOVE
from mesocosm.worlds.mettagrid.compile.kinds import USE_BYTECODE
from mesocosm.worlds.mettagrid.grid.act import (
    begin_turn,
    can_pay,
    count_invalid,
    end_move,
    end_split_turns,
    end_turns,
    end_use,
    has_use,
    slot_ahead,
    step_ahead,
    wait_turn,
)
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.stat import track_cells
from mesocosm.worlds.mettagrid.observe.block import refresh, write_ground
from mesocosm.worlds.mettagrid.observe.counts import count_view, note_counts
from mesocosm.worlds.mettagrid.observe.land_table import fill_land_table
from mesocosm.worlds.mettagrid.observe.view import count_tokens, sight
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.rules.episode import (
    begin_stats,
    begin_step,
    end_by_list,
    end_by_overflow,
    end_by_stat,
    end_in_time,
    pay_all,
    place_all,
    rebuild_cells,
)
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.handler_plain import run_plain


@rule
def reset_plain(s: State, f: Frame, p: Params, e: int) -> None:
    """Begin an episode."""
    place_all(s, f, p, e)
    begin_stats(s, p, e)
    if p.counts_views:
        rebuild(s, p, e)
        count_plain(s, p, e)


@rule
def rebuild(s: State, p: Params, e: int) -> None:
    """Rebuild what is on each cell, all token blocks, and the owners of cells."""
    rebuild_cells(s, p, e)
    write_ground(s, p, e)
    refresh(s, p, e)


@rule
def transition_plain(s: State, f: Frame, p: Params, e: int) -> None:
    """Play one step: actions in order, vibes, and what it is worth."""
    begin_step(s, f, p, e)
    count_invalid(s, f, p, e)
    for i in range(p.agents):
        a = s.turn[e, i]
        if f.active[e, a] and begin_turn(s, f, p, e, a):
            act_plain(s, f, p, e, a)
    end_split_turns(s, f, p, e)
    end_turns(s, f, p, e)
    if p.counts_views:
        refresh(s, p, e)
    if p.has_stats:
        count_plain(s, p, e)
    pay_all(s, f, p, e, False)
    refresh(s, p, e)


@rule
def act_plain(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Carry out an agent's own action."""
    choice = f.choice[e, a, 0]
    if p.tables.action[choice, ACTION_KIND] != MOVE:
        wait_turn(s, p, e, a, choice)
        return
    done = can_pay(s, p, e, a, MOVE)
    if done and not step_ahead(s, p, e, a, choice):
        done = use_plain(s, f, p, e, a, slot_ahead(s, p, e, a, choice))
    end_move(s, p, e, a, choice, done)


@rule
def use_plain(s: State, f: Frame, p: Params, e: int, a: int, k: int) -> bool:
    """Use the thing ahead."""
    if not has_use(f, p, e, a, k):
        return False
    start = p.tables.kind[p.tables.kind_of[k], USE_BYTECODE]
    gain = f.effect[e, a, YIELD] * f.tunable[e, BOUNTY]
    return end_use(f, e, a, k, run_plain(s, p, e, wide(a), wide(k), wide(start), gain))


@rule
def count_plain(s: State, p: Params, e: int) -> None:
    """Count what the step led to: cells, and what observations are made of."""
    if p.tracks_cells:
        track_cells(s, p, e)
    if p.counts_views:
        for a in range(p.agents):
            note_counts(s, p, e, a)
            if p.mixes_land:
                fill_land_table(s, p, e, wide(a), sight(s, p, e, a))
            count_view(s, p, e, a, count_tokens(s, p, e, a))


@rule
def ending(s: State, f: Frame, p: Params, e: int) -> None:
    """End the episode in time, by a statistic, or when tokens are lost and that is an error."""
    end_by_stat(s, f, p, e)
    if p.keeps_proxies:
        end_by_list(s, f, p, e)
    end_in_time(s, f, p, e)
    if p.overflow_ends:
        for a in range(p.agents):
            end_by_overflow(f, p, e, a, count_tokens(s, p, e, a))
