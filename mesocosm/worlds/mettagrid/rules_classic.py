"""Games of the classic profile."""

import numpy as np

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.act import (
    ahead,
    begin_turn,
    can_pay,
    end_move,
    end_turn,
    end_use,
    stay,
    step,
    take_on,
)
from mesocosm.worlds.mettagrid.classic_meet import meet
from mesocosm.worlds.mettagrid.classic_observe import (
    count_old_tokens,
    refresh_classic,
    write_old_ground,
)
from mesocosm.worlds.mettagrid.classic_tick import start_clipping, tick_old
from mesocosm.worlds.mettagrid.classic_use import show_recipes, usable_old, use_old
from mesocosm.worlds.mettagrid.code import CONFLICT
from mesocosm.worlds.mettagrid.params import CHANGE_VIBE, MOVE, Params
from mesocosm.worlds.mettagrid.rules import (
    begin_counts,
    begin_step,
    end_by_overflow,
    end_in_time,
    lay_map,
    pay,
    place_all,
)
from mesocosm.worlds.mettagrid.stat import note, tally, track_cells
from mesocosm.worlds.mettagrid.stat_code import FROZEN
from mesocosm.worlds.mettagrid.stat_old import FROZEN_TICKS
from mesocosm.worlds.mettagrid.stat_view import count_view, note_counts
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.talk import speak
from mesocosm.worlds.mettagrid.visible import OPEN, is_move, mask_vibes, put_info, seen_ahead


@rule
def reset_classic(s: State, f: Frame, p: Params, e: int) -> None:
    """Begin an episode."""
    place_all(s, f, p, e)
    start_clipping(s, f, p, e)
    begin_counts(s, p, e)
    if p.counts_views:
        rebuild_classic(s, p, e)
        count_classic(s, p, e)


@rule
def rebuild_classic(s: State, p: Params, e: int) -> None:
    """Say what is on each cell, and what everything looks like."""
    lay_map(s, p, e)
    for k in range(p.things, s.length.shape[1]):
        write_old_ground(s, p, e, k)
    refresh_classic(s, p, e)


@rule
def transition_classic(s: State, f: Frame, p: Params, e: int) -> None:
    """Play one step: actions in order, growth, harm and clipping, and what it is worth."""
    begin_step(s, f, p, e)
    for i in range(p.agents):
        a = s.turn[e, i]
        if f.active[e, a] and begin_turn(s, f, p, e, a):
            act_classic(s, f, p, e, a)
            end_turn(s, f, e, a)
    if p.talks:
        speak(s, f, p, e)
    tick_old(s, f, p, e)
    show_recipes(s, p, e)
    if p.counts_views:
        refresh_classic(s, p, e)
    if p.has_stats:
        count_classic(s, p, e)
    for a in range(p.agents):
        if f.active[e, a]:
            pay(s, p, e, a, True)
    refresh_classic(s, p, e)


@rule
def act_classic(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Carry out an agent's action, or lose it while frozen."""
    if s.frozen[e, a] > 0:
        thaw(s, p, e, a)
        return
    choice = f.choice[e, a, 0]
    kind = p.tables.action[choice, 0]
    if kind == CHANGE_VIBE:
        take_on(s, f, p, e, a, choice)
    elif kind != MOVE:
        stay(s, p, e, a)
    else:
        done = can_pay(s, p, e, a, MOVE)
        if done and not step(s, p, e, a, choice):
            done = use_classic(s, f, p, e, a, ahead(s, p, e, a, choice))
        end_move(s, p, e, a, choice, done)


@rule
def thaw(s: State, p: Params, e: int, a: int) -> None:
    """Lose an attempt to being frozen."""
    s.frozen[e, a] -= 1
    s.stale[e, a] = True
    if p.has_stats:
        tally(s, p, e, a, FROZEN, 1.0)
        note(s.stat[e, a], p.stats.old.team[p.tables.kind_of[a], FROZEN_TICKS], 1.0)


@rule
def use_classic(s: State, f: Frame, p: Params, e: int, a: int, k: int) -> bool:
    """Use what stands in the way, or meet who does."""
    if k < 0 or k >= p.things:
        return False
    if k >= p.agents:
        return end_use(f, e, a, k, use_old(s, p, e, a, k))
    r = s.row[e, a]
    c = s.col[e, a]
    if meet(s, f, p, e, a, k):
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
            count_view(s, p, e, a, count_old_tokens(s, p, e, a))


@rule
def ending_classic(s: State, f: Frame, p: Params, e: int) -> None:
    """End the episode after its last step, or when tokens are lost and that is an error."""
    end_in_time(s, f, p, e)
    if p.overflow_ends:
        for a in range(p.agents):
            end_by_overflow(f, p, e, a, count_old_tokens(s, p, e, a))


@rule
def mask_classic(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Forbid moves that would fail, as far as the agent can see that, and what it cannot pay."""
    pays = can_pay(s, p, e, a, MOVE)
    for i in range(p.tables.action.shape[0]):
        if is_move(p, i):
            k = seen_ahead(s, p, e, a, i)
            ok = k == OPEN
            if k >= 0:
                ok = may_meet(s, p, e, a, k) if k < p.agents else usable_old(s, p, e, a, k)
            out[i] = pays and ok
    mask_vibes(s, p, e, a, out)


@rule
def may_meet(s: State, p: Params, e: int, a: int, other: int) -> bool:
    """Whether moving into another agent may do something."""
    if s.frozen[e, other] > 0:
        return True
    vibe = s.vibe[e, a]
    if vibe >= p.old.vibe.shape[0]:
        return False
    return p.old.vibe[vibe, 0] != 0 or p.old.vibe[vibe, 1] >= 0


@rule
def inform_classic(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Tell whether the action succeeded, how the tokens fitted, and what others say."""
    put_info(s, p, e, a, out, count_old_tokens(s, p, e, a) if p.counts_tokens else 0)
