"""What happens by itself in a step: set events, and handlers of every step."""

import numpy as np

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.area import affect
from mesocosm.worlds.mettagrid.handler import follow, run
from mesocosm.worlds.mettagrid.inventory import wide
from mesocosm.worlds.mettagrid.lists import shuffle
from mesocosm.worlds.mettagrid.params import Plot
from mesocosm.worlds.mettagrid.presence import JOINED, PLACE
from mesocosm.worlds.mettagrid.register import COL, ROW, WORD, forget_tags, has_tag
from mesocosm.worlds.mettagrid.script import ON_TICK, OWN
from mesocosm.worlds.mettagrid.spawn import cell_at
from mesocosm.worlds.mettagrid.state import PLACES
from mesocosm.worlds.mettagrid.tally import FIRST, SIZE
from mesocosm.worlds.mettagrid.work import Work

TARGETS, FOUND, EFFECT, MOST, FALLBACK, EVENT = range(6)
MOVE = 3


@rule
def begin(w: Work, word: int) -> None:
    """Note where everyone is, and what random draws begin from."""
    w.reg[WORD] = word
    for a in range(w.agents):
        w.reg[PLACES + 2 * a] = w.row[a]
        w.reg[PLACES + 2 * a + 1] = w.col[a]


@rule
def finish(w: Work, plot: Plot, moved: np.ndarray) -> None:
    """Let happen what happens by itself, and say who is elsewhere now."""
    tick(w, plot)
    for a in range(w.agents):
        stays = w.reg[PLACES + 2 * a] == w.row[a]
        moved[a] = not (stays and w.reg[PLACES + 2 * a + 1] == w.col[a])


@rule
def tick(w: Work, plot: Plot) -> None:
    """Let events happen, then what agents do at every step, then what the game does."""
    for i in range(plot.num_times):
        if w.data[plot.times_at + 2 * i] == w.clock:
            happen(w, plot.events_at, plot.num_events, wide(w.data[plot.times_at + 2 * i + 1]))
    for a in range(w.agents):
        start = w.data[w.own_at + OWN * w.bag.kind_of[a] + ON_TICK]
        if start >= 0:
            follow(w, a, a, wide(start), 1.0)
    if w.num_areas > 0:
        affect(w, plot.sources)
    if plot.tick >= 0:
        follow(w, -1, -1, plot.tick, 1.0)


@rule
def happen(w: Work, events: int, number: int, which: int) -> None:
    """Let an event happen to its targets, or its fallback if it hits nobody."""
    for _ in range(number):
        at = events + EVENT * which
        if befall(w, wide(at)) > 0 or w.data[at + FALLBACK] < 0:
            return
        which = wide(w.data[at + FALLBACK])


@rule
def befall(w: Work, at: int) -> int:
    """Let an event happen to its targets; give how many it hit."""
    found = w.data[at + FOUND]
    most = w.data[at + MOST]
    follow(w, -1, -1, wide(w.data[at + TARGETS]), 1.0)
    size = w.pile[found, SIZE]
    if most >= 0 and size > most:
        shuffle(w, found, size)
    hits = 0
    for i in range(size):
        if most >= 0 and hits >= most:
            break
        k = wide(w.pile[found, FIRST + i])
        if run(w, k, k, wide(w.data[at + EFFECT]), 1.0):
            hits += 1
    return hits


@rule
def move_by_handlers(w: Work, plot: Plot, a: int, dr: int, dc: int) -> bool:
    """Try the handlers of moves, each with the first target along the way."""
    for i in range(plot.num_moves):
        at = plot.moves_at + MOVE * i
        for far in range(1, w.data[at + 1] + 1):
            r = w.row[a] + far * dr
            c = w.col[a] + far * dc
            if r < 0 or c < 0 or r >= w.height or c >= w.width:
                break
            k = wide(w.cell[cell_at(w, r, c)]) - 1
            if k < 0 and w.data[at + 2] == 0:
                continue
            w.reg[ROW] = r
            w.reg[COL] = c
            if follow(w, wide(a), k, wide(w.data[at]), 1.0):
                return True
            break
    return False


@rule
def settle(w: Work, plot: Plot, ground: np.ndarray) -> None:
    """Begin the lists of who has which tag, and work out the tags that queries give."""
    for k in range(w.post.shape[0]):
        w.post[k, PLACE] = 0
        w.post[k, JOINED] = 0
    for k in range(w.things):
        w.veiled[k] = False
        forget_tags(w, k)
        if w.num_areas > 0:
            w.post[k, PLACE] = w.row[k] * w.width + w.col[k]
            w.post[k, JOINED] = w.post[k, PLACE] + 1 if w.row[k] >= 0 else 0
        for tag in range(w.num_tags):
            place = w.data[tag]
            if place >= 0:
                has = w.row[k] >= 0 and has_tag(w, k, tag)
                w.since[k, place] = w.row[k] * w.width + w.col[k] + 1 if has else 0
    if plot.num_made == 0:
        return
    for i in range(ground.shape[0]):
        w.cell[i] = ground[i] + w.things if ground[i] > 0 else 0
    for k in range(w.things):
        if w.row[k] >= 0 and w.col[k] >= 0:
            w.cell[cell_at(w, w.row[k], w.col[k])] = k + 1
    for i in range(plot.num_made):
        follow(w, -1, -1, wide(w.data[plot.made_at + i]), 1.0)
