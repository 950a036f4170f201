"""Uncertainty: shocks to the state, parameters that drift, and parameters that answer."""

from typing import Annotated, NamedTuple

import numpy as np

from mesocosm.config.layers import Adaptation, Drift, Uncertainty
from mesocosm.core.errors import hint
from mesocosm.core.spec import EventKind, Tunable
from mesocosm.layers import streams
from mesocosm.layers.draft import Draft
from mesocosm.sim.event import emit
from mesocosm.sim.frame import Frame
from mesocosm.sim.handles import COLUMN_COUNT, COLUMN_STRIDE, HIGHEST, LOWEST, Handles
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import below, normal, uniform
from mesocosm.sim.rule import rule

LINEAR, WAVE, JUMP, WALK = 0.0, 1.0, 2.0, 3.0
SHAPES = {"linear": LINEAR, "wave": WAVE, "jump": JUMP, "walk": WALK}
SHOCK = EventKind("shock", "a shock of {value:+.3g} hit agent {actor}", target="thing")
CHANGE = EventKind(
    "rule_change", "parameter {target} became {value:.4g}", actor="none", target="thing"
)
HIT_STREAM, WHO_STREAM, WALK_STREAM = range(streams.UNCERTAINTY, streams.UNCERTAINTY + 3)
# columns of uncertainty.shock, drift and adapt
SHOCK_COLUMN, HAZARD, SIZE, IS_RELATIVE, HITS_ONE = range(5)
DRIFT_TUNABLE, DRIFT_SHAPE, DRIFT_AMOUNT, DRIFT_PERIOD, DRIFT_EVERY = range(5)
ADAPT_TUNABLE, ADAPT_GOAL, ADAPT_RATE, ADAPT_EVERY, ADAPT_MEMORY = range(5)


class UncertaintyArrays(NamedTuple):
    """What changes by chance or over time."""

    shock_kind: int  # the event of a shock
    change_kind: int  # the event of a parameter that changed
    shock: Annotated[np.ndarray, "float64 [shock, 5]"]
    drift: Annotated[np.ndarray, "float64 [drift, 5]"]
    adapt: Annotated[np.ndarray, "float64 [adaptation, 5]"]
    limits: Annotated[np.ndarray, "float64 [tunable, 2]"]
    mean_reward: Annotated[np.ndarray, "float64 [env, adaptation]"]  # each by its own memory


def declare(settings: Uncertainty, draft: Draft) -> None:
    """Turn shocks, drift and adaptation into tables and events."""
    x = settings.intensity
    names = [entry.name for entry in draft.inner.tunables]
    draft.tables["shock"] = _shocks(settings, draft)
    if settings.shocks:
        draft.numbers["shock kind"] = draft.add_event(SHOCK)
    drifts, adapts = [], []
    for name, drift in settings.drift.items():
        row = (SHAPES[drift.shape], drift.amount * x, drift.period, drift.every)
        drifts.append((_tunable(name, names, draft, "drift"), *row))
        _refuse_still(name, drift, draft)
        how = f"{drift.shape} drift by {drift.amount * x:+.0%} over {drift.period} steps"
        draft.note("uncertainty", f"parameter {name}", how)
    for name, adapt in settings.adaptation.items():
        row2 = (adapt.goal, adapt.rate * x, adapt.every, adapt.memory)
        adapts.append((_tunable(name, names, draft, "adaptation"), *row2))
        _refuse_idle(name, adapt, draft)
        draft.note("uncertainty", f"parameter {name}", f"answers to rewards above {adapt.goal:g}")
    if drifts or adapts:
        draft.numbers["change kind"] = draft.add_event(CHANGE)
    if adapts:
        path = "uncertainty.mean_reward"
        shape = (len(adapts),)
        draft.remember("fortune", "mean reward", shape, path, scope="global", visibility="hidden")
    draft.tables["drift"] = np.array(drifts, float).reshape(-1, 5)
    draft.tables["adapt"] = np.array(adapts, float).reshape(-1, 5)


