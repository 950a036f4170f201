"""Changes as rows of a program."""

from collections.abc import Mapping
from typing import Any

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.compile import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode import BytecodeWriter
from mesocosm.worlds.mettagrid.compile.bytecode_query import write_spray
from mesocosm.worlds.mettagrid.compile.geometry import DIRECTION_STEPS
from mesocosm.worlds.mettagrid.compile.layout import ATTACK_VIBE_ARMOR, END_OF_ROWS
from mesocosm.worlds.mettagrid.compile.opcodes import NOBODY, WHOM
from mesocosm.worlds.mettagrid.game.handler import Change
from mesocosm.worlds.mettagrid.game.query import Query

PLAIN = {
    "swap": opcodes.SWAP_PLACES,
    "relocate": opcodes.RELOCATE,
    "use_target": opcodes.CALL_TARGET,
    "push_object": opcodes.PUSH_TARGET,
}


def write_change(made: BytecodeWriter, entry: Change, limits: Mapping[str, Any], no: int) -> None:
    """Write a change; a failure goes to `no`."""
    if entry.kind in PLAIN:
        made.put(PLAIN[entry.kind], 0, 0, 0, no=no)
    elif entry.kind == "spawn_object":
        made.put(opcodes.SPAWN, 0, made.kind(entry.object), 0, no=no)
    elif entry.kind == "raycast_spawn":
        write_spray(made, entry, no)
    elif entry.kind == "set_relative_target":
        dr, dc = (step * entry.distance for step in DIRECTION_STEPS[entry.direction])
        made.put(opcodes.SET_TARGET_CELL, 0, dr, dc, no=no)
    elif entry.kind == "attack":
        _attack(made, entry, limits, no)
    elif entry.query is not None:
        _by_query(made, entry)
    elif entry.kind == "recompute_materialized_query":
        for tag in (made.tag_name(k) for k in made.tags_with(entry.prefix)):
            for found in [x for x in made.core.materialized if x.tag == tag][:1]:
                made.retag(found.query, tag)
    else:
        _to_one(made, entry, limits)


def _by_query(made: BytecodeWriter, entry: Change) -> None:
    found = made.query(entry.query or Query())
    if entry.kind == "query_place_adjacent":
        made.put(opcodes.PLACE_BESIDE, WHOM[entry.who], found, 0)
        return
    giver = NOBODY if entry.giver is None else WHOM[entry.giver]
    pairs = [(made.resource(name), amount) for name, amount in entry.resources.items()]
    made.put(
        opcodes.GIVE_LISTED,
        giver,
        found,
        made.store([*(x for pair in pairs for x in pair), END_OF_ROWS]),
    )


def _attack(made: BytecodeWriter, entry: Change, limits: Mapping[str, Any], no: int) -> None:
    """Write an attack; upstream it is read and left out."""
    if made.core.conformance == "upstream":
        return
    end, go = made.label(), made.label()
    groups = (entry.weapons, entry.armor, entry.defense)
    rows = [
        (k, made.resource(name), x) for k, group in enumerate(groups) for name, x in group.items()
    ]
    rows += [(ATTACK_VIBE_ARMOR, made.vibe(name), x) for name, x in entry.vibe_bonus.items()]
    fight = made.store([*(x for row in rows for x in row), END_OF_ROWS])
    made.put(opcodes.DEFEND, 0, fight, 0, ok=end, no=go)
    made.here(go)
    for inner in entry.on_success:
        made.change(inner, limits, no)
    made.here(end)


def _to_one(made: BytecodeWriter, entry: Change, limits: Mapping[str, Any]) -> None:
    """Write a change of the actor, the target or both."""
    who = WHOM[entry.who]
    amounts = [(made.resource(name), amount) for name, amount in entry.resources.items()]
    if entry.kind == "resource_delta":
        for k, amount in amounts:
            made.put(opcodes.CHANGE_AMOUNT, who, k, amount)
    elif entry.kind == "resource_transfer":
        for k, amount in amounts:
            made.put(opcodes.TRANSFER, who * 2 + WHOM[entry.to], k, amount)
            if entry.remove_when_empty:
                made.put(opcodes.REMOVE_IF_EMPTY, who, 0, 0)
    elif entry.kind == "clear_inventory":
        _clear(made, entry, limits)
    elif entry.kind == "change_vibe":
        made.put(opcodes.SET_VIBE, who, made.vibe(entry.vibe), 0)
    elif entry.kind in ("add_tag", "remove_tag"):
        op = opcodes.ADD_TAG if entry.kind == "add_tag" else opcodes.REMOVE_TAG
        made.put(op, who, made.tag(entry.tag), 0)
    elif entry.kind == "remove_tags_with_prefix":
        for tag in made.tags_with(entry.prefix):
            made.put(opcodes.REMOVE_TAG, who, tag, 0)
    elif entry.kind in ("set_stat", "add_value"):
        _write_value(made, entry, who)
    else:
        raise ConfigError(f"core.objects: {entry.kind} needs a query")


def _write_value(made: BytecodeWriter, entry: Change, who: int) -> None:
    """Write a statistic, or add to it or to a resource."""
    value = made.value(entry.source, who)
    if entry.resource:
        made.put(opcodes.ADD_AMOUNT, who, made.resource(entry.resource), value)
        return
    of_game = entry.scope == "game"
    op = opcodes.SET_GAME_STAT if of_game else opcodes.SET_STAT
    if entry.kind == "add_value":
        op = opcodes.ADD_GAME_STAT if of_game else opcodes.ADD_STAT
    made.put(op, who, made.book.column(entry.stat, entry.scope), value)


def _clear(made: BytecodeWriter, entry: Change, limits: Mapping[str, Any]) -> None:
    limit = limits.get(entry.limit)
    if limit is None:
        raise ConfigError(f"core.objects: clear_inventory: no limit {entry.limit!r}")
    if not limit.resources:
        made.put(opcodes.CLEAR_INVENTORY, WHOM[entry.who], 0, 0)
    for name in limit.resources:
        made.put(opcodes.CLEAR_RESOURCE, WHOM[entry.who], made.resource(name), 0)
