"""Places: where they stand, when they are open, and what using one brings."""

from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import below
from mesocosm.sim.rule import rule
from mesocosm.worlds.townlet.config import DAY, NUM_METERS
from mesocosm.worlds.townlet.declare import (
    CANNOT_PAY,
    CLOSED,
    CONFLICT,
    CONTENTION,
    GAIN,
    MONEY,
    NOT_HERE,
    NOTHING,
    UNDECIDED,
)
from mesocosm.worlds.townlet.params import (
    AT_ONCE,
    CAPACITY,
    CLOSES,
    ON_COMPLETION,
    OPENS,
    PER_TICK,
    TICKS,
    Params,
)
from mesocosm.worlds.townlet.state import State
from mesocosm.worlds.townlet.step.life import cell_of

PLACES = 0  # stream of random numbers


@rule
def place_affordances(s: State, f: Frame, p: Params, e: int) -> None:
    """Put every deployed affordance on a cell of its own: any free one, equally likely."""
    word = f.word[e] if p.random_layout else p.layout_word
    tries = 0
    for kind in range(p.deployed.shape[0]):
        s.affordance_position[e, kind, 0] = -1
        s.affordance_position[e, kind, 1] = -1
        if p.deployed[kind]:
            cell = below(p.grid * p.grid, word, 0, PLACES, tries)
            while is_taken(s, p, e, cell, kind):
                tries += 1
                cell = below(p.grid * p.grid, word, 0, PLACES, tries)
            tries += 1
            s.affordance_position[e, kind, 0] = cell % p.grid
            s.affordance_position[e, kind, 1] = cell // p.grid


@rule
def is_taken(s: State, p: Params, e: int, cell: int, kind: int) -> bool:
    """Whether an earlier affordance stands on a cell."""
    for other in range(kind):
        x = s.affordance_position[e, other, 0]
        if x >= 0 and s.affordance_position[e, other, 1] * p.grid + x == cell:
            return True
    return False


@rule
def is_open(p: Params, kind: int, hour: int) -> bool:
    """Whether a place is open at an hour; closing after 24 means the next morning."""
    opens = p.place[kind, OPENS]
    closes = p.place[kind, CLOSES]
    if not p.temporal:
        return True
    return opens <= hour < closes or hour < closes - DAY


@rule
def use_places(s: State, f: Frame, p: Params, e: int) -> None:
    """Let people interact: first those in the middle of a visit, then the others in order."""
    if f.split[e]:
        count_users(s, p, e)
    for first in range(2):
        for i in range(s.alive.shape[1]):
            a = f.order[e, i]
            if s.failed[e, a] == UNDECIDED and (first == 1 or s.using[e, a]):
                interact(s, f, p, e, a)
    for kind in range(s.users.shape[1]):
        s.users[e, kind] = 0


@rule
def count_users(s: State, p: Params, e: int) -> None:
    """Count the agents that want each place, before it is split among them."""
    for a in range(s.alive.shape[1]):
        if s.failed[e, a] == UNDECIDED:
            kind = s.place_at[e, cell_of(s, p, e, a)]
            if kind >= 0:
                s.users[e, kind] += 1


@rule
def interact(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Use the place underfoot, if there is one that is open, affordable and not full."""
    kind = s.place_at[e, cell_of(s, p, e, a)]
    s.failed[e, a] = NOTHING
    s.using[e, a] = False
    if kind < 0:
        s.failed[e, a] = NOT_HERE
        return
    cost = p.cost[kind, PER_TICK] if p.temporal else p.cost[kind, AT_ONCE]
    if not is_open(p, kind, s.hour[e]):
        s.failed[e, a] = CLOSED
    elif s.meters[e, a, MONEY] < cost - p.payment_slack:
        s.failed[e, a] = CANNOT_PAY
    elif f.split[e]:
        crowd = p.place[kind, CAPACITY] > 0 and s.users[e, kind] > p.place[kind, CAPACITY]
        use_place(s, f, p, e, a, kind, p.place[kind, CAPACITY] / s.users[e, kind] if crowd else 1.0)
    elif p.place[kind, CAPACITY] > 0 and s.users[e, kind] >= p.place[kind, CAPACITY]:
        s.failed[e, a] = CONTENTION
        emit(f, e, CONFLICT, a, -1, kind * 1.0)
    else:
        s.users[e, kind] += 1
        use_place(s, f, p, e, a, kind, 1.0)


@rule
def use_place(s: State, f: Frame, p: Params, e: int, a: int, kind: int, share: float) -> None:
    """Pay for a place, and gain what it gives in this tick, times a share."""
    cost = p.cost[kind, PER_TICK] if p.temporal else p.cost[kind, AT_ONCE]
    done = True
    if p.temporal:
        if s.doing[e, a] != kind:
            s.progress[e, a] = 0
        s.doing[e, a] = kind
        s.progress[e, a] += 1
        done = s.progress[e, a] >= p.place[kind, TICKS]
    for meter in range(NUM_METERS):
        change = p.gain[kind, AT_ONCE, meter]
        if p.temporal:
            change = p.gain[kind, PER_TICK, meter]
            if done:
                change += p.gain[kind, ON_COMPLETION, meter]
        if change > 0.0:
            change = change * f.effect[e, a, GAIN] * share
        if meter == MONEY:
            change -= cost
        if change != 0.0:
            s.meters[e, a, meter] = clip(s.meters[e, a, meter] + change, 0.0, 1.0)
    s.using[e, a] = not done
    if done:
        s.progress[e, a] = 0
        s.doing[e, a] = -1
