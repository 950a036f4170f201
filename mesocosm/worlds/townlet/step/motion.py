"""How people move: their steps and waits, what those cost, and who is on which cell."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule
from mesocosm.worlds.townlet.declare import (
    ACT,
    DOWN,
    EDGE,
    ENERGY,
    HYGIENE,
    INTERACT,
    LEFT,
    MOVE_COST,
    NOTHING,
    SATIATION,
    SET_COMM,
    SIGNAL,
    UNDECIDED,
    UP,
    WAIT,
)
from mesocosm.worlds.townlet.params import Params
from mesocosm.worlds.townlet.state import State
from mesocosm.worlds.townlet.step.life import cell_of
from mesocosm.worlds.townlet.step.meter import spend


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
def move(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Take a step, or wait, and pay for it; leaving a place loses the progress there."""
    act = f.choice[e, a, ACT]
    remember_action(s, p, e, a, act)
    s.failed[e, a] = NOTHING
    if act == INTERACT:
        s.failed[e, a] = UNDECIDED
        return
    s.using[e, a] = False
    if act == SET_COMM:
        s.signal[e, a] = f.choice[e, a, SIGNAL]
    if act in (WAIT, SET_COMM):
        spend(s, e, a, ENERGY, p.wait_energy)
        return
    x = s.position[e, a, 0]
    y = s.position[e, a, 1]
    if act == UP:
        y -= 1
    elif act == DOWN:
        y += 1
    elif act == LEFT:
        x -= 1
    else:
        x += 1
    if x < 0 or y < 0 or x >= p.grid or y >= p.grid:
        s.failed[e, a] = EDGE
    else:
        s.position[e, a, 0] = x
        s.position[e, a, 1] = y
        s.progress[e, a] = 0
        s.doing[e, a] = -1
    scale = f.tunable[e, MOVE_COST]
    spend(s, e, a, ENERGY, p.move_energy * scale)
    spend(s, e, a, HYGIENE, p.move_hygiene * scale)
    spend(s, e, a, SATIATION, p.move_satiation * scale)


@rule
def remember_action(s: State, p: Params, e: int, a: int, act: int) -> None:
    """Record an action, newest first, as far back as some cue reads."""
    for i in range(p.history - 1, 0, -1):
        s.recent[e, a, i] = s.recent[e, a, i - 1]
    if p.history > 0:
        s.recent[e, a, 0] = act
