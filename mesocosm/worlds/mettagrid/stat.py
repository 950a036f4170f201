"""Counting: what agents do, how far they get, what they give; only what a game names is kept."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.params import Bag, Params
from mesocosm.worlds.mettagrid.rounding import grown
from mesocosm.worlds.mettagrid.stat_code import (
    CELLS,
    DEPOSITED,
    FAILED,
    FAR,
    FARTHEST,
    IDLE,
    LAST_COL,
    LAST_ROW,
    STILL,
    UNIQUE,
)
from mesocosm.worlds.mettagrid.state import State

BITS = 62


@rule
def reset_stats(s: State, p: Params, e: int, layout: int) -> None:
    """Let all statistics begin."""
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
            s.track[e, a, IDLE] = 0
            s.track[e, a, LAST_ROW] = s.row[e, a]
            s.track[e, a, LAST_COL] = s.col[e, a]
            s.track[e, a, FAR] = 0
            s.track[e, a, CELLS] = 0
        else:
            s.track[e, a, 0] = 0
        if p.tracks_cells:
            visit(s, p, e, a)


@rule
def tally(stat: np.ndarray, mine: np.ndarray, code: int, by: float) -> None:
    """Add to what is counted of an agent."""
    if mine[code] >= 0:
        stat[mine[code]] = grown(stat[mine[code]], by)


@rule
def note(stat: np.ndarray, column: int, by: float) -> None:
    """Add to a statistic, if it is kept."""
    if column >= 0:
        stat[column] = grown(stat[column], by)


@rule
def note_action(s: State, p: Params, e: int, a: int, code: int, done: bool) -> None:
    """Count an action that was tried."""
    r = s.row[e, a]
    c = s.col[e, a]
    count_action(s.stat[e, a], s.track[e, a], p.stats.mine, r, c, code if done else code + 1, done)


@rule
def count_action(
    stat: np.ndarray, track: np.ndarray, mine: np.ndarray, r: int, c: int, code: int, done: bool
) -> None:
    """Count an action, and for how many actions an agent has stayed where it is."""
    tally(stat, mine, code, 1.0)
    if not done:
        tally(stat, mine, FAILED, 1.0)
    if r == track[LAST_ROW] and c == track[LAST_COL]:
        track[IDLE] += 1
        if mine[STILL] >= 0 and track[IDLE] > stat[mine[STILL]]:
            stat[mine[STILL]] = track[IDLE] * 1.0
    else:
        track[IDLE] = 0
    track[LAST_ROW] = r
    track[LAST_COL] = c


@rule
def visit(s: State, p: Params, e: int, a: int) -> None:
    """Remember the cell that an agent stands on."""
    r = s.row[e, a]
    c = s.col[e, a]
    if r < 0 or c < 0:
        return
    place = r * p.width + c
    bit = 1 << (place % BITS)
    if s.visited[e, a, place // BITS] & bit == 0:
        s.visited[e, a, place // BITS] = s.visited[e, a, place // BITS] | bit
        s.track[e, a, CELLS] += 1
    away = abs(r - s.spawn[e, a, 0]) + abs(c - s.spawn[e, a, 1])
    s.track[e, a, FAR] = max(s.track[e, a, FAR], away)


@rule
def track_cells(s: State, p: Params, e: int) -> None:
    """Count the cells that agents have stood on, and how far from their spawn they got."""
    for a in range(p.agents):
        visit(s, p, e, a)
        if p.stats.mine[UNIQUE] >= 0:
            s.stat[e, a, p.stats.mine[UNIQUE]] = s.track[e, a, CELLS] * 1.0
        if p.stats.mine[FARTHEST] >= 0:
            s.stat[e, a, p.stats.mine[FARTHEST]] = s.track[e, a, FAR] * 1.0


@rule
def note_gift(stat: np.ndarray, bag: Bag, giver: int, r: int, amount: int) -> None:
    """Count what an agent handed over."""
    if bag.counts and giver < stat.shape[0] and amount > 0:
        column = bag.flow[r, DEPOSITED]
        if column >= 0:
            stat[giver, column] = grown(stat[giver, column], amount * 1.0)
