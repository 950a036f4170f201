"""What happens by itself in a step: set events, and handlers of every step."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.script import ON_TICK, OWN
from mesocosm.worlds.mettagrid.compile.values import COLUMN, PROGRAM, RESOURCE, WHOSE
from mesocosm.worlds.mettagrid.compile.values import FOUND as LISTED
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.place import cell_of
from mesocosm.worlds.mettagrid.grid.value import listed
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import PLACES, State
from mesocosm.worlds.mettagrid.vm.area import affect
from mesocosm.worlds.mettagrid.vm.handler import follow, run
from mesocosm.worlds.mettagrid.vm.lists import shuffle
from mesocosm.worlds.mettagrid.vm.register import COL, ROW, WORD
from mesocosm.worlds.mettagrid.vm.tally import FIRST, SIZE, tidy

TARGETS, FOUND, EFFECT, MOST, FALLBACK, EVENT = range(6)
MOVE = 3


@rule
def begin(s: State, p: Params, e: int, word: int) -> None:
    """Note where everyone is, and what random draws begin from."""
    s.reg[e, WORD] = word
    for a in range(p.agents):
        s.reg[e, PLACES + 2 * a] = s.row[e, a]
        s.reg[e, PLACES + 2 * a + 1] = s.col[e, a]


@rule
def finish(s: State, p: Params, e: int) -> None:
    """Let happen what happens by itself, and say who is elsewhere now."""
    tick(s, p, e)
    for a in range(p.agents):
        stays = s.reg[e, PLACES + 2 * a] == s.row[e, a]
        s.moved[e, a] = not (stays and s.reg[e, PLACES + 2 * a + 1] == s.col[e, a])


@rule
def tick(s: State, p: Params, e: int) -> None:
    """Let events happen, then what agents do at every step, then what the game does."""
    plot = p.code.plot
    for i in range(plot.num_times):
        at = plot.times_at + 2 * i
        if p.code.data[at] == s.clock[e]:
            happen(s, p, e, p.code.data[at + 1])
    for a in range(p.agents):
        start = p.code.data[p.code.own_at + OWN * p.tables.kind_of[a] + ON_TICK]
        if start >= 0:
            follow(s, p, e, a, a, wide(start), 1.0)
    if plot.num_areas > 0:
        affect(s, p, e)
    if plot.tick >= 0:
        follow(s, p, e, -1, -1, plot.tick, 1.0)


@rule
def happen(s: State, p: Params, e: int, which: int) -> None:
    """Let an event happen to its targets, or its fallback if it hits nobody."""
    for _ in range(p.code.plot.num_events):
        at = p.code.plot.events_at + EVENT * which
        if befall(s, p, e, wide(at)) > 0 or p.code.data[at + FALLBACK] < 0:
            return
        which = wide(p.code.data[at + FALLBACK])


@rule
def befall(s: State, p: Params, e: int, at: int) -> int:
    """Let an event happen to its targets; give how many it hit."""
    found = p.code.data[at + FOUND]
    most = p.code.data[at + MOST]
    follow(s, p, e, -1, -1, wide(p.code.data[at + TARGETS]), 1.0)
    size = s.pile[e, found, SIZE]
    if most >= 0 and size > most:
        shuffle(s, p, e, found, size)
    hits = 0
    for i in range(size):
        if most >= 0 and hits >= most:
            break
        k = wide(s.pile[e, found, FIRST + i])
        if run(s, p, e, k, k, wide(p.code.data[at + EFFECT]), 1.0):
            hits += 1
    return hits


@rule
def move_by_handlers(s: State, p: Params, e: int, a: int, choice: int) -> bool:
    """Try the handlers of moves, each with the first target along the way."""
    plot = p.code.plot
    dr = p.tables.action[choice, 1]
    dc = p.tables.action[choice, 2]
    for i in range(plot.num_moves):
        at = plot.moves_at + MOVE * i
        for far in range(1, p.code.data[at + 1] + 1):
            r = s.row[e, a] + far * dr
            c = s.col[e, a] + far * dc
            if r < 0 or c < 0 or r >= p.height or c >= p.width:
                break
            k = wide(s.cell[e, cell_of(p, r, c)]) - 1
            if k < 0 and p.code.data[at + 2] == 0:
                continue
            s.reg[e, ROW] = r
            s.reg[e, COL] = c
            if follow(s, p, e, wide(a), k, wide(p.code.data[at]), 1.0):
                return True
            break
    return False


@rule
def materialize(s: State, p: Params, e: int, word: int) -> None:
    """Work out the tags that queries give at first."""
    plot = p.code.plot
    if plot.num_made == 0:
        return
    s.reg[e, WORD] = word
    for i in range(s.ground.shape[1]):
        s.cell[e, i] = s.ground[e, i] + p.things if s.ground[e, i] > 0 else 0
    for k in range(p.things):
        if s.row[e, k] >= 0 and s.col[e, k] >= 0:
            s.cell[e, cell_of(p, s.row[e, k], s.col[e, k])] = k + 1
    for i in range(plot.num_made):
        follow(s, p, e, -1, -1, wide(p.code.data[plot.made_at + i]), 1.0)
    tidy(s, e)


@rule
def ask(s: State, p: Params, e: int, a: int, which: int) -> None:
    """Let the queries of a reward list what they find; or note what all told queries find."""
    for i in range(p.values.asks.shape[0]):
        row = p.values.asks[i]
        told = row[COLUMN] >= 0
        if (which < 0 and told) or (row[WHOSE] == which and not told):
            follow(s, p, e, wide(a), wide(a), wide(row[PROGRAM]), 1.0)
            if told:
                s.glimpse[e, a, row[COLUMN]] = listed(s, e, row[LISTED], row[RESOURCE])


@rule
def ask_paid(s: State, p: Params, e: int, a: int) -> None:
    """Let the queries of an agent's rewards list what they find."""
    kind = p.tables.kind_of[a]
    for i in range(p.tables.paid.shape[1]):
        which = p.tables.paid[kind, i, 0]
        if which < 0:
            break
        ask(s, p, e, wide(a), wide(which))
