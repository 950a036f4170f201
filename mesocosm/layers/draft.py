"""What a config's layers add up to: a spec for agents, and tables for rules."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from mesocosm.config.glob import check_globs, closest_match, matching
from mesocosm.config.layers import Layers
from mesocosm.config.section import Section
from mesocosm.core.errors import ConfigError, short
from mesocosm.core.observation import Feature, Layout, Read
from mesocosm.core.spec import BARRED_LINK, EventKind, Field, Link, Note, Role, Spec, Term
from mesocosm.sim.handles import COLUMN_FIELD
from mesocosm.sim.layering import ENV_ARRAYS, FRAME, ROLE_ARRAYS


class Column(NamedTuple):
    """One number of a malleable field or a quantity, per agent or of the whole world."""

    name: str
    owner: str  # the field or quantity that it is a part of
    row: tuple[int, int, int, int]  # field, first, stride, count
    low: float
    high: float
    per_agent: bool


@dataclass
class RoleDraft:
    """One role as its agents will know it, and the tables behind it.

    Args:
        numbers: Names of the world's own numbers.
        extras: Features that layers add, and `added_at` where each begins among them.
        history: How many rows an agent is shown, the newest included.
        delay: The steps by which the latest of its numbers is late.
        is_changed: Whether layers change what the role sees, is told or may do.
        keeps_views: Whether the world's own views are kept: for later, for others, as tokens.
        first_added_id: The feature id of the first number that layers add, among tokens.
    """

    role: Role
    number: int
    numbers: list[str]
    tables: dict[str, np.ndarray] = field(default_factory=dict)
    extras: list[Feature] = field(default_factory=list)
    added_at: dict[str, int] = field(default_factory=dict)
    history: int = 1
    delay: int = 0
    is_changed: bool = False
    keeps_views: bool = False
    first_added_id: int = -1

    def place_of(self, name: str) -> int:
        """Say where a feature that layers added begins in a row, or among added tokens."""
        if name not in self.added_at:
            return -1
        rows = 0 if self.layout.tokens else self.layout.size * self.history
        return rows + self.added_at[name]

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
    """A spec and its tables while layers write to them.

    Args:
        numbers: What a layer works out while it declares, for its arrays.
        places: Where the array of each remembered field is: whose tuple, and its path.
        event_weights: What events add to the frame's counters: per column, a weight per kind.
        frame: Handles of the frame that layers replace.
        compares: Whether columns are compared with what they were before the transition.
        marks_seen: Whether it matters whom an agent sees.
        has_sight: Whether the world says which agent sees which.
        event_room: How many events of agents' actions the layers may add to a step.
    """

    inner: Spec
    layers: Layers
    where: str
    roles: list[RoleDraft]
    events: list[EventKind]
    fields: list[Field] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    tables: dict[str, np.ndarray] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    terms: dict[str, np.ndarray] = field(default_factory=dict)
    places: dict[str, tuple[int, str]] = field(default_factory=dict)
    event_weights: dict[int, np.ndarray] = field(default_factory=dict)
    frame: dict[str, np.ndarray] = field(default_factory=dict)
    compares: bool = False
    marks_seen: bool = False
    event_room: int = 0
    has_sight: bool = True

    @property
    def agents(self) -> int:
        return self.inner.num_agents

    def refuse(self, path: str, what: str) -> ConfigError:
        """Build the error for a setting that cannot work on this world."""
        return ConfigError(f"{self.where}: layers.{path}: {what}")

    def require_defaults(
        self, settings: Section, path: str, names: Iterable[str], why: str
    ) -> None:
        """Refuse settings that something else would have to be set for."""
        for name in names:
            given, default = getattr(settings, name), type(settings).model_fields[name].default
            if given != default:
                raise self.refuse(f"{path}.{name}", f"does nothing: {why}, got {short(given)}")

    def require_several(self, path: str) -> None:
        """Refuse what only acts between agents where there is one agent."""
        if self.agents < 2:
            what = f"does nothing: {self.inner.world} has one agent here, and it takes two"
            raise self.refuse(path, what)

    def require_nonzero(self, given: Mapping[str, float], path: str) -> None:
        """Refuse amounts of nothing."""
        for name, value in given.items():
            if value == 0.0:
                raise self.refuse(f"{path}.{name}", "does nothing, got 0: leave it out")

    def values_of(
        self, names: list[str], given: Mapping[str, float], default: float, path: str
    ) -> list[float]:
        """Give each name the value of its closest glob; each glob must match and change some."""
        check_globs(given, names, f"{self.where}: layers.{path}")
        row = [closest_match(name, given, default) for name in names]
        for glob, value in given.items():
            rest = {other: given[other] for other in given if other != glob}
            if row == [closest_match(name, rest, default) for name in names]:
                raise self.refuse(f"{path}.{glob}", f"does nothing, got {value:g}: leave it out")
        return row

    @property
    def option_names(self) -> tuple[str, ...]:
        """Name the options of all roles, as events number them."""
        return tuple(option for entry in self.roles for option in entry.options)

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
        chosen = [k for k, entry in enumerate(known) if fnmatchcase(entry.owner, glob)]
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

    @property
    def pays_before_the_end(self) -> bool:
        """Whether agents can earn something before they end."""
        return pays_before_the_end(self.inner)

    @property
    def has_quantities(self) -> bool:
        """Whether layers act on some quantity."""
        return any(column.row[COLUMN_FIELD] < 0 for column in self.columns)

    def add_event(self, event: EventKind, *, per_step: int = 0) -> int:
        """Declare an event of the layers; give its code.

        Args:
            per_step: How many of them the event buffer has room for beside those of the world.
        """
        if event.name in [known.name for known in self.events]:
            what = f"would write events {event.name!r}, which {self.inner.world} declares itself"
            raise self.refuse(event.name, what)
        self.event_room += per_step
        self.events.append(event)
        return len(self.events) - 1

    def restrict_links(self, path: str) -> tuple[Link, ...]:
        """Give the world's links for a layer to restrict; whom it keeps from what is an event."""
        links = self.inner.links
        if not links:
            what = f"{self.inner.world} declares no link by which agents affect each other here"
            raise self.refuse(path, what)
        self.require_several(path)
        if "barred link" not in self.numbers:
            event = replace(BARRED_LINK, values=tuple(link.name for link in links))
            self.numbers["barred link"] = self.add_event(event, per_step=self.agents)
        return links

    def add_term(self, term: Term) -> None:
        """Give every role one of the layers' reward terms."""
        places = np.full(self.agents, -1, np.int64)
        for entry in self.roles:
            places[entry.role.span] = len(entry.role.terms)
            entry.role = replace(entry.role, terms=(*entry.role.terms, term))
        self.terms[term.name] = places

    def term_places(self, name: str) -> np.ndarray:  # int64 [agent]
        """Say which of each agent's terms is the one of that name; -1: none."""
        return self.terms.get(name, np.full(self.agents, -1, np.int64))

    def remember(
        self, name: str, meaning: str, shape: tuple[int, ...], path: str, **more: Any
    ) -> None:
        """Declare something that layers remember, per agent unless said otherwise.

        Args:
            path: Where its array is in `LayerArrays`, such as `temporal.since`.
        """
        self._remember(name, meaning, shape, (ENV_ARRAYS, path), **more)

    def remember_in_frame(
        self, name: str, meaning: str, shape: tuple[int, ...], path: str, **more: Any
    ) -> None:
        """Declare something that a counter of the frame holds."""
        self._remember(name, meaning, shape, (FRAME, path), **more)

    def remember_of_role(
        self, entry: RoleDraft, meaning: str, shape: tuple[int, ...], path: str, **more: Any
    ) -> str:
        """Declare something that a role's own arrays hold; give its name."""
        name = f"{path.rpartition('.')[2]}_{entry.role.name}"
        self._remember(name, meaning, shape, (ROLE_ARRAYS + entry.number, path), **more)
        return name

    def _remember(
        self, name: str, meaning: str, shape: tuple[int, ...], place: tuple[int, str], **more: Any
    ) -> None:
        settings: dict[str, Any] = {"scope": "agent", "visibility": "private"}
        settings |= {"low": -1e12, "high": 1e12} | more
        self.fields.append(Field(name, meaning, shape, **settings))
        self.places[name] = place


