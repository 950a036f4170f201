"""Handlers as programs: rows of numbers that rules can follow."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.config import Change, Condition, Core, Handler
from mesocosm.worlds.mettagrid.value_plan import Book

# what a row does: conditions jump, changes go on to the next row
END, RESOURCE, VIBE, TAG, DISTANCE, PERIODIC, LOC_EMPTY, USABLE, GAME_VALUE = range(9)
DELTA, TRANSFER, VANISH, CLEAR, SET_VIBE, ADD_TAG, REMOVE_TAG, SWAP, DONE = range(10, 19)
SET_STAT, SET_GAME_STAT, ADD_STAT, ADD_GAME_STAT, ADD_ITEM = range(30, 35)
# columns of a row
OP, WHO, X, Y, PASS, FAIL = range(6)
ACTOR, TARGET = 0, 1
WHOM = {"actor": ACTOR, "target": TARGET}
FOLLOW = -1  # stands for the row after this one
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83)


def dict_order(ids: Iterable[int]) -> list[int]:
    """Order keys as the program's own hash map hands them out after one sized insertion."""
    keys = list(dict.fromkeys(ids))
    buckets = next((prime for prime in PRIMES if prime >= len(keys)), 97)
    made: list[int] = []
    for key in keys:
        same = [k for k, other in enumerate(made) if other % buckets == key % buckets]
        made.insert(same[0] if same else 0, key)
    return made


class Assembler:
    """Writes the programs of a game one after the other."""

    def __init__(self, core: Core, tags: list[str], book: Book) -> None:
        self._core, self._tags, self._book = core, tags, book
        self.rows: list[list[int]] = []

    def table(self) -> np.ndarray:  # int32 [row, 6]
        """Give all programs."""
        return np.array(self.rows or [[END, 0, 0, 0, 0, 0]], np.int32)

    def add(self, handlers: tuple[Handler, ...], mode: str, limits: Mapping[str, Any]) -> int:
        """Write the program of an object; give the row it begins at, or -1."""
        if not handlers:
            return -1
        start = len(self.rows)
        for handler in handlers:
            first = len(self.rows)
            for condition in handler.filters:
                self._condition(condition)
            for change in handler.mutations:
                self._change(change, limits)
            self._put(DONE, 0, int(mode == "first"), 0)
            self._settle(first, len(self.rows))
        self._put(END, 0, 0, 0)
        return start

    def _put(self, op: int, who: int, x: int, y: int) -> None:
        self.rows.append([op, who, x, y, len(self.rows) + 1, FOLLOW])

    def _settle(self, first: int, after: int) -> None:
        """Let the failed conditions of one handler jump behind it."""
        for row in self.rows[first:after]:
            for side in (PASS, FAIL):
                if row[side] == FOLLOW:
                    row[side] = after

    def _condition(self, entry: Condition) -> None:
        """Write one condition; a failure goes behind the handler."""
        if entry.kind == "any_of":
            self._any(entry)
            return
        rows = self._tests(entry)
        first = len(self.rows)
        for row in rows:
            self._put(*row)
        end = len(self.rows)
        if entry.negate:  # passes as soon as one part fails
            for k in range(first, end):
                self.rows[k][FAIL] = end
            self.rows[end - 1][PASS] = FOLLOW

    def _any(self, entry: Condition) -> None:
        """Write alternatives: the first that passes is enough."""
        starts = []
        for inner in entry.inner:
            if inner.kind == "any_of" or len(self._tests(inner)) != 1:
                raise ConfigError("core.objects: any_of takes conditions of one part each")
            starts.append(len(self.rows))
            self._put(*self._tests(inner)[0])
            if inner.negate:
                row = self.rows[-1]
                row[PASS], row[FAIL] = row[FAIL], row[PASS]
        end = len(self.rows)
        for k, at in enumerate(starts):
            row, last = self.rows[at], k == len(starts) - 1
            passes = row[PASS] != FOLLOW
            good, bad = (PASS, FAIL) if passes else (FAIL, PASS)
            row[good], row[bad] = end, FOLLOW if last else at + 1
            if entry.negate:
                row[good] = FOLLOW
                row[bad] = end if last else at + 1

    def _tests(self, entry: Condition) -> list[tuple[int, int, int, int]]:
        """Give the parts of a condition that all must hold."""
        who = WHOM[entry.who]
        if entry.kind == "resource":
            need = entry.resources.items()
            return [(RESOURCE, who, self._resource(name), least) for name, least in need]
        if entry.kind == "vibe":
            return [(VIBE, who, self._core.vibes.index(entry.vibe), 0)]
        if entry.kind == "tag":
            return [(TAG, who, self._tag(entry.tag), 0)]
        if entry.kind == "game_value":
            value, least = self._book.value(entry.value), self._book.value(entry.least)
            return [(GAME_VALUE, who, value, least)]
        return [self._place(entry)]

    def _place(self, entry: Condition) -> tuple[int, int, int, int]:
        """Give a condition on where or when, not on what something is."""
        if entry.kind == "max_distance":
            return DISTANCE, 0, entry.radius, 0
        if entry.kind == "periodic":
            return PERIODIC, 0, entry.period, entry.start
        return (LOC_EMPTY if entry.kind == "target_loc_empty" else USABLE), 0, 0, 0

    def _change(self, entry: Change, limits: Mapping[str, Any]) -> None:
        who = WHOM[entry.who]
        amounts = [(self._resource(name), amount) for name, amount in entry.resources.items()]
        if entry.kind == "resource_delta":
            for k, amount in amounts:
                self._put(DELTA, who, k, amount)
        elif entry.kind == "resource_transfer":
            for k, amount in amounts:
                self._put(TRANSFER, who * 2 + WHOM[entry.to], k, amount)
            if entry.remove_when_empty:
                self._put(VANISH, who, 0, 0)
        elif entry.kind == "clear_inventory":
            limit = limits.get(entry.limit)
            if limit is None:
                raise ConfigError(f"core.objects: clear_inventory: no limit {entry.limit!r}")
            for name in limit.resources:
                self._put(CLEAR, who, self._resource(name), 0)
        elif entry.kind == "change_vibe":
            self._put(SET_VIBE, who, self._core.vibes.index(entry.vibe), 0)
        elif entry.kind in ("add_tag", "remove_tag"):
            op = ADD_TAG if entry.kind == "add_tag" else REMOVE_TAG
            self._put(op, who, self._tag(entry.tag), 0)
        elif entry.kind in ("set_stat", "add_value"):
            self._put(*self._writes(entry, who))
        else:
            self._put(SWAP, who, 0, 0)

    def _writes(self, entry: Change, who: int) -> tuple[int, int, int, int]:
        """Give the row that writes a statistic, or adds to it or to a resource."""
        value = self._book.value(entry.source)
        if entry.resource:
            return ADD_ITEM, who, self._resource(entry.resource), value
        column = self._book.column(entry.stat, entry.scope)
        if entry.kind == "set_stat":
            return (SET_GAME_STAT if entry.scope == "game" else SET_STAT), who, column, value
        return (ADD_GAME_STAT if entry.scope == "game" else ADD_STAT), who, column, value

    def _resource(self, name: str) -> int:
        return self._core.resources.index(name)

    def _tag(self, name: str) -> int:
        if name not in self._tags:
            raise ConfigError(f"core.objects: no tag named {name!r}: list it in core.tags")
        return self._tags.index(name)
