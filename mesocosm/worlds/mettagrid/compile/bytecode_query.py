"""Write queries as bytecode: each fills a list of things."""

from mesocosm.worlds.mettagrid.compile import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode import BytecodeWriter
from mesocosm.worlds.mettagrid.compile.geometry import DIRECTION_STEPS
from mesocosm.worlds.mettagrid.game.handler import Change, Condition
from mesocosm.worlds.mettagrid.game.query import Query


def write_query(writer: BytecodeWriter, query: Query) -> int:
    """Write what fills a list with the things of a query; give the list."""
    if query.kind == "tag" or query.source is None:
        found = writer.new_list()
        writer.emit(opcodes.LIST_TAGGED, 0, found, writer.tag(query.tag))
    elif query.kind == "closure":
        found = _closure(writer, query)
    elif query.kind == "raycast":
        source, found = writer.query(query.source), writer.new_list()
        ray = [query.reach, int(query.include_blocker), -1, *_ray_directions(query.directions)]
        write_rays(writer, ray, source, found, query.blockers)
    else:
        found = writer.query(query.source)
    if query.kind != "raycast":
        _filter(writer, found, query.filters)
    shuffled = query.shuffled and query.kind != "raycast"
    if shuffled or query.most >= 0:
        writer.emit(opcodes.LIMIT_LIST, int(shuffled), found, query.most)
    return found


def _ray_directions(directions: tuple[str, ...]) -> list[int]:
    named = directions or ("north", "south", "east", "west")
    return [len(named), *(x for name in named for x in DIRECTION_STEPS[name])]


def _filter(writer: BytecodeWriter, found: int, filters: tuple[Condition, ...]) -> None:
    """Write a filter: keep the things of a list for which all conditions hold."""
    if not filters:
        return
    again, end = writer.new_label(), writer.new_label()
    writer.emit(opcodes.BEGIN_FILTER, 0, found, 0)
    writer.place(again)
    writer.emit(opcodes.NEXT_LISTED, 0, found, 0, no=end)
    for entry in filters:
        ok = writer.new_label()
        writer.test(entry, ok, again)
        writer.place(ok)
    writer.emit(opcodes.KEEP_LISTED, 0, found, 0, ok=again)
    writer.place(end)


def _closure(writer: BytecodeWriter, query: Query) -> int:
    """Write a closure: add candidates that an edge joins to a member, until none is left."""
    source, pool = writer.query(query.source or Query()), writer.query(query.candidates or Query())
    found, again, end = writer.new_list(), writer.new_label(), writer.new_label()
    writer.emit(opcodes.BEGIN_CLOSURE, pool, found, source)
    writer.place(again)
    writer.emit(opcodes.NEXT_EDGE, pool, found, source, no=end)
    for entry in query.edges:
        ok = writer.new_label()
        writer.test(entry, ok, again)
        writer.place(ok)
    writer.emit(opcodes.JOIN_CLOSURE, 0, found, 0, ok=again)
    writer.place(end)
    return found


def write_rays(
    writer: BytecodeWriter, ray: list[int], source: int, found: int, blockers: tuple[Condition, ...]
) -> None:
    """Write rays from the things of a list, or from the target, up to what blocks them."""
    which = writer.store(ray)
    again, end, stop, on = (writer.new_label() for _ in range(4))
    writer.emit(opcodes.BEGIN_RAYS, source, found, which, no=end)
    writer.place(again)
    writer.emit(opcodes.NEXT_RAY_HIT, source, found, which, no=end)
    writer.test_any_part(blockers, stop, on)
    writer.place(on)
    writer.emit(opcodes.KEEP_RAY_HIT, 0, found, which, ok=again)
    writer.place(stop)
    writer.emit(opcodes.BLOCK_RAY, 0, found, which, ok=again)
    writer.place(end)


def write_ray_spawns(writer: BytecodeWriter, entry: Change, no: int) -> None:
    """Write what spawns objects on the free cells of rays from the target."""
    ray = [entry.reach, 0, writer.kind(entry.object), *_ray_directions(entry.directions)]
    writer.emit(opcodes.TARGET_USABLE, 0, 0, 0, no=no or len(writer.rows) + 1)
    write_rays(writer, ray, -1, writer.new_list(), entry.blockers)
