"""Edit snapshots at random, inside the ranges that are declared: anything a person might try."""

from typing import Any

import numpy as np

from mesocosm.sim.batch.snapshot import PREFIX, enforce_all, ranges
from mesocosm.sim.engine import Engine

FIXED = ("frame.seed", "frame.env_id", "frame.episode")
WIDEST = 2**62  # what a range is cut to, to draw from it
MENDED = 0.5  # the part of the edits in which what the world says to hold is made to hold


def draw_edit(
    env: Engine, snapshot: dict[str, Any], rng: np.random.Generator
) -> tuple[dict[str, Any], list[str]]:
    """Copy a snapshot with some fields changed; name them."""
    edited = {key: value if key == "_meta" else value.copy() for key, value in snapshot.items()}
    keys = [key for key, value in edited.items() if key != "_meta" and value.size]
    keys = [key for key in keys if key not in FIXED]
    most = int(rng.choice([1, 1, 1, 2, 4, len(keys)]))
    chosen = [str(key) for key in rng.choice(keys, most, replace=False)]
    bounds = ranges(env.spec)
    for key in chosen:
        edited[key] = _edit(key, edited, bounds.get(key, (0, 1)), rng)
    if any(key in ("frame.active", "frame.acting") for key in chosen):
        edited["frame.acting"] &= edited["frame.active"]
    if rng.random() < MENDED:
        enforce_all(edited, env.world, env.config.core)
    return edited, chosen


def _edit(
    key: str, edited: dict[str, Any], bounds: tuple[Any, Any], rng: np.random.Generator
) -> np.ndarray:
    now: np.ndarray = edited[key]
    where = rng.random(now.shape) < rng.choice([0.02, 0.2, 1.0])
    if not where.any():
        where.reshape(-1)[rng.integers(now.size)] = True
    if now.dtype == np.bool_:
        return now ^ where
    if key == PREFIX + "order":
        return rng.permuted(now, axis=1)
    low, high = (np.broadcast_to(bound, now.shape) for bound in bounds)
    return np.where(where, _values(now, edited, (low, high), rng), now).astype(now.dtype)


def _values(
    now: np.ndarray,
    edited: dict[str, Any],
    bounds: tuple[np.ndarray, np.ndarray],
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw values: an end of the range, anything in it, near what it was, or another field's."""
    kind = np.float64 if now.dtype.kind == "f" else np.int64
    low, high = (np.clip(bound, -WIDEST, WIDEST).astype(kind) for bound in bounds)
    how = rng.integers(5)
    if how == 0:
        return np.where(rng.random(now.shape) < 0.5, low, high)
    if now.dtype.kind == "f":
        near = now + (high - low) * rng.uniform(-0.01, 0.01, now.shape)
        drawn = rng.uniform(0.0, 1.0, now.shape) * (high - low) + low
        return np.clip(near if how == 1 else drawn, low, high)
    if how == 1:
        return np.clip(now + rng.integers(-2, 3, now.shape), low, high)
    if how == 2:
        arrays = [value for key, value in edited.items() if key != "_meta"]
        whole = [value for value in arrays if value.dtype.kind == "i"]
        other = whole[int(rng.integers(len(whole)))].reshape(-1)
        if other.size:
            return np.clip(other[rng.integers(0, other.size, now.shape)], low, high)
    return rng.integers(low, high, endpoint=True)