def _refuse_still(name: str, drift: Drift, draft: Draft) -> None:
    """Refuse a drift that cannot move its parameter."""
    path = f"uncertainty.drift.{name}"
    draft.require_nonzero({"amount": drift.amount}, path)
    if drift.shape == "walk":
        draft.require_defaults(drift, path, ["period"], "a walk has no period, only 'every'")
    entry = _movable(name, path, draft)
    end = clip(entry.value * (1.0 + drift.amount), entry.low, entry.high)
    if drift.shape in ("linear", "jump") and end == entry.value:
        what = f"does nothing: {entry.value:g} is at the end of {entry.low:g}..{entry.high:g}"
        raise draft.refuse(path, what)


def _refuse_idle(name: str, adapt: Adaptation, draft: Draft) -> None:
    """Refuse an adaptation that cannot move its parameter."""
    path = f"uncertainty.adaptation.{name}"
    draft.require_nonzero({"rate": adapt.rate}, path)
    if adapt.memory == 1.0 and adapt.goal == 0.0:
        what = "does nothing: with a memory of 1 the mean stays at 0, and that is its goal"
        raise draft.refuse(path, what)
    if not draft.pays_before_the_end:
        why = "rewards are paid only at an agent's end, so there is no past to weigh"
        draft.require_defaults(adapt, path, ["memory"], why)
    _movable(name, path, draft)


def _movable(name: str, path: str, draft: Draft) -> Tunable:
    """Find a parameter that can move: changes are parts of its value."""
    entry = next(entry for entry in draft.inner.tunables if entry.name == name)
    if entry.value == 0.0 or entry.low == entry.high:
        why = (
            "its value is 0, and it moves by parts of that" if entry.value == 0.0 else "it is fixed"
        )
        raise draft.refuse(path, f"does nothing: {why}")
    return entry


def _shocks(settings: Uncertainty, draft: Draft) -> np.ndarray:
    rows = []
    for name, shock in settings.shocks.items():
        path = f"uncertainty.shocks.{name}"
        draft.require_nonzero({"hazard": shock.hazard, "size": shock.size}, path)
        found = draft.column(shock.column, f"{path}.column")
        if shock.who == "one" and not any(draft.columns[c].per_agent for c in found):
            what = f"'one' does nothing: {shock.column} is the world's, no agent's"
            raise draft.refuse(f"{path}.who", what)
        for c in found:
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


def allocate(draft: Draft, num_envs: int) -> UncertaintyArrays:
    """Write down what changes, and allocate what it answers to."""
    tables, numbers, tunables = draft.tables, draft.numbers, draft.inner.tunables
    adapt = tables.get("adapt", np.zeros((0, 5)))
    return UncertaintyArrays(
        shock_kind=numbers.get("shock kind", 0),
        change_kind=numbers.get("change kind", 0),
        shock=tables.get("shock", np.zeros((0, 5))),
        drift=tables.get("drift", np.zeros((0, 5))),
        adapt=adapt,
        limits=np.array([(entry.low, entry.high) for entry in tunables], float).reshape(-1, 2),
        mean_reward=np.zeros((num_envs, len(adapt))),
    )


@rule
def apply_shocks(f: Frame, handles: Handles, uncertainty: UncertaintyArrays, e: int) -> None:
    """Let shocks happen."""
    shock = uncertainty.shock
    for n in range(shock.shape[0]):
        if uniform(f.word[e], f.t[e], HIT_STREAM, n) < shock[n, HAZARD]:
            c = int(shock[n, SHOCK_COLUMN])
            count = handles.column[c, COLUMN_COUNT]
            chosen = -1
            if shock[n, HITS_ONE] != 0.0:
                chosen = below(count, f.word[e], f.t[e], WHO_STREAM, n)
            elif handles.column[c, COLUMN_STRIDE] == 0:
                emit(f, e, uncertainty.shock_kind, -1, n, shock[n, SIZE])
            for j in range(count):
                if chosen < 0 or j == chosen:
                    apply_shock(f, handles, uncertainty, e, n, c, j)


