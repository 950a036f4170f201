"""Temporal: history, action latency, late effects, reputation and trust."""

from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.config.layers import Temporal
from mesocosm.core.index import Index
from mesocosm.core.spec import EventKind
from mesocosm.layers import standing
from mesocosm.layers.draft import Draft, RoleDraft
from mesocosm.sim.event import emit
from mesocosm.sim.frame import (
    ALLOWED_AT,
    ENFORCED,
    FIRST,
    FIRST_OPTION,
    HIGH,
    IDLE,
    LOW,
    MASK_AT,
    OPTIONS,
    REST,
    Frame,
    RoleFrame,
)
from mesocosm.sim.handles import (
    COLUMN_COUNT,
    COLUMN_STRIDE,
    HIGHEST,
    LOWEST,
    Handles,
    View,
)
from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule

EXPIRED = EventKind("expired", "{target} of agent {actor} came too late", target="thing")


class TemporalArrays(NamedTuple):
    """What is on its way to take effect, and since when agents live."""

    expired_kind: int  # the event of an action that is not valid any more when its time comes
    latency: int  # steps until an action takes effect; 0: at once
    since: Annotated[np.ndarray, "int64 [env, agent]"]  # when the agent's life began
    queue_choice: Annotated[np.ndarray, "int32 [env, agent or 0, latency, part]"]
    queue_level: Annotated[np.ndarray, "float64 [env, agent or 0, latency, level]"]
    lag: Annotated[np.ndarray, "int64 [column]"]  # steps by which changes are late
    held: Annotated[np.ndarray, "float64 [column]"]  # which part of them
    coming: Annotated[np.ndarray, "float64 [env, agent or 0, .., column]"]  # changes on their way


class TemporalRole(NamedTuple):
    """What the agents of a role were shown, and what they are shown now."""

    frames: Annotated[np.ndarray, "[env, agent or 0, .., number or 0]"]
    newest: Annotated[np.ndarray, "[env, agent or 0, number]"]


def declare(settings: Temporal, draft: Draft) -> None:
    """Declare memories, features and tables."""
    x = settings.intensity
    history = 1 + round((settings.history - 1) * x)
    latency = round(settings.latency * x)
    if history > 1:
        _stack(draft, history)
    if latency:
        _queue(draft, latency)
    _delay_effects(settings, draft)
    standing.declare(settings, draft)


def declare_lives(draft: Draft) -> None:
    """Declare what is remembered whichever layer is on, and what all columns together need."""
    whole: dict[str, Any] = {"dtype": "int64", "low": 0, "high": 2**53}
    draft.remember("since", "when a life began", (draft.agents,), "temporal.since", **whole)
    if "lag" in draft.numbers:
        shape = (draft.agents, draft.numbers["lag"], len(draft.columns))
        path = "temporal.coming"
        draft.remember("coming", "changes on their way", shape, path, visibility="hidden")
    if draft.has_quantities:
        table = (draft.agents, len(draft.columns))
        half: dict[str, Any] = {"low": -0.5, "high": 0.5, "visibility": "hidden"}
        meaning = "parts of quantities too small to show yet"
        draft.remember("fraction", meaning, table, "handles.fraction", **half)


def _stack(draft: Draft, history: int) -> None:
    for entry in draft.roles:
        if entry.role.num_agents == 0:
            continue
        entry.history, entry.is_changed = history, True
        layout = entry.layout
        shape = (draft.agents, history - 1, layout.size)
        ranges = tuple(zip(layout.low.tolist(), layout.high.tolist(), strict=True))
        kind: dict[str, Any] = {"dtype": layout.dtype, "ranges": ranges}
        draft.remember_of_role(entry, "what was seen", shape, "temporal.frames", **kind)
        draft.note("temporal", f"{entry.role.name}: *", f"the last {history} rows, newest first")


