"""Games of the classic profile."""

import numpy as np

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.classic.meet import meet_agent
from mesocosm.worlds.mettagrid.classic.observe import (
    count_tokens_classic,
    refresh_classic,
    write_block_classic,
    write_ground_classic,
)
from mesocosm.worlds.mettagrid.classic.tick import start_clipping, tick_classic
from mesocosm.worlds.mettagrid.code import CONFLICT
from mesocosm.worlds.mettagrid.compile.classic import ATTACKS, GIFT
from mesocosm.worlds.mettagrid.compile.classic_stats import FROZEN_TICKS
from mesocosm.worlds.mettagrid.compile.columns import ACTION_KIND, CHANGE_VIBE, MOVE
from mesocosm.worlds.mettagrid.compile.stat_codes import FROZEN_TURNS
from mesocosm.worlds.mettagrid.grid.act import (
    begin_turn,
    can_pay,
    change_vibe,
    count_invalid,
    do_noop,
    end_move,
    end_split_turns,
    end_use,
    slot_ahead,
    step_ahead,
)
from mesocosm.worlds.mettagrid.grid.stale import mark_stale
from mesocosm.worlds.mettagrid.grid.stat import add_to_stat, count_stat, track_cells
from mesocosm.worlds.mettagrid.grid.talk import speak
from mesocosm.worlds.mettagrid.observe.block import end_block
from mesocosm.worlds.mettagrid.observe.counts import count_view, note_counts
from mesocosm.worlds.mettagrid.observe.visible import (
    OPEN,
    is_move,
    mask_vibes,
    put_info,
    seen_ahead,
)
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.rules.episode import (
    begin_stats,
    begin_step,
    end_by_overflow,
    end_in_time,
    pay_all,
    place_all,
    rebuild_cells,
)
from mesocosm.worlds.mettagrid.rules.quantity import change_inventory
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.stations.use import is_station_usable, show_recipes, use_station


@rule
def reset_classic(s: State, f: Frame, p: Params, e: int) -> None:
    """Begin an episode."""
    place_all(s, f, p, e)
    start_clipping(s, f, p, e)
    begin_stats(s, p, e)
    if p.counts_views:
        rebuild_classic(s, p, e)
        count_classic(s, p, e)


@rule
def rebuild_classic(s: State, p: Params, e: int) -> None:
    """Rebuild what is on each cell, and all token blocks."""
    rebuild_cells(s, p, e)
    write_ground_classic(s, p, e)
    refresh_classic(s, p, e)


@rule
def transition_classic(s: State, f: Frame, p: Params, e: int) -> None:
    """Play one step: actions in order, growth, harm and clipping, and what it is worth."""
    begin_step(s, f, p, e)
    count_invalid(s, f, p, e)
    for i in range(p.agents):
        a = s.turn[e, i]
        if f.active[e, a] and begin_turn(s, f, p, e, a):
            act_classic(s, f, p, e, a)
    end_split_turns(s, f, p, e)
    if p.talks:
        speak(s, f, p, e)
    tick_classic(s, f, p, e)
    show_recipes(s, p, e)
    if p.counts_views:
        refresh_classic(s, p, e)
    if p.has_stats:
        count_classic(s, p, e)
    pay_all(s, f, p, e, True)
    refresh_classic(s, p, e)


@rule
def act_classic(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Carry out an agent's action, or lose it while frozen."""
    if s.frozen[e, a] > 0:
        lose_frozen_turn(s, p, e, a)
        return
    choice = f.choice[e, a, 0]
    kind = p.tables.action[choice, ACTION_KIND]
    if kind == CHANGE_VIBE:
        change_vibe(s, f, p, e, a, choice)
    elif kind != MOVE:
        do_noop(s, p, e, a)
    else:
        done = can_pay(s, p, e, a, MOVE)
        if done and not step_ahead(s, p, e, a, choice):
            done = use_classic(s, f, p, e, a, slot_ahead(s, p, e, a, choice))
        end_move(s, p, e, a, choice, done)


@rule
def lose_frozen_turn(s: State, p: Params, e: int, a: int) -> None:
    """Lose an attempt to being frozen."""
    s.frozen[e, a] -= 1
    mark_stale(s, e, a)
    if p.has_stats:
        count_stat(s, p, e, a, FROZEN_TURNS, 1.0)
        add_to_stat(s.stat[e, a], p.stats.classic.team[p.tables.kind_of[a], FROZEN_TICKS], 1.0)


@rule
def use_classic(s: State, f: Frame, p: Params, e: int, a: int, k: int) -> bool:
    """Use the thing ahead, or meet the agent there."""
    if k < 0 or k >= p.things:
        return False
    if k >= p.agents:
        return end_use(f, e, a, k, use_station(s, p, e, a, k))
    r = s.row[e, a]
    c = s.col[e, a]
    if meet_agent(s, f, p, e, a, k):
        s.moved[e, a] = r != s.row[e, a] or c != s.col[e, a]
        return True
    emit(f, e, CONFLICT, a, k, 0.0)
    return False


@rule
def count_classic(s: State, p: Params, e: int) -> None:
    """Count what the step led to: cells, and what observations are made of."""
    if p.tracks_cells:
        track_cells(s, p, e)
    if p.counts_views:
        for a in range(p.agents):
            note_counts(s, p, e, a)
            count_view(s, p, e, a, count_tokens_classic(s, p, e, a))


@rule
def write_inventory_classic(s: State, p: Params, e: int, a: int, k: int, value: int) -> None:
    """Let an agent hold so much of a resource, as far as it can; write its block."""
    if change_inventory(s, p, e, a, k, value):
        end_block(s, e, a, write_block_classic(s, p, e, a, s.block[e, a]))


@rule
def ending_classic(s: State, f: Frame, p: Params, e: int) -> None:
    """End the episode after its last step, or when tokens are lost and that is an error."""
    end_in_time(s, f, p, e)
    if p.overflow_ends:
        for a in range(p.agents):
            end_by_overflow(f, p, e, a, count_tokens_classic(s, p, e, a))


@rule
def mask_classic(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Forbid moves that would fail, as far as the agent can see that, and what it cannot pay."""
    pays = can_pay(s, p, e, a, MOVE)
    for i in range(p.tables.action.shape[0]):
        if is_move(p, i):
            k = seen_ahead(s, p, e, a, i)
            ok = k == OPEN
            if k >= 0:
                ok = may_meet(s, p, e, a, k) if k < p.agents else is_station_usable(s, p, e, a, k)
            out[i] = pays and ok
    mask_vibes(s, p, e, a, out)


@rule
def may_meet(s: State, p: Params, e: int, a: int, other: int) -> bool:
    """Whether moving into another agent may do something."""
    if s.frozen[e, other] > 0:
        return True
    vibe = s.vibe[e, a]
    if vibe >= p.classic.vibe.shape[0]:
        return False
    return p.classic.vibe[vibe, ATTACKS] != 0 or p.classic.vibe[vibe, GIFT] >= 0


@rule
def inform_classic(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write the info: whether the action succeeded, how tokens fitted, what others say."""
    put_info(s, p, e, a, out, count_tokens_classic(s, p, e, a) if p.counts_tokens else 0)
