"""How a town works: reset, one tick, the rewards and the endings."""

import math

from mesocosm.sim.frame import NO_AGENTS_CODE, Frame
from mesocosm.sim.maths import clip, greater
from mesocosm.sim.rng import below
from mesocosm.sim.rule import rule
from mesocosm.worlds.townlet.config import DAY, LAST_FULL_VIEW
from mesocosm.worlds.townlet.declare import (
    DIED,
    ENERGY,
    HEALTH,
    HYGIENE,
    MONEY,
    MOOD,
    RETIRED,
    RETIREMENT_TERM,
    SCORE_TERM,
    SOCIAL,
    SURVIVAL_TERM,
    TIME,
    UNDECIDED,
)
from mesocosm.worlds.townlet.params import LIFESPAN, LINEAR_WEALTH, WEALTH, WELLBEING, Params
from mesocosm.worlds.townlet.state import State
from mesocosm.worlds.townlet.step.cue import show_cues
from mesocosm.worlds.townlet.step.family import update_families
from mesocosm.worlds.townlet.step.life import begin_life, has_retired, set_goal
from mesocosm.worlds.townlet.step.meter import decay_meters
from mesocosm.worlds.townlet.step.motion import lift_people, move, put_people
from mesocosm.worlds.townlet.step.place import place_affordances, use_places
from mesocosm.worlds.townlet.step.sight import find_people

PEOPLE = 1  # stream of random numbers; place.py has 0


@rule
def reset(s: State, f: Frame, p: Params, e: int) -> None:
    """Place affordances and people, and begin at midnight."""
    s.hour[e] = 0
    place_affordances(s, f, p, e)
    for a in range(s.alive.shape[1]):
        cell = below(p.grid * p.grid, f.word[e], 0, PEOPLE, a)
        s.position[e, a, 0] = cell % p.grid
        s.position[e, a, 1] = cell // p.grid
        begin_life(s, p, e, a)


@rule
def rebuild(s: State, p: Params, e: int) -> None:
    """Derive what stands on every cell, who is on it, and how people look to each other."""
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
            if p.level > LAST_FULL_VIEW:
                s.ground[e, (y + p.vision) * (p.grid + 2 * p.vision) + x + p.vision] = 1
    for a in range(s.alive.shape[1]):
        s.after[e, a] = -1
    put_people(s, p, e)
    show_people(s, p, e)


@rule
def show_people(s: State, p: Params, e: int) -> None:
    """Derive what each person pursues, how it looks, and whom it sees."""
    for a in range(s.alive.shape[1]):
        set_goal(s, p, e, a)
        show_cues(s, p, e, a)
        find_people(s, p, e, a)


@rule
def transition(s: State, f: Frame, p: Params, e: int) -> None:
    """Play one tick: motion, interactions, decay, families, and the clock."""
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
            decay_meters(s, f, p, e, a)
    if p.families:
        update_families(s, f, p, e)
    if p.temporal:
        s.hour[e] = (s.hour[e] + 1) % DAY
    put_people(s, p, e)
    show_people(s, p, e)


@rule
def terms(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Write the reward terms: energy times health while alive, and the score of a life."""
    if s.alive[e, a] or has_retired(s, p, e, a):
        f.terms[e, a, SURVIVAL_TERM] = s.meters[e, a, ENERGY] * s.meters[e, a, HEALTH]
    if s.age[e, a] >= p.lifespan:
        f.terms[e, a, RETIREMENT_TERM] = p.retirement_bonus
    if not s.alive[e, a]:
        f.terms[e, a, SCORE_TERM] = score(s, p, e, a, has_retired(s, p, e, a))


@rule
def score(s: State, p: Params, e: int, a: int, retired: bool) -> float:
    """Weigh the length, wellbeing and wealth of a life."""
    length = s.age[e, a] / p.lifespan
    wellbeing = s.meters[e, a, HEALTH] + s.meters[e, a, ENERGY] + s.meters[e, a, MOOD]
    wellbeing = (wellbeing + s.meters[e, a, SOCIAL] + s.meters[e, a, HYGIENE]) / 5.0
    wealth = s.meters[e, a, MONEY]
    if p.values[LINEAR_WEALTH] == 0.0:
        wealth = math.sqrt(greater(wealth, 0.0))
    total = (
        p.values[LIFESPAN] * length + p.values[WELLBEING] * wellbeing + p.values[WEALTH] * wealth
    )
    return clip(total if retired else total * p.early_death_factor, 0.0, 1.0)


@rule
def ending(s: State, f: Frame, p: Params, e: int) -> None:
    """End the dead and the retired; the last tick ends the episode for the others.

    An empty town waits for strangers, if any may come.
    """
    remaining = 0
    for a in range(s.alive.shape[1]):
        if f.birth[e, a]:
            remaining += 1
        if f.active[e, a]:
            if s.alive[e, a]:
                remaining += 1
            elif has_retired(s, p, e, a):
                f.ending[e, a] = RETIRED
            else:
                f.ending[e, a] = DIED
    if (remaining > 0 or (p.families and p.refill)) and f.t[e] >= p.max_steps:
        f.episode_ending[e] = TIME
    elif remaining == 0 and p.families and not p.refill:
        f.episode_ending[e] = f.control[NO_AGENTS_CODE]
