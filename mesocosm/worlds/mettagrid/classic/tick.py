"""What happens to everyone at the end of a step in the classic profile: growth, harm, clipping."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.rng import below, uniform
from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile import classic
from mesocosm.worlds.mettagrid.compile.classic_stats import HARMED
from mesocosm.worlds.mettagrid.compile.stat_codes import HURT, ITEMS_LOST
from mesocosm.worlds.mettagrid.grid.holding import adjust
from mesocosm.worlds.mettagrid.grid.order import draw_below, draw_real
from mesocosm.worlds.mettagrid.grid.stat import note, tally
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State

HARM, CLIP = 10, 11  # streams of random numbers
WHETHER, WHICH, HOW = range(3)


@rule
def tick_old(s: State, f: Frame, p: Params, e: int) -> None:
    """Let things come back, harm take effect, and clipping spread."""
    if p.regen_interval > 0 and s.clock[e] % p.regen_interval == 0:
        for a in range(p.agents):
            regenerate(s, p, e, a)
    if p.old.has_damage:
        for a in range(p.agents):
            suffer(s, f, p, e, a)
    if p.old.period > 0:
        spread(s, f, p, e)


@rule
def regenerate(s: State, p: Params, e: int, a: int) -> None:
    """Give an agent back what its vibe brings; a vibe without an entry counts as the first."""
    kind = p.tables.kind_of[a]
    vibe = 0
    for i in range(p.old.regen.shape[0]):
        if p.old.regen[i, 0] == kind and p.old.regen[i, 1] == s.vibe[e, a]:
            vibe = s.vibe[e, a]
    for i in range(p.old.regen.shape[0]):
        mine = p.old.regen[i, 0] == kind and p.old.regen[i, 1] == vibe
        if mine and p.old.regen[i, 2] >= 0:
            adjust(s, p, e, a, p.old.regen[i, 2], p.old.regen[i, 3])
            s.stale[e, a] = True


@rule
def suffer(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Take the thresholds, if all are reached, and destroy one of what lies above its minimum."""
    kind = p.tables.kind_of[a]
    if p.old.damage_order[kind, classic.THRESHOLD, 0] < 0:
        return
    for r in range(p.resources):
        if s.amount[e, a, r] < p.old.damage[kind, classic.THRESHOLD, r]:
            return
    for i in range(p.resources):
        r = p.old.damage_order[kind, classic.THRESHOLD, i]
        if r >= 0:
            adjust(s, p, e, a, r, -p.old.damage[kind, classic.THRESHOLD, r])
    lost = draw_loss(s, f, p, e, a)
    if lost >= 0:
        adjust(s, p, e, a, lost, -1)
    if p.has_stats:
        note_harm(s, p, e, a, lost)
    s.stale[e, a] = True


@rule
def note_harm(s: State, p: Params, e: int, a: int, lost: int) -> None:
    """Count that harm took effect, and what it destroyed."""
    tally(s, p, e, a, HURT, 1.0)
    if lost >= 0:
        tally(s, p, e, a, ITEMS_LOST, 1.0)
        note(s.stat[e, a], p.stats.old.goods[lost, HARMED], 1.0)


@rule
def exposed(s: State, p: Params, e: int, a: int, i: int) -> int:
    """How much of the i-th thing that harm can destroy lies above its minimum."""
    kind = p.tables.kind_of[a]
    r = p.old.damage_order[kind, classic.MINIMUM, i]
    if r < 0:
        return 0
    return max(s.amount[e, a, r] - p.old.damage[kind, classic.MINIMUM, r], 0)


@rule
def draw_loss(s: State, f: Frame, p: Params, e: int, a: int) -> int:
    """Draw what harm destroys, in proportion to what is exposed; -1: nothing is."""
    total = 0
    last = -1
    choices = 0
    for i in range(p.resources):
        if exposed(s, p, e, a, i) > 0:
            total += exposed(s, p, e, a, i)
            choices += 1
            last = i
    if choices == 0:
        return -1
    pick = last
    if choices > 1:
        drawn = draw_real(s.twister[e]) if p.shuffles else uniform(f.word[e], f.t[e], HARM, a)
        so_far = 0.0
        for i in range(p.resources):
            if exposed(s, p, e, a, i) > 0:
                so_far += exposed(s, p, e, a, i) / total
                if so_far >= drawn:
                    pick = i
                    break
    return p.old.damage_order[p.tables.kind_of[a], classic.MINIMUM, pick]


@rule
def clip_draw(s: State, f: Frame, p: Params, e: int, n: int, index: int) -> int:
    """Draw an integer for the clipper, which has random numbers of its own."""
    if p.shuffles:
        return draw_below(s.clip_words[e], n)
    return below(n, f.word[e], f.t[e], CLIP, index)


@rule
def start_clipping(s: State, f: Frame, p: Params, e: int) -> None:
    """Give the clipper its random numbers, and what is clipped at first a way to be unclipped."""
    s.clip_words[e, 0] = 0
    if not p.old.has_clipper:
        return
    if p.shuffles:
        for i in range(s.clip_words.shape[1]):
            s.clip_words[e, i] = s.twister[e, i]
    for i in range(p.old.clippable.shape[1]):
        k = p.old.clippable[s.layout[e], i]
        if s.clipped[e, k]:
            clip(s, f, p, e, k, HOW + 1 + i)


@rule
def clip(s: State, f: Frame, p: Params, e: int, k: int, index: int) -> None:
    """Clip an assembler, and draw what will unclip it; it need not cool down for that."""
    s.clipped[e, k] = True
    ways = p.old.recipe.shape[0] - p.old.unclipping
    s.unclip[e, k] = clip_draw(s, f, p, e, ways, index)
    s.ready_at[e, k] = s.clock[e]
    s.started_at[e, k] = s.clock[e]


@rule
def infection(s: State, p: Params, e: int, k: int) -> int:
    """How strongly what is clipped nearby reaches an assembler."""
    weight = 0
    for i in range(p.old.clippable.shape[1]):
        j = p.old.clippable[s.layout[e], i]
        far = max(abs(s.row[e, j] - s.row[e, k]), abs(s.col[e, j] - s.col[e, k]))
        if s.clipped[e, j] and j != k and far <= p.old.reach:
            weight += 1 << (p.old.cutoff - far // p.old.length_scale)
    return weight


@rule
def spread(s: State, f: Frame, p: Params, e: int) -> None:
    """Clip one more assembler, once in a period: near what is clipped, or anywhere."""
    if clip_draw(s, f, p, e, p.old.period, WHETHER) != 0:
        return
    total = 0
    free = 0
    for i in range(p.old.clippable.shape[1]):
        k = p.old.clippable[s.layout[e], i]
        if not s.clipped[e, k]:
            free += 1
            total += infection(s, p, e, k)
    if free == 0:
        return
    rest = clip_draw(s, f, p, e, total if total > 0 else free, WHICH)
    for i in range(p.old.clippable.shape[1]):
        k = p.old.clippable[s.layout[e], i]
        if not s.clipped[e, k]:
            weight = infection(s, p, e, k) if total > 0 else 1
            if rest < weight:
                clip(s, f, p, e, k, HOW)
                return
            rest -= weight
