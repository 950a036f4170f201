"""How a town works: reset, one tick, the rewards and the endings."""

import math

from mesocosm.sim.frame import Frame
from mesocosm.sim.maths import clip, greater
from mesocosm.sim.rng import below, uniform
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import emit
from mesocosm.worlds.townlet import declare as k
from mesocosm.worlds.townlet.cue import show_cues
from mesocosm.worlds.townlet.declare import Params
from mesocosm.worlds.townlet.family import link_kin, live_in_families
from mesocosm.worlds.townlet.life import (
    begin_life,
    cell_of,
    has_retired,
    is_spent,
    set_goal,
)
from mesocosm.worlds.townlet.state import State

PLACES, PEOPLE, TRAITS = 0, 1, 2
UNDECIDED = 6
MAX_AGE = 2_000_000
MAX_FORTUNE = 2e6


@rule
def reset(s: State, f: Frame, p: Params, e: int) -> None:
    """Found a town: places, people, midnight."""
    s.hour[e] = 0
    place_affordances(s, f, p, e)
    for a in range(s.alive.shape[1]):
        cell = below(p.grid * p.grid, f.word[e], 0, PEOPLE, a)
        s.position[e, a, 0] = cell % p.grid
        s.position[e, a, 1] = cell // p.grid
        begin_life(s, p, e, a)
        for gene in range(s.genes.shape[2]):
            s.genes[e, a, gene] = uniform(f.word[e], 0, TRAITS, a * 8 + gene)
    rebuild(s, p, e)
    for a in range(s.alive.shape[1]):
        show_cues(s, p, e, a)


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
def rebuild(s: State, p: Params, e: int) -> None:
    """Say what stands and who is on every cell."""
    for cell in range(s.place_at.shape[1]):
        s.place_at[e, cell] = -1
        s.head[e, cell] = -1
    for cell in range(s.ground.shape[1]):
        s.ground[e, cell] = 0
    for kind in range(s.users.shape[1]):
        s.users[e, kind] = 0
        x = s.affordance_position[e, kind, 0]
        y = s.affordance_position[e, kind, 1]
        s.map_row[e, 2 * kind] = x
        s.map_row[e, 2 * kind + 1] = y
        if x >= 0 and y >= 0:
            s.place_at[e, y * p.grid + x] = kind
            if p.level > 3:
                s.ground[e, (y + p.vision) * (p.grid + 2 * p.vision) + x + p.vision] = 1
    for a in range(s.alive.shape[1]):
        s.after[e, a] = -1
    put_people(s, p, e)
    link_kin(s, e)


@rule
def lift_people(s: State, p: Params, e: int) -> None:
    """Take everybody off the cells, before people move or die."""
    if p.max_visible == 0:
        return
    for a in range(s.alive.shape[1]):
        if s.alive[e, a]:
            s.head[e, cell_of(s, p, e, a)] = -1


@rule
def put_people(s: State, p: Params, e: int) -> None:
    """Put the living on their cells, those of one cell in index order, where people are seen."""
    if p.max_visible == 0:
        return
    for a in range(s.alive.shape[1] - 1, -1, -1):
        s.after[e, a] = -1
        if s.alive[e, a]:
            cell = cell_of(s, p, e, a)
            s.after[e, a] = s.head[e, cell]
            s.head[e, cell] = a


@rule
def is_open(p: Params, kind: int, hour: int) -> bool:
    """Whether a place is open at an hour; hours past 24 are the next morning."""
    opens = p.place[kind, 0]
    closes = p.place[kind, 1]
    if not p.temporal:
        return True
    return opens <= hour < closes or hour < closes - 24


@rule
def transition(s: State, f: Frame, p: Params, e: int) -> None:
    """Live one tick: move, interact, decay, and let the clock run."""
    lift_people(s, p, e)
    wanting = 0
    for a in range(s.alive.shape[1]):
        if f.active[e, a]:
            move(s, f, p, e, a)
            if s.failed[e, a] == UNDECIDED:
                wanting += 1
    if wanting > 0:
        use_places(s, f, p, e)
    for a in range(s.alive.shape[1]):
        if f.active[e, a]:
            decay(s, f, p, e, a)
    if p.families:
        live_in_families(s, f, p, e)
        link_kin(s, e)
    if p.temporal:
        s.hour[e] = (s.hour[e] + 1) % 24
    put_people(s, p, e)
    for a in range(s.alive.shape[1]):
        if f.active[e, a] or f.birth[e, a]:
            set_goal(s, p, e, a)
            show_cues(s, p, e, a)


