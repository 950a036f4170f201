"""How commons works: reset, one step, the rewards and the endings."""

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.link import may
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import below, uniform
from mesocosm.sim.rule import rule
from mesocosm.worlds.commons import declare
from mesocosm.worlds.commons.params import Params
from mesocosm.worlds.commons.state import State

# streams of random numbers, and the draws of the season
SEATS, SKILLS, SEASON = 0, 1, 2
GROWTH_DRAW, DROUGHT_DRAW, DROUGHT_TIME_DRAW = 0, 1, 2


@rule
def reset(s: State, f: Frame, p: Params, e: int) -> None:
    """Seat the people at random round a lake whose growth nobody knows."""
    word = f.word[e]
    s.clock[e] = 0
    s.stock[e] = p.initial_stock * p.capacity
    luck = uniform(word, 0, SEASON, GROWTH_DRAW)
    s.growth[e] = p.growth_low + (p.growth_high - p.growth_low) * luck
    s.drought_at[e] = -1
    if uniform(word, 0, SEASON, DROUGHT_DRAW) < p.drought_prob:
        s.drought_at[e] = below(p.max_steps, word, 0, SEASON, DROUGHT_TIME_DRAW)
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
    """Derive who sits at each seat."""
    for k in range(s.at_seat.shape[1]):
        s.at_seat[e, k] = -1
    for a in range(p.harvesters):
        if s.seat[e, a] < p.harvesters:
            s.at_seat[e, s.seat[e, a]] = a


@rule
def neighbour(s: State, p: Params, e: int, a: int, slot: int) -> int:
    """Return who sits in a slot beside a harvester (left1, right1, left2, ...), or -1."""
    away = slot // 2 + 1
    if slot % 2 == 0:
        away = -away
    return s.at_seat[e, (s.seat[e, a] + away) % p.harvesters]


@rule
def transition(s: State, f: Frame, p: Params, e: int) -> None:
    """Let agents fish, deal, fine and pay their upkeep; then let the stock grow."""
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
        elif f.active[e, a] and f.choice[e, a, declare.FINE_TARGET] >= declare.FIRST_FINED:
            impose_fine(s, f, p, e, a, f.choice[e, a, declare.FINE_TARGET] - declare.FIRST_FINED)
    for a in range(p.harvesters):
        if f.active[e, a]:
            pay_upkeep(s, f, p, e, a)
    grow_stock(s, f, p, e)
    s.clock[e] = min(s.clock[e] + 1, p.max_steps)


@rule
def desired_catch(s: State, f: Frame, p: Params, e: int, a: int) -> float:
    """Return what effort and skill would catch in a full lake."""
    reach = f.tunable[e, declare.HARVEST_RATE] * f.effect[e, a, declare.HARVEST]
    return clip(f.level[e, a, declare.EFFORT] * s.skill[e, a] * reach, 0.0, p.full_catch)


@rule
def even_share(s: State, f: Frame, p: Params, e: int) -> float:
    """Return the share of the desired catch that each agent gets when the stock is split."""
    total = 0.0
    for a in range(p.harvesters):
        if f.active[e, a]:
            total += desired_catch(s, f, p, e, a)
    return s.stock[e] / total if total > s.stock[e] else 1.0


@rule
def fish(s: State, f: Frame, p: Params, e: int, a: int, share: float) -> None:
    """Catch what effort and skill allow, or what is left of the stock."""
    want = desired_catch(s, f, p, e, a)
    got = min(want * share, s.stock[e])
    if got < want:
        emit(f, e, declare.CONFLICT, a, -1, want - got)
    s.stock[e] -= got
    s.catch[e, a] = got
    s.hauled[e, a] = min(s.hauled[e, a] + got, p.most_hauled)
    s.wealth[e, a] = min(s.wealth[e, a] + got, p.wealth_cap)


