"""What the chunks of a replay hold: their tags, their arrays, and operations made of these."""

from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.spec import Role

# tags of chunks: the first, full ones, the last if partly filled, and the end of a closed file
HEAD_TAG, STEP_TAG, LAST_TAG, DONE_TAG = "HEAD", "STEP", "LAST", "DONE"
# kinds of operations
STEP, RESET = 0, 1
NO_SEED = -1  # of a reset that goes on with the next episode; any negative number means it
# columns of `begun`, a row per episode that begins
BEGUN_STEP, BEGUN_ENV, BEGUN_EPISODE, BEGUN_SEED = 0, 1, 2, 3
BEGUN_WIDTH = 4
MAX_STEPS = 1 << 20  # of a chunk


class Start(NamedTuple):
    """Where an env's episode began: before the action of this number."""

    step: int
    episode: int
    seed: int


class Operation(NamedTuple):
    """One thing that happened to the whole batch."""

    step: int  # how many steps were played before it
    actions: Any  # of a step, as `Engine.step` takes them; None for a reset
    seed: int | None  # of a reset
    envs: np.ndarray | None  # bool [env], of a reset
    digest: np.ndarray  # uint64 [field], after it

    @property
    def has_digest(self) -> bool:
        """Whether it has one: a reset of some envs has none, the next step's covers it."""
        return self.envs is None or bool(self.envs.all())


def packed_bytes(num_envs: int) -> int:
    """Count the bytes of one bit per env."""
    return (num_envs + 7) // 8


def role_actions(role: Role, arrays: dict[str, np.ndarray]) -> list[Any]:
    """Give a role's actions at each step of a chunk, as `Engine.step` takes them."""
    parts = [arrays[f"choice.{role.name}.{k}"] for k in range(len(role.action.choices))]
    level = arrays[f"level.{role.name}"] if role.action.levels else None
    choice = np.stack(parts, axis=-1).astype(np.int32) if parts else None
    if choice is None:
        return list(level if level is not None else ())
    if level is None:
        return list(choice)
    return [role.action.join(*pair) for pair in zip(choice, level, strict=True)]


def find_misfit(arrays: dict[str, np.ndarray], steps: int, envs: int, fields: int) -> str:
    """Say which of a chunk's own arrays is not what it must be; nothing, if all are."""
    kinds = arrays.get("kind", np.zeros(0, np.uint8))
    resets = int((kinds == RESET).sum())
    wanted: dict[str, tuple[Any, tuple[int, ...]]] = {
        "kind": (np.uint8, (steps + resets,)),
        "digest": (np.uint64, (steps + resets, fields)),
        "reset_seed": (np.int64, (resets,)),
        "reset_envs": (np.uint8, (resets, packed_bytes(envs))),
        "begun": (np.int64, (len(arrays.get("begun", ())), BEGUN_WIDTH)),
    }
    wanted |= {f"lead_{key}": (np.int64, (envs,)) for key in ("start", "episode", "seed")}
    for name, (kind, shape) in wanted.items():
        found = arrays.get(name)
        if found is None or found.dtype != kind or found.shape != shape:
            return f"{name} is not {np.dtype(kind)} {shape}"
    for name, found in arrays.items():
        if name.startswith(("choice.", "level.")) and found.shape[:2] != (steps, envs):
            return f"{name} does not begin with {(steps, envs)}, got {found.shape}"
    return "" if int((kinds == STEP).sum()) == steps else "it holds other operations than steps"
