"""The bytecode of a whole game, and where each handler begins."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mesocosm.worlds.mettagrid.compile.bytecode.handler import BytecodeWriter
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    AFTER_USE,
    AREA_FIXED,
    AREA_IDLE,
    AREA_KIND,
    AREA_RADIUS,
    AREA_SIZE,
    END_OF_ROWS,
    NUM_KIND_HANDLERS,
    ON_TICK,
)
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import LIST_TAGGED, OPCODE
from mesocosm.worlds.mettagrid.compile.bytecode.values import ValueTables, value_tables
from mesocosm.worlds.mettagrid.compile.columns import (
    KIND_AREAS,
    KIND_AREAS_END,
    KIND_MOVES,
    KIND_REACH,
    KIND_SIDE,
    NUM_KIND_AREA_COLUMNS,
    NUM_OWN_AREA_COLUMNS,
)
from mesocosm.worlds.mettagrid.compile.plan import Plan, plan
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game import scan
from mesocosm.worlds.mettagrid.game.handler import Handler
from mesocosm.worlds.mettagrid.game.thing import AgentKind, Thing

NONE = -1


class Script(NamedTuple):
    """Bytecode and what it refers to."""

    bytecode: np.ndarray  # int32 [row, 6]
    data: np.ndarray  # int64 [number]
    uses: list[int]  # by kind: what happens to who uses it
    own: list[list[int]]  # by kind: after a use, at every step, and what is done to its user
    schedule: dict[str, int]  # where in `data` events, moves and areas stand
    tick: int  # where the bytecode of every step begins, or -1
    kind_handlers_at: int
    num_tags: int
    num_kept: int
    num_lists: int
    values: ValueTables
    paid: np.ndarray  # int16 [kind, k, 2]
    told: np.ndarray  # int32 [value, 2]
    num_areas: int


@lru_cache(maxsize=64)
def _script(text: str) -> Script:
    core = Core.model_validate_json(text)
    made = plan(core)
    tags = made.ids.tag_names()
    kinds = {kind.name: k for k, kind in enumerate(made.kinds) if isinstance(kind.entry, Thing)}
    writer = BytecodeWriter(core, tags, kinds, len(tags) + NUM_KIND_HANDLERS * len(made.kinds))
    shared = limits_of(core)
    removals = _removals(made, writer)
    writer.dropped = {tag for row in removals for tag in row}
    uses, own = _kinds(made, writer, shared)
    schedule = _schedule(core, writer, shared) | _areas(made, writer, shared)
    schedule |= _lands(core, made, writer, shared)
    schedule["removals_at"] = _removal_table(made, writer, removals, shared)
    tick = NONE if core.on_tick is None else writer.add_handler(core.on_tick, shared)
    after = any(entry[AFTER_USE] >= 0 for entry in own)  # a use is more than what the target does
    use = writer.add_use() if after else NONE
    tables = value_tables(core, made, writer)
    kept = {writer.tag(name): k for k, name in enumerate(sorted(scan.asked_tags(core)))}
    if after:
        uses = [use if start >= 0 else NONE for start in uses]
    head = [kept.get(k, NONE) for k in range(len(tags))] + [x for pair in own for x in pair]
    return Script(
        bytecode=writer.table(),
        data=np.array([*head, *writer.data], np.int64),
        uses=uses,
        own=own,
        schedule=schedule,
        tick=tick,
        kind_handlers_at=len(tags),
        num_tags=len(tags),
        num_kept=len(kept),
        num_lists=writer.num_lists,
        **tables,
        values=writer.book.tables(),
        num_areas=schedule["num_areas"],
    )


def is_scripted(core: Core, script: Script) -> bool:
    """Whether handlers ask about more, or do more, than the actor and target at hand."""
    busy = any(entry[ON_TICK] >= 0 for entry in script.own) or script.tick >= 0
    busy = busy or bool(script.schedule["num_times"] or script.num_areas)
    busy = busy or script.schedule["num_lands"] > 0
    busy = busy or script.schedule["removals_at"] >= 0
    return busy or script.num_lists > 0 or scan.moves_things(core)


def script_of(core: Core) -> Script:
    """Write the bytecode of a game, once per config."""
    return _script(core.model_dump_json())


def limits_of(core: Core, thing: Thing | None = None) -> dict[str, Any]:
    """Return the limits that a handler can clear, by name: the first agent's, else its own."""
    found: dict[str, Any] = {} if thing is None else dict(thing.inventory.limits)
    for kind in reversed(core.kinds):
        found |= kind.inventory.limits
    return found


