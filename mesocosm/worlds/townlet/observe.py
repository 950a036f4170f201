"""What residents see, may do, and are told."""

import numpy as np

from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.townlet.config import LAST_FULL_VIEW, NUM_METERS
from mesocosm.worlds.townlet.declare import DOWN, INTERACT, LEFT, RIGHT, UP
from mesocosm.worlds.townlet.params import (
    COSINE,
    CUE_DISTANCE,
    SINE,
    Params,
)
from mesocosm.worlds.townlet.state import SIGNALS, State
from mesocosm.worlds.townlet.step.family import relative
from mesocosm.worlds.townlet.step.life import cell_of
from mesocosm.worlds.townlet.step.place import is_open

PROGRESS_SHOWN = 10.0  # ticks of an interaction that fill the bar


@rule
def observe(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write what a resident sees at the level of the config."""
    cell = cell_of(s, p, e, a)
    if p.level <= LAST_FULL_VIEW:
        for i in range(p.grid * p.grid):
            out[p.at.grid + i] = 0.0
        out[p.at.grid + cell] = 1.0
    else:
        look_around(s, p, e, a, out)
    for meter in range(NUM_METERS):
        out[p.at.meters + meter] = s.meters[e, a, meter]
    kinds = p.deployed.shape[0]
    for kind in range(kinds + 1):
        out[p.at.affordance + kind] = 0.0
    here = s.place_at[e, cell]
    out[p.at.affordance + (here if here >= 0 else kinds)] = 1.0
    if p.max_visible > 0:
        look_at_people(s, p, e, a, out)
    if p.families:
        hear_family(s, p, e, a, out)


@rule
def hear_family(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write what the family signals, and who they are if that is shown."""
    for slot in range(p.max_family):
        member = relative(s, e, a, slot)
        out[p.at.family_signals + slot] = s.signal[e, member] / SIGNALS if member >= 0 else 0.0
        if p.family_ids:
            out[p.at.family_ids + slot] = member / s.alive.shape[1] if member >= 0 else 0.0


@rule
def look_around(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write the window, the coordinates, the time and the progress."""
    x = s.position[e, a, 0]
    y = s.position[e, a, 1]
    at = p.at.window
    width = p.grid + 2 * p.vision
    for row in range(2 * p.vision + 1):
        cell = (y + row) * width + x
        for column in range(2 * p.vision + 1):
            out[at] = s.ground[e, cell + column]
            at += 1
    out[p.at.position] = x / (p.grid - 1)
    out[p.at.position + 1] = y / (p.grid - 1)
    out[p.at.time] = p.sine[s.hour[e], SINE]
    out[p.at.time + 1] = p.sine[s.hour[e], COSINE]
    out[p.at.progress] = clip(s.progress[e, a] / PROGRESS_SHOWN, 0.0, 1.0)


@rule
def look_at_people(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write the nearest people, closest first, ties by index; and how each of them looks."""
    for i in range(p.max_visible * 2):
        out[p.at.others + i] = 0.0
    for i in range(p.max_visible * p.num_cues):
        out[p.at.other_cues + i] = 0.0
    for slot in range(p.max_visible):
        if s.seen[e, a, slot] >= 0:
            show_person(s, p, e, a, s.seen[e, a, slot], slot, out)


@rule
def show_person(
    s: State, p: Params, e: int, a: int, other: int, slot: int, out: np.ndarray
) -> None:
    """Write where a visible agent is, and the cues that can be read from here."""
    dx = s.position[e, other, 0] - s.position[e, a, 0]
    dy = s.position[e, other, 1] - s.position[e, a, 1]
    out[p.at.others + 2 * slot] = dx
    out[p.at.others + 2 * slot + 1] = dy
    away = distance(p, dx, dy)
    kin = s.family_cue.shape[2] > 0 and s.family[e, a] >= 0 and s.family[e, a] == s.family[e, other]
    for cue in range(p.num_cues):
        shows = s.family_cue[e, other, cue] if kin else s.cue[e, other, cue]
        if shows and away <= p.cue_rule[cue, CUE_DISTANCE]:
            out[p.at.other_cues + slot * p.num_cues + cue] = 1.0


@rule
def distance(p: Params, dx: int, dy: int) -> int:
    """Return the distance of two cells by the config's metric."""
    if p.chebyshev:
        return max(abs(dx), abs(dy))
    return abs(dx) + abs(dy)


@rule
def mask(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Forbid steps off the edge, and interacting where nothing is open."""
    x = s.position[e, a, 0]
    y = s.position[e, a, 1]
    out[UP] = y > 0
    out[DOWN] = y < p.grid - 1
    out[LEFT] = x > 0
    out[RIGHT] = x < p.grid - 1
    here = s.place_at[e, cell_of(s, p, e, a)]
    out[INTERACT] = here >= 0 and is_open(p, here, s.hour[e])


@rule
def inform(s: State, p: Params, e: int, a: int, out: np.ndarray) -> None:
    """Write the info row: counts, the last failure, age, and the map at the first levels."""
    count = 0
    for slot in range(p.max_visible):
        if s.seen[e, a, slot] >= 0:
            count += 1
    out[p.info.visible_agents] = count
    out[p.info.family_members] = count_kin(s, p, e, a)
    out[p.info.action_failed] = s.failed[e, a]
    out[p.info.age] = s.age[e, a]
    if p.level <= LAST_FULL_VIEW:
        for i in range(s.map_row.shape[1]):
            out[p.info.affordance_map + i] = s.map_row[e, i]


@rule
def count_kin(s: State, p: Params, e: int, a: int) -> int:
    """Count the slots of the family channel that are in use."""
    count = 0
    for slot in range(p.max_family):
        if relative(s, e, a, slot) >= 0:
            count += 1
    return count


@rule
def group_of(s: State, p: Params, e: int, a: int) -> int:
    """Return the family of an agent; one without a family is a group of its own."""
    if s.family[e, a] < 0:
        return -1 - a
    return s.family[e, a]


@rule
def sees(s: State, p: Params, e: int, a: int, j: int) -> bool:
    """Whether `j` is alive and near enough for `a` to see."""
    dx = s.position[e, j, 0] - s.position[e, a, 0]
    dy = s.position[e, j, 1] - s.position[e, a, 1]
    return s.alive[e, j] and distance(p, dx, dy) <= p.vision
