"""What happens by itself in a step: set events, and handlers of every step."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.handler import follow, run
from mesocosm.worlds.mettagrid.lists import shuffle
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.place import cell_of
from mesocosm.worlds.mettagrid.register import COL, ROW
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.tally import SIZE

AFTER_USE, ON_TICK = 0, 1
TARGETS, FOUND, EFFECT, MOST, FALLBACK = range(5)


@rule(inline=False)
def tick(s: State, p: Params, e: int) -> None:
    """Let events happen, then what agents do at every step, then what the game does."""
    for i in range(p.code.times.shape[0]):
        if p.code.times[i, 0] == s.clock[e]:
            happen(s, p, e, p.code.times[i, 1])
    for a in range(p.agents):
        start = p.code.own[p.tables.kind_of[a], ON_TICK]
        if start >= 0:
            follow(s, p, e, a, a, start, 1.0)
    if p.tick_program >= 0:
        follow(s, p, e, -1, -1, p.tick_program, 1.0)


@rule
def happen(s: State, p: Params, e: int, which: int) -> None:
    """Let an event happen to its targets, or its fallback if it hits nobody."""
    for _ in range(p.code.events.shape[0]):
        if befall(s, p, e, which) > 0 or p.code.events[which, FALLBACK] < 0:
            return
        which = p.code.events[which, FALLBACK]


@rule(inline=False)
def befall(s: State, p: Params, e: int, which: int) -> int:
    """Let an event happen to its targets; give how many it hit."""
    found = p.code.events[which, FOUND]
    most = p.code.events[which, MOST]
    follow(s, p, e, -1, -1, p.code.events[which, TARGETS], 1.0)
    size = s.tally[e, found, SIZE]
    if most >= 0 and size > most:
        shuffle(s, p, e, found, size)
    hits = 0
    for i in range(size):
        if most >= 0 and hits >= most:
            break
        k = s.pile[e, found, i]
        if run(s, p, e, k, k, p.code.events[which, EFFECT], 1.0):
            hits += 1
    return hits


@rule(inline=False)
def move_by_handlers(s: State, p: Params, e: int, a: int, choice: int) -> bool:
    """Try the handlers of moves, each with the first target along the way."""
    for i in range(p.code.moves.shape[0]):
        for far in range(1, p.code.moves[i, 1] + 1):
            r = s.row[e, a] + far * p.tables.action[choice, 1]
            c = s.col[e, a] + far * p.tables.action[choice, 2]
            if r < 0 or c < 0 or r >= p.height or c >= p.width:
                break
            k = s.cell[e, cell_of(p, r, c)] - 1
            if k < 0 and p.code.moves[i, 2] == 0:
                continue
            s.reg[e, ROW] = r
            s.reg[e, COL] = c
            if follow(s, p, e, a, k, p.code.moves[i, 0], 1.0):
                return True
            break
    return False


@rule(inline=False)
def settle(s: State, p: Params, e: int, layout: int) -> None:
    """Begin the lists of who has which tag, and work out the tags that queries give."""
    s.serial[e] = p.things
    for k in range(p.things):
        s.spawned[e, k] = False
        for tag in range(p.code.kept.shape[0]):
            place = p.code.kept[tag]
            if place >= 0:
                has = (s.tag[e, k, tag // 62] >> (tag % 62)) & 1 == 1
                s.since[e, k, place] = p.code.rank[layout, k] if has else 0
    if p.code.made.shape[0] == 0:
        return
    for i in range(s.cell.shape[1]):
        s.cell[e, i] = s.ground[e, i] + p.things if s.ground[e, i] > 0 else 0
    for k in range(p.things):
        if s.row[e, k] >= 0 and s.col[e, k] >= 0:
            s.cell[e, cell_of(p, s.row[e, k], s.col[e, k])] = k + 1
    for i in range(p.code.made.shape[0]):
        follow(s, p, e, -1, -1, p.code.made[i], 1.0)
