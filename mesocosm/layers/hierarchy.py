"""Hierarchy: groups, what their members know of each other, and what they hold in common."""

import numpy as np

from mesocosm.config.layers import Hierarchy
from mesocosm.core.observation import Feature, Read
from mesocosm.core.spec import Role
from mesocosm.layers import dials as k
from mesocosm.layers.dials import Dials, Own
from mesocosm.layers.draft import Draft, RoleDraft, numbers_of
from mesocosm.layers.temporal import add_feature
from mesocosm.sim.frame import FIRST, Frame, RoleFrame
from mesocosm.sim.maths import clip, greater
from mesocosm.sim.rule import rule

MEAN, SUM, MAX = 0, 1, 2
AGGREGATES = {"mean": MEAN, "sum": SUM, "max": MAX}
OPEN_READS = ("self", "all", "mates")


def apply(settings: Hierarchy, draft: Draft) -> None:
    """Form groups; declare what they share."""
    if settings.groups == "none":
        raise draft.refuse("hierarchy.groups", "nothing can be shared without groups, got 'none'")
    draft.tables["group"] = group_table(settings, draft)
    for glob, share in settings.pool.items():
        chosen = draft.column(glob, "hierarchy.pool", per_agent=True)
        draft.per_column("pool")[chosen] = share * settings.intensity
        how = f"{share * settings.intensity:.0%} of the way to the group's mean, each step"
        draft.note("hierarchy", f"state: {glob}", how)
    for glob in settings.share:
        names = {name for entry in draft.roles for name in _shareable(entry.role)}
        if not any(_matching_numbers(entry, glob) for entry in draft.roles):
            what = f"{glob!r} names no private feature that can be shared"
            raise draft.refuse("hierarchy.share", f"{what}. Available: {', '.join(sorted(names))}")
    for entry in draft.roles:
        if entry.role.num_agents:
            _share(settings, draft, entry)


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


def _shareable(role: Role) -> list[str]:
    """Name the private features that read nothing but the agent's own fields and the world."""
    return [
        entry.name
        for entry in role.observation.features
        if entry.size
        and entry.visibility == "private"
        and all(read.whose in OPEN_READS for read in entry.reads)
    ]


def _matching_numbers(entry: RoleDraft, glob: str) -> list[int]:
    known = _shareable(entry.role)
    layout = entry.layout
    if layout.tokens is not None or not known:
        return []
    spans = [layout.span(name) for name in known]
    allowed = {n for span in spans for n in range(span.start, span.stop)}
    return [n for n in numbers_of(layout, glob) if n in allowed]


def _share(settings: Hierarchy, draft: Draft, entry: RoleDraft) -> None:
    rows: list[tuple[int, int]] = []
    ranges: list[tuple[float, float]] = []
    labels: list[str] = []
    reads: list[Read] = []
    for glob, how in settings.share.items():
        for n in _matching_numbers(entry, glob):
            times = entry.role.num_agents if how == "sum" else 1
            low, high = float(entry.layout.low[n]), float(entry.layout.high[n])
            rows.append((n, AGGREGATES[how]))
            ranges.append((min(low, low * times), max(high, high * times)))
            labels.append(f"{entry.numbers[n]}_{how}")
            reads += _member_reads(entry, n)
    if not rows:
        return
    entry.tables["share"] = np.array(rows, np.int32)
    entry.tables["share_range"] = np.array(ranges)
    entry.tables["blend"] = np.array([settings.intensity])
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
    add_feature(entry, feature, k.SHARED_AT)
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


@rule
def pool(f: Frame, dials: Dials, e: int) -> None:
    """Move the members of a group towards what they have on average."""
    for c in range(dials.pool.shape[0]):
        if dials.pool[c] > 0.0:
            group_means(f, dials, e, c)
            for a in range(f.active.shape[1]):
                if f.active[e, a]:
                    mean = dials.tally[e, dials.group[a], 0]
                    value = dials.handles.value[e, c, a]
                    value = value + dials.pool[c] * (mean - value)
                    dials.handles.value[e, c, a] = clip(
                        value, dials.handles.bounds[c, 0], dials.handles.bounds[c, 1]
                    )


@rule
def group_means(f: Frame, dials: Dials, e: int, c: int) -> None:
    """Average a column over the active members of each group."""
    for g in range(dials.tally.shape[1]):
        dials.tally[e, g, 0] = 0.0
        dials.tally[e, g, 1] = 0.0
    for a in range(f.active.shape[1]):
        if f.active[e, a]:
            dials.tally[e, dials.group[a], 0] += dials.handles.value[e, c, a]
            dials.tally[e, dials.group[a], 1] += 1.0
    for g in range(dials.tally.shape[1]):
        if dials.tally[e, g, 1] > 0.0:
            dials.tally[e, g, 0] = dials.tally[e, g, 0] / dials.tally[e, g, 1]


@rule
def confide(f: Frame, dials: Dials, r: RoleFrame, own: Own, e: int) -> None:
    """Write what the groups' members know of each other: aggregates of what each sees."""
    for n in range(own.share.shape[0]):
        aggregate(f, dials, r, own, e, n)


@rule
def aggregate(f: Frame, dials: Dials, r: RoleFrame, own: Own, e: int, n: int) -> None:
    """Aggregate one number over the members of each group that are there."""
    for g in range(own.shared.shape[1]):
        own.shared[e, g, n] = 0.0
        dials.tally[e, g, 1] = 0.0
    how = own.share[n, 1]
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        if f.active[e, a] or (f.over[e] and f.ending[e, a] != 0):
            g = dials.group[a]
            value = own.world_view.rows[e, i, own.share[n, 0]] * 1.0
            if how == MAX and dials.tally[e, g, 1] > 0.0:
                value = greater(own.shared[e, g, n], value)
            elif how != MAX:
                value = own.shared[e, g, n] + value
            own.shared[e, g, n] = value
            dials.tally[e, g, 1] += 1.0
    if how == MEAN:
        for g in range(own.shared.shape[1]):
            if dials.tally[e, g, 1] > 0.0:
                mean = own.shared[e, g, n] / dials.tally[e, g, 1]
                own.shared[e, g, n] = clip(mean, own.share_range[n, 0], own.share_range[n, 1])
