"""Target groups: tracks that are close to each other, under numbers that stay the same."""

import numpy as np

from mesocosm.sim.maths import HALF_PI, arctangent, clip
from mesocosm.sim.rule import rule
from mesocosm.worlds.island import state, tables
from mesocosm.worlds.island.params import Params
from mesocosm.worlds.island.state import GROUP_SIZE, State
from mesocosm.worlds.island.step.unit import distance

LONGEST_REST_S = 1e6


@rule
def form_groups(s: State, p: Params, e: int) -> None:
    """Sort both sides' tracks into groups."""
    for a in range(2):
        link_tracks(s, p, e, a)
        for j in range(p.n):
            s.label[e, a, j] = -1
        keep_numbers(s, p, e, a)
        give_numbers(s, p, e, a)
        for j in range(p.n):
            s.member[e, a, j] = s.label[e, a, s.root[e, a, j]] if s.tier[e, a, j] > 0 else -1
        update_groups(s, p, e, a)


@rule
def link_tracks(s: State, p: Params, e: int, a: int) -> None:
    """Join tracks of one domain that are near each other; the lowest id is a cluster's root."""
    near = p.ph.link_km * p.ph.link_km
    for j in range(p.n):
        s.root[e, a, j] = j
    last = s.num_units[e, 1 - a]
    for j in range(last):
        if s.tier[e, a, j] == 0:
            continue
        x, y, domain = s.spot[e, a, j, 0], s.spot[e, a, j, 1], s.looks[e, a, j]
        for other in range(j + 1, last):
            if s.tier[e, a, other] == 0 or s.looks[e, a, other] != domain:
                continue
            dx, dy = s.spot[e, a, other, 0] - x, s.spot[e, a, other, 1] - y
            if dx * dx + dy * dy <= near:
                one, two = root_of(s.root, e, a, j), root_of(s.root, e, a, other)
                s.root[e, a, max(one, two)] = min(one, two)
    for j in range(last):
        s.root[e, a, j] = s.root[e, a, s.root[e, a, j]]


@rule
def root_of(root: np.ndarray, e: int, a: int, j: int) -> int:
    """Follow the links to the first track of a cluster."""
    while root[e, a, j] != j:
        j = root[e, a, j]
    return j


@rule
def overlap(s: State, p: Params, e: int, a: int, root: int, g: int) -> int:
    """Count the tracks of a cluster that were in a group."""
    found = 0
    for j in range(root, s.num_units[e, 1 - a]):
        if s.root[e, a, j] == root and s.member[e, a, j] == g and s.tier[e, a, j] > 0:
            found += 1
    return found


@rule
def keep_numbers(s: State, p: Params, e: int, a: int) -> None:
    """Give clusters the numbers of the groups they overlap most, largest overlap first."""
    searching = True
    while searching:
        best, number, root = 0, -1, -1
        for j in range(s.num_units[e, 1 - a]):
            g, mine = s.member[e, a, j], s.root[e, a, j]
            if s.tier[e, a, j] == 0 or g < 0 or s.label[e, a, mine] >= 0:
                continue
            if (mine == root and g == number) or is_number_taken(
                s.label, s.num_units[e, 1 - a], e, a, g
            ):
                continue
            size = overlap(s, p, e, a, mine, g)
            if size > best or (size == best and (g < number or (g == number and mine < root))):
                best, number, root = size, g, mine
        searching = root >= 0
        if searching:
            s.label[e, a, root] = number


@rule
def is_number_taken(label: np.ndarray, count: int, e: int, a: int, g: int) -> bool:
    """Whether a cluster has this number already."""
    for j in range(count):
        if label[e, a, j] == g:
            return True
    return False


@rule
def give_numbers(s: State, p: Params, e: int, a: int) -> None:
    """Give the remaining clusters free numbers, those nearest to the island first."""
    s.hidden_groups[e, a] = 0
    searching = True
    while searching:
        root, best = -1, 0.0
        for j in range(s.num_units[e, 1 - a]):
            if s.tier[e, a, j] == 0 or s.label[e, a, s.root[e, a, j]] >= 0:
                continue
            away = distance(s.spot[e, a, j, 0] - p.island_x, s.spot[e, a, j, 1] - p.island_y)
            if root < 0 or away < best:
                root, best = s.root[e, a, j], away
        number = free_number(s, p, e, a) if root >= 0 else -1
        searching = number >= 0
        if searching:
            s.label[e, a, root] = number
        elif root >= 0:
            count_hidden(s, e, a)


