"""Write rows of bytecode, with labels for jumps, and the numbers of a game's names."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS, words_for
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
    END,
    JUMP,
    JUMP_IF_FALSE,
    JUMP_IF_TRUE,
    NUM_ROW_COLUMNS,
    OPCODE,
)
from mesocosm.worlds.mettagrid.compile.bytecode.values import ValueWriter
from mesocosm.worlds.mettagrid.config import Core


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
        for row in self.rows:
            for side in (JUMP_IF_TRUE, JUMP_IF_FALSE):
                row[side] = self._follow(row[side])
        return np.array(self.rows or [[END] + [0] * (NUM_ROW_COLUMNS - 1)], np.int32)

    def _follow(self, at: int) -> int:
        """Return where rows that only jump lead to from a row."""
        for _ in self.rows:
            if at >= len(self.rows) or self.rows[at][OPCODE] != JUMP:
                break
            at = self.rows[at][JUMP_IF_TRUE]
        return at


class SymbolWriter(RowWriter):
    """Writes rows about a game: knows the numbers of its names, keeps data that rows refer to."""

    def __init__(self, core: Core, tags: list[str], kinds: Mapping[str, int], base: int) -> None:
        super().__init__()
        self._base = base
        self._core, self._tags, self._kinds = core, tags, kinds
        self.num_lists = 0
        self._free_lists: list[int] = []  # that what is written next may use
        self._borrowed: list[int] = []  # the lists of what is being written
        self.stands_still = False  # whether it is always step 0 for what is written
        self.dropped: set[int] = set()  # tags whose loss has handlers
        self.num_bound = 0  # values about the target that are being written, within each other
        self.book = ValueWriter(core)
        self.data: list[int] = []  # what rows refer to

    @property
    def core(self) -> Core:
        return self._core

    def store(self, numbers: Iterable[int]) -> int:
        """Keep numbers that rows refer to; give where they begin."""
        start = self._base + len(self.data)
        self.data += [int(x) for x in numbers]
        return start

    def keep_list(self) -> int:
        """Reserve a list of things that nothing else uses."""
        self.num_lists += 1
        return self.num_lists - 1

    def new_list(self) -> int:
        """Borrow a list of things, up to the end of the innermost `borrowing`."""
        self._borrowed.append(self._free_lists.pop() if self._free_lists else self.keep_list())
        return self._borrowed[-1]

    @contextmanager
    def borrowing(self) -> Iterator[None]:
        """Give back, at the end, the lists that are borrowed within.

        Handlers that run within others share such lists, so that none may be needed after a call.
        """
        depth = len(self._borrowed)
        yield
        self._free_lists += reversed(self._borrowed[depth:])
        del self._borrowed[depth:]

    def resource(self, name: str) -> int:
        """Return the number of a resource."""
        return self._core.resources.index(name)

    def vibe(self, name: str) -> int:
        """Return the number of a vibe; of none, 0."""
        return self._core.vibes.index(name) if name else 0

    def kind(self, name: str) -> int:
        """Return the number of a type of object; of none, -1."""
        return self._kinds[name] if name else -1

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
