"""Temporal: history, action latency, late effects, reputation and trust."""

from typing import Any

import numpy as np

from mesocosm.config.glob import matching
from mesocosm.config.layers import Regard, Temporal
from mesocosm.core.errors import hint
from mesocosm.core.index import Index
from mesocosm.core.observation import Feature, Read, Whose
from mesocosm.core.spec import LAYER
from mesocosm.layers import dials as k
from mesocosm.layers.dials import Dials, Own
from mesocosm.layers.draft import Draft, RoleDraft, sight_reads
from mesocosm.sim.frame import (
    ALLOWED_AT,
    ENFORCED,
    FIRST,
    HIGH,
    IDLE,
    LOW,
    MASK_AT,
    OPTIONS,
    REST,
    Frame,
    RoleFrame,
)
from mesocosm.sim.handles import COLUMN_COUNT, COLUMN_STRIDE
from mesocosm.sim.maths import clip
from mesocosm.sim.rule import rule

OWN_ONLY, SEEN, ALL = 0, 1, 2
SHOWN = {"own": OWN_ONLY, "seen": SEEN, "all": ALL}


def apply(settings: Temporal, draft: Draft) -> None:
    """Declare memories, features and tables."""
    x = settings.intensity
    history = 1 + round((settings.history - 1) * x)
    latency = round(settings.latency * x)
    if history > 1:
        _stack(draft, history)
    if latency:
        _queue(draft, latency)
    _delay_effects(settings, draft)
    if settings.reputation.weights:
        _repute(settings, draft)
    if settings.trust.weights:
        _trust(settings, draft)


def _stack(draft: Draft, history: int) -> None:
    for entry in draft.roles:
        if entry.role.num_agents == 0:
            continue
        entry.history = history
        layout = entry.layout
        low, high = float(layout.low.min()), float(layout.high.max())
        shape = (draft.agents, history - 1, layout.size)
        name = f"frames_{entry.role.name}"
        draft.remember(name, "what was seen", shape, dtype=layout.dtype, low=low, high=high)
        draft.note("temporal", f"{entry.role.name}: *", f"the last {history} rows, newest first")


def _queue(draft: Draft, latency: int) -> None:
    parts = max(len(entry.role.action.choices) for entry in draft.roles)
    levels = max(len(entry.role.action.levels) for entry in draft.roles)
    draft.switch[k.LATENCY] = latency
    draft.sizes["latency"] = latency
    shape = (draft.agents, latency)
    most = [
        max(len(e.role.action.choices[n].options) for e in draft.roles if _has_part(e, n))
        for n in range(parts)
    ]
    kind: dict[str, Any] = {"dtype": "int32", "low": 0, "high": max(most, default=1) - 1}
    kind["indexes"] = tuple(Index(f"option of part {n}", count) for n, count in enumerate(most))
    draft.remember("queue_choice", "actions on their way", (*shape, parts), **kind)
    draft.remember("queue_level", "actions on their way", (*shape, levels))
    draft.note("temporal", "actions", f"take effect {latency} steps later")


def _has_part(entry: RoleDraft, number: int) -> bool:
    return number < len(entry.role.action.choices)


def _delay_effects(settings: Temporal, draft: Draft) -> None:
    for glob, delay in settings.effects.items():
        chosen = draft.column(glob, "temporal.effects")
        lag, held = draft.per_column("lag"), draft.per_column("held")
        lag[chosen], held[chosen] = delay.steps, delay.share * settings.intensity
        draft.sizes["lag"] = max(draft.sizes.get("lag", 0), delay.steps)
        how = f"{delay.share * settings.intensity:.0%} of a change comes {delay.steps} steps later"
        draft.note("temporal", f"state: {glob}", how)


def weigh_events(
    regard: Regard, intensity: float, draft: Draft, path: str, *, directed: bool = False
) -> np.ndarray:
    """Give every event its weight; a glob passes over events of which it means nothing.

    Args:
        directed: Whether it matters to whom an agent did it.
    """
    weights = np.zeros(len(draft.events))
    names = [event.name for event in draft.events]
    fits = [
        event.actor == "agent" and (event.target == "agent" or not directed)
        for event in draft.events
    ]
    for glob, weight in regard.weights.items():
        found = matching(glob, names, f"{draft.where}: layers.{path}")
        if not any(fits[kind] for kind in found):
            what = "is nothing that an agent does" + (" to an agent" if directed else "")
            known = [name for name, fit in zip(names, fits, strict=True) if fit]
            raise draft.refuse(path, f"{glob!r} {what}.{hint(glob, known)}")
        for kind in found:
            weights[kind] = weight * intensity * fits[kind]
    return weights


