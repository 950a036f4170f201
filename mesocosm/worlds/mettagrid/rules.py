"""How mettagrid works: reset, one step, the rewards and the endings."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import below
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import emit
from mesocosm.worlds.mettagrid.act import act, change_vibe
from mesocosm.worlds.mettagrid.block import refresh, write_ground
from mesocosm.worlds.mettagrid.classic_tick import show_recipes, start_clipping, tick_old
from mesocosm.worlds.mettagrid.code import FINISHED, OUT_OF_TIME, OVERFLOW, OVERFLOWED, SHUFFLE
from mesocosm.worlds.mettagrid.inventory import wide
from mesocosm.worlds.mettagrid.lists import tidy
from mesocosm.worlds.mettagrid.observe import count_tokens
from mesocosm.worlds.mettagrid.order import SIZE, draw_order, seed_twister
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.place import cell_of, set_bit
from mesocosm.worlds.mettagrid.plan import CLIPPED, FIRST_VIBE, OPAQUE
from mesocosm.worlds.mettagrid.register import WORD
from mesocosm.worlds.mettagrid.rounding import single
from mesocosm.worlds.mettagrid.stat import reset_stats, track_cells
from mesocosm.worlds.mettagrid.stat_view import ask, count_views
from mesocosm.worlds.mettagrid.state import SCORES, State
from mesocosm.worlds.mettagrid.talk import hush, speak
from mesocosm.worlds.mettagrid.tick import begin, finish, settle
from mesocosm.worlds.mettagrid.value import plain_sum, worth_of
from mesocosm.worlds.mettagrid.value_plan import PER_TICK, START

MAPS = 0


@rule
def reset(s: State, f: Frame, p: Params, e: int) -> None:
    """Put everything where one of the maps has it."""
    layout = below(p.tables.places.shape[0], f.word[e], 0, MAPS, 0)
    s.clock[e] = 0
    if p.shuffles:
        shift = f.env_id[e] * 1000003 + f.episode[e] * 7919
        seed_twister(s.twister[e], (f.seed[e] + shift) & 0xFFFFFFFF)
    else:
        s.twister[e, 0] = 0
    s.layout[e] = layout
    for i in range(s.ground.shape[1]):
        s.ground[e, i] = p.tables.ground[layout, i]
    for k in range(p.things):
        reset_thing(s, p, e, k, layout)
    for a in range(p.agents):
        reset_agent(s, e, a)
    start_clipping(s, f, p, e)
    tidy(s, e)
    s.reg[e, WORD] = f.word[e]
    settle(s, p, e)
    tidy(s, e)
    hush(s, e)
    reset_stats(s, p, e, wide(layout))
    if p.counts_views:
        rebuild(s, p, e)
        count_up(s, p, e)


@rule
def reset_thing(s: State, p: Params, e: int, k: int, layout: int) -> None:
    """Let a thing begin as its kind does."""
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
    s.clipped[e, k] = p.tables.kind[kind, CLIPPED] != 0
    s.unclip[e, k] = -1


@rule
def reset_agent(s: State, e: int, a: int) -> None:
    """Let an agent begin."""
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
        s.inside[e, a, k] = False
    for k in range(s.worth.shape[2]):
        s.worth[e, a, k] = 0.0
        s.earned[e, a, k] = 0.0


@rule(inline=False)
def rebuild(s: State, p: Params, e: int) -> None:
    """Say what is on each cell, what everything looks like, and whose land it is."""
    tidy(s, e)
    for i in range(s.cell.shape[1]):
        s.cell[e, i] = -1
        s.owner[e, i] = 0
        s.opaque[e, i] = 0
    for word in range(s.occupied.shape[1]):
        for r in range(s.occupied.shape[2]):
            s.occupied[e, word, r] = 0
    for r in range(p.height):
        for c in range(p.width):
            ground = s.ground[e, cell_of(p, r, c)]
            s.cell[e, cell_of(p, r, c)] = 0
            if ground > 0:
                stand(s, p, e, p.things + ground - 1, r, c)
    for k in range(p.things):
        if s.row[e, k] >= 0 and s.col[e, k] >= 0:
            stand(s, p, e, k, s.row[e, k], s.col[e, k])
    for k in range(s.length.shape[1]):
        s.length[e, k] = 0
        for i in range(s.block.shape[2]):
            s.block[e, k, i] = 0
    for k in range(p.things):
        s.stale[e, k] = True
        s.settled[e, k] = False
    for k in range(p.things, s.length.shape[1]):
        write_ground(s, p, e, k)
    refresh(s, p, e)


@rule
def stand(s: State, p: Params, e: int, slot: int, r: int, c: int) -> None:
    """Note what stands on a cell."""
    cell = cell_of(p, r, c)
    s.cell[e, cell] = slot + 1
    set_bit(s.occupied[e], r, c)
    if p.tables.kind[p.tables.kind_of[slot], OPAQUE] != 0 and s.opaque[e, cell] < 127:
        s.opaque[e, cell] += 1


@rule
def transition(s: State, f: Frame, p: Params, e: int) -> None:
    """Play one step: actions in order, vibes, what comes back, and what it is worth."""
    s.clock[e] += 1
    if p.scripted:
        begin(s, p, e, f.word[e])
    draw_order(s, f, p, e, f.tunable[e, SHUFFLE] > 0.5)
    take_turns(s, f, p, e)
    if p.talks:
        speak(s, f, p, e)
    if p.scripted:
        finish(s, p, e)
    if p.classic:
        tick_old(s, f, p, e)
    if p.old.has_recipes:
        show_recipes(s, p, e)
    if p.has_stats:
        count_up(s, p, e)
    for a in range(p.agents):
        if f.active[e, a]:
            pay(s, p, e, a)
            s.booked[e, a] = s.score[e, a]
    if p.scripted:
        tidy(s, e)
    refresh(s, p, e)


@rule
def take_turns(s: State, f: Frame, p: Params, e: int) -> None:
    """Let everyone act in the order drawn, then change vibes in the same order."""
    for i in range(p.agents):
        a = s.turn[e, i]
        if f.active[e, a]:
            act(s, f, p, e, a)
    if p.has_vibes:
        for i in range(p.agents):
            a = s.turn[e, i]
            if f.active[e, a]:
                change_vibe(s, f, p, e, a)


@rule(apart=True)
def count_up(s: State, p: Params, e: int) -> None:
    """Count what the step led to: cells, and what observations are made of."""
    if p.tracks_cells:
        track_cells(s, p, e)
    if p.counts_views:
        refresh(s, p, e)
        count_views(s, p, e)


@rule
def pay(s: State, p: Params, e: int, a: int) -> None:
    """Work out what the step was worth to an agent: nothing new while it holds the same."""
    kind = p.tables.kind_of[a]
    same = not s.stale[e, a] and s.clock[e] > 1 and not p.counts_views
    gain = 0.0
    before = 0.0
    after = 0.0
    for i in range(p.tables.paid.shape[1]):
        which = p.tables.paid[kind, i, 0]
        if which < 0:
            break
        k = p.tables.paid[kind, i, 1]
        now = s.worth[e, a, k]
        if p.has_asks:
            ask(s, p, e, wide(a), wide(which))
        if p.has_values and p.values.value[which, START] >= 0.0:
            now = worth_of(s, p, e, a, which)
        elif not same:
            now = plain_sum(s, p, e, a, which)
        before = single(before + s.worth[e, a, k])
        after = single(after + now)
        if p.values.value[which, PER_TICK] != 0.0:
            s.earned[e, a, k] = now
        else:
            s.earned[e, a, k] = single(now - s.worth[e, a, k])
        s.worth[e, a, k] = now
        gain = single(gain + s.earned[e, a, k])
    settle_gain(s, e, a, single(after - before) if p.classic else gain)


@rule
def settle_gain(s: State, e: int, a: int, gain: float) -> None:
    """Let the parts add up to what the program's rounding made of them."""
    last = s.earned.shape[2] - 1
    total = 0.0
    for k in range(last + 1):
        total += s.earned[e, a, k]
    if total != gain:
        s.earned[e, a, last] = clip(s.earned[e, a, last] + (gain - total), -SCORES, SCORES)
    s.score[e, a] = clip(s.score[e, a] + gain, -SCORES, SCORES)


@rule
def terms(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Pay what the step was worth, and what layers added to the score since."""
    last = s.earned.shape[2]
    for k in range(last):
        f.terms[e, a, k] = s.earned[e, a, k]
    f.terms[e, a, last] = clip(s.score[e, a] - s.booked[e, a], -p.most_passed, p.most_passed)


@rule
def ending(s: State, f: Frame, p: Params, e: int) -> None:
    """End the episode after its last step, or when tokens are lost and that is an error."""
    if p.max_steps > 0 and s.clock[e] >= p.max_steps and not p.overtime:
        f.episode_ending[e] = OUT_OF_TIME if p.truncates else FINISHED
    if p.overflow_ends:
        for a in range(p.agents):
            count = count_tokens(s, p, e, a)
            if count > p.num_tokens:
                f.episode_ending[e] = OVERFLOW
                emit(f, e, OVERFLOWED, a, -1, count - p.num_tokens)


TWISTER_WORDS = SIZE + 1
