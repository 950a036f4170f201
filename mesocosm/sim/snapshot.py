"""Snapshots: all truth as a plain dict of arrays, checked whole before any of it is loaded."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mesocosm.core.errors import SnapshotError, hint
from mesocosm.core.spec import OUTCOMES, Spec
from mesocosm.sim.frame import FRAME_TRUTH

SCHEMA = 1
PREFIX = "frame."


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
    return [entry.name for entry in spec.truth] + [PREFIX + name for name in FRAME_TRUTH]


def check(
    snapshot: Any, spec: Spec, meta: Mapping[str, Any], array_of: Callable[[str], Any]
) -> dict[str, np.ndarray]:
    """Give the arrays of a valid snapshot, or say what is wrong with it."""
    if not isinstance(snapshot, dict) or not isinstance(snapshot.get("_meta"), dict):
        raise SnapshotError("a snapshot is a dict with '_meta', as env.save() makes it")
    for key, value in meta.items():
        if snapshot["_meta"].get(key) != value:
            got = snapshot["_meta"].get(key)
            raise SnapshotError(f"snapshot._meta.{key}: this env has {value!r}, got {got!r}")
    wanted = names(spec)
    for key in wanted:
        if key not in snapshot:
            raise SnapshotError(f"snapshot.{key}: missing")
    for key in snapshot:
        if key not in wanted and key != "_meta":
            raise SnapshotError(f"snapshot.{key}: unknown.{hint(str(key), wanted)}")
    arrays = {key: _check_array(key, snapshot[key], array_of(key)) for key in wanted}
    for key, (low, high) in _ranges(spec).items():
        _check_range(key, arrays[key], low, high)
    _check_order(arrays[PREFIX + "order"])
    return arrays


def _check_array(key: str, given: Any, like: Any) -> np.ndarray:
    if not isinstance(given, np.ndarray):
        raise SnapshotError(f"snapshot.{key}: must be a NumPy array, got {type(given).__name__}")
    if given.dtype != like.dtype or given.shape != like.shape:
        raise SnapshotError(
            f"snapshot.{key}: must be {like.dtype} {tuple(like.shape)}, "
            f"got {given.dtype} {given.shape}"
        )
    return given


def _ranges(spec: Spec) -> dict[str, tuple[float, float]]:
    ranges = {entry.name: (entry.low, entry.high) for entry in spec.truth}
    last, agents = len(spec.reasons), spec.num_agents
    frame = {
        "seed": (0, np.inf),
        "env_id": (0, np.inf),
        "episode": (0, np.inf),
        "t": (0, np.inf),
        "turn": (-1, agents - 1),
        "generation": (0, np.inf),
        "violations": (0, np.inf),
        "reason": (0, last),
        "outcome": (0, len(OUTCOMES) - 1),
        "episode_ending": (0, last),
        "episode_outcome": (0, len(OUTCOMES) - 1),
        "tunable": (-np.inf, np.inf),
        "effect": (-np.inf, np.inf),
        "order": (0, agents - 1),
    }
    return ranges | {PREFIX + name: bounds for name, bounds in frame.items()}


def _check_range(key: str, array: np.ndarray, low: float, high: float) -> None:
    if array.dtype == np.bool_ or array.size == 0:
        return
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise SnapshotError(f"snapshot.{key}: holds NaN or infinity")
    least, most = array.min(), array.max()
    if least < low or most > high:
        got = least if least < low else most
        raise SnapshotError(f"snapshot.{key}: must be between {low:g} and {high:g}, got {got}")


def _check_order(order: np.ndarray) -> None:
    agents = order.shape[1]
    if not (np.sort(order, axis=1) == np.arange(agents)).all():
        raise SnapshotError("snapshot.frame.order: each row must be a permutation of the agents")