def _repute(settings: Temporal, draft: Draft) -> None:
    regard = settings.reputation
    draft.tables["repute_weight"] = weigh_events(
        regard, settings.intensity, draft, "temporal.reputation.weights"
    )
    draft.scale[k.REPUTE_DECAY] = regard.decay
    draft.switch[k.SHOWN] = SHOWN[regard.shown]
    draft.sizes["repute"] = draft.agents
    draft.sizes["seen"] = draft.agents if regard.shown == "seen" else draft.sizes.get("seen", 0)
    draft.remember("repute", "what one did, as others see it", (draft.agents,), visibility="public")
    shows: dict[str, Whose] = {"own": "self", "seen": "visible", "all": "all"}
    whose = shows[regard.shown]
    count = 1 if regard.shown == "own" else draft.agents
    meaning = {
        "own": "what others think of me",
        "seen": "what is thought of whom I see",
        "all": "what is thought of everyone",
    }[regard.shown]
    for entry in draft.roles:
        reads = [Read(LAYER + "repute", whose), Read(LAYER + "repute", "self")]
        reads += sight_reads(entry.role, draft.inner) if regard.shown == "seen" else ()
        feature = Feature(
            "reputation", meaning, (count,), low=-1.0, visibility="private", reads=tuple(reads)
        )
        add_feature(entry, feature, k.REPUTATION_AT)
    draft.note("temporal", "reputation", f"from events {', '.join(regard.weights)}")


def _trust(settings: Temporal, draft: Draft) -> None:
    draft.tables["trust_weight"] = weigh_events(
        settings.trust, settings.intensity, draft, "temporal.trust.weights", directed=True
    )
    draft.scale[k.TRUST_DECAY] = settings.trust.decay
    draft.sizes["trust"] = draft.agents
    draft.remember("trust", "what one did to another", (draft.agents, draft.agents))
    for entry in draft.roles:
        reads = (Read(LAYER + "trust", "self"),)
        meaning = "how far I trust each of the others"
        feature = Feature("trust", meaning, (draft.agents,), low=-1.0, reads=reads)
        add_feature(entry, feature, k.TRUST_AT)
    draft.note("temporal", "trust", f"from events {', '.join(settings.trust.weights)}")


def add_feature(entry: RoleDraft, feature: Feature, slot: int) -> None:
    """Add a feature after the world's own; where it begins is known when all are added."""
    if entry.role.num_agents:
        entry.extra[slot] = sum(other.size for other in entry.extras)
        entry.extras.append(feature)


@rule
def awake(f: Frame, dials: Dials, e: int) -> None:
    """Begin an episode: nothing is remembered, effects are as powerful as castes are."""
    dials.fortune[e] = 0.0
    f.split[e] = False
    for a in range(f.active.shape[1]):
        forget(f, dials, e, a, 0)
        for n in range(f.effect.shape[2]):
            f.effect[e, a, n] = dials.multiplier[a, n]


@rule
def forget(f: Frame, dials: Dials, e: int, a: int, t: int) -> None:
    """Begin a life at time t: nobody thinks anything of it, nothing is owed."""
    dials.since[e, a] = t
    if f.standing.shape[1] > 0:
        f.standing[e, a] = 0.0
    for j in range(f.pair_standing.shape[1]):
        f.pair_standing[e, a, j] = 0.0
        f.pair_standing[e, j, a] = 0.0
    for n in range(dials.owed.shape[2]):
        dials.owed[e, a, n] = 0.0
    for n in range(dials.fines.shape[2]):
        dials.fines[e, a, n] = 0.0


@rule
def wane(f: Frame, dials: Dials, e: int) -> None:
    """Let what was thought fade, and forget what the last step's events cost."""
    for a in range(f.standing.shape[1]):
        f.standing[e, a] = f.standing[e, a] * dials.scale[k.REPUTE_DECAY]
    for a in range(f.pair_standing.shape[1]):
        for j in range(f.pair_standing.shape[2]):
            f.pair_standing[e, a, j] = f.pair_standing[e, a, j] * dials.scale[k.TRUST_DECAY]
    for a in range(f.bill.shape[1]):
        f.bill[e, a] = 0.0


@rule
def keep(f: Frame, r: RoleFrame, own: Own, e: int) -> None:
    """Remember what agents were shown, and what late numbers were."""
    if own.late.shape[0] == 0 and own.frames.shape[2] == 0:
        return
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        if f.active[e, a]:
            for q in range(own.late.shape[0]):
                own.past[e, a, f.t[e] % own.past.shape[2], q] = own.world_view.rows[
                    e, i, own.late[q, 0]
                ]
            if own.frames.shape[2] > 0:
                for n in range(own.world_view.rows.shape[2]):
                    own.frames[e, a, f.t[e] % own.frames.shape[2], n] = r.obs[e, i, n]


@rule
def hold(f: Frame, dials: Dials, r: RoleFrame, e: int) -> None:
    """Queue actions, and play those whose time has come if they are still valid."""
    if dials.switch[k.LATENCY] == 0:
        return
    slot = f.t[e] % dials.switch[k.LATENCY]
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        if f.acting[e, a]:
            arrived = f.t[e] - dials.switch[k.LATENCY] >= dials.since[e, a]
            for n in range(r.parts.shape[0]):
                value = dials.queue_choice[e, a, slot, n]
                dials.queue_choice[e, a, slot, n] = f.choice[e, a, n]
                fits = arrived and still_fits(r, e, i, n, value)
                f.choice[e, a, n] = value if fits else r.parts[n, IDLE]
            for n in range(r.bounds.shape[0]):
                amount = dials.queue_level[e, a, slot, n]
                dials.queue_level[e, a, slot, n] = f.level[e, a, n]
                amount = clip(amount, r.bounds[n, LOW], r.bounds[n, HIGH])
                f.level[e, a, n] = amount if arrived else r.bounds[n, REST]


