"""Handlers as bytecode: rows of numbers that rules can follow."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS, words_for
from mesocosm.worlds.mettagrid.compile.opcodes import (
    BEGIN_CHANGES,
    CALL_TARGET,
    CLEAR_FLAG,
    END,
    EXISTS,
    GAME_VALUE,
    HAS_ANY_TAG,
    HAS_RESOURCE,
    HAS_TAG,
    HAS_VIBE,
    JUMP,
    JUMP_IF_FALSE,
    JUMP_IF_TRUE,
    NEAR_LISTED,
    PERIODIC,
    SET_FLAG,
    SHARED_TAG,
    TAG_LISTED,
    TARGET,
    TARGET_CELL_EMPTY,
    TARGET_USABLE,
    TEST_FLAG,
    UNTAG_ALL,
    WHOM,
    WITHIN_DISTANCE,
)
from mesocosm.worlds.mettagrid.compile.stats import value_parts
from mesocosm.worlds.mettagrid.compile.values import ValueWriter
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.handler import Change, Condition, Handler
from mesocosm.worlds.mettagrid.game.query import Query
from mesocosm.worlds.mettagrid.game.value import Value


class RowWriter:
    """Writes rows of bytecode; a jump may go to a label that is placed later."""

    def __init__(self) -> None:
        self.rows: list[list[int]] = []
        self._labels: list[int] = []

    def new_label(self) -> int:
        """Return a label for a row that is not written yet."""
        self._labels.append(-1)
        return -len(self._labels)

    def place(self, label: int) -> None:
        """Place a label before the next row."""
        at = len(self.rows)
        last = self.rows[-1] if self.rows else []
        if last and last[:5] == [JUMP, 0, 0, 0, label] and at not in self._labels:
            self.rows.pop()
            at -= 1
        self._labels[-label - 1] = at

    def emit(self, op: int, who: int, x: int, y: int, *, ok: int = 0, no: int = 0) -> None:
        """Write a row; it jumps to the next one unless told otherwise."""
        after = len(self.rows) + 1
        self.rows.append([op, who, x, y, ok or after, no or after])

    def jump(self, label: int) -> None:
        """Write a jump."""
        self.emit(JUMP, 0, 0, 0, ok=label, no=label)

    def table(self) -> np.ndarray:  # int32 [row, 6]
        """Return all rows, with labels resolved."""
        for row in self.rows:
            for side in (JUMP_IF_TRUE, JUMP_IF_FALSE):
                if row[side] < 0:
                    row[side] = self._labels[-row[side] - 1]
        return np.array(self.rows or [[END, 0, 0, 0, 0, 0]], np.int32)


class BytecodeWriter(RowWriter):
    """Writes the bytecode of a game, one handler after the other."""

    def __init__(self, core: Core, tags: list[str], kinds: Mapping[str, int], base: int) -> None:
        super().__init__()
        self._base = base
        self._core, self._tags, self._kinds = core, tags, kinds
        self.num_lists = 0
        self.book = ValueWriter(core)
        self.data: list[int] = []  # what rows refer to

    def add_handler(self, handler: Handler, limits: Mapping[str, Any]) -> int:
        """Write a handler; return the row it begins at."""
        start, ok, no = len(self.rows), self.new_label(), self.new_label()
        self._handler(handler, ok, no, limits, 0)
        self.place(ok)
        self.emit(END, 0, 1, 0)
        self.place(no)
        self.emit(END, 0, 0, 0)
        return start

    def add_effect(
        self, filters: Iterable[Condition], mutations: Iterable[Change], limits: Mapping[str, Any]
    ) -> int:
        """Write conditions and changes that run by themselves; all changes are tried."""
        start, no = len(self.rows), self.new_label()
        for condition in filters:
            self._require(condition, no)
        self.emit(BEGIN_CHANGES, 0, 0, 0)
        for change in mutations:
            self.change(change, limits, 0)
        self.emit(END, 0, 1, 0)
        self.place(no)
        self.emit(END, 0, 0, 0)
        return start

    def add_use(self) -> int:
        """Write a call of the target's own handler; return the row it begins at."""
        start, no = len(self.rows), self.new_label()
        self.emit(CALL_TARGET, 0, 0, 0, no=no)
        self.emit(END, 0, 1, 0)
        self.place(no)
        self.emit(END, 0, 0, 0)
        return start

    def add_tagging(self, query: Query, tag: str) -> int:
        """Write what gives a tag to the things of a query alone; return the row it begins at."""
        start = len(self.rows)
        self.retag(query, tag)
        self.emit(END, 0, 1, 0)
        return start

    def add_query(self, query: Query) -> tuple[int, int]:
        """Write what lists the things of a query; return the row it begins at and the list."""
        start = len(self.rows)
        found = self.query(query)
        self.emit(END, 0, 1, 0)
        return start, found

    def retag(self, query: Query, tag: str) -> None:
        """Take a tag from everyone, then give it to those of a query."""
        self.emit(UNTAG_ALL, 0, self.tag(tag), 0)
        self.emit(TAG_LISTED, 0, self.query(query), self.tag(tag))

    def query(self, query: Query) -> int:
        """Write what fills a list with the things of a query; give the list."""
        from mesocosm.worlds.mettagrid.compile.bytecode_query import write_query

        return write_query(self, query)

    def change(self, entry: Change, limits: Mapping[str, Any], no: int) -> None:
        """Write a change; a failure goes to `no`."""
        from mesocosm.worlds.mettagrid.compile.bytecode_change import write_change

        write_change(self, entry, limits, no)

    def _handler(
        self, entry: Handler, ok: int, no: int, limits: Mapping[str, Any], depth: int
    ) -> None:
        if entry.mode == "one":
            for condition in entry.filters:
                self._require(condition, no)
            self.emit(BEGIN_CHANGES, 0, 0, 0)
            for change in entry.mutations:
                self.change(change, limits, no)
            self.jump(ok)
            return
        if entry.mode == "all":
            self.emit(CLEAR_FLAG, 0, depth, 0)
        for inner in entry.handlers:
            done, after = self.new_label(), self.new_label()
            self._handler(inner, ok if entry.mode == "first" else done, after, limits, depth + 1)
            self.place(done)
            if entry.mode == "all":
                self.emit(SET_FLAG, 0, depth, 0)
            self.place(after)
        if entry.mode == "all":
            self.emit(TEST_FLAG, 0, depth, 0, ok=ok, no=no)
        else:
            self.jump(no)

    def _require(self, entry: Condition, no: int) -> None:
        ok = self.new_label()
        self.test(entry, ok, no)
        self.place(ok)

    def test(self, entry: Condition, ok: int, no: int) -> None:
        """Write a condition: goes to `ok` if it holds, else to `no`."""
        if entry.negate:
            ok, no = no, ok
        if entry.kind == "any_of":
            for inner in entry.inner:
                after = self.new_label()
                self.test(inner, ok, after)
                self.place(after)
            self.jump(no)
        elif entry.kind == "max_distance" and entry.query is not None:
            self.emit(EXISTS, WHOM[entry.who], 0, 0, no=no)  # of nobody, nothing is asked
            found = self.query(entry.query)
            self.emit(NEAR_LISTED, WHOM[entry.who], found, entry.radius, ok=ok, no=no)
        else:
            for part in self._tests(entry):
                self.emit(*part, no=no)
            self.jump(ok)

    def test_any_part(self, entries: Iterable[Condition], ok: int, no: int) -> None:
        """Write conditions of which any part is enough, as those that block a ray."""
        for entry in entries:
            alone = entry.kind == "resource" and not entry.negate
            names = list(entry.resources) if alone else [""]
            for name in names:
                one = {"resources": {name: entry.resources[name]}} if alone else {}
                after = self.new_label()
                self.test(entry.model_copy(update=one), ok, after)
                self.place(after)
        self.jump(no)

    def _tests(self, entry: Condition) -> list[tuple[int, ...]]:
        """Return the parts of a condition that all must hold."""
        who = WHOM[entry.who]
        if entry.kind == "resource":
            need = entry.resources.items()
            return [(HAS_RESOURCE, who, self.resource(name), least) for name, least in need]
        return [(*self._ask(entry), 0)[:4]]

    def _ask(self, entry: Condition) -> tuple[int, ...]:
        """Return the row of a condition of one part."""
        who = WHOM[entry.who]
        alone = {"target_loc_empty": TARGET_CELL_EMPTY, "target_is_usable": TARGET_USABLE}
        if entry.kind == "vibe":
            made = (HAS_VIBE, who, self.vibe(entry.vibe))
        elif entry.kind == "tag":
            made = (HAS_TAG, who, self.tag(entry.tag))
        elif entry.kind == "tag_prefix":
            made = (HAS_ANY_TAG, who, self.mask(entry.prefix))
        elif entry.kind == "shared_tag_prefix":
            made = (SHARED_TAG, 0, self.mask(entry.prefix))
        elif entry.kind == "max_distance":
            made = (WITHIN_DISTANCE, who, entry.radius)
        elif entry.kind == "periodic":
            return (PERIODIC, 0, entry.period, entry.start)
        elif entry.kind == "game_value":
            return (GAME_VALUE, who, self.value(entry.value, who), self.value(entry.least, who))
        else:
            made = (alone[entry.kind], 0, 0)
        return made

    def value(self, value: Value | None, who: int) -> int:
        """Write a value about the actor or the target, and before it what its queries list."""
        queries = [part.query for part in value_parts(value) if part.query is not None]
        if who == TARGET and any(query.kind != "tag" or query.filters for query in queries):
            what = "a value about the target can count those with a tag, and no other query"
            raise ConfigError(f"core.objects: {what}")
        return self.book.value(value, [self.query(query) for query in queries])

    def store(self, numbers: Iterable[int]) -> int:
        """Keep numbers that rows refer to; give where they begin."""
        start = self._base + len(self.data)
        self.data += [int(x) for x in numbers]
        return start

    def new_list(self) -> int:
        """Reserve a list of things."""
        self.num_lists += 1
        return self.num_lists - 1

    def resource(self, name: str) -> int:
        """Return the number of a resource."""
        return self._core.resources.index(name)

    def vibe(self, name: str) -> int:
        """Return the number of a vibe."""
        return self._core.vibes.index(name)

    def kind(self, name: str) -> int:
        """Return the number of a type of object."""
        return self._kinds[name]

    def tag(self, name: str) -> int:
        """Return the number of a tag."""
        if name not in self._tags:
            raise ConfigError(f"core.objects: no tag named {name!r}: list it in core.tags")
        return self._tags.index(name)

    def tag_name(self, tag: int) -> str:
        """Return the name of a tag."""
        return self._tags[tag]

    def tags_with(self, prefix: str) -> list[int]:
        """Return the numbers of the tags that begin so."""
        found = [k for k, name in enumerate(self._tags) if name.startswith(prefix)]
        if not found:
            raise ConfigError(f"core.objects: no tag begins with {prefix!r}: list one in core.tags")
        return found

    def mask(self, prefix: str) -> int:
        """Store a set of tags, as bits; give where it begins."""
        bits = [0] * words_for(len(self._tags))
        for tag in self.tags_with(prefix):
            bits[tag // WORD_BITS] |= 1 << (tag % WORD_BITS)
        return self.store(bits)

    @property
    def core(self) -> Core:
        return self._core
