"""Snapshots: all truth as a plain dict of arrays, checked whole before any of it is loaded."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mesocosm.core.errors import SnapshotError, hint, short
from mesocosm.core.spec import MAX_EFFECT, OUTCOMES, Field, Spec
from mesocosm.core.world import Invariant, Truth, World
from mesocosm.sim.frame import FRAME_TRUTH, MAX_TALLY

SCHEMA = 2
PREFIX = "frame."
MAX_WHOLE = 2**63 - 1
MAX_COUNT = 2**53  # events keep it as a float64


def describe(spec: Spec, config_hash: str, num_envs: int) -> dict[str, Any]:
    """Say what a snapshot belongs to."""
    return {
        "schema": SCHEMA,
        "world": spec.world,
        "version": spec.version,
        "config": config_hash,
        "num_envs": num_envs,
    }


def names(spec: Spec) -> list[str]:
    """List the keys of a snapshot, `_meta` aside."""
    frame = [PREFIX + name for name in FRAME_TRUTH]
    return [*spec.saved, *frame]


def check(
    snapshot: Any,
    spec: Spec,
    meta: Mapping[str, Any],
    array_of: Callable[[str], Any],
    *,
    holding: tuple[World, Any],
) -> dict[str, np.ndarray]:
    """Give the arrays of a valid snapshot, or say what is wrong with it.

    Args:
        holding: The world whose invariants must hold, and its core parameters.
    """
    if not isinstance(snapshot, dict) or not isinstance(snapshot.get("_meta"), dict):
        got = f"{type(snapshot).__name__}" + (" without it" if isinstance(snapshot, dict) else "")
        raise SnapshotError(f"a snapshot is a dict with '_meta', as env.save() makes it, got {got}")
    _check_meta(snapshot["_meta"], meta)
    wanted = names(spec)
    for key in wanted:
        if key not in snapshot:
            raise SnapshotError(f"snapshot.{key}: missing")
    for key in snapshot:
        if key not in wanted and key != "_meta":
            raise SnapshotError(f"snapshot.{key}: unknown.{hint(str(key), wanted)}")
    arrays = {key: _check_array(key, snapshot[key], array_of(key)) for key in wanted}
    for key, (low, high) in ranges(spec).items():
        _check_range(key, arrays[key], (low, high), spec.saved.get(key))
    _check_order(arrays[PREFIX + "order"])
    if (arrays[PREFIX + "acting"] & ~arrays[PREFIX + "active"]).any():
        raise SnapshotError("snapshot.frame.acting: only agents that are active can act")
    _check_invariants(arrays, *holding)
    return arrays


def enforced(invariant: Invariant, arrays: Truth, core: Any) -> dict[str, np.ndarray]:
    """Give the fields of an invariant as they must be for it to hold."""
    fields = {name: arrays[name].copy() for name in invariant.fields}
    invariant.enforce({**arrays, **fields}, core)
    return fields


def enforce_all(arrays: dict[str, Any], world: World, core: Any) -> None:
    """Change arrays so that every invariant holds."""
    for invariant in world.invariants:
        arrays |= enforced(invariant, arrays, core)


def broken_envs(arrays: Truth, world: World, core: Any) -> np.ndarray:  # bool [env]
    """Say in which envs some invariant does not hold."""
    broken = np.zeros(arrays[PREFIX + "t"].shape[0], bool)
    for invariant in world.invariants:
        for name, wanted in enforced(invariant, arrays, core).items():
            wrong = _differ(wanted, arrays[name])
            broken |= wrong.reshape(len(broken), -1).any(axis=1)
    return broken


def _differ(one: np.ndarray, other: np.ndarray) -> np.ndarray:  # bool
    """Say which entries differ; NaN equals NaN."""
    found: np.ndarray = (one != other) & ((one == one) | (other == other))  # noqa: PLR0124
    return found


def _check_invariants(arrays: Truth, world: World, core: Any) -> None:
    for invariant in world.invariants:
        for name, wanted in enforced(invariant, arrays, core).items():
            wrong = np.argwhere(_differ(wanted, arrays[name]))
            if wrong.size:
                at = tuple(wrong[0].tolist())
                fix = f"{wanted[at]} would do, got {arrays[name][at]}"
                raise SnapshotError(f"{_place(name, at)}: {invariant.says}: {fix}")


def _place(key: str, at: tuple[int, ...]) -> str:
    return f"snapshot.{key}[{', '.join(map(str, at))}]"


def _check_meta(given: dict[Any, Any], wanted: Mapping[str, Any]) -> None:
    for key, value in wanted.items():
        got = given.get(key)
        if type(got) is not type(value) or got != value:
            shown = short(got) if key in given else "nothing"
            raise SnapshotError(f"snapshot._meta.{key}: this env has {value!r}, got {shown}")
    for key in given:
        if key not in wanted:
            raise SnapshotError(f"snapshot._meta.{key}: unknown.{hint(key, wanted)}")


def _check_array(key: str, given: Any, like: Any) -> np.ndarray:
    if not isinstance(given, np.ndarray):
        raise SnapshotError(f"snapshot.{key}: must be a NumPy array, got {type(given).__name__}")
    if given.dtype != like.dtype or given.shape != like.shape:
        raise SnapshotError(
            f"snapshot.{key}: must be {like.dtype} {tuple(like.shape)}, "
            f"got {given.dtype} {given.shape}"
        )
    array = np.asarray(given)
    if array.dtype == np.bool_ and (array.view(np.uint8) > 1).any():
        raise SnapshotError(f"snapshot.{key}: holds bytes that are neither True nor False")
    return array


def ranges(spec: Spec) -> dict[str, tuple[Any, Any]]:
    """Give the least and the greatest value of every key: numbers, or one for each column."""
    made: dict[str, tuple[Any, Any]] = {name: entry.bounds for name, entry in spec.saved.items()}
    last, agents = len(spec.reasons), spec.num_agents
    low, high = ([getattr(entry, end) for entry in spec.tunables] for end in ("low", "high"))
    frame = {
        "seed": (0, MAX_WHOLE),
        "env_id": (0, MAX_WHOLE),
        "episode": (0, MAX_COUNT),
        "t": (0, MAX_COUNT),
        "turn": (-1, agents - 1),
        "generation": (0, MAX_TALLY),
        "violations": (0, MAX_TALLY),
        "reason": (0, last),
        "outcome": (0, len(OUTCOMES) - 1),
        "ending": (0, last),
        "episode_ending": (0, last),
        "episode_outcome": (0, len(OUTCOMES) - 1),
        "tunable": (np.array(low), np.array(high)),
        "effect": (0.0, MAX_EFFECT),
        "order": (0, agents - 1),
    }
    return made | {PREFIX + name: bounds for name, bounds in frame.items()}


def _check_range(key: str, array: np.ndarray, bounds: tuple[Any, Any], entry: Field | None) -> None:
    low, high = bounds
    if array.dtype == np.bool_ or array.size == 0:
        return
    if np.isinf(low).any() and np.isinf(high).any():
        return
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise SnapshotError(f"snapshot.{key}: holds NaN or infinity")
    wrong = np.argwhere((array < low) | (array > high))
    if wrong.size:
        at = tuple(wrong[0].tolist())
        least, most = (np.broadcast_to(bound, array.shape)[at] for bound in (low, high))
        refs = () if entry is None else entry.references
        ref = refs[at[-1] if len(refs) > 1 else 0] if refs else None
        meaning = "" if ref is None else f" ({ref})"
        what = f"must be between {least} and {most}{meaning}, got {array[at]}"
        raise SnapshotError(f"{_place(key, at)}: {what}")


def _check_order(order: np.ndarray) -> None:
    agents = order.shape[1]
    if not (np.sort(order, axis=1) == np.arange(agents)).all():
        raise SnapshotError("snapshot.frame.order: each row must be a permutation of the agents")
