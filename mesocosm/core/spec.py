"""What a world declares about itself: state, roles, rewards, endings, events, handles."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from mesocosm.core.action import ActionSpec
from mesocosm.core.errors import unknown
from mesocosm.core.index import Indexes, Reference
from mesocosm.core.observation import Layout, Visibility, Withheld

Outcome = Literal["none", "success", "failure", "neutral", "timeout"]
Turns = Literal["simultaneous", "fixed", "state"]
Invalid = Literal["noop", "clamp", "penalty"]
Body = Literal["removed", "frozen", "transferred"]
Party = Literal["agent", "thing", "none"]
OUTCOMES: tuple[Outcome, ...] = ("none", "success", "failure", "neutral", "timeout")
STATE_DTYPES = ("float64", "int8", "int16", "int32", "int64", "bool")
BEFORE = "_before"
LAYER = "layer."  # before the names of what layers remember
UNIT = (0.0, 1.0)  # the range of a field that declares none
MAX_EFFECT = 1000.0  # the greatest multiplier that a layer or a snapshot may set


@dataclass(frozen=True)
class Field:
    """A state array `[env, *shape]`.

    Args:
        scope: What the first axis after env counts: agents, groups, the things of one of the
            world's own axes, or nothing (`global`).
        low, high: The values that a snapshot may hold and that the audit tries; where both are
            infinite, NaN and infinity too.
        ranges: The same for each entry along the last axis, where they differ.
        derived: Computed from truth fields by `rebuild`; never saved.
        sources: Of a derived field, the truth fields that it is computed from. With them, features
            may read it and so show no more of its sources than it does; and where layers change
            one of them, `rebuild` is called again.
        exposed: Of a derived field, whether `truth` gives it although no snapshot holds it.
        previous: Also keep its value from before the transition, as `s.NAME_before`.
        malleable: Whether layers may change it, within low..high, after a transition; what is
            derived from it must name it among its `sources`.
        labels: Names of the entries along the last axis.
        indexes: What its numbers refer to, one for all or one for each entry along the last axis:
            whatever a rule uses as an index, a shift or a set of bits. Where low and high are not
            given they follow from it; they may be narrower, never wider.
    """

    name: str
    meaning: str
    shape: tuple[int, ...] = ()
    dtype: str = "float64"
    scope: str = "global"
    visibility: Visibility = "hidden"
    low: float = 0.0
    high: float = 1.0
    ranges: tuple[tuple[float, float], ...] = ()
    unit: str = ""
    derived: bool = False
    sources: tuple[str, ...] = ()
    exposed: bool = False
    previous: bool = False
    malleable: bool = False
    labels: tuple[str, ...] = ()
    indexes: Indexes = None

    def __post_init__(self) -> None:
        known = [entry for entry in self.references if entry is not None]
        if len(known) == len(self.references) > 0 and (self.low, self.high) == UNIT:
            object.__setattr__(self, "low", min(entry.low for entry in known))
            object.__setattr__(self, "high", max(entry.high for entry in known))

    @property
    def references(self) -> tuple[Reference | None, ...]:
        """What its numbers refer to: one for all, or one for each entry along the last axis."""
        if self.indexes is None:
            return ()
        return self.indexes if isinstance(self.indexes, tuple) else (self.indexes,)

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The least and the greatest value: numbers, or one for each entry of the last axis."""
        if self.ranges:
            return np.array(self.ranges)[:, 0], np.array(self.ranges)[:, 1]
        if not isinstance(self.indexes, tuple) or not self.indexes:
            return self.low, self.high
        refs = self.references
        low = [int(self.low) if r is None else max(int(self.low), r.low) for r in refs]
        high = [int(self.high) if r is None else min(int(self.high), r.high) for r in refs]
        return np.array(low, np.int64), np.array(high, np.int64)


