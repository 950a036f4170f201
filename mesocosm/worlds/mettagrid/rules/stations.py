"""Games of the profile cogs that also have chests or assemblers, which work as in classic."""

import numpy as np

from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.columns import MOVE
from mesocosm.worlds.mettagrid.compile.kinds import ASSEMBLER_CLASS, CHEST_CLASS, CLAIMS, CLASS
from mesocosm.worlds.mettagrid.grid.act import (
    begin_turn,
    can_pay,
    count_invalid,
    end_move,
    end_split_turns,
    end_turns,
    end_use,
    slot_ahead,
    wait_turn,
)
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.stale import clear_stale
from mesocosm.worlds.mettagrid.grid.territory import renew_claim
from mesocosm.worlds.mettagrid.observe.block import (
    end_block,
    write_block,
    write_ground,
)
from mesocosm.worlds.mettagrid.observe.visible import (
    OPEN,
    is_move,
    is_usable,
    mask_vibes,
    seen_ahead,
)
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.rules.episode import (
    begin_stats,
    begin_step,
    place_all,
    rebuild_cells,
)
from mesocosm.worlds.mettagrid.rules.scripted import (
    count_scripted,
    pay_scripted,
    try_move,
    use_scripted,
)
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.stations.recipe import put_recipe
from mesocosm.worlds.mettagrid.stations.use import is_station_usable, show_recipes, use_station
from mesocosm.worlds.mettagrid.vm.tick import begin_script, end_script, materialize


@rule
def reset_stations(s: State, f: Frame, p: Params, e: int) -> None:
    """Begin an episode, with the tags that queries give."""
    place_all(s, f, p, e)
    begin_stats(s, p, e)
    materialize(s, p, e, f.word[e])
    if p.counts_views:
        rebuild_stations(s, p, e)
        count_scripted(s, p, e)


@rule
def rebuild_stations(s: State, p: Params, e: int) -> None:
    """Rebuild what is on each cell, all token blocks, and the owners of cells."""
    rebuild_cells(s, p, e)
    write_ground(s, p, e)
    refresh_stations(s, p, e)


@rule
def refresh_stations(s: State, p: Params, e: int) -> None:
    """Write the blocks of stale things, and the owners of cells if a claim changed."""
    for i in range(1, 1 + s.stale_list[e, 0]):
        k = wide(s.stale_list[e, i])
        kind = p.tables.kind_of[k]
        number = write_block(s, p, e, k, s.block[e, k])
        if p.tells_protocols and p.tables.kind[kind, CLASS] == ASSEMBLER_CLASS:
            number = put_recipe(s, p, e, k, s.block[e, k], number)
        end_block(s, e, k, number)
        if p.tables.kind[kind, CLAIMS] != 0:
            renew_claim(s, p, e, k)
    clear_stale(s, e)


@rule
def transition_stations(s: State, f: Frame, p: Params, e: int) -> None:
    """Play one step: actions in order, vibes, what happens by itself, and what it is worth."""
    begin_step(s, f, p, e)
    if p.scripted:
        begin_script(s, p, e, f.word[e])
    count_invalid(s, f, p, e)
    for i in range(p.agents):
        a = s.turn[e, i]
        if f.active[e, a] and begin_turn(s, f, p, e, a):
            act_stations(s, f, p, e, a)
    end_split_turns(s, f, p, e)
    end_turns(s, f, p, e)
    if p.scripted:
        end_script(s, p, e)
    show_recipes(s, p, e)
    if p.counts_views:
        refresh_stations(s, p, e)
    if p.has_stats:
        count_scripted(s, p, e)
    pay_scripted(s, f, p, e)
    refresh_stations(s, p, e)


@rule
def act_stations(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Carry out an agent's own action."""
    choice = f.choice[e, a, 0]
    if not is_move(p, choice):
        wait_turn(s, p, e, a, choice)
        return
    done = can_pay(s, p, e, a, MOVE)
    if done and not try_move(s, p, e, a, choice):
        k = slot_ahead(s, p, e, a, choice)
        if is_station(p, k):
            done = end_use(f, e, a, k, use_station(s, p, e, a, k))
        else:
            done = use_scripted(s, f, p, e, a, k)
    end_move(s, p, e, a, choice, done)


@rule
def is_station(p: Params, k: int) -> bool:
    """Whether a slot is that of a chest or an assembler."""
    return 0 <= k < p.things and p.tables.kind[p.tables.kind_of[k], CLASS] >= CHEST_CLASS


@rule
def is_usable_here(s: State, p: Params, e: int, a: int, k: int) -> bool:
    """Whether a station, or a thing with handlers, could be used."""
    if is_station(p, k):
        return is_station_usable(s, p, e, a, k)
    return is_usable(s, p, e, a, k)


@rule
def mask_stations(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Forbid moves that would fail, as far as the agent can see that, and what it cannot pay."""
    pays = can_pay(s, p, e, a, MOVE)
    for i in range(p.tables.action.shape[0]):
        if is_move(p, i):
            k = seen_ahead(s, p, e, a, i)
            ok = k == OPEN
            if k >= 0:
                ok = is_usable_here(s, p, e, a, k)
            out[i] = pays and ok
    mask_vibes(s, p, e, a, out)
