"""Uncertainty: shocks to the state, parameters that drift, and parameters that answer."""

import numpy as np

from mesocosm.config.layers import Uncertainty
from mesocosm.core.errors import hint
from mesocosm.core.spec import EventKind
from mesocosm.layers import dials as k
from mesocosm.layers.dials import Dials
from mesocosm.layers.draft import Draft
from mesocosm.layers.temporal import forget
from mesocosm.sim.frame import REBIRTH, Frame
from mesocosm.sim.handles import COLUMN_COUNT, COLUMN_STRIDE
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import below, normal, uniform
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import emit

LINEAR, WAVE, JUMP, WALK = 0.0, 1.0, 2.0, 3.0
SHAPES = {"linear": LINEAR, "wave": WAVE, "jump": JUMP, "walk": WALK}
SHOCK = EventKind("shock", "a shock of {value:+.3g} hit agent {actor}", target="thing")
CHANGE = EventKind(
    "rule_change", "parameter {target} became {value:.4g}", actor="none", target="thing"
)
HIT_STREAM, WHO_STREAM, WALK_STREAM = k.UNCERTAINTY, k.UNCERTAINTY + 1, k.UNCERTAINTY + 2


def apply(settings: Uncertainty, draft: Draft) -> None:
    """Turn shocks, drift and adaptation into tables and events."""
    x = settings.intensity
    names = [entry.name for entry in draft.inner.tunables]
    draft.tables["shock"] = _shocks(settings, draft)
    if settings.shocks:
        draft.switch[k.SHOCK_KIND] = draft.add_event(SHOCK)
    drifts, adapts = [], []
    for name, drift in settings.drift.items():
        row = (SHAPES[drift.shape], drift.amount * x, drift.period, drift.every)
        drifts.append((_tunable(name, names, draft, "drift"), *row))
        how = f"{drift.shape} drift by {drift.amount * x:+.0%} over {drift.period} steps"
        draft.note("uncertainty", f"parameter {name}", how)
    for name, adapt in settings.adaptation.items():
        row2 = (adapt.goal, adapt.rate * x, adapt.every)
        adapts.append((_tunable(name, names, draft, "adaptation"), *row2))
        draft.scale[k.MEMORY] = adapt.memory
        draft.note("uncertainty", f"parameter {name}", f"answers to rewards above {adapt.goal:g}")
    if drifts or adapts:
        draft.switch[k.CHANGE_KIND] = draft.add_event(CHANGE)
    if adapts:
        draft.remember("fortune", "mean reward", (), scope="global", visibility="hidden")
    draft.tables["drift"] = np.array(drifts, float).reshape(-1, 5)
    draft.tables["adapt"] = np.array(adapts, float).reshape(-1, 4)


def _shocks(settings: Uncertainty, draft: Draft) -> np.ndarray:
    rows = []
    for name, shock in settings.shocks.items():
        for c in draft.column(shock.column, f"uncertainty.shocks.{name}.column"):
            one = shock.who == "one" and draft.columns[c].per_agent
            hazard = shock.hazard * settings.intensity
            rows.append((c, hazard, shock.size, shock.relative, one))
        how = f"{name}: {shock.size:+g} with a chance of {shock.hazard * settings.intensity:.2%}"
        draft.note("uncertainty", f"state: {shock.column}", how)
    return np.array(rows, float).reshape(-1, 5)


def _tunable(name: str, names: list[str], draft: Draft, what: str) -> int:
    if name not in names:
        raise draft.refuse(f"uncertainty.{what}.{name}", f"no such parameter.{hint(name, names)}")
    return names.index(name)


