"""One person: how a life begins, what it pursues, when it is over, and where it is."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.townlet.config import NUM_METERS
from mesocosm.worlds.townlet.declare import (
    COMPANY,
    ENERGY,
    HEALTH,
    NOTHING,
    SOCIAL,
    SURVIVAL,
    THRIVING,
)
from mesocosm.worlds.townlet.params import Params
from mesocosm.worlds.townlet.state import State


@rule
def begin_life(s: State, p: Params, e: int, a: int) -> None:
    """Reset an agent to a newborn: fresh meters and no past."""
    for meter in range(NUM_METERS):
        s.meters[e, a, meter] = p.initial[meter]
    s.alive[e, a] = True
    s.age[e, a] = 0
    s.progress[e, a] = 0
    s.doing[e, a] = -1
    s.using[e, a] = False
    s.failed[e, a] = NOTHING
    s.fortune[e, a] = 0.0
    s.signal[e, a] = 0
    s.family[e, a] = -1
    s.standing[e, a] = 0
    s.partner[e, a] = -1
    s.child[e, a] = -1
    s.parent[e, a, 0] = -1
    s.parent[e, a, 1] = -1
    s.vacant[e, a] = 0
    for i in range(s.recent.shape[2]):
        s.recent[e, a, i] = -1


@rule
def set_goal(s: State, p: Params, e: int, a: int) -> None:
    """Set what an agent pursues: survival if in danger, company if lonely, else thriving."""
    goal = THRIVING
    if s.meters[e, a, SOCIAL] < p.goal_social:
        goal = COMPANY
    if s.meters[e, a, ENERGY] < p.goal_survival or s.meters[e, a, HEALTH] < p.goal_survival:
        goal = SURVIVAL
    s.goal[e, a] = goal


@rule
def is_spent(s: State, p: Params, e: int, a: int) -> bool:
    """Whether a meter that keeps one alive is at zero."""
    for meter in range(NUM_METERS):
        if p.lethal[meter] and s.meters[e, a, meter] <= 0.0:
            return True
    return False


@rule
def has_retired(s: State, p: Params, e: int, a: int) -> bool:
    """Whether an agent lived to the age of retirement."""
    return s.age[e, a] >= p.lifespan and not is_spent(s, p, e, a)


@rule
def cell_of(s: State, p: Params, e: int, a: int) -> int:
    """Return the cell that an agent stands on."""
    return s.position[e, a, 1] * p.grid + s.position[e, a, 0]
