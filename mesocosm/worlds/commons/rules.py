"""How commons works: reset, one step, the rewards and the endings."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import below, uniform
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import emit, may
from mesocosm.worlds.commons import state
from mesocosm.worlds.commons.state import Params, State

SEATS, SKILLS, SEASON = 0, 1, 2


@rule
def reset(s: State, f: Frame, p: Params, e: int) -> None:
    """Seat the people at random round a lake whose growth nobody knows."""
    word = f.word[e]
    s.clock[e] = 0
    s.stock[e] = p.initial_stock * p.capacity
    s.growth[e] = p.growth_low + (p.growth_high - p.growth_low) * uniform(word, 0, SEASON, 0)
    s.drought_at[e] = -1
    if uniform(word, 0, SEASON, 1) < p.drought_prob:
        s.drought_at[e] = below(p.max_steps, word, 0, SEASON, 2)
    for a in range(s.seat.shape[1]):
        s.seat[e, a] = a
        s.alive[e, a] = True
        s.skill[e, a] = p.skill_low + (1.0 - p.skill_low) * uniform(word, 0, SKILLS, a)
        s.wealth[e, a] = min(p.initial_wealth, p.wealth_cap)
        s.catch[e, a] = 0.0
        s.hauled[e, a] = 0.0
        s.received[e, a] = 0.0
        s.fined[e, a] = 0
    for a in range(p.harvesters - 1, 0, -1):
        other = below(a + 1, word, 0, SEATS, a)
        seat = s.seat[e, a]
        s.seat[e, a] = s.seat[e, other]
        s.seat[e, other] = seat


@rule
def rebuild(s: State, p: Params, e: int) -> None:
    """Say who sits where."""
    for k in range(s.at_seat.shape[1]):
        s.at_seat[e, k] = -1
    for a in range(p.harvesters):
        if s.seat[e, a] < p.harvesters:
            s.at_seat[e, s.seat[e, a]] = a


@rule
def neighbour(s: State, p: Params, e: int, a: int, slot: int) -> int:
    """Give who sits in a slot beside a harvester (left1, right1, left2, ...), or -1."""
    away = slot // 2 + 1
    if slot % 2 == 0:
        away = -away
    return s.at_seat[e, (s.seat[e, a] + away) % p.harvesters]


@rule
def transition(s: State, f: Frame, p: Params, e: int) -> None:
    """Fish, deal, fine, live on it, and let the lake grow."""
    for a in range(p.harvesters):
        if f.active[e, a]:
            s.catch[e, a] = 0.0
            s.received[e, a] = 0.0
    share = even_share(s, f, p, e) if f.split[e] else 1.0
    for i in range(s.seat.shape[1]):
        a = f.order[e, i]
        if f.active[e, a] and a < p.harvesters:
            fish(s, f, p, e, a, share)
    for i in range(s.seat.shape[1]):
        a = f.order[e, i]
        if f.active[e, a] and a < p.harvesters:
            deal(s, f, p, e, a)
        elif f.active[e, a] and f.choice[e, a, 0] > 0:
            fine(s, f, p, e, a, f.choice[e, a, 0] - 1)
    for a in range(p.harvesters):
        if f.active[e, a]:
            live(s, f, p, e, a)
    grow(s, f, p, e)
    s.clock[e] = min(s.clock[e] + 1, p.max_steps)


@rule
def wanted(s: State, f: Frame, p: Params, e: int, a: int) -> float:
    """What effort and skill would catch in a full lake."""
    reach = f.tunable[e, state.HARVEST_RATE] * f.effect[e, a, state.HARVEST]
    return clip(f.level[e, a, state.EFFORT] * s.skill[e, a] * reach, 0.0, p.full_catch)


@rule
def even_share(s: State, f: Frame, p: Params, e: int) -> float:
    """The part of their wishes that all get where the stock is split."""
    total = 0.0
    for a in range(p.harvesters):
        if f.active[e, a]:
            total += wanted(s, f, p, e, a)
    return s.stock[e] / total if total > s.stock[e] else 1.0


@rule
def fish(s: State, f: Frame, p: Params, e: int, a: int, share: float) -> None:
    """Catch what effort and skill allow, or what is left: who comes later goes short."""
    want = wanted(s, f, p, e, a)
    got = min(want * share, s.stock[e])
    if got < want:
        emit(f, e, state.CONFLICT, a, -1, want - got)
    s.stock[e] -= got
    s.catch[e, a] = got
    s.hauled[e, a] = min(s.hauled[e, a] + got, p.most_hauled)
    s.wealth[e, a] = min(s.wealth[e, a] + got, p.wealth_cap)


@rule
def deal(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Give to a neighbour, or pay to have it sanctioned."""
    kind = f.choice[e, a, state.DEAL]
    other = neighbour(s, p, e, a, f.choice[e, a, state.TARGET])
    if kind == state.NONE or other < 0 or not f.active[e, other]:
        return
    if kind == state.GIVE and may(f, a, other, state.GIFT_LINK):
        value = min(f.level[e, a, state.AMOUNT] * p.gift_size, s.wealth[e, a])
        receive(s, p, e, a, -value)
        receive(s, p, e, other, value)
        emit(f, e, state.GIFT, a, other, value)
    elif kind == state.PUNISH and may(f, a, other, state.SANCTION_LINK):
        receive(s, p, e, a, -p.sanction_cost)
        punish(s, f, p, e, a, other, p.sanction_size)