@rule
def free_number(s: State, p: Params, e: int, a: int) -> int:
    """Find the lowest number that was never used, or has rested long enough; -1 if none."""
    for g in range(p.groups):
        status = s.group_state[e, a, g]
        rested = status == state.TOMBSTONE and s.group_rest[e, a, g] >= p.ph.group_rest_s
        if (status == state.UNUSED or rested) and not is_number_taken(
            s.label, s.num_units[e, 1 - a], e, a, g
        ):
            return g
    return -1


@rule
def count_hidden(s: State, e: int, a: int) -> None:
    """Count the clusters that got no number."""
    for j in range(s.num_units[e, 1 - a]):
        if s.tier[e, a, j] > 0 and s.root[e, a, j] == j and s.label[e, a, j] < 0:
            s.hidden_groups[e, a] += 1


@rule
def update_groups(s: State, p: Params, e: int, a: int) -> None:
    """Write what a side knows of each group, and update the states of the numbers."""
    for g in range(p.groups):
        for column in range(GROUP_SIZE):
            s.group[e, a, g, column] = 0.0
    for j in range(s.num_units[e, 1 - a]):
        g = s.member[e, a, j]
        if g >= 0:
            if s.held[e, a, j]:
                s.group[e, a, g, state.GROUP_DETECTED] = 1.0
            s.group[e, a, g, state.GROUP_AIR + s.looks[e, a, j]] = 1.0
            s.group[e, a, g, state.GROUP_X] += s.spot[e, a, j, 0]
            s.group[e, a, g, state.GROUP_Y] += s.spot[e, a, j, 1]
            s.group[e, a, g, state.GROUP_VX] += s.drift[e, a, j, 0]
            s.group[e, a, g, state.GROUP_VY] += s.drift[e, a, j, 1]
            s.group[e, a, g, state.GROUP_COUNT] += 1.0
    for g in range(p.groups):
        if s.group[e, a, g, state.GROUP_COUNT] > 0.0:
            s.group_state[e, a, g] = (
                state.ACTIVE if s.group[e, a, g, state.GROUP_DETECTED] > 0.0 else state.GHOST
            )
            s.group_rest[e, a, g] = 0.0
            describe_group(s, p, e, a, g)
        elif s.group_state[e, a, g] >= state.GHOST:
            s.group_state[e, a, g] = state.TOMBSTONE
        elif s.group_state[e, a, g] == state.TOMBSTONE:
            s.group_rest[e, a, g] = min(s.group_rest[e, a, g] + p.step_s, LONGEST_REST_S)


@rule
def describe_group(s: State, p: Params, e: int, a: int, g: int) -> None:
    """Turn the sums over a group's tracks into features."""
    size = s.group[e, a, g, state.GROUP_COUNT]
    x, y = s.group[e, a, g, state.GROUP_X] / size, s.group[e, a, g, state.GROUP_Y] / size
    vx, vy = s.group[e, a, g, state.GROUP_VX] / size, s.group[e, a, g, state.GROUP_VY] / size
    s.group[e, a, g, state.GROUP_X] = clip((x + p.half) / p.size, 0.0, 1.0)
    s.group[e, a, g, state.GROUP_Y] = clip((y + p.half) / p.size, 0.0, 1.0)
    s.group[e, a, g, state.GROUP_VX] = clip((vx / tables.REFERENCE_KMS + 1.0) / 2.0, 0.0, 1.0)
    s.group[e, a, g, state.GROUP_VY] = clip((vy / tables.REFERENCE_KMS + 1.0) / 2.0, 0.0, 1.0)
    s.group[e, a, g, state.GROUP_SPEED] = clip(distance(vx, vy) / tables.REFERENCE_KMS, 0.0, 1.0)
    s.group[e, a, g, state.GROUP_HEADING] = compass(vx, vy)
    s.group[e, a, g, state.GROUP_COUNT] = size / p.n
    away = distance(x - p.island_x, y - p.island_y)
    s.group[e, a, g, state.GROUP_DISTANCE] = clip(away / p.diagonal, 0.0, 1.0)


@rule
def compass(dx: float, dy: float) -> float:
    """Return a direction as a share of a turn, clockwise from north."""
    turn = arctangent(dx, dy) / (4.0 * HALF_PI)
    return turn + 1.0 if turn < 0.0 else turn