@dataclass(frozen=True)
class Quantity:
    """Whole numbers of each agent that layers may change, by the world's own rules.

    For what cannot be a malleable field, since more hangs on it than the number: limits, lists,
    statistics, what is derived. `Rules.quantities` has the rules that read and write it.

    Args:
        field: The truth field that it is kept in.
        labels: Names of an agent's numbers.
        high: The most that each of them can be; the least is 0.
    """

    name: str
    meaning: str
    field: str
    labels: tuple[str, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class Term:
    """A named part of a reward.

    Args:
        timing: `step` terms may pay every step, `terminal` ones only in the step an agent ends,
            `delayed` ones for what happened earlier.
        attribution: `shared` terms are averaged over the role's active agents.
    """

    name: str
    low: float
    high: float
    meaning: str = ""
    timing: Literal["step", "terminal", "delayed"] = "step"
    attribution: Literal["individual", "shared"] = "individual"


@dataclass(frozen=True)
class Reason:
    """Why an agent's life or an episode ends, and how that counts.

    An ending rule may give every agent a reason of its own (`f.ending[e, a]`), with an outcome of
    its own, beside the reason for which the episode ends (`f.episode_ending[e]`).

    Args:
        outcome: How it counts; of an episode that some won and others lost: `neutral`.
        truncates: Whether the end is imposed from outside.
        winner: The role that an episode with this ending was won by, if one was.
    """

    name: str
    outcome: Outcome
    meaning: str = ""
    truncates: bool = False
    winner: str = ""


@dataclass(frozen=True)
class EventKind:
    """A sparse, semantic record that rules may write.

    Args:
        sentence: What a person reads; may use {actor}, {target} and {value}.
        targets: Names of what `target` counts, from 0 on, where that is no agent.
        values: Names of whole values, from 0 on.
        actor, target: What these numbers count. Only what an agent did can change what is
            thought of it, and only what it did to an agent can change who trusts it.
    """

    name: str
    sentence: str
    targets: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    actor: Party = "agent"
    target: Party = "none"

    def tell(self, actor: int, target: int, value: float) -> str:
        """Write the sentence of one event."""
        whom = self.targets[target] if 0 <= target < len(self.targets) else target
        whole = value == int(value) and 0 <= value < len(self.values)
        what = self.values[int(value)] if whole else value
        return self.sentence.format(actor=actor, target=whom, value=what)


@dataclass(frozen=True)
class Conflict:
    """A point where agents may want the same thing, and the rule that decides.

    Args:
        divisible: Whether the world's rules split the resource evenly while `f.split[e]`.
        ordered: Whether the world's rules serve agents in the order of `f.order[e]`.
    """

    name: str
    resource: str
    rule: str
    divisible: bool = False
    ordered: bool = False


@dataclass(frozen=True)
class Link:
    """A point where one agent affects another; rules ask `may(f, e, a, other, k)` before it.

    Args:
        field: The state field of the other that changes.
    """

    name: str
    field: str
    meaning: str = ""


@dataclass(frozen=True)
class Tunable:
    """A parameter that layers may turn per env; rules read it as `f.tunable[e, k]`."""

    name: str
    value: float
    low: float
    high: float
    meaning: str = ""


@dataclass(frozen=True)
class Effect:
    """A multiplier that layers may turn per agent; rules read it as `f.effect[e, a, k]`."""

    name: str
    meaning: str = ""


class Note(NamedTuple):
    """What an active layer did to something that agents see, do or earn."""

    layer: str
    what: str
    how: str


NO_INFO = Layout((), dtype="float64")
NO_AGENTS = Reason(
    "no_agents", "neutral", "no active agent remains; success or failure if it was everyone's"
)
INVALID_EVENT = EventKind("invalid_action", "agent {actor} played an invalid action")
INVALID_TERM = "invalid_action"
BARRED_LINK = EventKind(
    "barred_link", "agent {actor} was kept from affecting agent {target}: {value}", target="agent"
)


@dataclass(frozen=True)
class Role:
    """Agents that share spaces: a contiguous slice of the agents of an env.

    Args:
        first: Index of the role's first agent among all agents.
        body: What becomes of what an agent was once it has ended; `check_world` tries it.
            `removed`: nothing of it reaches others any more. Whatever its entries of the fields of
            agents were, but for those in `vacancy`, others would see, be told, be allowed and earn
            the same, and the rest of the state would go on the same.
            `frozen`: its entries of the fields of agents stay as they are until the episode ends
            or its slot is born again; others may see them and deal with them.
            `transferred`: as frozen, but its `estate` passes on in the step in which it ends. It
            then holds the lowest value, and had it been more by an amount that others have room
            for, theirs would be more by this amount in total. Where no other agent of its role
            plays on, there is nobody whom it could pass to.
        vacancy: Of a role whose bodies are removed, the fields that say that a slot is vacant, and
            since when.
        estate: Of a role whose bodies are transferred, what passes on: float64 fields of agents, or
            columns of them (`meters.money`).
        respawn: Whether a slot is used again: `terminated` then ends a life, not a slot.
        withheld: What each member is never, or not truly, shown; empty: nothing from anyone.
        shown_open: Entries of its mask that each member is shown as allowed whatever holds, since
            they depend on what is withheld from it; empty: none.
    """

    name: str
    num_agents: int
    observation: Layout
    action: ActionSpec
    terms: tuple[Term, ...] = ()
    info: Layout = NO_INFO
    events: tuple[str, ...] = ()
    body: Body = "frozen"
    vacancy: tuple[str, ...] = ()
    estate: tuple[str, ...] = ()
    respawn: bool = False
    meaning: str = ""
    first: int = 0
    withheld: tuple[Withheld, ...] = ()
    shown_open: tuple[tuple[int, ...], ...] = ()

    @property
    def reward_bounds(self) -> tuple[float, float]:
        """The least and the greatest reward of one step."""
        return sum(term.low for term in self.terms), sum(term.high for term in self.terms)

    @property
    def span(self) -> slice:
        """The role's agents among all agents."""
        return slice(self.first, self.first + self.num_agents)


@dataclass(frozen=True)
class Spec:
    """Everything a trainer, a person or a tool can rely on before the first step.

    Args:
        layer_fields: What active layers remember: part of the truth, beside the world's own.
        notes: What active layers did.
    """

    world: str
    version: int
    all_roles: tuple[Role, ...]
    fields: tuple[Field, ...]
    reasons: tuple[Reason, ...]
    events: tuple[EventKind, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    tunables: tuple[Tunable, ...] = ()
    effects: tuple[Effect, ...] = ()
    links: tuple[Link, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    layer_fields: tuple[Field, ...] = ()
    notes: tuple[Note, ...] = ()
    turns: Turns = "simultaneous"
    invalid: Invalid = "noop"
    invalid_penalty: float = 0.0
    max_events: int = 64
    extras: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def roles(self) -> Mapping[str, Role]:
        """The roles that have agents, in agent order."""
        return {role.name: role for role in self.all_roles if role.num_agents}

    @property
    def num_agents(self) -> int:
        return sum(role.num_agents for role in self.all_roles)

    def role_of(self, agent: int) -> Role:
        """Find the role of an agent index."""
        for role in self.roles.values():
            if role.first <= agent < role.first + role.num_agents:
                return role
        raise unknown("agent", str(agent), [f"0..{self.num_agents - 1}"])

    @cached_property
    def truth(self) -> tuple[Field, ...]:
        """The fields that a snapshot holds."""
        return tuple(entry for entry in self.fields if not entry.derived)

    @cached_property
    def saved(self) -> Mapping[str, Field]:
        """The world's truth fields, and under `layer.NAME` those of its layers."""
        own = {entry.name: entry for entry in self.truth}
        return own | {LAYER + entry.name: entry for entry in self.layer_fields}

    @cached_property
    def exposed(self) -> Mapping[str, Field]:
        """The derived fields that `truth` gives beside those of a snapshot."""
        return {entry.name: entry for entry in self.fields if entry.exposed}

    @property
    def rebuilds(self) -> bool:
        """Whether a derived field has to follow what layers change."""
        soft = {entry.name for entry in self.fields if entry.malleable}
        return any(soft & set(entry.sources) for entry in self.fields)

    def state_field(self, name: str) -> Field:
        """Find a state field by name."""
        if name in self.saved:
            return self.saved[name]
        for entry in self.fields:
            if entry.name == name:
                return entry
        raise unknown("state field", name, [entry.name for entry in self.fields])

    def column(self, name: str) -> tuple[Field, Any]:
        """Find a column by name: a field, and which of its entries along the last axis."""
        head, _, label = name.partition(".")
        entry = self.state_field(head)
        if not label:
            return entry, ...
        if label not in entry.labels:
            raise unknown(f"column of {head}", label, entry.labels)
        return entry, (..., entry.labels.index(label))

    def reason_name(self, code: int) -> str:
        """Name a reason code; 0 is no ending."""
        return "" if code == 0 else self.reasons[code - 1].name

    def winner(self, code: int) -> str:
        """Name the role that won an episode which ended for a reason code; "" if none did."""
        return "" if code == 0 else self.reasons[code - 1].winner


def codes(entries: tuple[Any, ...], first: int = 0) -> tuple[int, ...]:
    """Number declarations in order, so that rules can name them: reasons count from 1."""
    return tuple(range(first, first + len(entries)))
