"""Counting: what agents do, how far they get, what they give; only what a game names is kept."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.arithmetic.rounding import grown
from mesocosm.worlds.mettagrid.compile.stat_codes import (
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
from mesocosm.worlds.mettagrid.params import Params
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
def tally(s: State, p: Params, e: int, a: int, code: int, by: float) -> None:
    """Add to what is counted of an agent."""
    note(s.stat[e, a], p.stats.mine[code], by)


@rule
def note(stat: np.ndarray, column: int, by: float) -> None:
    """Add to a statistic, if it is kept."""
    if column >= 0:
        stat[column] = grown(stat[column], by)


@rule
def note_action(s: State, p: Params, e: int, a: int, code: int, done: bool) -> None:
    """Count an action, and for how many actions an agent has stayed where it is."""
    tally(s, p, e, a, code if done else code + 1, 1.0)
    if not done:
        tally(s, p, e, a, FAILED, 1.0)
    r = s.row[e, a]
    c = s.col[e, a]
    if r == s.track[e, a, LAST_ROW] and c == s.track[e, a, LAST_COL]:
        s.track[e, a, IDLE] += 1
        column = p.stats.mine[STILL]
        if column >= 0 and s.track[e, a, IDLE] > s.stat[e, a, column]:
            s.stat[e, a, column] = s.track[e, a, IDLE] * 1.0
    else:
        s.track[e, a, IDLE] = 0
    s.track[e, a, LAST_ROW] = r
    s.track[e, a, LAST_COL] = c


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
def note_gift(s: State, p: Params, e: int, giver: int, r: int, amount: int) -> None:
    """Count what an agent handed over."""
    if p.bag.counts and giver < p.agents and amount > 0:
        note(s.stat[e, giver], p.bag.flow[r, DEPOSITED], amount * 1.0)