@rule
def fine(s: State, f: Frame, p: Params, e: int, a: int, other: int) -> None:
    """Let a warden fine a harvester, if it may."""
    if may(f, a, other, state.FINE_LINK):
        punish(s, f, p, e, a, other, f.level[e, a, 0] * p.fine_size)


@rule
def punish(s: State, f: Frame, p: Params, e: int, a: int, other: int, loss: float) -> None:
    """Take wealth from someone, and remember that it happened."""
    if not f.active[e, other]:
        return
    receive(s, p, e, other, -loss)
    s.fined[e, other] = min(s.fined[e, other] + 1, p.most_fined)
    emit(f, e, state.SANCTION, a, other, loss)


@rule
def receive(s: State, p: Params, e: int, a: int, value: float) -> None:
    """Change someone's wealth from outside."""
    s.wealth[e, a] = clip(s.wealth[e, a] + value, 0.0, p.wealth_cap)
    s.received[e, a] = clip(s.received[e, a] + value, -p.wealth_cap, p.wealth_cap)


@rule
def live(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Pay for one more day, or starve."""
    s.wealth[e, a] = max(s.wealth[e, a] - p.upkeep, 0.0)
    if s.wealth[e, a] <= 0.0:
        s.alive[e, a] = False
        emit(f, e, state.DEATH, a, -1, 0.0)


@rule
def grow(s: State, f: Frame, p: Params, e: int) -> None:
    """Let the stock grow towards capacity; a drought strikes once."""
    stock = s.stock[e]
    rate = s.growth[e] * f.tunable[e, state.GROWTH_SCALE]
    stock += rate * stock * (1.0 - stock / p.capacity)
    if s.clock[e] == s.drought_at[e]:
        lost = stock * p.drought_size
        stock -= lost
        emit(f, e, state.DROUGHT, -1, -1, lost)
    s.stock[e] = clip(stock, 0.0, p.capacity)


@rule
def collapsed(s: State, p: Params, e: int) -> bool:
    """Whether the lake is lost."""
    return s.stock[e] < p.collapse_level * p.capacity


@rule
def turn(s: State, f: Frame, p: Params, e: int) -> None:
    """Where turns follow the state (`turns: state`), whoever has caught least acts next."""
    chosen = -1
    for a in range(s.seat.shape[1]):
        if f.active[e, a] and (chosen < 0 or s.hauled[e, a] < s.hauled[e, chosen]):
            chosen = a
    if chosen >= 0:
        f.acting[e, chosen] = True


@rule
def harvester_terms(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Judge a harvester's step."""
    f.terms[e, a, state.CATCH_TERM] = s.catch[e, a] / p.full_catch
    f.terms[e, a, state.DEAL_TERM] = s.received[e, a] / p.wealth_cap
    change = (s.stock[e] - s.stock_before[e]) / p.capacity
    f.terms[e, a, state.DEPLETION_TERM] = p.depletion_weight * change
    if collapsed(s, p, e):
        f.terms[e, a, state.COLLAPSE_TERM] = -p.collapse_penalty


@rule
def warden_terms(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Judge a warden's step."""
    f.terms[e, a, state.STEWARD_TERM] = s.stock[e] / p.capacity
    if collapsed(s, p, e):
        f.terms[e, a, state.RUIN_TERM] = -p.collapse_penalty


@rule
def ending(s: State, f: Frame, p: Params, e: int) -> None:
    """End the starved, and the episode when the lake or the time is gone."""
    for a in range(p.harvesters):
        if f.active[e, a] and not s.alive[e, a]:
            f.ending[e, a] = state.STARVED
    if collapsed(s, p, e):
        f.episode_ending[e] = state.COLLAPSE
    elif f.t[e] >= p.max_steps:
        f.episode_ending[e] = state.TIMEOUT
