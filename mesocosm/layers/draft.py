"""What a config's layers add up to: a spec for agents, and tables for rules."""

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from mesocosm.config.glob import matching
from mesocosm.config.layers import Layers
from mesocosm.core.errors import ConfigError
from mesocosm.core.observation import Feature, Layout, Read
from mesocosm.core.spec import EventKind, Field, Note, Role, Spec, Term
from mesocosm.layers import dials


class Column(NamedTuple):
    """One number of a malleable state field, per agent or of the whole world."""

    name: str
    row: tuple[int, int, int, int]  # field, first, stride, count
    low: float
    high: float
    per_agent: bool


@dataclass
class RoleDraft:
    """One role as its agents will know it, and the tables behind it."""

    role: Role
    numbers: list[str]  # names of the world's own numbers
    tables: dict[str, np.ndarray] = field(default_factory=dict)
    extras: list[Feature] = field(default_factory=list)
    extra: np.ndarray = field(default_factory=lambda: np.full(dials.NUM_EXTRAS, -1, np.int64))
    history: int = 1
    delay: int = 0

    @property
    def layout(self) -> Layout:
        """The world's own layout."""
        return self.role.observation

    @property
    def options(self) -> list[str]:
        """Name every option of every part: `move.left`."""
        choices = self.role.action.choices
        return [f"{part.name}.{option}" for part in choices for option in part.options]


@dataclass
class Draft:
    """A spec and its tables while layers write to them."""

    inner: Spec
    layers: Layers
    where: str
    roles: list[RoleDraft]
    events: list[EventKind]
    fields: list[Field] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    switch: np.ndarray = field(default_factory=lambda: np.zeros(dials.NUM_SWITCHES, np.int64))
    scale: np.ndarray = field(default_factory=lambda: np.zeros(dials.NUM_SCALES))
    tables: dict[str, np.ndarray] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def agents(self) -> int:
        return self.inner.num_agents

    def refuse(self, path: str, what: str) -> ConfigError:
        """Build the error for a setting that cannot work on this world."""
        return ConfigError(f"{self.where}: layers.{path}: {what}")

    def note(self, layer: str, what: str, how: str) -> None:
        """Say what a layer did to something that agents see, do or earn."""
        self.notes.append(Note(layer, what, how))

    def column(self, glob: str, path: str, *, per_agent: bool = False) -> list[int]:
        """Find the columns that a glob names, and let layers act on them."""
        known = [entry for entry in all_columns(self.inner) if entry.per_agent or not per_agent]
        names = [entry.name for entry in known]
        if not names:
            what = "malleable field of agents" if per_agent else "malleable field"
            raise self.refuse(path, f"{self.inner.world} declares no {what}")
        fields = [self.inner.fields[entry.row[0]].name for entry in known]
        chosen = [k for k, name in enumerate(fields) if fnmatchcase(name, glob)]
        chosen = chosen or matching(glob, names, f"{self.where}: layers.{path}")
        found = []
        for k in chosen:
            if known[k] not in self.columns:
                self.columns.append(known[k])
            found.append(self.columns.index(known[k]))
        return found

    def per_column(self, name: str, width: int = 0) -> np.ndarray:
        """Give a table with one row per column, as wide as columns are known now."""
        shape = (len(self.columns), width) if width else (len(self.columns),)
        table = self.tables.get(name, np.zeros((0, *shape[1:])))
        grown = np.zeros(shape)
        grown[: len(table)] = table
        self.tables[name] = grown
        return grown

    def add_event(self, event: EventKind) -> int:
        """Declare an event of the layers; give its code."""
        self.events.append(event)
        return len(self.events) - 1

    def add_term(self, which: int, term: Term, roles: list[RoleDraft] | None = None) -> None:
        """Give roles one of the layers' reward terms."""
        table = self.tables.setdefault(
            "term", np.full((self.agents, len(dials.TERMS)), -1, np.int64)
        )
        for entry in self.roles if roles is None else roles:
            table[entry.role.span, which] = len(entry.role.terms)
            entry.role = replace(entry.role, terms=(*entry.role.terms, term))

    def remember(self, name: str, meaning: str, shape: tuple[int, ...], **more: Any) -> None:
        """Declare something that layers remember, per agent unless said otherwise."""
        settings: dict[str, Any] = {"scope": "agent", "visibility": "private"}
        settings |= {"low": -1e12, "high": 1e12} | more
        self.fields.append(Field(name, meaning, shape, **settings))


def all_columns(spec: Spec) -> list[Column]:
    """List every number that layers may act on, by name."""
    found = []
    for k, entry in enumerate(spec.fields):
        if not entry.malleable:
            continue
        per_agent = entry.scope == "agent"
        inner = entry.shape[1:] if per_agent else entry.shape
        size = int(np.prod(inner, dtype=np.int64))
        for first, index in enumerate(np.ndindex(inner)):
            parts = [str(i) for i in index]
            if entry.labels and parts:
                parts[-1] = entry.labels[index[-1]]
            row = (k, first, size, entry.shape[0]) if per_agent else (k, first, 0, 1)
            name = ".".join([entry.name, *parts])
            found.append(Column(name, row, entry.low, entry.high, per_agent))
    return found


def begin(spec: Spec, layers: Layers, where: str) -> Draft:
    """Start from what the world declares."""
    roles = [RoleDraft(role, role.observation.names()) for role in spec.all_roles]
    return Draft(spec, layers, where, roles, list(spec.events))


def numbers_of(layout: Layout, glob: str) -> list[int]:
    """Give the numbers of the features that a glob names, none if none."""
    names, numbers = layout.names(), []
    for entry in layout.features:
        for n in range(*layout.span(entry.name).indices(layout.size)):
            if fnmatchcase(entry.name, glob) or fnmatchcase(names[n], glob):
                numbers.append(n)
    return numbers


def matches(names: list[str], layout: Layout, glob: str, where: str) -> list[int]:
    """Give the numbers whose own name or whose feature's name a glob matches; some must."""
    owners = [entry.name for entry in layout.features]
    return numbers_of(layout, glob) or matching(glob, sorted({*names, *owners}), where)


def sight_reads(role: Role, spec: Spec) -> tuple[Read, ...]:
    """Give what knowing whom one sees may depend on: what one reads, and what those seen show."""
    reads = [read for entry in role.observation.features for read in entry.reads]
    shown = [
        Read(entry.name, "visible")
        for entry in spec.truth
        if entry.scope == "agent" and entry.visibility == "public"
    ]
    return tuple(dict.fromkeys(reads + shown))
