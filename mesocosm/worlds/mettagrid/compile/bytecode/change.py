"""Write changes as bytecode."""

from collections.abc import Mapping
from typing import Any

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import ATTACK_VIBE_ARMOR, END_OF_ROWS
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
    GIVER_STEP,
    NOBODY,
    TAG_LISTED,
    UNTAG_ALL,
    WHOM,
)
from mesocosm.worlds.mettagrid.compile.bytecode.query import QueryWriter
from mesocosm.worlds.mettagrid.compile.geometry import DIRECTION_STEPS
from mesocosm.worlds.mettagrid.game.handler import Change
from mesocosm.worlds.mettagrid.game.value import Query

WITHOUT_OPERANDS = {
    "swap": opcodes.SWAP_PLACES,
    "relocate": opcodes.RELOCATE,
    "use_target": opcodes.CALL_TARGET,
    "push_object": opcodes.PUSH_TARGET,
}


class ChangeWriter(QueryWriter):
    """Writes changes."""

    def change(self, entry: Change, limits: Mapping[str, Any], no: int) -> None:
        """Write a change; a failure goes to `no`."""
        with self.borrowing():
            self._change(entry, limits, no)

    def _change(self, entry: Change, limits: Mapping[str, Any], no: int) -> None:
        if entry.kind in WITHOUT_OPERANDS:
            self.emit(WITHOUT_OPERANDS[entry.kind], 0, 0, 0, no=no)
        elif entry.kind == "spawn_object" or (entry.kind == "raycast_spawn" and not entry.object):
            self.emit(opcodes.SPAWN, 0, self.kind(entry.object), 0, no=no)
        elif entry.kind == "raycast_spawn":
            self.spawn_on_rays(entry, no)
        elif entry.kind == "set_relative_target":
            dr, dc = (step * entry.distance for step in DIRECTION_STEPS[entry.direction])
            self.emit(opcodes.SET_TARGET_CELL, 0, dr, dc, no=no)
        elif entry.kind == "attack":
            self._attack(entry, limits, no)
        elif entry.query is not None:
            self._by_query(entry)
        elif entry.kind == "recompute_materialized_query":
            for tag in (self.tag_name(k) for k in self.tags_with(entry.prefix)):
                for found in [x for x in self.core.materialized if x.tag == tag][:1]:
                    self._recompute(found.query, tag)
        else:
            self._to_one(entry, limits)

    def _by_query(self, entry: Change) -> None:
        if entry.kind == "query_place_adjacent":
            after = self.new_label()
            self.emit(opcodes.EXISTS, WHOM[entry.who], 0, 0, no=after)  # or nothing is shuffled
            beside = self.query(entry.query or Query())
            self.emit(opcodes.PLACE_BESIDE, WHOM[entry.who], beside, 0)
            self.place(after)
            return
        found = self.query(entry.query or Query())
        giver = NOBODY if entry.giver is None else WHOM[entry.giver]
        columns = {name: self.book.column(x, "game") for name, x in entry.gift_stats.items()}
        gifts = [
            (self.resource(name), amount, columns.get(name, -1))
            for name, amount in entry.resources.items()
        ]
        which = self.store([*(x for gift in gifts for x in gift), END_OF_ROWS])
        self.emit(opcodes.GIVE_LISTED, giver, found, which)

    def _attack(self, entry: Change, limits: Mapping[str, Any], no: int) -> None:
        """Write an attack; upstream it is read and left out."""
        if self.core.conformance == "upstream":
            return
        end, go = self.new_label(), self.new_label()
        groups = (entry.weapons, entry.armor, entry.defense)
        rows = [
            (k, self.resource(name), x)
            for k, group in enumerate(groups)
            for name, x in group.items()
        ]
        rows += [(ATTACK_VIBE_ARMOR, self.vibe(name), x) for name, x in entry.vibe_bonus.items()]
        fight = self.store([*(x for row in rows for x in row), END_OF_ROWS])
        self.emit(opcodes.DEFEND, 0, fight, 0, ok=end, no=go)
        self.place(go)
        for inner in entry.on_success:
            self.change(inner, limits, no)
        self.place(end)

    def _to_one(self, entry: Change, limits: Mapping[str, Any]) -> None:
        """Write a change of the actor, the target or both."""
        who = WHOM[entry.who]
        amounts = [(self.resource(name), amount) for name, amount in entry.resources.items()]
        if entry.kind == "resource_delta":
            for k, amount in amounts:
                self.emit(opcodes.CHANGE_AMOUNT, who, k, amount)
        elif entry.kind == "resource_transfer":
            for k, amount in amounts:
                self.emit(opcodes.TRANSFER, who * GIVER_STEP + WHOM[entry.to], k, amount)
                if entry.remove_when_empty:
                    self.emit(opcodes.REMOVE_IF_EMPTY, who, 0, 0)
        elif entry.kind == "clear_inventory":
            self._clear(entry, limits)
        elif entry.kind == "change_vibe":
            self.emit(opcodes.SET_VIBE, who, self.vibe(entry.vibe), 0)
        elif entry.kind in ("add_tag", "remove_tag"):
            tag = self.tag(entry.tag)
            self.emit(
                opcodes.ADD_TAG if entry.kind == "add_tag" else self._removes(tag), who, tag, 0
            )
        elif entry.kind == "remove_tags_with_prefix":
            for tag in self.tags_with(entry.prefix):
                self.emit(self._removes(tag), who, tag, 0)
        elif entry.kind in ("set_stat", "add_value"):
            self._write_value(entry, who)
        else:
            raise ConfigError(f"core.objects: {entry.kind} needs a query")

    def _write_value(self, entry: Change, who: int) -> None:
        """Write a statistic, or add to it or to a resource."""
        value = self.value(entry.source, who)
        if entry.resource:
            self.emit(opcodes.ADD_AMOUNT, who, self.resource(entry.resource), value)
            if entry.stat:
                column = self.book.column(entry.stat, entry.scope)
                self.emit(opcodes.ADD_IF_NOBODY, who, column, value)
            return
        of_game = entry.scope == "game"
        op = opcodes.SET_GAME_STAT if of_game else opcodes.SET_STAT
        if entry.kind == "add_value":
            op = opcodes.ADD_GAME_STAT if of_game else opcodes.ADD_STAT
        self.emit(op, who, self.book.column(entry.stat, entry.scope), value)

    def _clear(self, entry: Change, limits: Mapping[str, Any]) -> None:
        names = entry.names
        if entry.limit:
            if entry.limit not in limits:
                raise ConfigError(f"core.objects: clear_inventory: no limit {entry.limit!r}")
            names = limits[entry.limit].resources
        if not names:
            self.emit(opcodes.CLEAR_INVENTORY, WHOM[entry.who], 0, 0)
        for name in names:
            self.emit(opcodes.CLEAR_RESOURCE, WHOM[entry.who], self.resource(name), 0)

    def _removes(self, tag: int) -> int:
        """Return the opcode that takes a tag away."""
        return opcodes.DROP_TAG if tag in self.dropped else opcodes.REMOVE_TAG

    def _recompute(self, query: Query, tag: str) -> None:
        """Work a tag out anew, then run what happens to those who lost it."""
        number = self.tag(tag)
        if number not in self.dropped:
            self.retag(query, tag)
            return
        lost = self.keep_list()  # what they do then may ask queries
        self.emit(opcodes.LIST_TAGGED, 0, lost, number)
        self.emit(opcodes.BEGIN_FILTER, 0, lost, 0)
        self.retag(query, tag)
        self.emit(opcodes.NEXT_LOST, 0, lost, number, ok=len(self.rows))

    def retag(self, query: Query, tag: str) -> None:
        """Take a tag from everyone, then give it to those of a query."""
        with self.borrowing():
            self.emit(UNTAG_ALL, 0, self.tag(tag), 0)
            self.emit(TAG_LISTED, 0, self.query(query), self.tag(tag))