def _kinds(
    made: Plan, writer: BytecodeWriter, shared: dict[str, Any]
) -> tuple[list[int], list[list[int]]]:
    """Write what the kinds of things do."""
    uses, own = [], []
    for kind in made.kinds:
        entry = kind.entry
        if isinstance(entry, AgentKind):
            uses.append(_one(writer, entry.on_use, shared))
            ticks = [_one(writer, x, shared) for x in (entry.on_after_use, entry.on_tick)]
            own.append([*ticks, uses[-1]])
        else:
            mode = entry.on_use_mode
            whole = Handler(mode=mode, handlers=entry.on_use) if entry.on_use else None
            if len(entry.on_use) == 1:
                whole = entry.on_use[0]
            uses.append(_one(writer, whole, limits_of(writer.core, entry)))
            own.append([NONE, NONE, uses[-1]])
    return uses, own


def _one(writer: BytecodeWriter, handler: Handler | None, limits: dict[str, Any]) -> int:
    return NONE if handler is None else writer.add_handler(handler, limits)


def _move(writer: BytecodeWriter, handler: Handler, limits: dict[str, Any]) -> list[int]:
    """Write a handler of moves, and how far along the way it looks for a target."""
    far = [x.radius or 1 for x in handler.filters if x.kind == "max_distance" and not x.negate]
    empty = any(x.kind == "target_loc_empty" and not x.negate for x in handler.filters)
    return [writer.add_handler(handler, limits), far[-1] if far else 1, int(empty)]


def _schedule(core: Core, writer: BytecodeWriter, limits: dict[str, Any]) -> dict[str, int]:
    """Write what happens at moves, at set times and at first; say where to find it."""
    made = [writer.add_tagging(entry.query, entry.tag) for entry in core.materialized]
    moves = [_move(writer, entry, limits) for entry in core.actions.handlers]
    events, times = _events(core, writer, limits)
    groups = {"times": times, "events": events, "moves": moves, "materialized": [[x] for x in made]}
    schedule = {}
    for name, rows in groups.items():
        schedule[f"{name}_at"] = writer.store(x for row in rows for x in row)
        schedule[f"num_{name}"] = len(rows)
    return schedule


def _areas(made: Plan, writer: BytecodeWriter, limits: dict[str, Any]) -> dict[str, int]:
    """Write what areas ask and do; say where to find it."""
    rows = []
    for k, kind in enumerate(made.kinds):
        for area in kind.entry.areas:
            test = writer.add_effect(area.filters, (), limits) if area.filters else NONE
            effect = NONE
            if area.mutations:
                effect = writer.add_effect(area.filters, area.mutations, limits)
            pairs = [(writer.resource(name), x) for name, x in area.presence.items()]
            gains = writer.store([*(x for pair in pairs for x in pair), END_OF_ROWS])
            idle = effect == NONE and not pairs
            once = min(test, effect) > NONE and not pairs and not _has_query(writer, test, effect)
            row = [k, area.radius, int(area.fixed), int(area.own), test, effect, gains]
            rows.append([*row, int(idle), int(once)])
    start = writer.store(x for row in rows for x in row)
    sums = writer.keep_list() if rows else 0
    return {"areas_at": start, "num_areas": len(rows), "sums": sums}


def _has_query(writer: BytecodeWriter, start: int, end: int) -> bool:
    """Whether some row of bytecode is about a list of things."""
    return any(row[OPCODE] >= LIST_TAGGED for row in writer.rows[start:end])


