"""Hierarchy: groups, what their members know of each other, and what they hold in common."""

from fnmatch import fnmatchcase
from typing import Annotated, NamedTuple

import numpy as np

from mesocosm.config.layers import Hierarchy
from mesocosm.core.errors import hint
from mesocosm.core.observation import Feature, Read, Token
from mesocosm.core.spec import Role
from mesocosm.layers import store
from mesocosm.layers.added import MAX_BYTE, TOKEN_WIDTH, AddedRole, add_feature, write_added
from mesocosm.layers.draft import Draft, RoleDraft, numbers_of
from mesocosm.sim.frame import FIRST, Frame, RoleFrame
from mesocosm.sim.handles import HIGHEST, LOWEST, Handles, View
from mesocosm.sim.maths import clip, greater
from mesocosm.sim.rule import rule

MEAN, SUM, MAX = 0, 1, 2
AGGREGATES = {"mean": MEAN, "sum": SUM, "max": MAX}
OPEN_READS = ("self", "all", "mates")
TALLY_SUM, TALLY_COUNT = 0, 1  # entries of a group's tally
# columns of hierarchy.share: among tokens a feature id, with its digits and their base
SHARED_NUMBER, AGGREGATE, DIGITS, BASE = range(4)


class HierarchyArrays(NamedTuple):
    """Which group each agent is in, and what groups hold in common."""

    group: Annotated[np.ndarray, "int64 [agent]"]
    tally: Annotated[np.ndarray, "float64 [env, group, 2]"]  # sums while a step is played
    pool: Annotated[np.ndarray, "float64 [column]"]  # how far members go to their group's mean


class HierarchyRole(NamedTuple):
    """What the members of groups know of each other."""

    shared_at: int  # where a row has it; -1: nowhere
    blend: float  # how much of the aggregate replaces one's own
    share: Annotated[np.ndarray, "int32 [shared number, 4]"]  # number, aggregate, digits, base
    share_range: Annotated[np.ndarray, "float64 [shared number, 2]"]
    shared: Annotated[np.ndarray, "float64 [env, group, shared number]"]
    here: int  # the place of an agent's own tokens; -1: rows are plain numbers
    anywhere: int
    empty: int


def declare(settings: Hierarchy, draft: Draft) -> None:
    """Form groups; declare what they share."""
    if settings.groups == "none":
        raise draft.refuse("hierarchy.groups", "nothing can be shared without groups, got 'none'")
    _refuse_unused(settings, draft)
    draft.tables["group"] = group_table(settings, draft)
    if len(set(draft.tables["group"].tolist())) == draft.agents:
        raise draft.refuse("hierarchy.groups", "does nothing: no group has two members")
    for glob, share in settings.pool.items():
        chosen = draft.column(glob, "hierarchy.pool", per_agent=True)
        draft.per_column("pool")[chosen] = share * settings.intensity
        how = f"{share * settings.intensity:.0%} of the way to the group's mean, each step"
        draft.note("hierarchy", f"state: {glob}", how)
    store.declare(settings, draft)
    for glob in settings.share:
        names = {name for entry in draft.roles for name in _shareable(entry.role)}
        if not any(_matching_numbers(entry, glob) for entry in draft.roles):
            what = f"{glob!r} names no private feature that can be shared.{hint(glob, names)}"
            raise draft.refuse("hierarchy.share", what)
    for entry in draft.roles:
        if entry.role.num_agents:
            _share(settings, draft, entry)


def _refuse_unused(settings: Hierarchy, draft: Draft) -> None:
    """Refuse groups that nothing uses, and settings that the groups do not use."""
    for name, kind in (("size", "size"), ("members", "list")):
        if settings.groups != kind:
            why = f"it needs 'groups: {kind}', and groups is {settings.groups!r}"
            draft.require_defaults(settings, "hierarchy", [name], why)
    draft.require_nonzero(settings.pool, "hierarchy.pool")
    interaction = draft.layers.interaction
    used = interaction.mixing in ("group", "rivalry") or any(
        entry.to == "group" for entry in interaction.externalities.values()
    )
    if not (used or settings.share or settings.pool or settings.store):
        what = "does nothing: nothing is shared, pooled or stored, and layers.interaction uses none"
        raise draft.refuse("hierarchy.groups", what)


def group_table(settings: Hierarchy, draft: Draft) -> np.ndarray:  # int64 [agent]
    """Say which group each agent is in."""
    count = draft.agents
    if settings.groups == "size":
        return np.arange(count, dtype=np.int64) // settings.size
    if settings.groups == "role":
        table = np.zeros(count, np.int64)
        for number, entry in enumerate(draft.roles):
            table[entry.role.span] = number
        return table
    listed = sorted(agent for group in settings.members for agent in group)
    if listed != list(range(count)):
        what = f"every agent 0..{count - 1} must stand in one group, got {listed[:20]}"
        raise draft.refuse("hierarchy.members", what)
    table = np.zeros(count, np.int64)
    for number, group in enumerate(settings.members):
        table[list(group)] = number
    return table