@rule
def use_places(s: State, f: Frame, p: Params, e: int) -> None:
    """Let people interact: first who is at something already, then the others in order."""
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
def move(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Take a step or wait, at its price; whoever leaves a place loses the progress there."""
    act = f.choice[e, a, 0]
    remember_action(s, p, e, a, act)
    s.failed[e, a] = k.NOTHING
    if act == k.INTERACT:
        s.failed[e, a] = UNDECIDED
        return
    s.using[e, a] = False
    if act == k.SET_COMM:
        s.signal[e, a] = f.choice[e, a, 1]
    if act == k.WAIT or act == k.SET_COMM:
        spend(s, e, a, k.ENERGY, p.wait_energy)
        return
    x = s.position[e, a, 0]
    y = s.position[e, a, 1]
    if act == k.UP:
        y -= 1
    elif act == k.DOWN:
        y += 1
    elif act == k.LEFT:
        x -= 1
    else:
        x += 1
    if x < 0 or y < 0 or x >= p.grid or y >= p.grid:
        s.failed[e, a] = k.EDGE
    else:
        s.position[e, a, 0] = x
        s.position[e, a, 1] = y
        s.progress[e, a] = 0
        s.doing[e, a] = -1
    scale = f.tunable[e, k.MOVE_COST]
    spend(s, e, a, k.ENERGY, p.move_energy * scale)
    spend(s, e, a, k.HYGIENE, p.move_hygiene * scale)
    spend(s, e, a, k.SATIATION, p.move_satiation * scale)


@rule
def remember_action(s: State, p: Params, e: int, a: int, act: int) -> None:
    """Keep as many last actions as some cue reads, newest first."""
    for i in range(p.history - 1, 0, -1):
        s.recent[e, a, i] = s.recent[e, a, i - 1]
    if p.history > 0:
        s.recent[e, a, 0] = act


@rule
def spend(s: State, e: int, a: int, meter: int, amount: float) -> None:
    """Lower a meter, never below zero."""
    s.meters[e, a, meter] = clip(s.meters[e, a, meter] - amount, 0.0, 1.0)


@rule
def interact(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Use the place one stands on, if it is there, open, affordable and has room."""
    kind = s.place_at[e, cell_of(s, p, e, a)]
    s.failed[e, a] = k.NOTHING
    s.using[e, a] = False
    if kind < 0:
        s.failed[e, a] = k.NOT_HERE
        return
    cost = p.cost[kind, 1] if p.temporal else p.cost[kind, 0]
    if not is_open(p, kind, s.hour[e]):
        s.failed[e, a] = k.CLOSED
    elif s.meters[e, a, k.MONEY] < cost - p.payment_slack:
        s.failed[e, a] = k.CANNOT_PAY
    elif f.split[e]:
        crowd = p.place[kind, 2] > 0 and s.users[e, kind] > p.place[kind, 2]
        use(s, f, p, e, a, kind, p.place[kind, 2] / s.users[e, kind] if crowd else 1.0)
    elif p.place[kind, 2] > 0 and s.users[e, kind] >= p.place[kind, 2]:
        s.failed[e, a] = k.CONTENTION
        emit(f, e, k.CONFLICT, a, -1, kind * 1.0)
    else:
        s.users[e, kind] += 1
        use(s, f, p, e, a, kind, 1.0)


@rule
def count_users(s: State, p: Params, e: int) -> None:
    """Count who wants each place, before it is split among them."""
    for a in range(s.alive.shape[1]):
        if s.failed[e, a] == UNDECIDED:
            kind = s.place_at[e, cell_of(s, p, e, a)]
            if kind >= 0:
                s.users[e, kind] += 1


@rule
def use(s: State, f: Frame, p: Params, e: int, a: int, kind: int, share: float) -> None:
    """Pay for a place and get what it gives now, or one's share of it."""
    cost = p.cost[kind, 1] if p.temporal else p.cost[kind, 0]
    done = True
    if p.temporal:
        if s.doing[e, a] != kind:
            s.progress[e, a] = 0
        s.doing[e, a] = kind
        s.progress[e, a] += 1
        done = s.progress[e, a] >= p.place[kind, 3]
    for meter in range(8):
        change = p.gain[kind, 0, meter]
        if p.temporal:
            change = p.gain[kind, 1, meter]
            if done:
                change += p.gain[kind, 2, meter]
        if change > 0.0:
            change = change * f.effect[e, a, k.GAIN] * share
        if meter == k.MONEY:
            change -= cost
        if change != 0.0:
            s.meters[e, a, meter] = clip(s.meters[e, a, meter] + change, 0.0, 1.0)
    s.using[e, a] = not done
    if done:
        s.progress[e, a] = 0
        s.doing[e, a] = -1


@rule
def decay(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Let time wear on the meters, and low ones drag others down; some kill."""
    difficulty = f.tunable[e, k.DIFFICULTY]
    low = False
    for meter in range(8):
        spend(s, e, a, meter, p.decay[meter] * difficulty)
        low = low or s.meters[e, a, meter] < p.alarm[meter]
    unfit = 1.0 - s.meters[e, a, k.FITNESS]
    spend(s, e, a, k.HEALTH, p.fitness_base * (p.fitness_low + p.fitness_span * unfit))
    if low or s.meters[e, a, k.HEALTH] < p.alarm[k.HEALTH]:
        suffer(s, p, e, a)
    s.age[e, a] = min(s.age[e, a] + 1, MAX_AGE)
    fortune = s.fortune[e, a] + s.meters[e, a, k.ENERGY] * s.meters[e, a, k.HEALTH]
    s.fortune[e, a] = min(fortune, MAX_FORTUNE)
    if is_spent(s, p, e, a):
        s.alive[e, a] = False
        emit(f, e, k.DEATH, a, -1, s.age[e, a] * 1.0)
    elif s.age[e, a] >= p.lifespan:
        s.alive[e, a] = False
        emit(f, e, k.RETIREMENT, a, -1, s.age[e, a] * 1.0)


@rule
def suffer(s: State, p: Params, e: int, a: int) -> None:
    """Let low meters drag others down, one cascade after the other."""
    for i in range(p.cascade.shape[0]):
        source = s.meters[e, a, p.link[i, 0]]
        threshold = p.cascade[i, 1]
        if source < threshold:
            lack = (threshold - source) / threshold
            spend(s, e, a, p.link[i, 1], p.cascade[i, 0] * lack)


@rule
def terms(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Judge a tick: energy times health while alive, and the whole life at its end."""
    if s.alive[e, a] or has_retired(s, p, e, a):
        f.terms[e, a, k.SURVIVAL_TERM] = s.meters[e, a, k.ENERGY] * s.meters[e, a, k.HEALTH]
    if s.age[e, a] >= p.lifespan:
        f.terms[e, a, k.RETIREMENT_TERM] = p.retirement_bonus
    if not s.alive[e, a]:
        f.terms[e, a, k.SCORE_TERM] = score(s, p, e, a, has_retired(s, p, e, a))


@rule
def score(s: State, p: Params, e: int, a: int, retired: bool) -> float:
    """Weigh a life: how long, how well, how rich."""
    length = s.age[e, a] / p.lifespan
    wellbeing = s.meters[e, a, k.HEALTH] + s.meters[e, a, k.ENERGY] + s.meters[e, a, k.MOOD]
    wellbeing = (wellbeing + s.meters[e, a, k.SOCIAL] + s.meters[e, a, k.HYGIENE]) / 5.0
    wealth = s.meters[e, a, k.MONEY]
    if p.values[3] == 0.0:
        wealth = math.sqrt(greater(wealth, 0.0))
    total = p.values[0] * length + p.values[1] * wellbeing + p.values[2] * wealth
    return clip(total if retired else total * p.early_death_factor, 0.0, 1.0)


@rule
def ending(s: State, f: Frame, p: Params, e: int) -> None:
    """End the dead and the retired; the last tick ends the episode for the others."""
    remaining = 0
    for a in range(s.alive.shape[1]):
        if f.active[e, a]:
            if s.alive[e, a]:
                remaining += 1
            elif has_retired(s, p, e, a):
                f.ending[e, a] = k.RETIRED
            else:
                f.ending[e, a] = k.DIED
    if remaining > 0 and f.t[e] >= p.max_steps:
        f.episode_ending[e] = k.TIME
