"""Perturb a state: draw other valid values for one field of one owner, or for all of them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.spec import Field
from mesocosm.sim.batch.snapshot import broken_envs, enforce_all
from mesocosm.sim.engine import Engine

VARIANTS = ("random", "extreme", "nudge", "echo")
MAX_OWNERS = 24  # of one field, per state: the world may have thousands of cells
UNBOUNDED = 1e3
FUTURE = "frame.seed"


class Change(NamedTuple):
    """A perturbation of one env: which entries of which array, and how."""

    field: str
    owner: int  # agent, group or thing whose entries change; -1: all
    variant: str


def list_changes(env: Engine, rng: np.random.Generator) -> Iterator[Change]:
    """List what to perturb: each truth field, owner by owner, and the future's randomness."""
    for name, entry in env.spec.saved.items():
        owners = np.arange(entry.shape[0]) if entry.scope != "global" else np.array([-1])
        if len(owners) > MAX_OWNERS:
            owners = rng.choice(owners, MAX_OWNERS, replace=False)
        for owner in owners.tolist():
            for variant in VARIANTS:
                yield Change(name, owner, variant)
    yield Change(FUTURE, -1, "random")


def tile(snapshot: dict[str, Any], state: int, probe: Engine) -> dict[str, Any]:
    """Repeat one env of a snapshot in every row of the probe."""
    rows = probe.num_envs
    meta = snapshot["_meta"] | {"num_envs": rows}
    made = {
        key: np.repeat(value[state : state + 1], rows, axis=0)
        for key, value in snapshot.items()
        if key != "_meta"
    }
    return made | {"_meta": meta}


def scramble(snapshot: dict[str, Any], env: Engine, rng: np.random.Generator) -> None:
    """Draw every truth field anew, the same in all rows."""
    for name, entry in env.spec.saved.items():
        snapshot[name][:] = draw_values(entry, snapshot[name][:1], "random", rng)
    enforce_all(snapshot, env.world, env.config.core)


def undo_broken(snapshot: dict[str, Any], env: Engine) -> None:
    """Take back the changes after which the world's invariants would not hold."""
    broken = broken_envs(snapshot, env.world, env.config.core)
    for key in env.spec.saved:
        snapshot[key][broken] = snapshot[key][0]


def poison_derived(env: Engine, sound: Engine, rng: np.random.Generator) -> None:
    """Fill the derived fields with nonsense in all rows but the first, which is as in `sound`."""
    for entry in env.spec.fields:
        if entry.derived:
            now = sound.state(entry.name)
            array = np.repeat(now, env.num_envs, axis=0)
            array[1:] = draw_values(entry, now, "random", rng)
            env.set_state(entry.name, array)


def perturb(
    snapshot: dict[str, Any], change: Change, row: int, env: Engine, rng: np.random.Generator
) -> None:
    """Make one change in one row of a snapshot."""
    array = snapshot[change.field]
    if change.field == FUTURE:
        array[row] = int(rng.integers(1, 2**62))
        return
    entry = env.spec.state_field(change.field)
    part = array[row : row + 1] if change.owner < 0 else array[row, change.owner : change.owner + 1]
    if change.variant == "echo":
        part[...] = _echo(snapshot, entry, part, row, env, rng)
    else:
        part[...] = draw_values(entry, part, change.variant, rng)


def _echo(
    snapshot: dict[str, Any],
    entry: Field,
    part: np.ndarray,
    row: int,
    env: Engine,
    rng: np.random.Generator,
) -> np.ndarray:
    """Bring whole numbers close to those of another field: a countdown shows only near zero."""
    others = [field.name for field in env.spec.truth if field.dtype.startswith("int")]
    if part.dtype.kind != "i" or not others:
        return draw_values(entry, part, "random", rng)
    values = snapshot[others[int(rng.integers(len(others)))]][row].reshape(-1)
    near = values[rng.integers(0, values.size, part.shape)].astype(np.int64)
    return np.clip(near + rng.integers(-3, 4, part.shape), *entry.bounds)


def draw_values(
    entry: Field, now: np.ndarray, variant: str, rng: np.random.Generator
) -> np.ndarray:
    """Draw other valid values for a field."""
    if now.dtype == np.bool_:
        return ~now
    least, most = entry.bounds
    low, high = np.maximum(least, -UNBOUNDED), np.minimum(most, UNBOUNDED)
    if variant == "extreme":
        return np.where(now > (low + high) / 2, low, high).astype(now.dtype)
    if now.dtype.kind == "i":
        low, high = low.astype(np.int64), high.astype(np.int64)
        if variant == "random":
            return rng.integers(low, high, now.shape, endpoint=True).astype(now.dtype)
        moved = now + rng.integers(-1, 2, now.shape)
        return np.clip(moved, low, high).astype(now.dtype)
    if variant == "random":
        return rng.uniform(low, high, now.shape)
    return np.clip(now + (high - low) * rng.uniform(-1e-3, 1e-3, now.shape), low, high)