def _shareable_tokens(role: Role) -> list[Token]:
    """List the kinds of tokens that are private amounts of the agent itself."""
    tokens = role.observation.tokens
    if tokens is None or tokens.here < 0:
        return []
    if role.observation.features[0].visibility != "private":
        return []
    return [kind for kind in tokens.kinds if kind.reads]


def _shareable(role: Role) -> list[str]:
    """Name the private features that read nothing but the agent's own fields and the world."""
    if role.observation.tokens is not None:
        return [kind.name for kind in _shareable_tokens(role)]
    return [
        entry.name
        for entry in role.observation.features
        if entry.size
        and entry.visibility == "private"
        and all(read.whose in OPEN_READS for read in entry.reads)
    ]


def _matching_numbers(entry: RoleDraft, glob: str) -> list[int]:
    """Give the numbers of a row that a glob names, or among tokens their feature ids."""
    known = _shareable(entry.role)
    layout = entry.layout
    if layout.tokens is not None:
        kinds = _shareable_tokens(entry.role)
        return [kind.id for kind in kinds if fnmatchcase(kind.name, glob)]
    if not known:
        return []
    spans = [layout.span(name) for name in known]
    allowed = {n for span in spans for n in range(span.start, span.stop)}
    return [n for n in numbers_of(layout, glob) if n in allowed]


def _share(settings: Hierarchy, draft: Draft, entry: RoleDraft) -> None:
    rows: list[tuple[int, int, int, int]] = []
    ranges: list[tuple[float, float]] = []
    labels: list[str] = []
    reads: list[Read] = []
    kinds = {kind.id: kind for kind in _shareable_tokens(entry.role)}
    for glob, how in settings.share.items():
        for n in _matching_numbers(entry, glob):
            times = entry.role.num_agents if how == "sum" else 1
            if kinds:
                kind = kinds[n]
                rows.append((n, AGGREGATES[how], kind.digits, kind.base))
                ranges.append((0.0, MAX_BYTE))  # more than a token can tell is told as 255
                labels.append(f"{kind.name}_{how}")
                reads += [Read(name, "mates") for name in kind.reads]
                continue
            low, high = float(entry.layout.low[n]), float(entry.layout.high[n])
            rows.append((n, AGGREGATES[how], 0, 0))
            ranges.append((min(low, low * times), max(high, high * times)))
            labels.append(f"{entry.numbers[n]}_{how}")
            reads += _member_reads(entry, n)
    if not rows:
        return
    entry.tables["share"] = np.array(rows, np.int32)
    entry.tables["share_range"] = np.array(ranges)
    entry.keeps_views = True
    low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
    feature = Feature(
        "group",
        "how my group is, as its members feel it",
        (len(rows),),
        low=low,
        high=high,
        labels=tuple(labels),
        reads=tuple(dict.fromkeys(reads)),
        absent=clip(0.0, low, high),
    )
    add_feature(entry, feature)
    what = f"{entry.role.name}: {', '.join(settings.share)}"
    blend = f"{settings.intensity:.0%} of the aggregate"
    draft.note("hierarchy", what, f"shared in the group, {blend}")


def _member_reads(entry: RoleDraft, number: int) -> list[Read]:
    """What members' own numbers read, read of all members."""
    layout = entry.layout
    for feature in layout.features:
        span = layout.span(feature.name)
        if span.start <= number < span.stop:
            return [
                Read(read.field, "mates" if read.whose == "self" else read.whose)
                for read in feature.reads
            ]
    return []


def allocate(draft: Draft, num_envs: int) -> HierarchyArrays:
    """Allocate the groups' tallies."""
    group = draft.tables.get("group", np.zeros(draft.agents, np.int64))
    tally = np.zeros((num_envs, int(group.max(initial=0)) + 1, 2))
    return HierarchyArrays(group, tally, draft.per_column("pool"))


def allocate_role(entry: RoleDraft, draft: Draft, num_envs: int) -> HierarchyRole:
    """Allocate what members know of each other."""
    group = draft.tables.get("group", np.zeros(0, np.int64))
    share = entry.tables.get("share", np.zeros((0, 4), np.int32))
    tokens = entry.layout.tokens
    return HierarchyRole(
        shared_at=entry.place_of("group"),
        blend=draft.layers.hierarchy.intensity,
        share=share,
        share_range=entry.tables.get("share_range", np.zeros((0, 2))),
        shared=np.zeros((num_envs, int(group.max(initial=0)) + 1, len(share))),
        here=-1 if tokens is None else tokens.here,
        anywhere=-1 if tokens is None else tokens.anywhere,
        empty=-1 if tokens is None else tokens.empty,
    )


