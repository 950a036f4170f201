"""Values as bytecode: expressions written as rows for a stack machine."""

import itertools
from collections.abc import Callable, Iterable
from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.worlds.mettagrid.arithmetic.logarithm import log_table
from mesocosm.worlds.mettagrid.compile.bytecode.value_opcodes import (
    ADD,
    ADD_WEIGHTED,
    BEGIN,
    DIVIDE,
    END_VALUE,
    GREATER,
    LESSER,
    NUM_QUERY_COLUMNS,
    NUM_VALUE_COLUMNS,
    READ_AMOUNT,
    READ_CONSTANT,
    READ_GAME_STAT,
    READ_GLIMPSE,
    READ_LISTED,
    READ_STAT,
    TAKE_RESULT,
)
from mesocosm.worlds.mettagrid.compile.ranges import NO_LIMIT, value_bound
from mesocosm.worlds.mettagrid.compile.stat_codes import GLIMPSES
from mesocosm.worlds.mettagrid.compile.stats import names_of, value_parts
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.thing import AgentKind
from mesocosm.worlds.mettagrid.game.value import Query, Reward, Value

HIGHEST = 3.4028234663852886e38  # where a minimum begins
FOLD_OPCODES = {"sum": ADD, "min": LESSER, "max": GREATER}
FOLD_STARTS = {"sum": 0.0, "min": HIGHEST, "max": -HIGHEST}


class Fold(NamedTuple):
    """How a number is folded into the result so far."""

    how: int
    weight: float = 0.0
    log: bool = False


FIRST = Fold(BEGIN)


class ValueTables(NamedTuple):
    """What rules need to know to writer values out."""

    weight: Annotated[np.ndarray, "float64 [value, summand]"]
    item: Annotated[np.ndarray, "int16 [value, summand]"]  # resources that are added up, or -1
    value: Annotated[np.ndarray, "float64 [value, 5]"]
    # what rows read, of what, how they fold that, whether its logarithm
    code: Annotated[np.ndarray, "int32 [.., 4]"]
    number: Annotated[np.ndarray, "float64 [.., 2]"]  # a constant, a weight
    logs: Annotated[np.ndarray, "float64 [16, 2]"]  # what logarithms are worked out from
    # for which value, by which bytecode, into which list
    asks: Annotated[np.ndarray, "int32 [.., 5]"]