@rule
def still_fits(r: RoleFrame, e: int, i: int, n: int, value: int) -> bool:
    """Whether an option that was valid when it was chosen still is."""
    if value < 0 or value >= r.parts[n, OPTIONS]:
        return False
    if not r.allowed[r.parts[n, ALLOWED_AT] + value]:
        return False
    at = r.parts[n, MASK_AT]
    return at < 0 or r.parts[n, ENFORCED] == 0 or r.mask[e, i, at + value]


@rule
def withhold(f: Frame, dials: Dials, e: int) -> None:
    """Keep back a part of each late change, and let those arrive whose time has come."""
    for c in range(dials.lag.shape[0]):
        lag = dials.lag[c]
        if lag > 0:
            for j in range(dials.handles.column[c, COLUMN_COUNT]):
                if dials.handles.column[c, COLUMN_STRIDE] == 0 or f.active[e, j]:
                    withhold_one(f, dials, e, c, j, lag)


@rule
def withhold_one(f: Frame, dials: Dials, e: int, c: int, j: int, lag: int) -> None:
    """Keep back a part of one late change."""
    slot = f.t[e] % lag
    begun = dials.since[e, j] if dials.handles.column[c, COLUMN_STRIDE] != 0 else 0
    arriving = dials.coming[e, j, slot, c] if f.t[e] - lag > begun else 0.0
    late = (dials.handles.value[e, c, j] - dials.handles.before[e, c, j]) * dials.held[c]
    dials.coming[e, j, slot, c] = late
    value = dials.handles.value[e, c, j] - late + arriving
    dials.handles.value[e, c, j] = clip(
        value, dials.handles.bounds[c, 0], dials.handles.bounds[c, 1]
    )


@rule
def squash(x: float) -> float:
    """Bring any number into (-1, 1), in order."""
    return x / (1.0 + x) if x >= 0.0 else x / (1.0 - x)


@rule
def recollect(f: Frame, dials: Dials, own: Own, e: int, i: int, a: int, out: np.ndarray) -> None:
    """Write earlier rows after the newest one, then what layers add."""
    size = own.world_view.rows.shape[2]
    for back in range(1, own.frames.shape[2] + 1):
        then = f.t[e] - back
        there = then >= dials.since[e, a]
        for n in range(size):
            value = own.world_view.absent[n]
            if there:
                value = own.frames[e, a, then % own.frames.shape[2], n]
            out[size * back + n] = value
    if own.extra[k.REPUTATION_AT] >= 0:
        show_reputation(f, dials, own, e, a, out)
    if own.extra[k.TRUST_AT] >= 0:
        for j in range(f.pair_standing.shape[2]):
            put(own, out, own.extra[k.TRUST_AT] + j, squash(f.pair_standing[e, a, j]), -1.0, 1.0)
    for n in range(own.share.shape[0]):
        mine = own.world_view.rows[e, i, own.share[n, 0]] * 1.0
        value = mine + own.blend[0] * (own.shared[e, dials.group[a], n] - mine)
        put(
            own,
            out,
            own.extra[k.SHARED_AT] + n,
            value,
            own.share_range[n, 0],
            own.share_range[n, 1],
        )


@rule
def show_reputation(f: Frame, dials: Dials, own: Own, e: int, a: int, out: np.ndarray) -> None:
    """Write the reputations that an agent may know."""
    at = own.extra[k.REPUTATION_AT]
    if dials.switch[k.SHOWN] == OWN_ONLY:
        put(own, out, at, squash(f.standing[e, a]), -1.0, 1.0)
        return
    for j in range(f.standing.shape[1]):
        known = dials.switch[k.SHOWN] == ALL or dials.handles.seen[e, a, j]
        put(own, out, at + j, squash(f.standing[e, j]) if known else 0.0, -1.0, 1.0)


@rule
def put(own: Own, out: np.ndarray, at: int, value: float, low: float, high: float) -> None:
    """Write a number that a layer adds: into the row, or as a token behind the others."""
    if own.extra[k.NUM_TOKENS] < 0:
        out[at] = value
        return
    n = 0
    while n < own.extra[k.NUM_TOKENS] * 3 and out[n] != own.extra[k.EMPTY]:
        n += 3
    if n < own.extra[k.NUM_TOKENS] * 3:
        share = (value - low) / (high - low) if high > low else 0.0
        out[n] = own.extra[k.ANYWHERE]
        out[n + 1] = own.extra[k.FIRST_ID] + at
        out[n + 2] = int(clip(share, 0.0, 1.0) * 255.0 + 0.5)