@rule
def pool_columns(f: Frame, handles: Handles, hierarchy: HierarchyArrays, e: int) -> None:
    """Move the members of a group towards what they have on average."""
    for c in range(hierarchy.pool.shape[0]):
        if hierarchy.pool[c] > 0.0:
            average_column(f, handles, hierarchy, e, c)
            for a in range(f.active.shape[1]):
                if f.active[e, a]:
                    mean = hierarchy.tally[e, hierarchy.group[a], TALLY_SUM]
                    value = handles.value[e, c, a]
                    value = value + hierarchy.pool[c] * (mean - value)
                    low = handles.bounds[c, LOWEST]
                    handles.value[e, c, a] = clip(value, low, handles.bounds[c, HIGHEST])


@rule
def average_column(f: Frame, handles: Handles, hierarchy: HierarchyArrays, e: int, c: int) -> None:
    """Average a column over the active members of each group."""
    clear_tally(hierarchy, e)
    for a in range(f.active.shape[1]):
        if f.active[e, a]:
            hierarchy.tally[e, hierarchy.group[a], TALLY_SUM] += handles.value[e, c, a]
            hierarchy.tally[e, hierarchy.group[a], TALLY_COUNT] += 1.0
    divide_tally(hierarchy, e)


@rule
def clear_tally(hierarchy: HierarchyArrays, e: int) -> None:
    """Begin to count over groups."""
    for g in range(hierarchy.tally.shape[1]):
        hierarchy.tally[e, g, TALLY_SUM] = 0.0
        hierarchy.tally[e, g, TALLY_COUNT] = 0.0


@rule
def divide_tally(hierarchy: HierarchyArrays, e: int) -> None:
    """Turn the groups' sums into means."""
    for g in range(hierarchy.tally.shape[1]):
        if hierarchy.tally[e, g, TALLY_COUNT] > 0.0:
            mean = hierarchy.tally[e, g, TALLY_SUM] / hierarchy.tally[e, g, TALLY_COUNT]
            hierarchy.tally[e, g, TALLY_SUM] = mean


@rule
def aggregate_views(
    f: Frame, hierarchy: HierarchyArrays, r: RoleFrame, view: View, role: HierarchyRole, e: int
) -> None:
    """Write what the groups' members know of each other: aggregates of what each sees."""
    for n in range(role.share.shape[0]):
        aggregate_number(f, hierarchy, r, view, role, e, n)


@rule
def aggregate_number(
    f: Frame,
    hierarchy: HierarchyArrays,
    r: RoleFrame,
    view: View,
    role: HierarchyRole,
    e: int,
    n: int,
) -> None:
    """Aggregate one number over the members of each group that are there."""
    for g in range(role.shared.shape[1]):
        role.shared[e, g, n] = 0.0
        hierarchy.tally[e, g, TALLY_COUNT] = 0.0
    how = role.share[n, AGGREGATE]
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        if f.active[e, a] or (f.over[e] and f.ending[e, a] != 0):
            g = hierarchy.group[a]
            value = own_number(view, role, e, i, n)
            if how == MAX and hierarchy.tally[e, g, TALLY_COUNT] > 0.0:
                value = greater(role.shared[e, g, n], value)
            elif how != MAX:
                value = role.shared[e, g, n] + value
            role.shared[e, g, n] = value
            hierarchy.tally[e, g, TALLY_COUNT] += 1.0
    if how == MEAN:
        for g in range(role.shared.shape[1]):
            if hierarchy.tally[e, g, TALLY_COUNT] > 0.0:
                mean = role.shared[e, g, n] / hierarchy.tally[e, g, TALLY_COUNT]
                low = role.share_range[n, LOWEST]
                role.shared[e, g, n] = clip(mean, low, role.share_range[n, HIGHEST])


@rule
def own_number(view: View, role: HierarchyRole, e: int, i: int, n: int) -> float:
    """Give what an agent sees of itself of a shared number: 0 without such a token."""
    number = role.share[n, SHARED_NUMBER]
    if role.here < 0:
        return view.rows[e, i, number] * 1.0
    total = 0.0
    for at in range(0, view.rows.shape[2], TOKEN_WIDTH):
        place = view.rows[e, i, at]
        if place == role.empty:
            break
        digit = int(view.rows[e, i, at + 1]) - number
        mine = place == role.here or place == role.anywhere
        if mine and 0 <= digit < role.share[n, DIGITS]:
            value = view.rows[e, i, at + 2] * 1.0
            for _ in range(digit):
                value = value * role.share[n, BASE]
            total += value
    return total


@rule
def show_shared(
    hierarchy: HierarchyArrays,
    view: View,
    role: HierarchyRole,
    added: AddedRole,
    e: int,
    i: int,
    a: int,
    out: np.ndarray,
) -> None:
    """Write what an agent knows of its group."""
    for n in range(role.share.shape[0]):
        mine = own_number(view, role, e, i, n)
        value = mine + role.blend * (role.shared[e, hierarchy.group[a], n] - mine)
        low = role.share_range[n, LOWEST]
        write_added(added, out, role.shared_at + n, value, low, role.share_range[n, HIGHEST])