def _queue(draft: Draft, latency: int) -> None:
    parts = max(len(entry.role.action.choices) for entry in draft.roles)
    levels = max(len(entry.role.action.levels) for entry in draft.roles)
    draft.numbers["latency"] = latency
    event = replace(EXPIRED, targets=draft.option_names)
    draft.numbers["expired kind"] = draft.add_event(event, per_step=draft.agents)
    shape = (draft.agents, latency)
    most = [
        max(len(e.role.action.choices[n].options) for e in draft.roles if _has_part(e, n))
        for n in range(parts)
    ]
    kind: dict[str, Any] = {"dtype": "int32", "low": 0, "high": max(most, default=1) - 1}
    kind["indexes"] = tuple(Index(f"option of part {n}", count) for n, count in enumerate(most))
    meaning = "actions on their way"
    draft.remember("queue_choice", meaning, (*shape, parts), "temporal.queue_choice", **kind)
    bounds = [level for entry in draft.roles for level in entry.role.action.levels]
    span: dict[str, Any] = {"low": min((bound.low for bound in bounds), default=0.0)}
    span["high"] = max((bound.high for bound in bounds), default=0.0)
    draft.remember("queue_level", meaning, (*shape, levels), "temporal.queue_level", **span)
    draft.note("temporal", "actions", f"take effect {latency} steps later")


def _has_part(entry: RoleDraft, number: int) -> bool:
    return number < len(entry.role.action.choices)


def _delay_effects(settings: Temporal, draft: Draft) -> None:
    for glob, delay in settings.effects.items():
        draft.require_nonzero({"share": delay.share}, f"temporal.effects.{glob}")
        chosen = draft.column(glob, "temporal.effects")
        lag, held = draft.per_column("lag"), draft.per_column("held")
        lag[chosen], held[chosen] = delay.steps, delay.share * settings.intensity
        draft.numbers["lag"] = max(draft.numbers.get("lag", 0), delay.steps)
        draft.compares = True
        how = f"{delay.share * settings.intensity:.0%} of a change comes {delay.steps} steps later"
        draft.note("temporal", f"state: {glob}", how)


def allocate(draft: Draft, num_envs: int) -> TemporalArrays:
    """Allocate queues, and what is late."""
    n, agents = num_envs, draft.agents
    latency, lag = draft.numbers.get("latency", 0), draft.numbers.get("lag", 0)
    parts = max(len(entry.role.action.choices) for entry in draft.roles)
    levels = max(len(entry.role.action.levels) for entry in draft.roles)
    queued, late = agents if latency else 0, agents if lag else 0
    return TemporalArrays(
        expired_kind=draft.numbers.get("expired kind", 0),
        latency=latency,
        since=np.zeros((n, agents), np.int64),
        queue_choice=np.zeros((n, queued, latency, parts), np.int32),
        queue_level=np.zeros((n, queued, latency, levels)),
        lag=draft.per_column("lag").astype(np.int64),
        held=draft.per_column("held"),
        coming=np.zeros((n, late, lag, len(draft.columns))),
    )


def allocate_role(entry: RoleDraft, draft: Draft, num_envs: int) -> TemporalRole:
    """Allocate what a role remembers of its rows."""
    members = draft.agents if entry.history > 1 else 0
    shape = (num_envs, members, entry.history - 1, entry.layout.size)
    kind = np.dtype(entry.layout.dtype)
    newest = np.zeros((num_envs, members, entry.layout.size), kind)
    return TemporalRole(np.zeros(shape, kind), newest)


@rule
def keep_rows(f: Frame, r: RoleFrame, view: View, temporal: TemporalRole, e: int) -> None:
    """Remember what agents were shown before this step."""
    frames = temporal.frames
    if frames.shape[2] == 0:
        return
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        if f.active[e, a]:
            for n in range(view.rows.shape[2]):
                frames[e, a, f.t[e] % frames.shape[2], n] = temporal.newest[e, a, n]


@rule
def keep_newest(temporal: TemporalRole, e: int, a: int, out: np.ndarray) -> None:
    """Copy the row that an agent is shown: what was handed out is not read back."""
    if temporal.frames.shape[2] > 0:
        for n in range(temporal.newest.shape[2]):
            temporal.newest[e, a, n] = out[n]


