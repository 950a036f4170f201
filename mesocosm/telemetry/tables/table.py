"""Tables: what each level records, column by column, with where every number comes from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

Source = Literal["state", "action", "transition", "reward", "termination", "learning", "evaluation"]
Kind = Literal["int64", "int32", "int16", "int8", "float64", "float32", "bool", "text", "list"]
LEVELS = ("episode", "step", "agent", "event")
LEVEL_OF = {"episode_agents": "episode"} | {level: level for level in LEVELS}  # by table
TABLES = ("episode", "episode_agents", "step", "agent", "event")
LEARNING = "learning"  # the table of a training: a row per update and role


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Args:
        source: What the value is computed from.
        kind: `text` columns hold `Words`, `list` columns arrays `[row, entry]`.
        key: Whether it says which row this is; keys are always kept.
        full: Whether only the verbosity `full` has it.
        optional: Whether it may have no value: NaN here, null in a file.
    """

    name: str
    kind: Kind
    source: Source
    meaning: str
    key: bool = False
    full: bool = False
    optional: bool = False


class Words(NamedTuple):
    """A column of texts: each row's index among few distinct ones."""

    codes: np.ndarray  # int32 [row]
    words: tuple[str, ...]

    def texts(self) -> list[str]:
        """Write the column out."""
        return [self.words[code] for code in self.codes.tolist()]


@dataclass(frozen=True)
class Table:
    """A level's columns under one config."""

    name: str
    columns: tuple[Column, ...]

    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


Columns = Mapping[str, Any]  # by column name: an array [row, ...], or Words


class Batch(NamedTuple):
    """Rows of one table: those of some steps, all of them."""

    table: str
    part: int  # which file they belong to
    last: bool  # whether that file is complete with them
    columns: Columns

    @property
    def num_rows(self) -> int:
        first = next(iter(self.columns.values()))
        return len(first.codes if isinstance(first, Words) else first)
