"""What happens by itself in a step: events, handlers of every step, areas, queries of rewards."""

from mesocosm.sim.rule import rule
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    EVENT_EFFECT,
    EVENT_FALLBACK,
    EVENT_LIST,
    EVENT_MAX_TARGETS,
    EVENT_SIZE,
    EVENT_TARGETS,
    LIST_ITEMS,
    LIST_SIZE,
    MOVE_BYTECODE,
    MOVE_REACH,
    MOVE_SIZE,
    MOVE_TARGETS_EMPTY,
    ON_TICK,
    REG_COL,
    REG_RANDOM_WORD,
    REG_ROW,
    START_CELLS,
    TIME_EVENT,
    TIME_SIZE,
    TIME_STEP,
)
from mesocosm.worlds.mettagrid.compile.bytecode.value_opcodes import (
    QUERY_BYTECODE,
    QUERY_GLIMPSE,
    QUERY_RESOURCE,
    QUERY_VALUE,
)
from mesocosm.worlds.mettagrid.compile.bytecode.value_opcodes import QUERY_LIST as LISTED
from mesocosm.worlds.mettagrid.compile.columns import ACTION_COL, ACTION_ROW, PAID_VALUE
from mesocosm.worlds.mettagrid.grid.inventory import wide
from mesocosm.worlds.mettagrid.grid.place import cell_of, is_on_map
from mesocosm.worlds.mettagrid.grid.value import sum_listed
from mesocosm.worlds.mettagrid.params import Params
from mesocosm.worlds.mettagrid.state import State
from mesocosm.worlds.mettagrid.vm.area import apply_areas
from mesocosm.worlds.mettagrid.vm.handler import execute, run_handler
from mesocosm.worlds.mettagrid.vm.land import apply_lands
from mesocosm.worlds.mettagrid.vm.lists import shuffle_list
from mesocosm.worlds.mettagrid.vm.register import kind_handler
from mesocosm.worlds.mettagrid.vm.scratch import end_scratch


@rule
def begin_script(s: State, p: Params, e: int, word: int) -> None:
    """Note where all agents are, and the seed of random draws."""
    s.reg[e, REG_RANDOM_WORD] = word
    for a in range(p.agents):
        s.reg[e, START_CELLS + 2 * a] = s.row[e, a]
        s.reg[e, START_CELLS + 2 * a + 1] = s.col[e, a]


@rule
def end_script(s: State, p: Params, e: int) -> None:
    """Run events, ticks and areas, and note which agents moved."""
    tick(s, p, e)
    for a in range(p.agents):
        stays = s.reg[e, START_CELLS + 2 * a] == s.row[e, a]
        s.moved[e, a] = not (stays and s.reg[e, START_CELLS + 2 * a + 1] == s.col[e, a])


@rule
def tick(s: State, p: Params, e: int) -> None:
    """Run the events of this step, the agents' ticks, the areas, and the game's tick."""
    schedule = p.code.schedule
    at = schedule.times_at + TIME_SIZE * first_time(p, s.clock[e])
    end = schedule.times_at + TIME_SIZE * schedule.num_times
    while at < end and p.code.data[at + TIME_STEP] == s.clock[e]:
        run_event(s, p, e, p.code.data[at + TIME_EVENT])
        at += TIME_SIZE
    for a in range(p.agents):
        start = kind_handler(p, a, ON_TICK)
        if start >= 0:
            execute(s, p, e, a, a, start, 1.0)
    if schedule.num_areas > 0:
        apply_areas(s, p, e)
    elif schedule.num_lands > 0:
        for a in range(p.agents):
            apply_lands(s, p, e, a)
    if schedule.tick >= 0:
        execute(s, p, e, -1, s.game_target[e] - 1, schedule.tick, 1.0)


@rule
def first_time(p: Params, step: int) -> int:
    """Return the number of the first time of an event that is not before a step."""
    low = 0
    high = p.code.schedule.num_times
    while low < high:
        middle = (low + high) // 2
        if p.code.data[p.code.schedule.times_at + TIME_SIZE * middle + TIME_STEP] < step:
            low = middle + 1
        else:
            high = middle
    return low