@rule
def queue_actions(f: Frame, temporal: TemporalArrays, r: RoleFrame, e: int) -> None:
    """Queue actions, and play those whose time has come if they are still valid."""
    if temporal.latency == 0:
        return
    slot = f.t[e] % temporal.latency
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        if f.acting[e, a]:
            arrived = f.t[e] - temporal.latency >= temporal.since[e, a]
            for n in range(r.parts.shape[0]):
                value = temporal.queue_choice[e, a, slot, n]
                temporal.queue_choice[e, a, slot, n] = f.choice[e, a, n]
                fits = arrived and is_still_valid(r, e, i, n, value)
                if arrived and not fits:
                    option = r.meta[FIRST_OPTION] + r.parts[n, ALLOWED_AT] + value
                    emit(f, e, temporal.expired_kind, a, option, 0.0)
                f.choice[e, a, n] = value if fits else r.parts[n, IDLE]
            for n in range(r.bounds.shape[0]):
                amount = temporal.queue_level[e, a, slot, n]
                temporal.queue_level[e, a, slot, n] = f.level[e, a, n]
                amount = clip(amount, r.bounds[n, LOW], r.bounds[n, HIGH])
                f.level[e, a, n] = amount if arrived else r.bounds[n, REST]


@rule
def is_still_valid(r: RoleFrame, e: int, i: int, n: int, value: int) -> bool:
    """Whether an option that was valid when it was chosen still is."""
    if value < 0 or value >= r.parts[n, OPTIONS]:
        return False
    if not r.allowed[r.parts[n, ALLOWED_AT] + value]:
        return False
    at = r.parts[n, MASK_AT]
    return at < 0 or r.parts[n, ENFORCED] == 0 or r.valid[e, i, at + value]


@rule
def delay_changes(f: Frame, handles: Handles, temporal: TemporalArrays, e: int) -> None:
    """Keep back a part of each late change, and let those arrive whose time has come."""
    for c in range(temporal.lag.shape[0]):
        lag = temporal.lag[c]
        if lag > 0:
            for j in range(handles.column[c, COLUMN_COUNT]):
                if handles.column[c, COLUMN_STRIDE] == 0 or f.active[e, j]:
                    delay_change(f, handles, temporal, e, c, j, lag)


@rule
def delay_change(
    f: Frame, handles: Handles, temporal: TemporalArrays, e: int, c: int, j: int, lag: int
) -> None:
    """Keep back a part of one late change."""
    slot = f.t[e] % lag
    begun = temporal.since[e, j] if handles.column[c, COLUMN_STRIDE] != 0 else 0
    arriving = temporal.coming[e, j, slot, c] if f.t[e] - lag > begun else 0.0
    late = (handles.value[e, c, j] - handles.before[e, c, j]) * temporal.held[c]
    temporal.coming[e, j, slot, c] = late
    value = handles.value[e, c, j] - late + arriving
    handles.value[e, c, j] = clip(value, handles.bounds[c, LOWEST], handles.bounds[c, HIGHEST])


@rule
def forget_fractions(handles: Handles, e: int, a: int) -> None:
    """Forget what layers changed an agent's quantities by and whole numbers did not show."""
    for c in range(handles.fraction.shape[2]):
        handles.fraction[e, a, c] = 0.0


@rule
def show_history(
    f: Frame,
    since: np.ndarray,
    view: View,
    temporal: TemporalRole,
    e: int,
    a: int,
    out: np.ndarray,
) -> None:
    """Write earlier rows after the newest one."""
    size = view.rows.shape[2]
    frames = temporal.frames
    for back in range(1, frames.shape[2] + 1):
        then = f.t[e] - back
        there = then >= since[e, a]
        for n in range(size):
            value = view.absent[n]
            if there:
                value = frames[e, a, then % frames.shape[2], n]
            out[size * back + n] = value
        for k in range(view.hidden.shape[0]):
            out[size * back + view.hidden[k]] = view.absent[view.hidden[k]]