def area_table(script: Script, num_kinds: int) -> np.ndarray:  # int32 [kind, 5]
    """Tabulate the areas of kinds."""
    start, count = script.schedule["areas_at"], script.num_areas
    rows = script.data[start : start + AREA_SIZE * count].reshape(count, AREA_SIZE)
    made = np.zeros((num_kinds, NUM_KIND_AREA_COLUMNS), np.int32)
    made[:, KIND_REACH] = NONE
    for k in range(num_kinds):
        own = np.flatnonzero(rows[:, AREA_KIND] == k)
        if own.size:
            fixed = rows[own][(rows[own, AREA_FIXED] == 1) & (rows[own, AREA_IDLE] == 0)]
            made[k, KIND_AREAS], made[k, KIND_AREAS_END] = own[0], own[-1] + 1
            made[k, KIND_REACH] = (fixed[:, AREA_RADIUS] ** 2).max(initial=NONE)
            made[k, KIND_SIDE] = rows[own][rows[own, AREA_FIXED] == 1, AREA_RADIUS].max(initial=0)
            made[k, KIND_MOVES] = int((rows[own, AREA_FIXED] == 0).any())
    return made


def own_area_tables(script: Script, made: Plan) -> dict[str, np.ndarray]:
    """Number the areas of things, which are as many as those that its kind has."""
    start, kinds = script.schedule["areas_at"], area_table(script, len(made.kinds))
    rows: list[tuple[int, int]] = []
    first: list[int] = []
    for k, kind in enumerate(made.kind_of[: made.num_things].tolist()):
        first.append(len(rows))
        own = range(kinds[kind, KIND_AREAS], kinds[kind, KIND_AREAS_END])
        rows += [(k, start + AREA_SIZE * j) for j in own]
    return {
        "first_area": np.array(first, np.int32),
        "own_areas": np.array(rows or [(0, 0)], np.int32).reshape(-1, NUM_OWN_AREA_COLUMNS),
    }


def _removals(made: Plan, writer: BytecodeWriter) -> list[dict[int, list[Handler]]]:
    """List by kind and tag what happens when the tag is lost."""
    found: list[dict[int, list[Handler]]] = []
    for kind in made.kinds:
        found.append({})
        for prefix, handler in kind.entry.on_tag_remove.items():
            for tag in writer.tags_with(prefix):
                found[-1].setdefault(tag, []).append(handler)
    return found


def _removal_table(
    made: Plan,
    writer: BytecodeWriter,
    removals: list[dict[int, list[Handler]]],
    limits: dict[str, Any],
) -> int:
    """Write what happens when tags are lost; say where the table of it is, or -1."""
    if not any(removals):
        return NONE
    rows = []
    for row in removals:
        starts = {
            tag: writer.add_effects(handlers, limits, stops=True) for tag, handlers in row.items()
        }
        rows += [starts.get(tag, NONE) for tag in range(len(made.ids.tag_names()))]
    return writer.store(rows)


def _lands(
    core: Core, made: Plan, writer: BytecodeWriter, limits: dict[str, Any]
) -> dict[str, int]:
    """Write what happens on owned land; say where to find it."""
    first = made.num_things - len(core.land)
    rows = []
    for k, (name, land) in enumerate(core.land.items()):
        effects = [getattr(land, key) for key in scan.LAND_KEYS]
        starts = [writer.add_effects(entry, limits) if entry else NONE for entry in effects]
        rows.append([list(core.territories).index(name), first + k, *starts])
    return {"lands_at": writer.store(x for row in rows for x in row), "num_lands": len(rows)}


def _events(
    core: Core, writer: BytecodeWriter, limits: dict[str, Any]
) -> tuple[list[list[int]], list[list[int]]]:
    """Write the events by name, and list when they happen."""
    names = sorted(core.events)
    rows, times = [], []
    targets = writer.keep_list() if names else 0  # events happen one after the other
    for k, name in enumerate(names):
        event = core.events[name]
        start = writer.add_query(event.targets, targets)
        effect = writer.add_effect(event.filters, event.mutations, limits)
        after = names.index(event.fallback) if event.fallback in names else NONE
        rows.append([start, targets, effect, event.most, after])
        times += [(step, event.priority, k) for step in event.steps]
    order = sorted(times, key=lambda entry: (entry[0], entry[1]))
    return rows, [[max(step, 1), k] for step, _, k in order]
