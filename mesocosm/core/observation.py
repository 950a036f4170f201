"""What an agent sees: named features, and the fixed layout they make."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from mesocosm.core.errors import SpecError, unknown

Visibility = Literal["public", "private", "hidden"]
Whose = Literal["self", "group", "mates", "visible", "all"]


class Read(NamedTuple):
    """A state field that a feature may depend on, and whose entries of it.

    `group` is the group that the world puts an agent in, `mates` the one the hierarchy layer does.
    """

    field: str
    whose: Whose = "all"


@dataclass(frozen=True)
class Feature:
    """A named slice of an observation (or of an info row).

    Args:
        shape: Axes of the slice; `()` is one number.
        meaning: What a person in the agent's place would call it ("how tired I am").
        reads: The truth fields it may depend on; the audit proves that nothing else reaches it.
        labels: Names of the entries along the last axis, for `decode`.
        glosses: What each of the labels means, where the names do not say it all.
        absent: The value of every entry while the agent or the information is absent.
        about_row: Of an info, whether it tells of the observation as a whole: then it is withheld
            where anything of that is blurred or hidden.
        table: Whether the first axis counts entities: a row that is `absent` throughout stands
            for nobody, and what blurs or drops entries spares or takes whole rows.
    """

    name: str
    meaning: str
    shape: tuple[int, ...] = ()
    low: float = 0.0
    high: float = 1.0
    unit: str = ""
    visibility: Visibility = "private"
    reads: tuple[Read, ...] = ()
    labels: tuple[str, ...] = ()
    glosses: tuple[str, ...] = ()
    absent: float = 0.0
    about_row: bool = False
    table: bool = False

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def lists_entities(self) -> bool:
        """Whether it is a table with room for an entity."""
        return self.table and self.size > 0

    def check(self, where: str) -> None:
        """Reject a declaration that contradicts itself."""
        if not self.low <= self.high:
            raise SpecError(f"{where}.{self.name}: low {self.low} is above high {self.high}")
        if not self.low <= self.absent <= self.high:
            raise SpecError(f"{where}.{self.name}: absent value {self.absent} is out of range")
        if self.labels and (not self.shape or len(self.labels) != self.shape[-1]):
            raise SpecError(f"{where}.{self.name}: labels do not fit the shape {self.shape}")
        if self.glosses and len(self.glosses) != len(self.labels):
            raise SpecError(f"{where}.{self.name}: glosses do not fit the labels")
        if self.table and len(self.shape) < 2:
            raise SpecError(f"{where}.{self.name}: a table needs two axes, has {self.shape}")


class Token(NamedTuple):
    """One feature id of a token row: what it is called, and the bytes it may hold.

    `labels` name the values from 0 on, where these are names and no amounts. An amount that has
    several `digits`, to a `base`, is told by this feature id and the ones after it, the lowest
    digit first. `reads` is what such a token of one's own depends on, where it is an amount that
    a group may share: fields of the agent itself.
    """

    id: int
    name: str
    low: int = 0
    high: int = 255
    labels: tuple[str, ...] = ()
    digits: int = 1
    base: int = 256
    reads: tuple[str, ...] = ()


class Withheld(NamedTuple):
    """What one agent is never, or not truly, shown.

    Args:
        obs, info: Numbers of its row, or feature ids of its tokens, and of its info that it never
            sees.
        impaired: Names of the features, of its row or its info, of which some number is masked,
            noisy, dropped by chance, late or hidden.
    """

    obs: frozenset[int] = frozenset()
    info: frozenset[int] = frozenset()
    impaired: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Tokens:
    """A row that is a list of byte triples (place, feature id, value), used ones first.

    Args:
        empty: The byte that an unused token consists of.
        anywhere: The place of a token that is about no place.
        places: What a person calls the place of each byte, from 0 on.
        here: The place of the agent itself; -1 where it has none.
    """

    num: int
    kinds: tuple[Token, ...]
    empty: int = 255
    anywhere: int = 254
    places: tuple[str, ...] = ()
    here: int = -1

    @cached_property
    def _by_id(self) -> Mapping[int, Token]:
        return {kind.id: kind for kind in self.kinds}

    def decode(self, flat: np.ndarray) -> dict[str, dict[str, Any]]:
        """Give the used tokens of a row by place and name; what a place has twice is a list."""
        made: dict[str, dict[str, Any]] = {}
        for place, number, value in flat.reshape(-1, 3).tolist():
            if place == self.empty:
                continue
            kind = self._by_id.get(number, Token(number, f"feature {number}"))
            told = kind.labels[value] if value < len(kind.labels) else value
            at_place = made.setdefault(self._place(place), {})
            if kind.name not in at_place:
                at_place[kind.name] = told
            elif isinstance(at_place[kind.name], list):
                at_place[kind.name].append(told)
            else:
                at_place[kind.name] = [at_place[kind.name], told]
        return made

    def _place(self, place: int) -> str:
        if place == self.anywhere:
            return "anywhere"
        return self.places[place] if place < len(self.places) else str(place)


def _named(feature: Feature, values: np.ndarray) -> Any:
    """Give the numbers of one feature as plain Python, by label where there are labels."""
    if feature.shape == ():
        return values.reshape(-1)[0].item()
    if feature.labels and len(feature.shape) == 1:
        return dict(zip(feature.labels, values.tolist(), strict=True))
    if feature.labels:
        return [_named(replace(feature, shape=feature.shape[1:]), row) for row in values]
    return values.tolist()


@dataclass(frozen=True)
class Layout:
    """A fixed row of numbers made of features, one after the other.

    Args:
        dtype: The element type of the row.
        shape: The shape under which a row is handed out; one axis unless given.
        tokens: How to read the row, where it is a list of tokens.
    """

    features: tuple[Feature, ...]
    dtype: str = "float32"
    shape_override: tuple[int, ...] | None = None
    tokens: Tokens | None = None

    @cached_property
    def offsets(self) -> Mapping[str, int]:
        """Where each feature begins."""
        table, offset = {}, 0
        for feature in self.features:
            table[feature.name] = offset
            offset += feature.size
        return table

    @cached_property
    def size(self) -> int:
        return sum(feature.size for feature in self.features)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.size,) if self.shape_override is None else self.shape_override

    def about_row(self) -> list[int]:
        """List the numbers that tell of the observation as a whole."""
        spans = [self.span(entry.name) for entry in self.features if entry.about_row]
        return [number for span in spans for number in range(span.start, span.stop)]

    def feature(self, name: str) -> Feature:
        """Find a feature by name."""
        for feature in self.features:
            if feature.name == name:
                return feature
        raise unknown("feature", name, self.offsets)

    def span(self, name: str) -> slice:
        """Give the part of a flat row that a feature takes."""
        feature = self.feature(name)
        return slice(self.offsets[name], self.offsets[name] + feature.size)

    def _per_number(self, values: Sequence[float]) -> np.ndarray:
        counts = [feature.size for feature in self.features]
        return np.repeat(np.asarray(values, dtype=np.float64), counts)

    @cached_property
    def low(self) -> np.ndarray:  # float64 [size]
        return self._per_number([feature.low for feature in self.features])

    @cached_property
    def high(self) -> np.ndarray:  # float64 [size]
        return self._per_number([feature.high for feature in self.features])

    @cached_property
    def absent(self) -> np.ndarray:  # float64 [size]
        return self._per_number([feature.absent for feature in self.features])

    def names(self) -> list[str]:
        """Name every number of the row: `meters.energy`, `window.3.4`."""
        result = []
        for feature in self.features:
            for index in np.ndindex(feature.shape):
                parts = [str(i) for i in index]
                if feature.labels:
                    parts[-1] = feature.labels[index[-1]]
                result.append(".".join([feature.name, *parts]))
        return result

    def decode(self, row: Any) -> dict[str, Any]:
        """Turn one row of numbers back into named values."""
        flat = np.asarray(row).reshape(-1)
        if flat.size != self.size:
            raise SpecError(f"cannot decode a row of {flat.size} numbers, expected {self.size}")
        if self.tokens is not None:
            return {self.features[0].name: self.tokens.decode(flat)}
        spans = ((feature, self.offsets[feature.name]) for feature in self.features)
        return {
            feature.name: _named(feature, flat[at : at + feature.size].reshape(feature.shape))
            for feature, at in spans
        }

    def rows(self) -> list[dict[str, Any]]:
        """List the features with their offsets, for tables and JSON."""
        return [
            {
                "offset": self.offsets[feature.name],
                "size": feature.size,
                "name": feature.name,
                "shape": list(feature.shape),
                "range": [feature.low, feature.high],
                "unit": feature.unit,
                "visibility": feature.visibility,
                "reads": [f"{read.field}:{read.whose}" for read in feature.reads],
                "meaning": feature.meaning,
                "labels": list(feature.labels),
                "glosses": list(feature.glosses),
                "absent": feature.absent,
            }
            for feature in self.features
        ]

    def describe(self) -> str:
        """Draw the layout as a text table."""
        head = ("offset", "size", "name", "range", "unit", "visibility", "reads", "meaning")
        lines: list[tuple[str, ...]] = [head]
        for row in self.rows():
            low, high = row["range"]
            cells = (row["offset"], row["size"], row["name"], f"{low:g}..{high:g}", row["unit"])
            tail = (row["visibility"], " ".join(row["reads"]), row["meaning"])
            lines.append(tuple(str(cell) for cell in (*cells, *tail)))
        widths = [max(len(line[k]) for line in lines) for k in range(len(head) - 1)]
        return "\n".join(
            "  ".join([*(c.ljust(w) for c, w in zip(line, widths, strict=False)), line[-1]])
            for line in lines
        )


def offsets_class(name: str, features: Sequence[Feature], module: str) -> Any:
    """Make the NamedTuple class that carries feature offsets into rules as `p.at`.

    Bind the result at module level under `name`: compiled code is cached by that address.
    """
    made = NamedTuple(name, [(feature.name, int) for feature in features])  # type: ignore[misc]
    made.__module__ = module
    return made
