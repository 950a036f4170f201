"""Write the handlers of a game as bytecode: rows of numbers that the interpreter executes."""

from collections.abc import Iterable, Mapping
from typing import Any

from mesocosm.worlds.mettagrid.compile.bytecode.change import ChangeWriter
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
    BEGIN_CHANGES,
    CALL_TARGET,
    CLEAR_FLAG,
    END,
    FAILURE,
    SET_FLAG,
    SUCCESS,
    TEST_FLAG,
)
from mesocosm.worlds.mettagrid.game.handler import Change, Handler
from mesocosm.worlds.mettagrid.game.value import Condition, Query


class BytecodeWriter(ChangeWriter):
    """Writes the bytecode of a game, one handler after the other."""

    def add_handler(self, handler: Handler, limits: Mapping[str, Any]) -> int:
        """Write a handler; return the row it begins at."""
        start, ok, no = len(self.rows), self.new_label(), self.new_label()
        self._handler(handler, ok, no, limits, 0)
        self.place(ok)
        self._end(no)
        return start

    def add_effect(
        self, filters: Iterable[Condition], mutations: Iterable[Change], limits: Mapping[str, Any]
    ) -> int:
        """Write conditions and changes that run by themselves; all changes are tried."""
        start, no = len(self.rows), self.new_label()
        self.require(filters, no)
        self.emit(BEGIN_CHANGES, 0, 0, 0)
        for change in mutations:
            self.change(change, limits, 0)
        self._end(no)
        return start

    def add_effects(
        self, handlers: Iterable[Handler], limits: Mapping[str, Any], *, stops: bool = False
    ) -> int:
        """Write handlers that run one after the other, whatever becomes of each.

        Args:
            stops: Whether a change that fails is the last of its handler.
        """
        start = len(self.rows)
        for handler in handlers:
            after = self.new_label()
            self.require(handler.filters, after)
            self.emit(BEGIN_CHANGES, 0, 0, 0)
            for change in handler.mutations:
                self.change(change, limits, after if stops else 0)
            self.place(after)
        self.emit(END, 0, SUCCESS, 0)
        return start

    def add_use(self) -> int:
        """Write a call of the target's own handler; return the row it begins at."""
        start, no = len(self.rows), self.new_label()
        self.emit(CALL_TARGET, 0, 0, 0, no=no)
        self._end(no)
        return start

    def add_tagging(self, query: Query, tag: str) -> int:
        """Write what gives a tag to the things of a query alone; return the row it begins at."""
        start = len(self.rows)
        self.retag(query, tag)
        self.emit(END, 0, SUCCESS, 0)
        return start

    def add_query(self, query: Query, into: int) -> int:
        """Write what lists the things of a query; return the row it begins at."""
        start = len(self.rows)
        self.query(query, into)
        self.emit(END, 0, SUCCESS, 0)
        return start

    def _handler(
        self, entry: Handler, ok: int, no: int, limits: Mapping[str, Any], depth: int
    ) -> None:
        if entry.mode == "one":
            self.require(entry.filters, no)
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

    def _end(self, no: int) -> None:
        """Write the two ends: success here, failure at `no`."""
        self.emit(END, 0, SUCCESS, 0)
        self.place(no)
        self.emit(END, 0, FAILURE, 0)
