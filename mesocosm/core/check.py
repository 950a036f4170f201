"""Reject a world whose declarations contradict each other, its state class or its rules."""

from collections.abc import Iterable, Mapping
from typing import get_args

import numpy as np

from mesocosm.core.errors import SpecError, hint
from mesocosm.core.index import Index, Reference
from mesocosm.core.observation import Layout, Read, Visibility
from mesocosm.core.spec import BEFORE, STATE_DTYPES, Body, Field, Role, Spec
from mesocosm.core.world import World

OWN = ("global", "group", "agent")  # scopes that are no axes of a world


def check_spec(spec: Spec, world: World) -> None:
    """Check every declaration of a world."""
    if (spec.world, spec.version) != (world.name, world.version):
        said, meant = f"{spec.world!r} {spec.version}", f"{world.name!r} {world.version}"
        raise SpecError(f"{world.name}: the spec is of {said}, WORLD is {meant}")
    _check_fields(spec, world.state._fields)
    for link in spec.links:
        if link.field not in {entry.name for entry in spec.fields}:
            raise SpecError(f"{spec.world}.links.{link.name}: {link.field!r} is no state field")
    _check_quantities(spec, world)
    for entry in spec.fields:
        _check_scope(f"{spec.world}.{entry.name}", entry, spec, world.rules.axes)
    check_indexes(spec, spec.fields)
    for invariant in world.invariants:
        for name in invariant.fields:
            if name not in spec.saved:
                raise SpecError(f"{spec.world}: invariant {invariant.says!r}: no field {name!r}")
    _check_reasons(spec)
    _check_distinct(spec.world, "events", (event.name for event in spec.events))
    for event in spec.events:
        if event.targets and event.target == "agent":
            what = "its target is an agent, which has no name of its own"
            raise SpecError(f"{spec.world}.events.{event.name}: targets: {what}")
    if spec.turns == "state" and world.rules.turn is None:
        raise SpecError(f"{spec.world}: turns follow the state, but there is no turn rule")
    declared, ruled = [role.name for role in spec.all_roles], list(world.rules.roles)
    if declared != ruled:
        what = f"the spec declares roles {declared}, Rules has rules for {ruled}"
        raise SpecError(f"{spec.world}: {what}")
    known = {entry.name: entry for entry in spec.fields}
    for role in spec.all_roles:
        _check_role(f"{spec.world}.{role.name}", role, spec, known)


def _check_quantities(spec: Spec, world: World) -> None:
    """Check that quantities have a field, a rule each, and a bound for each number."""
    declared, ruled = [entry.name for entry in spec.quantities], list(world.rules.quantities)
    if declared != ruled:
        what = f"the spec declares quantities {declared}, Rules has rules for {ruled}"
        raise SpecError(f"{spec.world}: {what}")
    for entry in spec.quantities:
        where = f"{spec.world}.quantities.{entry.name}"
        if entry.field not in {known.name for known in spec.truth}:
            raise SpecError(f"{where}: {entry.field!r} is no truth field")
        if len(entry.labels) != len(entry.high):
            what = f"{len(entry.labels)} labels, {len(entry.high)} bounds"
            raise SpecError(f"{where}: each number has a label and a bound, got {what}")


def _check_reasons(spec: Spec) -> None:
    _check_distinct(spec.world, "reasons", (reason.name for reason in spec.reasons))
    roles = [role.name for role in spec.all_roles]
    for reason in spec.reasons:
        if reason.winner and reason.winner not in roles:
            what = f"winner: no role {reason.winner!r}.{hint(reason.winner, roles)}"
            raise SpecError(f"{spec.world}.reasons.{reason.name}: {what}")