@rule
def shake(f: Frame, dials: Dials, e: int) -> None:
    """Let shocks happen."""
    for n in range(dials.shock.shape[0]):
        if uniform(f.word[e], f.t[e], HIT_STREAM, n) < dials.shock[n, 1]:
            c = int(dials.shock[n, 0])
            count = dials.handles.column[c, COLUMN_COUNT]
            chosen = -1
            if dials.shock[n, 4] != 0.0:
                chosen = below(count, f.word[e], f.t[e], WHO_STREAM, n)
            elif dials.handles.column[c, COLUMN_STRIDE] == 0:
                emit(f, e, dials.switch[k.SHOCK_KIND], -1, n, dials.shock[n, 2])
            for j in range(count):
                if chosen < 0 or j == chosen:
                    hit(f, dials, e, n, c, j)


@rule
def hit(f: Frame, dials: Dials, e: int, n: int, c: int, j: int) -> None:
    """Change one number by a shock."""
    personal = dials.handles.column[c, COLUMN_STRIDE] != 0
    if personal and not f.active[e, j]:
        return
    size = dials.shock[n, 2]
    value = dials.handles.value[e, c, j]
    value = value + (value * size if dials.shock[n, 3] != 0.0 else size)
    dials.handles.value[e, c, j] = clip(
        value, dials.handles.bounds[c, 0], dials.handles.bounds[c, 1]
    )
    if personal:
        emit(f, e, dials.switch[k.SHOCK_KIND], j, n, size)


@rule
def drift(f: Frame, dials: Dials, e: int) -> None:
    """Move the parameters that move by themselves, and those that answer to rewards."""
    for n in range(dials.drift.shape[0]):
        if f.t[e] % int(dials.drift[n, 4]) == 0:
            tunable = int(dials.drift[n, 0])
            tune(f, dials, e, tunable, drifted(f, dials, e, n, tunable))
    for n in range(dials.adapt.shape[0]):
        if f.t[e] % int(dials.adapt[n, 3]) == 0:
            tunable = int(dials.adapt[n, 0])
            push = dials.adapt[n, 2] * (dials.fortune[e] - dials.adapt[n, 1])
            base = f.tunable_base[tunable]
            tune(f, dials, e, tunable, f.tunable[e, tunable] + base * push)


@rule
def drifted(f: Frame, dials: Dials, e: int, n: int, tunable: int) -> float:
    """Give where a drifting parameter is now."""
    shape = dials.drift[n, 1]
    amount = dials.drift[n, 2]
    base = f.tunable_base[tunable]
    if shape == WALK:
        step = normal(f.word[e], f.t[e], WALK_STREAM, n)
        return f.tunable[e, tunable] + base * amount * step
    phase = f.t[e] / dials.drift[n, 3]
    if shape == LINEAR:
        return base * (1.0 + amount * (phase if phase < 1.0 else 1.0))
    turns = int(phase)
    if shape == JUMP:
        return base * (1.0 + amount * (turns % 2))
    part = phase - turns
    height = 4.0 * part if part < 0.25 else (2.0 - 4.0 * part if part < 0.75 else 4.0 * part - 4.0)
    return base * (1.0 + amount * height)


@rule
def tune(f: Frame, dials: Dials, e: int, tunable: int, value: float) -> None:
    """Set a parameter inside its declared range; that is an event if it changes."""
    value = clip(value, dials.limits[tunable, 0], dials.limits[tunable, 1])
    if value != f.tunable[e, tunable]:
        f.tunable[e, tunable] = value
        emit(f, e, dials.switch[k.CHANGE_KIND], -1, tunable, value)


@rule
def learn(f: Frame, dials: Dials, e: int) -> None:
    """Follow how well agents do, and let the newborn begin afresh."""
    if dials.adapt.shape[0] > 0:
        total = 0.0
        count = 0
        for a in range(f.active.shape[1]):
            if f.active[e, a] or f.ended[e, a]:
                total += f.reward[e, a]
                count += 1
        if count > 0:
            memory = dials.scale[k.MEMORY]
            dials.fortune[e] = memory * dials.fortune[e] + (1.0 - memory) * total / count
    if f.control[REBIRTH] != 0:
        for a in range(f.active.shape[1]):
            if f.birth[e, a] and f.active[e, a]:
                forget(f, dials, e, a, f.t[e])