@rule
def apply_shock(
    f: Frame, handles: Handles, uncertainty: UncertaintyArrays, e: int, n: int, c: int, j: int
) -> None:
    """Change one number by a shock."""
    personal = handles.column[c, COLUMN_STRIDE] != 0
    if personal and not f.active[e, j]:
        return
    size = uncertainty.shock[n, SIZE]
    value = handles.value[e, c, j]
    value = value + (value * size if uncertainty.shock[n, IS_RELATIVE] != 0.0 else size)
    handles.value[e, c, j] = clip(value, handles.bounds[c, LOWEST], handles.bounds[c, HIGHEST])
    if personal:
        emit(f, e, uncertainty.shock_kind, j, n, size)


@rule
def move_parameters(f: Frame, uncertainty: UncertaintyArrays, e: int) -> None:
    """Move the parameters that move by themselves, and those that answer to rewards."""
    drift = uncertainty.drift
    adapt = uncertainty.adapt
    for n in range(drift.shape[0]):
        if f.t[e] % int(drift[n, DRIFT_EVERY]) == 0:
            tunable = int(drift[n, DRIFT_TUNABLE])
            set_parameter(f, uncertainty, e, tunable, drifted_value(f, uncertainty, e, n, tunable))
    for n in range(adapt.shape[0]):
        if f.t[e] % int(adapt[n, ADAPT_EVERY]) == 0:
            tunable = int(adapt[n, ADAPT_TUNABLE])
            push = adapt[n, ADAPT_RATE] * (uncertainty.mean_reward[e, n] - adapt[n, ADAPT_GOAL])
            base = f.tunable_base[tunable]
            set_parameter(f, uncertainty, e, tunable, f.tunable[e, tunable] + base * push)


@rule
def drifted_value(f: Frame, uncertainty: UncertaintyArrays, e: int, n: int, tunable: int) -> float:
    """Give where a drifting parameter is now."""
    shape = uncertainty.drift[n, DRIFT_SHAPE]
    amount = uncertainty.drift[n, DRIFT_AMOUNT]
    base = f.tunable_base[tunable]
    if shape == WALK:
        step = normal(f.word[e], f.t[e], WALK_STREAM, n)
        return f.tunable[e, tunable] + base * amount * step
    phase = f.t[e] / uncertainty.drift[n, DRIFT_PERIOD]
    if shape == LINEAR:
        return base * (1.0 + amount * (phase if phase < 1.0 else 1.0))
    turns = int(phase)
    if shape == JUMP:
        return base * (1.0 + amount * (turns % 2))
    part = phase - turns
    height = 4.0 * part if part < 0.25 else (2.0 - 4.0 * part if part < 0.75 else 4.0 * part - 4.0)
    return base * (1.0 + amount * height)


@rule
def set_parameter(
    f: Frame, uncertainty: UncertaintyArrays, e: int, tunable: int, value: float
) -> None:
    """Set a parameter inside its declared range; that is an event if it changes."""
    value = clip(value, uncertainty.limits[tunable, LOWEST], uncertainty.limits[tunable, HIGHEST])
    if value != f.tunable[e, tunable]:
        f.tunable[e, tunable] = value
        emit(f, e, uncertainty.change_kind, -1, tunable, value)


@rule
def follow_rewards(f: Frame, uncertainty: UncertaintyArrays, e: int) -> None:
    """Follow how well agents do, where parameters answer to it."""
    if uncertainty.adapt.shape[0] == 0:
        return
    total = 0.0
    count = 0
    for a in range(f.active.shape[1]):
        if f.active[e, a] or f.ended[e, a]:
            total += f.reward[e, a]
            count += 1
    if count > 0:
        for n in range(uncertainty.adapt.shape[0]):
            memory = uncertainty.adapt[n, ADAPT_MEMORY]
            mean = memory * uncertainty.mean_reward[e, n] + (1.0 - memory) * total / count
            uncertainty.mean_reward[e, n] = mean


@rule
def forget_rewards(uncertainty: UncertaintyArrays, e: int) -> None:
    """Begin to follow rewards afresh."""
    for n in range(uncertainty.mean_reward.shape[1]):
        uncertainty.mean_reward[e, n] = 0.0
