"""How mettagrid works: what all sets of rules share of reset, step, rewards and endings."""

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import below
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.code import FINISHED, OUT_OF_TIME, OVERFLOW, OVERFLOWED, SHUFFLE
from mesocosm.worlds.mettagrid.order import draw_order, seed_twister
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.place import cell_of, set_bit
from mesocosm.worlds.mettagrid.plan import CLIPPED, FIRST_VIBE, OPAQUE
from mesocosm.worlds.mettagrid.presence import JOINED, PLACE
from mesocosm.worlds.mettagrid.register import forget_tags, has_tag
from mesocosm.worlds.mettagrid.rounding import single
from mesocosm.worlds.mettagrid.stat import reset_stats
from mesocosm.worlds.mettagrid.state import SCORES, State
from mesocosm.worlds.mettagrid.talk import hush
from mesocosm.worlds.mettagrid.tally import tidy
from mesocosm.worlds.mettagrid.value import plain_sum, worth_of
from mesocosm.worlds.mettagrid.value_plan import PER_TICK, START

MAPS = 0


@rule
def place_all(s: State, f: Frame, p: Params, e: int) -> None:
    """Put everything where one of the maps has it."""
    layout = below(p.tables.places.shape[0], f.word[e], 0, MAPS, 0)
    s.clock[e] = 0
    if p.shuffles:
        shift = f.env_id[e] * 1000003 + f.episode[e] * 7919
        seed_twister(s.twister[e], (f.seed[e] + shift) & 0xFFFFFFFF)
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
    tidy(s, e)
    settle(s, p, e)


@rule
def begin_counts(s: State, p: Params, e: int) -> None:
    """Let nobody say anything, and all statistics begin."""
    hush(s, e)
    reset_stats(s, p, e, s.layout[e])


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


@rule
def settle(s: State, p: Params, e: int) -> None:
    """Begin the lists of who has which tag, and of whose areas are where."""
    plot = p.code.plot
    for k in range(s.post.shape[1]):
        s.post[e, k, PLACE] = 0
        s.post[e, k, JOINED] = 0
    for k in range(p.things):
        s.veiled[e, k] = False
        forget_tags(s, e, k)
        if plot.num_areas > 0 and s.row[e, k] >= 0:
            s.post[e, k, PLACE] = s.row[e, k] * p.width + s.col[e, k]
            s.post[e, k, JOINED] = s.post[e, k, PLACE] + 1
        for tag in range(p.code.num_tags):
            place = p.code.data[tag]
            if place >= 0:
                has = s.row[e, k] >= 0 and has_tag(s, e, k, tag)
                s.since[e, k, place] = s.row[e, k] * p.width + s.col[e, k] + 1 if has else 0


@rule
def lay_map(s: State, p: Params, e: int) -> None:
    """Say what is on each cell; what everything looks like is yet to be written."""
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


@rule
def stand(s: State, p: Params, e: int, slot: int, r: int, c: int) -> None:
    """Note what stands on a cell."""
    cell = cell_of(p, r, c)
    s.cell[e, cell] = slot + 1
    set_bit(s.occupied[e], r, c)
    if p.tables.kind[p.tables.kind_of[slot], OPAQUE] != 0 and s.opaque[e, cell] < 127:
        s.opaque[e, cell] += 1


@rule
def begin_step(s: State, f: Frame, p: Params, e: int) -> None:
    """Let time pass, and draw who acts when."""
    s.clock[e] += 1
    draw_order(s, f, p, e, f.tunable[e, SHUFFLE] > 0.5)


@rule
def pay(s: State, p: Params, e: int, a: int, whole: bool) -> None:
    """Work out what the step was worth to an agent: nothing new while it holds the same.

    Args:
        whole: Whether the program subtracts sums over all rewards (classic), or adds differences.
    """
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
    settle_gain(s, e, a, single(after - before) if whole else gain)
    s.booked[e, a] = s.score[e, a]


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
def end_in_time(s: State, f: Frame, p: Params, e: int) -> None:
    """End the episode after its last step."""
    if p.max_steps > 0 and s.clock[e] >= p.max_steps and not p.overtime:
        f.episode_ending[e] = OUT_OF_TIME if p.truncates else FINISHED


@rule
def end_by_overflow(f: Frame, p: Params, e: int, a: int, count: int) -> None:
    """End the episode when an agent's tokens do not fit, where that is an error."""
    if count > p.num_tokens:
        f.episode_ending[e] = OVERFLOW
        emit(f, e, OVERFLOWED, a, -1, (count - p.num_tokens) * 1.0)
