"""The end of a step (classic): regeneration, damage, clipping."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.rng import below, uniform
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.twister import draw_below, draw_real
from mesocosm.worlds.mettagrid.compile import classic
from mesocosm.worlds.mettagrid.compile.classic_stats import HARMED
from mesocosm.worlds.mettagrid.compile.stat_codes import DAMAGE_TRIGGERED, ITEMS_LOST
from mesocosm.worlds.mettagrid.grid.holding import adjust
from mesocosm.worlds.mettagrid.grid.stale import mark_stale
from mesocosm.worlds.mettagrid.grid.stat import add_to_stat, count_stat
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

DAMAGE_STREAM, CLIP_STREAM = 10, 11  # streams of random numbers
DRAW_WHETHER, DRAW_WHICH, DRAW_HOW = range(3)


@rule
def tick_classic(s: State, f: Frame, p: Params, e: int) -> None:
    """Regenerate resources, apply damage, and spread clipping."""
    if p.regen_interval > 0 and s.clock[e] % p.regen_interval == 0:
        for a in range(p.agents):
            regenerate(s, p, e, a)
    if p.classic.has_damage:
        for a in range(p.agents):
            apply_damage(s, f, p, e, a)
    if p.classic.period > 0:
        spread_clipping(s, f, p, e)


@rule
def regenerate(s: State, p: Params, e: int, a: int) -> None:
    """Regenerate what an agent's vibe brings; a vibe without an entry counts as the first."""
    kind = p.tables.kind_of[a]
    vibe = 0
    for i in range(p.classic.regen.shape[0]):
        if (
            p.classic.regen[i, classic.OF_KIND] == kind
            and p.classic.regen[i, classic.OF_VIBE] == s.vibe[e, a]
        ):
            vibe = s.vibe[e, a]
    for i in range(p.classic.regen.shape[0]):
        mine = (
            p.classic.regen[i, classic.OF_KIND] == kind
            and p.classic.regen[i, classic.OF_VIBE] == vibe
        )
        if mine and p.classic.regen[i, classic.OF_RESOURCE] >= 0:
            adjust(
                s,
                p,
                e,
                a,
                p.classic.regen[i, classic.OF_RESOURCE],
                p.classic.regen[i, classic.CHANGE],
            )
            mark_stale(s, e, a)