@rule
def deal(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Give to a neighbour, or pay to have it sanctioned."""
    kind = f.choice[e, a, declare.DEAL]
    other = neighbour(s, p, e, a, f.choice[e, a, declare.TARGET])
    if kind == declare.NONE or other < 0 or not f.active[e, other]:
        return
    if kind == declare.GIVE and may(f, e, a, other, declare.GIFT_LINK):
        value = min(f.level[e, a, declare.AMOUNT] * p.gift_size, s.wealth[e, a])
        add_wealth(s, p, e, a, -value)
        add_wealth(s, p, e, other, value)
        emit(f, e, declare.GIFT, a, other, value)
    elif kind == declare.PUNISH and may(f, e, a, other, declare.SANCTION_LINK):
        add_wealth(s, p, e, a, -p.sanction_cost)
        take_fine(s, f, p, e, a, other, p.sanction_size)


@rule
def impose_fine(s: State, f: Frame, p: Params, e: int, a: int, other: int) -> None:
    """Let a warden fine a harvester, if it may."""
    if f.active[e, other] and may(f, e, a, other, declare.FINE_LINK):
        take_fine(s, f, p, e, a, other, f.level[e, a, declare.FINE_AMOUNT] * p.fine_size)


@rule
def take_fine(s: State, f: Frame, p: Params, e: int, a: int, other: int, loss: float) -> None:
    """Take wealth from an agent, and count the fine."""
    if not f.active[e, other]:
        return
    add_wealth(s, p, e, other, -loss)
    s.fined[e, other] = min(s.fined[e, other] + 1, p.most_fined)
    emit(f, e, declare.SANCTION, a, other, loss)


@rule
def add_wealth(s: State, p: Params, e: int, a: int, value: float) -> None:
    """Add to an agent's wealth, and to what it received in this step."""
    s.wealth[e, a] = clip(s.wealth[e, a] + value, 0.0, p.wealth_cap)
    s.received[e, a] = clip(s.received[e, a] + value, -p.wealth_cap, p.wealth_cap)


@rule
def pay_upkeep(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Pay for one more step, or starve."""
    s.wealth[e, a] = max(s.wealth[e, a] - p.upkeep, 0.0)
    if s.wealth[e, a] <= 0.0:
        s.alive[e, a] = False
        emit(f, e, declare.DEATH, a, -1, 0.0)


@rule
def grow_stock(s: State, f: Frame, p: Params, e: int) -> None:
    """Let the stock grow towards capacity; a drought strikes once."""
    stock = s.stock[e]
    rate = s.growth[e] * f.tunable[e, declare.GROWTH_SCALE]
    stock += rate * stock * (1.0 - stock / p.capacity)
    if s.clock[e] == s.drought_at[e]:
        lost = stock * p.drought_size
        stock -= lost
        emit(f, e, declare.DROUGHT, -1, -1, lost)
    s.stock[e] = clip(stock, 0.0, p.capacity)


@rule
def has_collapsed(s: State, p: Params, e: int) -> bool:
    """Whether the stock is below the level from which it recovers."""
    return s.stock[e] < p.collapse_level * p.capacity


@rule
def turn(s: State, f: Frame, p: Params, e: int) -> None:
    """Give the turn to whoever has caught least so far (with `turns: state`)."""
    chosen = -1
    for a in range(s.seat.shape[1]):
        if f.active[e, a] and (chosen < 0 or s.hauled[e, a] < s.hauled[e, chosen]):
            chosen = a
    if chosen >= 0:
        f.acting[e, chosen] = True


@rule
def harvester_terms(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Write the reward terms of a harvester."""
    f.terms[e, a, declare.CATCH_TERM] = s.catch[e, a] / p.full_catch
    f.terms[e, a, declare.DEAL_TERM] = s.received[e, a] / p.wealth_cap
    change = (s.stock[e] - s.stock_before[e]) / p.capacity
    f.terms[e, a, declare.DEPLETION_TERM] = p.depletion_weight * change
    if has_collapsed(s, p, e):
        f.terms[e, a, declare.COLLAPSE_TERM] = -p.collapse_penalty


@rule
def warden_terms(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Write the reward terms of a warden."""
    f.terms[e, a, declare.STEWARD_TERM] = s.stock[e] / p.capacity
    if has_collapsed(s, p, e):
        f.terms[e, a, declare.RUIN_TERM] = -p.collapse_penalty


@rule
def ending(s: State, f: Frame, p: Params, e: int) -> None:
    """End agents that starved, and the episode on a collapse or after its last step."""
    for a in range(p.harvesters):
        if f.active[e, a] and not s.alive[e, a]:
            f.ending[e, a] = declare.STARVED
    if has_collapsed(s, p, e):
        f.episode_ending[e] = declare.COLLAPSE
    elif f.t[e] >= p.max_steps:
        f.episode_ending[e] = declare.TIMEOUT
