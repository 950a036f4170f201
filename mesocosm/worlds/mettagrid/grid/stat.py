"""Statistics of what agents do; only those that a game names are kept."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
from mesocosm.worlds.mettagrid.arithmetic.rounding import add_rounded
from mesocosm.worlds.mettagrid.compile.stat_codes import (
    ACTION_FAILED,
    FLOW_DEPOSITED,
    MAX_FROM_SPAWN,
    MAX_STILL,
    TRACK_CELLS,
    TRACK_COL,
    TRACK_DISTANCE,
    TRACK_IDLE,
    TRACK_ROW,
    UNIQUE_CELLS,
)
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State


@rule
def reset_stats(s: State, p: Params, e: int, layout: int) -> None:
    """Set all statistics to their first values."""
    first = min(layout, p.stats.first_game.shape[0] - 1)
    for k in range(s.game_stat.shape[1]):
        s.game_stat[e, k] = p.stats.first_game[first, k]
    for k in range(s.seen_at.shape[1]):
        s.seen_at[e, k] = 0
    for a in range(p.agents):
        for k in range(s.stat.shape[2]):
            s.stat[e, a, k] = p.stats.first[p.tables.kind_of[a], k]
        for k in range(s.glimpse.shape[2]):
            s.glimpse[e, a, k] = 0.0
        for k in range(s.visited.shape[2]):
            s.visited[e, a, k] = 0
        if p.has_stats:
            s.track[e, a, TRACK_IDLE] = 0
            s.track[e, a, TRACK_ROW] = s.row[e, a]
            s.track[e, a, TRACK_COL] = s.col[e, a]
            s.track[e, a, TRACK_DISTANCE] = 0
            s.track[e, a, TRACK_CELLS] = 0
        else:
            s.track[e, a, 0] = 0
        if p.tracks_cells:
            visit_cell(s, p, e, a)


@rule
def count_stat(s: State, p: Params, e: int, a: int, code: int, by: float) -> None:
    """Add to a statistic of an agent."""
    add_to_stat(s.stat[e, a], p.stats.agent[code], by)


@rule
def add_to_stat(stat: np.ndarray, column: int, by: float) -> None:
    """Add to a statistic, if it is kept."""
    if column >= 0:
        stat[column] = add_rounded(stat[column], by)


@rule
def count_action(s: State, p: Params, e: int, a: int, code: int, done: bool) -> None:
    """Count an action, and how many actions an agent has not moved for."""
    count_stat(s, p, e, a, code if done else code + 1, 1.0)
    if not done:
        count_stat(s, p, e, a, ACTION_FAILED, 1.0)
    r = s.row[e, a]
    c = s.col[e, a]
    if r == s.track[e, a, TRACK_ROW] and c == s.track[e, a, TRACK_COL]:
        s.track[e, a, TRACK_IDLE] += 1
        column = p.stats.agent[MAX_STILL]
        if column >= 0 and s.track[e, a, TRACK_IDLE] > s.stat[e, a, column]:
            s.stat[e, a, column] = s.track[e, a, TRACK_IDLE] * 1.0
    else:
        s.track[e, a, TRACK_IDLE] = 0
    s.track[e, a, TRACK_ROW] = r
    s.track[e, a, TRACK_COL] = c


@rule
def visit_cell(s: State, p: Params, e: int, a: int) -> None:
    """Mark an agent's cell as visited."""
    r = s.row[e, a]
    c = s.col[e, a]
    if r < 0 or c < 0:
        return
    place = r * p.width + c
    bit = 1 << (place % WORD_BITS)
    if s.visited[e, a, place // WORD_BITS] & bit == 0:
        s.visited[e, a, place // WORD_BITS] = s.visited[e, a, place // WORD_BITS] | bit
        s.track[e, a, TRACK_CELLS] += 1
    away = abs(r - s.spawn[e, a, 0]) + abs(c - s.spawn[e, a, 1])
    s.track[e, a, TRACK_DISTANCE] = max(s.track[e, a, TRACK_DISTANCE], away)


@rule
def track_cells(s: State, p: Params, e: int) -> None:
    """Count the cells that agents visited, and their greatest distance from spawn."""
    for a in range(p.agents):
        visit_cell(s, p, e, a)
        if p.stats.agent[UNIQUE_CELLS] >= 0:
            s.stat[e, a, p.stats.agent[UNIQUE_CELLS]] = s.track[e, a, TRACK_CELLS] * 1.0
        if p.stats.agent[MAX_FROM_SPAWN] >= 0:
            s.stat[e, a, p.stats.agent[MAX_FROM_SPAWN]] = s.track[e, a, TRACK_DISTANCE] * 1.0


@rule
def count_gift(s: State, p: Params, e: int, giver: int, r: int, amount: int) -> None:
    """Count what an agent gave."""
    if p.inventory.counts and giver < p.agents and amount > 0:
        add_to_stat(s.stat[e, giver], p.inventory.flow[r, FLOW_DEPOSITED], amount * 1.0)