def _check_distinct(where: str, what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise SpecError(f"{where}: {what}: {name!r} stands twice")
        seen.add(name)


def _check_role(where: str, role: Role, spec: Spec, known: Mapping[str, Field]) -> None:
    role.action.check(f"{where}.action")
    _check_layout(f"{where}.observation", role.observation, known)
    _check_layout(f"{where}.info", role.info, known)
    for part in role.action.choices:
        for read in (*part.reads, *(r for reads in part.option_reads.values() for r in reads)):
            _check_read(f"{where}.action.{part.name}", "private", read, known)
    _check_distinct(where, "terms", (term.name for term in role.terms))
    for term in role.terms:
        if not term.low <= term.high:
            raise SpecError(f"{where}.{term.name}: low {term.low} is above high {term.high}")
    _check_body(where, role, spec)
    missing = set(role.events) - {event.name for event in spec.events}
    if missing:
        raise SpecError(f"{where}: undeclared events {sorted(missing)}")


def _check_body(where: str, role: Role, spec: Spec) -> None:
    """Check what a role says of its ended agents' bodies."""
    if role.body not in get_args(Body):
        allowed = ", ".join(get_args(Body))
        raise SpecError(f"{where}: body: must be one of {allowed}, got {role.body!r}")
    for what, body in (("vacancy", "removed"), ("estate", "transferred")):
        if getattr(role, what) and role.body != body:
            raise SpecError(f"{where}: {what}: only a body that is {body} has one")
    if role.body == "transferred" and not role.estate:
        raise SpecError(f"{where}: estate: name the fields that pass on when an agent ends")
    for name in (*role.vacancy, *role.estate):
        entry, _ = spec.column(name)
        if entry.scope != "agent" or entry.derived:
            raise SpecError(f"{where}: {name!r} is no truth field of agents")
        if name in role.estate and entry.dtype != "float64":
            raise SpecError(f"{where}: estate: {name!r} must be float64, it is {entry.dtype}")


def _check_layout(where: str, layout: Layout, known: Mapping[str, Field]) -> None:
    _check_distinct(where, "features", (feature.name for feature in layout.features))
    if int(np.prod(layout.shape, dtype=np.int64)) != layout.size:
        raise SpecError(f"{where}: shape {layout.shape} does not hold {layout.size} numbers")
    for feature in layout.features:
        feature.check(where)
        _check_range(f"{where}.{feature.name}", layout.dtype, feature.low, feature.high)
        for read in feature.reads:
            _check_read(f"{where}.{feature.name}", feature.visibility, read, known)


def _check_fields(spec: Spec, state_fields: tuple[str, ...]) -> None:
    declared = [entry.name for entry in spec.fields]
    declared += [entry.name + BEFORE for entry in spec.fields if entry.previous]
    if set(declared) != set(state_fields) or len(declared) != len(state_fields):
        raise SpecError(f"{spec.world}: {_difference(declared, state_fields)}")
    for entry in spec.fields:
        where = f"{spec.world}.{entry.name}"
        if entry.name in ("count", "index"):
            raise SpecError(f"{where}: every tuple has a method of this name; choose another")
        if entry.dtype not in STATE_DTYPES:
            raise SpecError(f"{where}: dtype must be one of {STATE_DTYPES}, got {entry.dtype}")
        if entry.malleable and (entry.dtype != "float64" or entry.derived):
            raise SpecError(f"{where}: only float64 truth can be malleable")
        if entry.labels and (not entry.shape or len(entry.labels) != entry.shape[-1]):
            raise SpecError(f"{where}: labels do not fit the shape {entry.shape}")
        _check_range(where, entry.dtype, entry.low, entry.high)
        _check_sources(where, entry, spec)


def _check_sources(where: str, entry: Field, spec: Spec) -> None:
    """Check that only derived fields name truth fields behind them, or are exposed."""
    known = [other.name for other in spec.truth]
    for name in entry.sources:
        if name not in known:
            raise SpecError(f"{where}: sources: {name!r} is no truth field.{hint(name, known)}")
    if (entry.sources or entry.exposed) and not entry.derived:
        raise SpecError(f"{where}: only a derived field has sources or is exposed, this is truth")


def _check_scope(where: str, entry: Field, spec: Spec, axes: Iterable[str]) -> None:
    """Check that a field's first axis is as long as what its scope counts."""
    known = ("global", "group", "agent", *axes)
    if entry.scope not in known:
        raise SpecError(f"{where}: no such scope {entry.scope!r}.{hint(entry.scope, known)}")
    lengths = {other.shape[:1] for other in spec.fields if other.scope == entry.scope}
    if entry.scope == "agent":
        lengths = {(spec.num_agents,)}
    if entry.scope != "global" and (entry.shape[:1] == () or len(lengths | {entry.shape[:1]}) > 1):
        scope, got = entry.scope, entry.shape
        many = spec.num_agents if scope == "agent" else f"as many in every field of scope {scope!r}"
        raise SpecError(f"{where}: needs shape [{scope}, ...], {many}, got {got}")


def check_indexes(spec: Spec, fields: tuple[Field, ...]) -> None:
    """Check that what fields refer to exists, and that no range is wider than that."""
    counts = {"agent": spec.num_agents}
    counts |= {entry.scope: entry.shape[0] for entry in spec.fields if entry.scope not in OWN}
    for entry in fields:
        where, refs = f"{spec.world}.{entry.name}", entry.references
        if refs and not entry.dtype.startswith("int"):
            raise SpecError(f"{where}: indexes: only whole numbers can, this is {entry.dtype}")
        if isinstance(entry.indexes, tuple) and entry.shape[-1:] != (len(refs),):
            raise SpecError(f"{where}: indexes: {len(refs)} do not fit the shape {entry.shape}")
        for ref in refs:
            if ref is not None:
                _check_reference(where, entry, ref, counts)


def _check_reference(where: str, entry: Field, ref: Reference, counts: dict[str, int]) -> None:
    """Check one thing that a field refers to against its range, and against other fields."""
    if isinstance(ref, Index) and counts.setdefault(ref.of, ref.count) != ref.count:
        what = f"names one of {ref.count} {ref.of}s, but there are {counts[ref.of]}"
        raise SpecError(f"{where}: indexes: {what}")
    if not isinstance(entry.indexes, tuple) and (entry.low < ref.low or entry.high > ref.high):
        what = f"the range {entry.low:g}..{entry.high:g} is wider than {ref.low}..{ref.high}"
        raise SpecError(f"{where}: indexes: {what}, the {ref}")


def _difference(declared: list[str], state_fields: tuple[str, ...]) -> str:
    """Say which of State and the declared fields lacks what."""
    lacking = [name for name in declared if name not in state_fields]
    extra = [name for name in state_fields if name not in declared]
    if lacking:
        return f"the state class lacks {lacking}, which the spec declares"
    if extra:
        return f"the state class has {extra}, for which the spec declares no Field"
    return f"the spec declares a field twice: {declared}"


def _check_range(where: str, dtype: str, low: float, high: float) -> None:
    if not low <= high:
        raise SpecError(f"{where}: low {low} is above high {high}")
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        if low < limits.min or high > limits.max:
            raise SpecError(f"{where}: the range {low:g}..{high:g} does not fit {dtype}")


def _check_read(where: str, visibility: Visibility, read: Read, known: Mapping[str, Field]) -> None:
    if read.field not in known:
        raise SpecError(f"{where}: reads {read.field!r}, which is no state field")
    entry = known[read.field]
    if entry.derived and not entry.sources:
        what = "name the truth fields behind it, here or as its sources"
        raise SpecError(f"{where}: reads derived {read.field!r}; {what}")
    if entry.visibility == "hidden":
        raise SpecError(f"{where}: reads the hidden field {read.field!r}")
    if entry.visibility == "private":
        if read.whose not in ("self", "group"):
            raise SpecError(f"{where}: reads {read.whose} of the private field {read.field!r}")
        if entry.scope == "global":
            raise SpecError(f"{where}: {read.field!r} is private but global; whose is it?")
        if visibility == "public":
            raise SpecError(f"{where}: is public but reads the private field {read.field!r}")
