"""What all sets of rules share: reset, begin a step, pay, end."""

import math

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import below
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.rounding import single
from mesocosm.worlds.mettagrid.arithmetic.twister import MASK_32, seed_twister
from mesocosm.worlds.mettagrid.code import (
    FINISHED,
    OUT_OF_TIME,
    OVERFLOW,
    OVERFLOWED,
    QUERY_OVERFLOW,
    REACHED,
    SHUFFLE,
)
from mesocosm.worlds.mettagrid.compile.bytecode.layout import POST_CELL, POST_JOINED, POST_LEFT
from mesocosm.worlds.mettagrid.compile.bytecode.value_opcodes import VALUE_PER_TICK, VALUE_START
from mesocosm.worlds.mettagrid.compile.columns import PAID_TERM, PAID_VALUE
from mesocosm.worlds.mettagrid.compile.kinds import FIRST_VIBE, OPAQUE, STARTS_CLIPPED
from mesocosm.worlds.mettagrid.compile.stat_codes import END_ALWAYS, END_LEAST, END_STAT
from mesocosm.worlds.mettagrid.grid.order import draw_order
from mesocosm.worlds.mettagrid.grid.place import cell_of, set_bit
from mesocosm.worlds.mettagrid.grid.presence import rebuild_sources
from mesocosm.worlds.mettagrid.grid.proxy import is_proxy, proxy_on_cell
from mesocosm.worlds.mettagrid.grid.stale import mark_all_stale
from mesocosm.worlds.mettagrid.grid.stat import reset_stats
from mesocosm.worlds.mettagrid.grid.tag import has_tag, rebuild_tag_lists
from mesocosm.worlds.mettagrid.grid.talk import clear_speech
from mesocosm.worlds.mettagrid.grid.territory import clear_land
from mesocosm.worlds.mettagrid.grid.value import plain_sum, value_of
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import MAX_OPAQUE, SCORES, State
from mesocosm.worlds.mettagrid.vm.scratch import clear_scratch

MAP_STREAM = 0
ENV_SEED_STEP, EPISODE_SEED_STEP = 1000003, 7919


@rule
def place_all(s: State, f: Frame, p: Params, e: int) -> None:
    """Begin all things and agents on one of the maps."""
    layout = below(p.tables.places.shape[0], f.word[e], 0, MAP_STREAM, 0)
    s.clock[e] = 0
    if p.shuffles:
        shift = f.env_id[e] * ENV_SEED_STEP + f.episode[e] * EPISODE_SEED_STEP
        seed_twister(s.twister[e], (f.seed[e] + shift) & MASK_32)
    else:
        s.twister[e, 0] = 0
    s.clip_words[e, 0] = 0
    s.layout[e] = layout
    for i in range(s.ground.shape[1]):
        s.ground[e, i] = p.tables.ground[layout, i]
    for k in range(p.things):
        reset_thing(s, p, e, k, layout)
    for a in range(p.agents):
        reset_agent(s, e, a)
    clear_scratch(s, e)
    begin_lists(s, p, e)


@rule
def begin_stats(s: State, p: Params, e: int) -> None:
    """Clear all messages and begin all statistics."""
    clear_speech(s, e)
    reset_stats(s, p, e, s.layout[e])


@rule
def reset_thing(s: State, p: Params, e: int, k: int, layout: int) -> None:
    """Begin a thing as its kind says."""
    kind = p.tables.kind_of[k]
    s.row[e, k] = p.tables.places[layout, k, 0]
    s.col[e, k] = p.tables.places[layout, k, 1]
    for r in range(p.resources):
        s.amount[e, k, r] = p.tables.initial[kind, r]
        s.held[e, k, r] = p.tables.first_held[kind, r]
    s.buckets[e, k] = p.tables.first_buckets[kind]
    s.vibe[e, k] = p.tables.kind[kind, FIRST_VIBE]
    for word in range(s.tag.shape[2]):
        s.tag[e, k, word] = p.tables.first_tags[kind, word]
    s.ready_at[e, k] = 0
    s.started_at[e, k] = 0
    s.uses[e, k] = 0
    s.clipped[e, k] = p.tables.kind[kind, STARTS_CLIPPED] != 0
    s.unclip[e, k] = -1


@rule
def reset_agent(s: State, e: int, a: int) -> None:
    """Begin an agent."""
    s.spawn[e, a, 0] = s.row[e, a]
    s.spawn[e, a, 1] = s.col[e, a]
    s.frozen[e, a] = 0
    s.last_action[e, a] = 0
    s.moved[e, a] = False
    s.success[e, a] = False
    s.faults[e, a] = 0
    s.turn[e, a] = a
    s.score[e, a] = 0.0
    s.booked[e, a] = 0.0
    for k in range(s.inside.shape[2]):
        s.inside[e, a, k] = 0
    for k in range(s.on_land.shape[2]):
        s.on_land[e, a, k] = 0
    for k in range(s.worth.shape[2]):
        s.worth[e, a, k] = 0.0
        s.earned[e, a, k] = 0.0


