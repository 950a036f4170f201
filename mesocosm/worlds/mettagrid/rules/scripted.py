"""Games of the profile cogs with all that handlers can do: queries, events, areas, new things."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.code import BOUNTY, YIELD
from mesocosm.worlds.mettagrid.compile.columns import ACTION_KIND, HANDLED_MOVE, MOVE
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
from mesocosm.worlds.mettagrid.grid.presence import settle_sources
from mesocosm.worlds.mettagrid.grid.stat import track_cells
from mesocosm.worlds.mettagrid.observe.block import refresh
from mesocosm.worlds.mettagrid.observe.counts import count_view, names_tokens, note_counts
from mesocosm.worlds.mettagrid.observe.land_table import fill_land_table
from mesocosm.worlds.mettagrid.observe.view import count_tokens, sight
from mesocosm.worlds.mettagrid.observe.visible import is_move
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.rules.episode import begin_stats, begin_step, pay, place_all
from mesocosm.worlds.mettagrid.rules.plain import rebuild
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.handler import run_handler
from mesocosm.worlds.mettagrid.vm.scratch import end_scratch
from mesocosm.worlds.mettagrid.vm.tick import (
    begin_script,
    end_script,
    materialize,
    move_by_handlers,
    run_queries,
    run_reward_queries,
)


@rule
def reset_scripted(s: State, f: Frame, p: Params, e: int) -> None:
    """Begin an episode, with the tags that queries give."""
    place_all(s, f, p, e)
    begin_stats(s, p, e)
    materialize(s, p, e, f.word[e])
    if p.counts_views:
        rebuild(s, p, e)
        count_scripted(s, p, e)


@rule
def transition_scripted(s: State, f: Frame, p: Params, e: int) -> None:
    """Play one step: actions in order, vibes, what happens by itself, and what it is worth."""
    begin_step(s, f, p, e)
    if p.scripted:
        begin_script(s, p, e, f.word[e])
    count_invalid(s, f, p, e)
    for i in range(p.agents):
        a = s.turn[e, i]
        if f.active[e, a] and begin_turn(s, f, p, e, a):
            act_scripted(s, f, p, e, a)
    end_split_turns(s, f, p, e)
    end_turns(s, f, p, e)
    if p.scripted:
        end_script(s, p, e)
    if p.counts_views:
        refresh(s, p, e)
    if p.has_stats:
        count_scripted(s, p, e)
    pay_scripted(s, f, p, e)
    refresh(s, p, e)


@rule
def act_scripted(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Carry out an agent's own action."""
    choice = f.choice[e, a, 0]
    if not is_move(p, choice):
        wait_turn(s, p, e, a, choice)
        return
    done = can_pay(s, p, e, a, MOVE)
    if done and not try_move(s, p, e, a, choice):
        done = use_scripted(s, f, p, e, a, slot_ahead(s, p, e, a, choice))
    end_move(s, p, e, a, choice, done)


@rule
def try_move(s: State, p: Params, e: int, a: int, choice: int) -> bool:
    """Move by the game's move handlers, if it has any, or onto a free cell."""
    if p.tables.action[choice, ACTION_KIND] == HANDLED_MOVE and move_by_handlers(
        s, p, e, wide(a), wide(choice)
    ):
        return True
    return step_ahead(s, p, e, a, choice)


@rule
def use_scripted(s: State, f: Frame, p: Params, e: int, a: int, k: int) -> bool:
    """Use the thing ahead."""
    if not has_use(f, p, e, a, k):
        return False
    start = p.tables.kind[p.tables.kind_of[k], USE_BYTECODE]
    gain = f.effect[e, a, YIELD] * f.tunable[e, BOUNTY]
    return end_use(f, e, a, k, run_handler(s, p, e, wide(a), wide(k), wide(start), gain))


@rule
def count_scripted(s: State, p: Params, e: int) -> None:
    """Count what the step led to: cells, and what observations and told queries are made of."""
    if p.tracks_cells:
        track_cells(s, p, e)
    if p.counts_views:
        for a in range(p.agents):
            note_counts(s, p, e, a)
            run_queries(s, p, e, wide(a), -1)
            if p.mixes_land:
                fill_land_table(s, p, e, wide(a), sight(s, p, e, a))
            count_view(s, p, e, a, count_tokens(s, p, e, a) if names_tokens(p) else 0)


@rule
def pay_scripted(s: State, f: Frame, p: Params, e: int) -> None:
    """Run the queries of rewards, pay all agents, then clear the interpreter's scratch."""
    for a in range(p.agents):
        if f.active[e, a]:
            if p.has_asks:
                run_reward_queries(s, p, e, a)
            pay(s, p, e, a, False)
    if p.scripted:
        end_scratch(s, e)
        settle_sources(s, p, e)