class ValueWriter:
    """Collects the values of a game; each gets a number that rules know it by."""

    def __init__(self, core: Core) -> None:
        self._core, self._names = core, names_of(core)
        self._code: list[tuple[int, int, int, int]] = []
        self._number: list[tuple[float, float]] = []
        self._weights: list[list[float]] = []
        self._items: list[list[int]] = []
        self._info: list[tuple[float, ...]] = []
        self._lists: list[int] = []  # of the queries of the value that is written
        self._told = len(GLIMPSES)
        self._asks: list[tuple[int, ...]] = []

    def add(self, reward: Reward, *, told: bool = False, lists: Iterable[int] = ()) -> int:
        """Write a reward or what is told; the latter is worked out while observations are made.

        Args:
            lists: Where the things of its queries are found.
        """
        size, start = len(self._core.resources), -1
        self._lists = list(lists)
        pad = size - len(reward.weights)
        if reward.value is not None:
            start = len(self._code)
            self._write(reward.value, told)
            self._put(END_VALUE, 0, 0.0, FIRST)
        resources = self._core.resources
        self._weights.append([*reward.weights.values(), *[0.0] * pad])
        self._items.append([*(resources.index(name) for name in reward.weights), *[-1] * pad])
        most = NO_LIMIT if reward.value is None else value_bound(self._core, reward)
        low = -most if reward.low is None else reward.low
        high = most if reward.high is None else reward.high
        self._info.append((reward.constant, low, high, float(reward.per_tick), float(start)))
        return len(self._info) - 1

    def value(self, value: Value | None, lists: Iterable[int]) -> int:
        """Write an expression of a handler; nothing is 0."""
        return self.add(Reward(value=value or Value(kind="const")), lists=lists)

    def ask(self, reward: Reward, *, told: bool, write: Callable[[Query], tuple[int, int]]) -> int:
        """Write a reward or what is told, and the bytecode of its queries.

        Args:
            write: Writes a query; gives the row it begins at and the list it fills.
        """
        found = [(part, write(part.query)) for part in value_parts(reward.value) if part.query]
        first = self._told
        which = self.add(reward, told=told, lists=[place for _, (_, place) in found])
        for k, (part, (start, place)) in enumerate(found):
            r = self._resource(part)
            self._asks.append((which, start, place, first + k if told else -1, r))
        return which

    def _resource(self, part: Value) -> int:
        return self._core.resources.index(part.resource) if part.resource else -1

    def column(self, name: str, scope: str) -> int:
        """Return where a statistic is kept."""
        return self._names.column(name, scope)

    def _put(self, op: int, operand: int, number: float, fold: Fold) -> None:
        self._code.append((op, operand, fold.how, int(fold.log)))
        self._number.append((float(np.float32(number)), float(np.float32(fold.weight))))

    def _write(self, value: Value, told: bool, fold: Fold = FIRST) -> None:
        """Write an expression, folded into what was worked out before it."""
        if value.query is None and value.kind in ("sum", "min", "max", "ratio"):
            self._write_parts(value, told)
            if fold != FIRST:
                self._put(TAKE_RESULT, 0, 0.0, fold)
            return
        op, operand, number = self._read(value, told)
        self._put(op, operand, number, fold)

    def _read(self, value: Value, told: bool) -> tuple[int, int, float]:
        """Return the opcode, operand and number that read one number."""
        if value.query is not None:
            place = self._lists.pop(0)
            if not told:
                return READ_LISTED, place, self._resource(value)
            self._told += 1
            return READ_GLIMPSE, self._told - 1, 0.0
        if value.kind == "inventory":
            name = f"{value.resource}.amount" if value.scope == "game" else ""
            return READ_AMOUNT, self._resource(value), self.column(name, "game")
        if value.kind == "const":
            return READ_CONSTANT, 0, value.number
        if told and value.stat in GLIMPSES:
            return READ_GLIMPSE, GLIMPSES.index(value.stat), 0.0
        op = READ_GAME_STAT if value.scope == "game" else READ_STAT
        return op, self.column(value.stat, value.scope), 0.0

    def _write_parts(self, value: Value, told: bool) -> None:
        """Write a ratio; or a beginning, and each part folded into it."""
        if value.kind == "ratio":
            for part in value.of[:-1]:
                self._write(part, told)
            self._write(value.of[-1], told, Fold(DIVIDE))
            return
        self._put(READ_CONSTANT, 0, FOLD_STARTS[value.kind], FIRST)
        for k, part in enumerate(value.of):
            how = ADD_WEIGHTED if value.weights else FOLD_OPCODES[value.kind]
            weight = value.weights[k] if value.weights else 0.0
            self._write(part, told, Fold(how, weight, value.log))

    def tables(self) -> ValueTables:
        """Return the tables of all values."""
        size = len(self._core.resources)
        return ValueTables(
            weight=np.array(self._weights, np.float64).reshape(len(self._weights), size),
            item=np.array(self._items, np.int16).reshape(len(self._items), size),
            value=np.array(self._info, np.float64).reshape(-1, NUM_VALUE_COLUMNS),
            code=np.array(self._code or [(END_VALUE, 0, BEGIN, 0)], np.int32),
            number=np.array(self._number or [(0.0, 0.0)], np.float64),
            logs=log_table(),
            asks=np.array(self._asks, np.int32).reshape(-1, NUM_QUERY_COLUMNS),
        )


def value_tables(core: Core, made: Any, writer: Any) -> dict[str, np.ndarray]:
    """Tabulate what is paid, told, or shrinks the view; sums add up in their order."""
    lists: list[int] = []  # of the queries of one agent's rewards, which are all run first
    again: dict[tuple[int, str], int] = {}  # told queries that find the same when run again

    def add(reward: Reward, first: int = 0, *, told: bool = False) -> int:
        rest = itertools.count(first)

        def write(query: Query) -> tuple[int, int]:
            k = next(rest)
            if k == len(lists):
                lists.append(writer.keep_list())
            text = query.model_dump_json()
            if not told or '"shuffled":true' in text:
                return writer.add_query(query, lists[k]), lists[k]
            if (k, text) not in again:
                again[k, text] = writer.add_query(query, lists[k])
            return again[k, text], lists[k]

        return int(writer.book.ask(reward, told=told, write=write))

    paid = np.full((len(made.kinds), made.num_terms, 2), -1, np.int16)
    writer.stands_still = core.conformance == "upstream"  # where rewards never learn the time
    for k, kind in enumerate(made.kinds):
        if isinstance(kind.entry, AgentKind):
            asked = 0
            for i, (name, reward) in enumerate(kind.entry.rewards.items()):
                paid[k, i] = add(reward, asked), made.terms.index(name)
                asked += sum(part.query is not None for part in value_parts(reward.value))
    writer.stands_still = False
    names = core.obs.values.items()
    told = [(add(value, told=True), made.ids.feature_id(name)) for name, value in names]
    radius = -1 if core.obs.radius is None else add(core.obs.radius, told=True)
    return {"paid": paid, "told": np.array([*told, (radius, -1)], np.int32)}
