"""Queries as rows of a program: each fills a list of things."""

from mesocosm.worlds.mettagrid.compile import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode import BytecodeWriter
from mesocosm.worlds.mettagrid.compile.geometry import DIRECTION_STEPS
from mesocosm.worlds.mettagrid.game.handler import Change, Condition
from mesocosm.worlds.mettagrid.game.query import Query


def write_query(made: BytecodeWriter, query: Query) -> int:
    """Write what fills a list with the things of a query; give the list."""
    if query.kind == "tag" or query.source is None:
        found = made.new_list()
        made.put(opcodes.LIST_TAGGED, 0, found, made.tag(query.tag))
    elif query.kind == "closure":
        found = _closure(made, query)
    elif query.kind == "raycast":
        source, found = made.query(query.source), made.new_list()
        ray = [query.reach, int(query.include_blocker), -1, *_ways(query.directions)]
        write_rays(made, ray, source, found, query.blockers)
    else:
        found = made.query(query.source)
    if query.kind != "raycast":
        _filter(made, found, query.filters)
    shuffled = query.shuffled and query.kind != "raycast"
    if shuffled or query.most >= 0:
        made.put(opcodes.LIMIT_LIST, int(shuffled), found, query.most)
    return found


def _ways(directions: tuple[str, ...]) -> list[int]:
    named = directions or ("north", "south", "east", "west")
    return [len(named), *(x for name in named for x in DIRECTION_STEPS[name])]


def _filter(made: BytecodeWriter, found: int, filters: tuple[Condition, ...]) -> None:
    """Keep the things of a list for which all conditions hold."""
    if not filters:
        return
    again, end = made.label(), made.label()
    made.put(opcodes.BEGIN_FILTER, 0, found, 0)
    made.here(again)
    made.put(opcodes.NEXT_LISTED, 0, found, 0, no=end)
    for entry in filters:
        ok = made.label()
        made.test(entry, ok, again)
        made.here(ok)
    made.put(opcodes.KEEP_LISTED, 0, found, 0, ok=again)
    made.here(end)


def _closure(made: BytecodeWriter, query: Query) -> int:
    """Take in candidates that an edge joins to what was taken in before, until none is left."""
    source, pool = made.query(query.source or Query()), made.query(query.candidates or Query())
    found, again, end = made.new_list(), made.label(), made.label()
    made.put(opcodes.BEGIN_CLOSURE, pool, found, source)
    made.here(again)
    made.put(opcodes.NEXT_EDGE, pool, found, source, no=end)
    for entry in query.edges:
        ok = made.label()
        made.test(entry, ok, again)
        made.here(ok)
    made.put(opcodes.JOIN_CLOSURE, 0, found, 0, ok=again)
    made.here(end)
    return found


def write_rays(
    made: BytecodeWriter, ray: list[int], source: int, found: int, blockers: tuple[Condition, ...]
) -> None:
    """Walk along rays from the things of a list, or from the target, until something blocks."""
    which = made.store(ray)
    again, end, stop, on = (made.label() for _ in range(4))
    made.put(opcodes.BEGIN_RAYS, source, found, which, no=end)
    made.here(again)
    made.put(opcodes.NEXT_RAY_HIT, source, found, which, no=end)
    made.any_part(blockers, stop, on)
    made.here(on)
    made.put(opcodes.KEEP_RAY_HIT, 0, found, which, ok=again)
    made.here(stop)
    made.put(opcodes.BLOCK_RAY, 0, found, which, ok=again)
    made.here(end)


def write_spray(made: BytecodeWriter, entry: Change, no: int) -> None:
    """Let objects appear on the free cells of rays from the target."""
    ray = [entry.reach, 0, made.kind(entry.object), *_ways(entry.directions)]
    made.put(opcodes.TARGET_USABLE, 0, 0, 0, no=no or len(made.rows) + 1)
    write_rays(made, ray, -1, made.new_list(), entry.blockers)