def pays_before_the_end(spec: Spec) -> bool:
    """Whether agents can earn something before they end."""
    terms = [term for role in spec.roles.values() for term in role.terms]
    return any(term.timing != "terminal" and (term.low, term.high) != (0.0, 0.0) for term in terms)


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
            found.append(Column(name, entry.name, row, entry.low, entry.high, per_agent))
    return found + _quantity_columns(spec)


def _quantity_columns(spec: Spec) -> list[Column]:
    """List every number of the quantities; a field below 0 says that it is of none."""
    return [
        Column(
            f"{entry.name}.{label}", entry.name, (-1 - q, k, 1, spec.num_agents), 0.0, high, True
        )
        for q, entry in enumerate(spec.quantities)
        for k, (label, high) in enumerate(zip(entry.labels, entry.high, strict=True))
    ]


def begin(spec: Spec, layers: Layers, where: str) -> Draft:
    """Start from what the world declares."""
    roles = [
        RoleDraft(role, number, role.observation.names())
        for number, role in enumerate(spec.all_roles)
    ]
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
    """Give the numbers whose own name or whose feature's name a glob matches; some name must."""
    owners = [entry.name for entry in layout.features]
    check_globs([glob], sorted({*names, *owners}), where)
    return numbers_of(layout, glob)


def sight_reads(role: Role, spec: Spec) -> tuple[Read, ...]:
    """Give what knowing whom one sees may depend on: what one reads, and what those seen show."""
    reads = [read for entry in role.observation.features for read in entry.reads]
    shown = [
        Read(entry.name, "visible")
        for entry in spec.truth
        if entry.scope == "agent" and entry.visibility == "public"
    ]
    return tuple(dict.fromkeys(reads + shown))