@rule
def begin_lists(s: State, p: Params, e: int) -> None:
    """Begin the lists of tagged things and of areas, in the order of the map."""
    schedule = p.code.schedule
    for k in range(s.post.shape[1]):
        s.post[e, k, POST_CELL] = 0
        s.post[e, k, POST_JOINED] = 0
        s.post[e, k, POST_LEFT] = 0
    s.game_target[e] = 0
    for k in range(s.left_at.shape[1]):
        s.left_at[e, k] = 0
    for k in range(s.vanished.shape[1]):
        s.vanished[e, k] = False
    for i in range(s.proxy_at.shape[1]):
        s.proxy_at[e, i] = 0
    for i in range(s.proxy_on.shape[1]):
        s.proxy_on[e, i] = 0
    for a in range(s.land_table.shape[1]):
        for i in range(s.land_table.shape[2]):
            s.land_table[e, a, i] = 0
    for k in range(p.things):
        s.veiled[e, k] = p.keeps_proxies and is_proxy(p, k)
        for place in range(s.since.shape[2]):
            s.since[e, k, place] = 0
        if schedule.num_areas > 0 and s.row[e, k] >= 0:
            s.post[e, k, POST_CELL] = s.row[e, k] * p.width + s.col[e, k]
            s.post[e, k, POST_JOINED] = s.post[e, k, POST_CELL] + 1
        for tag in range(p.code.num_tags):
            place = p.code.data[tag]
            if place >= 0:
                has = s.row[e, k] >= 0 and has_tag(s, e, k, tag)
                s.since[e, k, place] = s.row[e, k] * p.width + s.col[e, k] + 1 if has else 0
    rebuild_tag_lists(s, e)


@rule
def rebuild_cells(s: State, p: Params, e: int) -> None:
    """Rebuild what is on each cell, and mark all token blocks as stale."""
    clear_scratch(s, e)
    clear_land(s, e)
    if not p.keeps_proxies:
        rebuild_tag_lists(s, e)
    rebuild_sources(s, p, e)
    clear_cells(s, e)
    for r in range(p.height):
        for c in range(p.width):
            ground = s.ground[e, cell_of(p, r, c)]
            s.cell[e, cell_of(p, r, c)] = 0
            if ground > 0:
                put_on_cell(s, p, e, p.things + ground - 1, r, c)
    if p.moves_proxies:
        put_proxies(s, p, e)
    for k in range(p.things):
        if s.row[e, k] >= 0 and s.col[e, k] >= 0 and not (p.vanishes and s.vanished[e, k]):
            put_on_cell(s, p, e, k, s.row[e, k], s.col[e, k])
    for k in range(s.length.shape[1]):
        s.length[e, k] = 0
        s.lead[e, k, 0] = 0
        s.lead[e, k, 1] = 0
        for i in range(s.block.shape[2]):
            s.block[e, k, i] = 0
    mark_all_stale(s, e)
    for k in range(p.things):
        s.settled[e, k] = False


@rule
def clear_cells(s: State, e: int) -> None:
    """Let nothing be on any cell."""
    for i in range(s.cell.shape[1]):
        s.cell[e, i] = -1
        s.owner[e, i] = 0
        s.opaque[e, i] = 0
    for word in range(s.occupied.shape[1]):
        for r in range(s.occupied.shape[2]):
            s.occupied[e, word, r] = 0
            s.blocking[e, word, r] = 0
            s.bordering[e, word, r] = 0


@rule
def put_proxies(s: State, p: Params, e: int) -> None:
    """Put proxies of land on the cells that show them."""
    for r in range(p.height):
        for c in range(p.width):
            if s.proxy_on[e, cell_of(p, r, c)] > 0:
                put_on_cell(s, p, e, proxy_on_cell(s, p, e, cell_of(p, r, c)), r, c)


@rule
def put_on_cell(s: State, p: Params, e: int, slot: int, r: int, c: int) -> None:
    """Put a slot on a cell."""
    cell = cell_of(p, r, c)
    s.cell[e, cell] = slot + 1
    set_bit(s.occupied[e], r, c)
    if p.tables.kind[p.tables.kind_of[slot], OPAQUE] != 0 and s.opaque[e, cell] < MAX_OPAQUE:
        s.opaque[e, cell] += 1
        set_bit(s.blocking[e], r, c)