@rule
def run_event(s: State, p: Params, e: int, which: int) -> None:
    """Run an event, or its fallback if it hits no target."""
    for _ in range(p.code.schedule.num_events):
        at = p.code.schedule.events_at + EVENT_SIZE * which
        if apply_event(s, p, e, wide(at)) > 0 or p.code.data[at + EVENT_FALLBACK] < 0:
            return
        which = wide(p.code.data[at + EVENT_FALLBACK])


@rule
def apply_event(s: State, p: Params, e: int, at: int) -> int:
    """Apply an event to its targets; return how many it hit."""
    found = p.code.data[at + EVENT_LIST]
    most = p.code.data[at + EVENT_MAX_TARGETS]
    execute(s, p, e, -1, -1, wide(p.code.data[at + EVENT_TARGETS]), 1.0)
    size = s.pile[e, found, LIST_SIZE]
    if most >= 0 and size > most:
        shuffle_list(s, p, e, found, size)
    hits = 0
    for i in range(size):
        if most >= 0 and hits >= most:
            break
        k = wide(s.pile[e, found, LIST_ITEMS + i])
        if run_handler(s, p, e, k, k, wide(p.code.data[at + EVENT_EFFECT]), 1.0):
            hits += 1
    return hits


@rule
def move_by_handlers(s: State, p: Params, e: int, a: int, choice: int) -> bool:
    """Try the handlers of moves, each with the first target along the way."""
    schedule = p.code.schedule
    dr = p.tables.action[choice, ACTION_ROW]
    dc = p.tables.action[choice, ACTION_COL]
    for i in range(schedule.num_moves):
        at = schedule.moves_at + MOVE_SIZE * i
        for far in range(1, p.code.data[at + MOVE_REACH] + 1):
            r = s.row[e, a] + far * dr
            c = s.col[e, a] + far * dc
            if not is_on_map(p, r, c):
                break
            k = wide(s.cell[e, cell_of(p, r, c)]) - 1
            if k < 0 and p.code.data[at + MOVE_TARGETS_EMPTY] == 0:
                continue
            s.reg[e, REG_ROW] = r
            s.reg[e, REG_COL] = c
            if execute(s, p, e, wide(a), k, wide(p.code.data[at + MOVE_BYTECODE]), 1.0):
                return True
            break
    return False


@rule
def materialize(s: State, p: Params, e: int, word: int) -> None:
    """Give things their tags by queries, before the first step."""
    schedule = p.code.schedule
    if schedule.num_materialized == 0:
        return
    s.reg[e, REG_RANDOM_WORD] = word
    for i in range(s.cell.shape[1]):
        s.cell[e, i] = -1
    for r in range(p.height):
        for c in range(p.width):
            ground = s.ground[e, cell_of(p, r, c)]
            s.cell[e, cell_of(p, r, c)] = ground + p.things if ground > 0 else 0
    for k in range(p.things):
        if s.row[e, k] >= 0 and s.col[e, k] >= 0:
            s.cell[e, cell_of(p, s.row[e, k], s.col[e, k])] = k + 1
    for i in range(schedule.num_materialized):
        execute(s, p, e, -1, -1, wide(p.code.data[schedule.materialized_at + i]), 1.0)
    end_scratch(s, e)


@rule
def run_queries(s: State, p: Params, e: int, a: int, which: int) -> None:
    """Run the queries of a reward (`which`), or with -1 note what all told queries find.

    Told queries that are the same one after the other are run once.
    """
    last = -1
    for i in range(p.values.asks.shape[0]):
        row = p.values.asks[i]
        told = row[QUERY_GLIMPSE] >= 0
        if (which < 0 and told) or (row[QUERY_VALUE] == which and not told):
            if row[QUERY_BYTECODE] != last:
                execute(s, p, e, wide(a), wide(a), wide(row[QUERY_BYTECODE]), 1.0)
            last = wide(row[QUERY_BYTECODE])
            if told:
                s.glimpse[e, a, row[QUERY_GLIMPSE]] = sum_listed(
                    s, e, row[LISTED], row[QUERY_RESOURCE]
                )


@rule
def run_reward_queries(s: State, p: Params, e: int, a: int) -> None:
    """Run the queries of an agent's rewards."""
    kind = p.tables.kind_of[a]
    for i in range(p.tables.paid.shape[1]):
        which = p.tables.paid[kind, i, PAID_VALUE]
        if which < 0:
            break
        run_queries(s, p, e, wide(a), wide(which))
