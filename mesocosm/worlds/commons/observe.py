"""What the people of commons see, may do, and are told."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.commons.declare import DEALS, FIRST_FINED, GIVE, NEIGHBOURS, PUNISH
from mesocosm.worlds.commons.params import Params
from mesocosm.worlds.commons.rules import neighbour
from mesocosm.worlds.commons.state import State

FINES_SHOWN = 10.0  # and more look the same
FIRST_TARGET = len(DEALS)  # in a harvester's mask: the options of `target` follow those of `deal`


@rule
def standing(s: State, e: int, a: int) -> float:
    """Return how often an agent was fined, as a share of the most that is shown."""
    return min(s.fined[e, a] / FINES_SHOWN, 1.0)


@rule
def observe_harvester(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write what a harvester sees."""
    at = p.at
    out[at.clock] = s.clock[e] / p.max_steps
    out[at.stock] = s.stock[e] / p.capacity
    out[at.wealth] = s.wealth[e, a] / p.wealth_cap
    out[at.skill] = s.skill[e, a]
    out[at.catch] = s.catch[e, a] / p.full_catch
    out[at.received] = s.received[e, a] / p.wealth_cap
    out[at.standing] = standing(s, e, a)
    for slot in range(2 * p.sight):
        other = neighbour(s, p, e, a, slot)
        there = other >= 0 and s.alive[e, other]
        out[at.near_alive + slot] = 1.0 if there else 0.0
        out[at.near_catch + slot] = s.catch[e, other] / p.full_catch if there else 0.0
        out[at.near_standing + slot] = standing(s, e, other) if there else 0.0


@rule
def observe_warden(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write what a warden sees."""
    at = p.warden_at
    out[at.clock] = s.clock[e] / p.max_steps
    out[at.stock] = s.stock[e] / p.capacity
    for other in range(p.harvesters):
        out[at.alive + other] = 1.0 if s.alive[e, other] else 0.0
        out[at.catches + other] = s.catch[e, other] / p.full_catch
        out[at.standings + other] = standing(s, e, other)


@rule
def mask_harvester(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Forbid deals that cannot be paid, and targets that are not there."""
    anyone = False
    for slot in range(2 * p.sight):
        other = neighbour(s, p, e, a, slot)
        there = other >= 0 and s.alive[e, other]
        out[FIRST_TARGET + slot] = there
        anyone = anyone or there
    out[GIVE] = anyone and s.wealth[e, a] > 0.0
    out[PUNISH] = anyone and s.wealth[e, a] >= p.sanction_cost


@rule
def mask_warden(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Forbid fining harvesters who starved."""
    for other in range(p.harvesters):
        out[FIRST_FINED + other] = s.alive[e, other]


@rule
def inform_harvester(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Count the living neighbours."""
    count = 0.0
    for slot in range(2 * p.sight):
        other = neighbour(s, p, e, a, slot)
        if other >= 0 and s.alive[e, other]:
            count += 1.0
    out[NEIGHBOURS] = count


@rule
def sees(s: State, p: Params, e: int, a: int, j: int) -> bool:
    """Whether `a` can see `j`: neighbours see each other, and wardens see all harvesters."""
    if j >= p.harvesters:
        return False
    if a >= p.harvesters:
        return True
    for slot in range(2 * p.sight):
        if neighbour(s, p, e, a, slot) == j:
            return True
    return False