@rule
def apply_damage(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Take the thresholds, if all are reached, and destroy one of what lies above its minimum."""
    kind = p.tables.kind_of[a]
    if p.classic.damage_order[kind, classic.THRESHOLD, 0] < 0:
        return
    for r in range(p.resources):
        if s.amount[e, a, r] < p.classic.damage[kind, classic.THRESHOLD, r]:
            return
    for i in range(p.resources):
        r = p.classic.damage_order[kind, classic.THRESHOLD, i]
        if r >= 0:
            adjust(s, p, e, a, r, -p.classic.damage[kind, classic.THRESHOLD, r])
    lost = draw_loss(s, f, p, e, a)
    if lost >= 0:
        adjust(s, p, e, a, lost, -1)
    if p.has_stats:
        count_damage(s, p, e, a, lost)
    mark_stale(s, e, a)


@rule
def count_damage(s: State, p: Params, e: int, a: int, lost: int) -> None:
    """Count damage, and what it destroyed."""
    count_stat(s, p, e, a, DAMAGE_TRIGGERED, 1.0)
    if lost >= 0:
        count_stat(s, p, e, a, ITEMS_LOST, 1.0)
        add_to_stat(s.stat[e, a], p.stats.classic.goods[lost, HARMED], 1.0)


@rule
def exposed_amount(s: State, p: Params, e: int, a: int, i: int) -> int:
    """Return how much of the i-th resource that damage can destroy is above its minimum."""
    kind = p.tables.kind_of[a]
    r = p.classic.damage_order[kind, classic.MINIMUM, i]
    if r < 0:
        return 0
    return max(s.amount[e, a, r] - p.classic.damage[kind, classic.MINIMUM, r], 0)


@rule
def draw_loss(s: State, f: Frame, p: Params, e: int, a: int) -> int:
    """Draw the resource that damage destroys, by exposed amounts; -1 if none is exposed."""
    total = 0
    last = -1
    choices = 0
    for i in range(p.resources):
        if exposed_amount(s, p, e, a, i) > 0:
            total += exposed_amount(s, p, e, a, i)
            choices += 1
            last = i
    if choices == 0:
        return -1
    pick = last
    if choices > 1:
        drawn = (
            draw_real(s.twister[e]) if p.shuffles else uniform(f.word[e], f.t[e], DAMAGE_STREAM, a)
        )
        so_far = 0.0
        for i in range(p.resources):
            if exposed_amount(s, p, e, a, i) > 0:
                so_far += exposed_amount(s, p, e, a, i) / total
                if so_far >= drawn:
                    pick = i
                    break
    return p.classic.damage_order[p.tables.kind_of[a], classic.MINIMUM, pick]


@rule
def draw_for_clipper(s: State, f: Frame, p: Params, e: int, n: int, index: int) -> int:
    """Draw an integer for the clipper, which has random numbers of its own."""
    if p.shuffles:
        return draw_below(s.clip_words[e], n)
    return below(n, f.word[e], f.t[e], CLIP_STREAM, index)


@rule
def start_clipping(s: State, f: Frame, p: Params, e: int) -> None:
    """Seed the clipper, and draw what unclips those that start clipped."""
    s.clip_words[e, 0] = 0
    if not p.classic.has_clipper:
        return
    if p.shuffles:
        for i in range(s.clip_words.shape[1]):
            s.clip_words[e, i] = s.twister[e, i]
    for i in range(p.classic.clippable.shape[1]):
        k = p.classic.clippable[s.layout[e], i]
        if s.clipped[e, k]:
            clip_assembler(s, f, p, e, k, DRAW_HOW + 1 + i)


@rule
def clip_assembler(s: State, f: Frame, p: Params, e: int, k: int, index: int) -> None:
    """Clip an assembler, and draw what will unclip it; it need not cool down for that."""
    s.clipped[e, k] = True
    ways = p.classic.recipe.shape[0] - p.classic.unclipping
    s.unclip[e, k] = draw_for_clipper(s, f, p, e, ways, index)
    s.ready_at[e, k] = s.clock[e]
    s.started_at[e, k] = s.clock[e]


@rule
def clip_weight(s: State, p: Params, e: int, k: int) -> int:
    """Return an assembler's weight for clipping, by the clipped ones in reach."""
    weight = 0
    for i in range(p.classic.clippable.shape[1]):
        j = p.classic.clippable[s.layout[e], i]
        far = max(abs(s.row[e, j] - s.row[e, k]), abs(s.col[e, j] - s.col[e, k]))
        if s.clipped[e, j] and j != k and far <= p.classic.reach:
            weight += 1 << (p.classic.cutoff - far // p.classic.length_scale)
    return weight


@rule
def spread_clipping(s: State, f: Frame, p: Params, e: int) -> None:
    """Clip one more assembler, once in a period: near what is clipped, or anywhere."""
    if draw_for_clipper(s, f, p, e, p.classic.period, DRAW_WHETHER) != 0:
        return
    total = 0
    free = 0
    for i in range(p.classic.clippable.shape[1]):
        k = p.classic.clippable[s.layout[e], i]
        if not s.clipped[e, k]:
            free += 1
            total += clip_weight(s, p, e, k)
    if free == 0:
        return
    rest = draw_for_clipper(s, f, p, e, total if total > 0 else free, DRAW_WHICH)
    for i in range(p.classic.clippable.shape[1]):
        k = p.classic.clippable[s.layout[e], i]
        if not s.clipped[e, k]:
            weight = clip_weight(s, p, e, k) if total > 0 else 1
            if rest < weight:
                clip_assembler(s, f, p, e, k, DRAW_HOW)
                return
            rest -= weight