@rule
def begin_step(s: State, f: Frame, p: Params, e: int) -> None:
    """Advance the clock, and draw the order of turns."""
    s.clock[e] += 1
    draw_order(s, f, p, e, f.tunable[e, SHUFFLE] > 0.5)


@rule
def pay(s: State, p: Params, e: int, a: int, whole: bool) -> None:
    """Work out an agent's rewards; plain sums only if what it holds may have changed.

    Args:
        whole: Whether MettaGrid subtracts sums over all rewards (classic), or adds differences.
    """
    same = not s.stale[e, a] and s.clock[e] > 1 and not p.counts_views
    if same and not p.has_values and not p.pays_ticks:
        pay_nothing(s, e, a)
        return
    kind = p.tables.kind_of[a]
    gain = 0.0
    before = 0.0
    after = 0.0
    for i in range(p.tables.paid.shape[1]):
        which = p.tables.paid[kind, i, PAID_VALUE]
        if which < 0:
            break
        k = p.tables.paid[kind, i, PAID_TERM]
        now = s.worth[e, a, k]
        if p.has_values and p.values.value[which, VALUE_START] >= 0.0:
            now = value_of(s, p, e, a, which)
        elif not same:
            now = plain_sum(s, p, e, a, which)
        before = single(before + s.worth[e, a, k])
        after = single(after + now)
        if p.values.value[which, VALUE_PER_TICK] != 0.0:
            s.earned[e, a, k] = now
        else:
            s.earned[e, a, k] = single(now - s.worth[e, a, k])
        s.worth[e, a, k] = now
        gain = single(gain + s.earned[e, a, k])
    book_gain(s, e, a, single(after - before) if whole else gain)
    s.booked[e, a] = s.score[e, a]


@rule
def pay_nothing(s: State, e: int, a: int) -> None:
    """Note that an agent earned nothing, where no sum can have changed."""
    for k in range(s.earned.shape[2]):
        s.earned[e, a, k] = 0.0
    s.booked[e, a] = s.score[e, a]


@rule
def pay_all(s: State, f: Frame, p: Params, e: int, whole: bool) -> None:
    """Work out the rewards of all agents that play."""
    for a in range(p.agents):
        if f.active[e, a]:
            pay(s, p, e, a, whole)


@rule
def book_gain(s: State, e: int, a: int, gain: float) -> None:
    """Book a gain; the last part takes what MettaGrid's rounding leaves over.

    The score leaves out what is NaN or infinite, or else it would stay so.
    """
    last = s.earned.shape[2] - 1
    total = 0.0
    for k in range(last + 1):
        total += s.earned[e, a, k]
    if total != gain and abs(total) < math.inf:
        s.earned[e, a, last] += gain - total
    if abs(gain) < math.inf:
        s.score[e, a] = clip(s.score[e, a] + gain, -SCORES, SCORES)


@rule
def terms(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Write the reward terms, and what layers added to the score since."""
    last = s.earned.shape[2]
    for k in range(last):
        f.terms[e, a, k] = s.earned[e, a, k]
    f.terms[e, a, last] = clip(s.score[e, a] - s.booked[e, a], -p.most_passed, p.most_passed)


@rule
def end_in_time(s: State, f: Frame, p: Params, e: int) -> None:
    """End the episode after its last step."""
    if p.max_steps > 0 and s.clock[e] >= p.max_steps and not p.overtime:
        f.episode_ending[e] = OUT_OF_TIME if p.truncates else FINISHED


@rule
def end_by_stat(s: State, f: Frame, p: Params, e: int) -> None:
    """End the episode when a statistic of the game is there and large enough."""
    for i in range(p.stats.ends.shape[0]):
        value = s.game_stat[e, int(p.stats.ends[i, END_STAT])]
        there = value != 0.0 or p.stats.ends[i, END_ALWAYS] != 0.0
        if there and value >= p.stats.ends[i, END_LEAST] and not p.overtime:
            f.episode_ending[e] = REACHED


@rule
def end_by_list(s: State, f: Frame, p: Params, e: int) -> None:
    """End the episode when land is in the list of a tag so often that the list is full."""
    for place in range(s.listed.shape[1]):
        if s.listed[e, place, 0] >= p.list_room:
            f.episode_ending[e] = QUERY_OVERFLOW


@rule
def end_by_overflow(f: Frame, p: Params, e: int, a: int, count: int) -> None:
    """End the episode when an agent's tokens do not fit, where that is an error."""
    if count > p.num_tokens:
        f.episode_ending[e] = OVERFLOW
        emit(f, e, OVERFLOWED, a, -1, (count - p.num_tokens) * 1.0)
