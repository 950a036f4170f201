"""Declared reads: what each part of an observation, mask or info may depend on."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from mesocosm.core.action import Choice
from mesocosm.core.observation import Layout, Read, Whose, Withheld
from mesocosm.core.spec import LAYER, Role, Spec
from mesocosm.sim.engine import Engine
from mesocosm.sim.targets.cells import wrap
from mesocosm.testing.perturb import Change

MOST_NAMED = 4  # options in a report


class Item(NamedTuple):
    """A part of what some of a role's agents receive, with the reads that it may depend on."""

    what: str
    source: str  # obs, mask or info
    numbers: list[int]
    reads: tuple[Read, ...]
    members: list[int]  # of the role


def list_items(role: Role, spec: Spec) -> Iterator[Item]:
    """List what a role's agents receive: observation, info and mask.

    What is withheld from a member may depend on nothing, and neither may a mask that would tell it.
    """
    groups: dict[Withheld, list[int]] = {}
    withheld = role.withheld or (Withheld(),) * role.num_agents
    for i, entry in enumerate(withheld):
        groups.setdefault(entry, []).append(i)
    for entry, members in groups.items():
        yield from _features(role.observation, "obs", entry.obs, members)
        yield from _features(role.info, "info", entry.info, members)
        for part in role.action.choices:
            if part.masked:
                yield from _mask(role, part, entry, members, spec)


def _features(
    layout: Layout, source: str, hidden: frozenset[int], members: list[int]
) -> Iterator[Item]:
    """List the features of a layout, and apart from them their numbers that are never shown."""
    kind = "observation feature" if source == "obs" else "info"
    for feature in layout.features:
        span = layout.span(feature.name)
        what, numbers = f"{kind} {feature.name!r}", range(span.start, span.stop)
        never = feature.visibility == "hidden"
        blank = [] if layout.tokens else [n for n in numbers if n in hidden]
        shown = [n for n in numbers if n not in set(blank)]
        yield Item(what, source, shown, () if never else feature.reads, members)
        if blank:
            yield Item(f"{what}, which is hidden,", source, blank, (), members)


def _mask(
    role: Role, part: Choice, withheld: Withheld, members: list[int], spec: Spec
) -> Iterator[Item]:
    """List the options of a part, those with the same reads together."""
    features = (*role.observation.features, *role.info.features)
    impaired = [entry for entry in features if entry.name in withheld.impaired]
    unknown = _behind([read for entry in impaired for read in entry.reads], spec)
    at = role.action.mask_offset(part.name)
    groups: dict[tuple[bool, tuple[Read, ...]], list[int]] = {}
    for k in range(len(part.options)):
        reads = part.reads_of(k)
        tells = bool(_behind(reads, spec) & unknown)
        groups.setdefault((tells, () if tells else reads), []).append(k)
    for (tells, reads), options in groups.items():
        what = f"mask of {part.name!r}"
        if len(groups) > 1:
            what += f" ({', '.join(part.options[k] for k in options[:MOST_NAMED])})"
        what += ", which is opened," if tells else ""
        yield Item(what, "mask", [at + k for k in options], reads, members)


def _behind(reads: Iterable[Read], spec: Spec) -> set[str]:
    """Name the fields that are read, and those behind them."""
    found = {read.field for read in reads}
    for entry in spec.fields:
        if entry.name in found:
            found |= set(entry.sources)
    return found


class Visibility:
    """The probe's state as plain Python, for the world's own rules of who sees what."""

    def __init__(self, env: Engine) -> None:
        self._rules, self.env = env.world.rules, env
        self._state = env.host_state()
        self._s, self._p = wrap(self._state), wrap(env.host_params)

    def sees(self, row: int, a: int, j: int) -> bool:
        rule = self._rules.sees
        return a == j or (rule is not None and bool(rule(self._s, self._p, row, a, j)))

    def sees_thing(self, axis: str, row: int, a: int, k: int) -> bool:
        return bool(self._rules.axes[axis].sees(self._s, self._p, row, a, k))

    def owns_thing(self, axis: str, row: int, a: int, k: int) -> bool:
        rule = self._rules.axes[axis].owns
        return rule is not None and bool(rule(self._s, self._p, row, a, k))

    def changed_owners(self, name: str, row: int) -> list[int]:
        """List whose entries of a field differ from those of the first row; -1: the world's."""
        array = getattr(self._state, name)
        differs = array[row] != array[0]
        if self.env.spec.state_field(name).scope == "global":
            return [-1] if differs.any() else []
        owners = np.flatnonzero(differs.reshape(len(differs), -1).any(axis=1))
        return [int(owner) for owner in owners]

    def are_mates(self, a: int, j: int) -> bool:
        groups = self.env.layering.groups if self.env.layering is not None else ()
        return bool(groups) and groups[a] == groups[j]

    def is_member(self, a: int, group: int) -> bool:
        """Whether the hierarchy layer puts an agent in a group."""
        return self.env.layering is not None and self.env.layering.groups[a] == group

    def group_of(self, row: int, a: int) -> int:
        rule = self._rules.group_of
        return -1 - a if rule is None else int(rule(self._s, self._p, row, a))


def is_allowed(item: Item, change: Change, agent: int, view: Visibility, row: int) -> bool:
    """Whether what an agent received may depend on what was changed.

    What is computed from a field may be read instead of it: then the change must show in that.
    """
    if _may_read(item, change, agent, view, row):
        return True
    derived = {entry.name: entry.sources for entry in view.env.spec.fields}
    for name in dict.fromkeys(read.field for read in item.reads):
        if change.field in derived.get(name, ()):
            shown = [Change(name, owner, "") for owner in view.changed_owners(name, row)]
            if any(_may_read(item, entry, agent, view, row) for entry in shown):
                return True
    return False


def _may_read(item: Item, change: Change, agent: int, view: Visibility, row: int) -> bool:
    """Whether an item declares to read what was changed, of whom it was changed."""
    whose = {read.whose for read in item.reads if read.field == change.field}
    if not whose or change.owner < 0 or "all" in whose:
        return bool(whose)
    owner, scope = change.owner, view.env.spec.state_field(change.field).scope
    if scope == "group" and change.field.startswith(LAYER):
        return "mates" in whose and view.is_member(agent, owner)
    if scope == "group":
        return any(view.group_of(k, agent) == owner for k in (0, row)) and "group" in whose
    if scope != "agent":
        return any(_may_know(whose, scope, view, k, (agent, owner)) for k in (0, row))
    same = any(view.group_of(k, agent) == view.group_of(k, owner) for k in (0, row))
    return (
        owner == agent
        or ("visible" in whose and any(view.sees(k, agent, owner) for k in (0, row)))
        or ("mates" in whose and view.are_mates(agent, owner))
        or ("group" in whose and same)
    )


def _may_know(
    whose: set[Whose], axis: str, view: Visibility, row: int, pair: tuple[int, int]
) -> bool:
    """Whether an agent may know of a thing: it owns it, its group does, or it sees it."""
    agent, thing = pair
    if "visible" in whose and view.sees_thing(axis, row, agent, thing):
        return True
    if view.owns_thing(axis, row, agent, thing):
        return True
    others = [j for j in range(view.env.spec.num_agents) if j != agent]
    mates = [j for j in others if "mates" in whose and view.are_mates(agent, j)]
    if "group" in whose:
        mates += [j for j in others if view.group_of(row, j) == view.group_of(row, agent)]
    return any(view.owns_thing(axis, row, j, thing) for j in mates)
