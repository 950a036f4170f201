"""Write changes as bytecode."""

from collections.abc import Mapping
from typing import Any

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.compile import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode import BytecodeWriter
from mesocosm.worlds.mettagrid.compile.bytecode_query import write_ray_spawns
from mesocosm.worlds.mettagrid.compile.geometry import DIRECTION_STEPS
from mesocosm.worlds.mettagrid.compile.layout import ATTACK_VIBE_ARMOR, END_OF_ROWS
from mesocosm.worlds.mettagrid.compile.opcodes import NOBODY, WHOM
from mesocosm.worlds.mettagrid.game.handler import Change
from mesocosm.worlds.mettagrid.game.query import Query

WITHOUT_OPERANDS = {
    "swap": opcodes.SWAP_PLACES,
    "relocate": opcodes.RELOCATE,
    "use_target": opcodes.CALL_TARGET,
    "push_object": opcodes.PUSH_TARGET,
}


def write_change(writer: BytecodeWriter, entry: Change, limits: Mapping[str, Any], no: int) -> None:
    """Write a change; a failure goes to `no`."""
    if entry.kind in WITHOUT_OPERANDS:
        writer.emit(WITHOUT_OPERANDS[entry.kind], 0, 0, 0, no=no)
    elif entry.kind == "spawn_object":
        writer.emit(opcodes.SPAWN, 0, writer.kind(entry.object), 0, no=no)
    elif entry.kind == "raycast_spawn":
        write_ray_spawns(writer, entry, no)
    elif entry.kind == "set_relative_target":
        dr, dc = (step * entry.distance for step in DIRECTION_STEPS[entry.direction])
        writer.emit(opcodes.SET_TARGET_CELL, 0, dr, dc, no=no)
    elif entry.kind == "attack":
        _attack(writer, entry, limits, no)
    elif entry.query is not None:
        _by_query(writer, entry)
    elif entry.kind == "recompute_materialized_query":
        for tag in (writer.tag_name(k) for k in writer.tags_with(entry.prefix)):
            for found in [x for x in writer.core.materialized if x.tag == tag][:1]:
                writer.retag(found.query, tag)
    else:
        _to_one(writer, entry, limits)


def _by_query(writer: BytecodeWriter, entry: Change) -> None:
    found = writer.query(entry.query or Query())
    if entry.kind == "query_place_adjacent":
        writer.emit(opcodes.PLACE_BESIDE, WHOM[entry.who], found, 0)
        return
    giver = NOBODY if entry.giver is None else WHOM[entry.giver]
    pairs = [(writer.resource(name), amount) for name, amount in entry.resources.items()]
    writer.emit(
        opcodes.GIVE_LISTED,
        giver,
        found,
        writer.store([*(x for pair in pairs for x in pair), END_OF_ROWS]),
    )


def _attack(writer: BytecodeWriter, entry: Change, limits: Mapping[str, Any], no: int) -> None:
    """Write an attack; upstream it is read and left out."""
    if writer.core.conformance == "upstream":
        return
    end, go = writer.new_label(), writer.new_label()
    groups = (entry.weapons, entry.armor, entry.defense)
    rows = [
        (k, writer.resource(name), x) for k, group in enumerate(groups) for name, x in group.items()
    ]
    rows += [(ATTACK_VIBE_ARMOR, writer.vibe(name), x) for name, x in entry.vibe_bonus.items()]
    fight = writer.store([*(x for row in rows for x in row), END_OF_ROWS])
    writer.emit(opcodes.DEFEND, 0, fight, 0, ok=end, no=go)
    writer.place(go)
    for inner in entry.on_success:
        writer.change(inner, limits, no)
    writer.place(end)


def _to_one(writer: BytecodeWriter, entry: Change, limits: Mapping[str, Any]) -> None:
    """Write a change of the actor, the target or both."""
    who = WHOM[entry.who]
    amounts = [(writer.resource(name), amount) for name, amount in entry.resources.items()]
    if entry.kind == "resource_delta":
        for k, amount in amounts:
            writer.emit(opcodes.CHANGE_AMOUNT, who, k, amount)
    elif entry.kind == "resource_transfer":
        for k, amount in amounts:
            writer.emit(opcodes.TRANSFER, who * 2 + WHOM[entry.to], k, amount)
            if entry.remove_when_empty:
                writer.emit(opcodes.REMOVE_IF_EMPTY, who, 0, 0)
    elif entry.kind == "clear_inventory":
        _clear(writer, entry, limits)
    elif entry.kind == "change_vibe":
        writer.emit(opcodes.SET_VIBE, who, writer.vibe(entry.vibe), 0)
    elif entry.kind in ("add_tag", "remove_tag"):
        op = opcodes.ADD_TAG if entry.kind == "add_tag" else opcodes.REMOVE_TAG
        writer.emit(op, who, writer.tag(entry.tag), 0)
    elif entry.kind == "remove_tags_with_prefix":
        for tag in writer.tags_with(entry.prefix):
            writer.emit(opcodes.REMOVE_TAG, who, tag, 0)
    elif entry.kind in ("set_stat", "add_value"):
        _write_value(writer, entry, who)
    else:
        raise ConfigError(f"core.objects: {entry.kind} needs a query")


def _write_value(writer: BytecodeWriter, entry: Change, who: int) -> None:
    """Write a statistic, or add to it or to a resource."""
    value = writer.value(entry.source, who)
    if entry.resource:
        writer.emit(opcodes.ADD_AMOUNT, who, writer.resource(entry.resource), value)
        return
    of_game = entry.scope == "game"
    op = opcodes.SET_GAME_STAT if of_game else opcodes.SET_STAT
    if entry.kind == "add_value":
        op = opcodes.ADD_GAME_STAT if of_game else opcodes.ADD_STAT
    writer.emit(op, who, writer.book.column(entry.stat, entry.scope), value)


def _clear(writer: BytecodeWriter, entry: Change, limits: Mapping[str, Any]) -> None:
    limit = limits.get(entry.limit)
    if limit is None:
        raise ConfigError(f"core.objects: clear_inventory: no limit {entry.limit!r}")
    if not limit.resources:
        writer.emit(opcodes.CLEAR_INVENTORY, WHOM[entry.who], 0, 0)
    for name in limit.resources:
        writer.emit(opcodes.CLEAR_RESOURCE, WHOM[entry.who], writer.resource(name), 0)
