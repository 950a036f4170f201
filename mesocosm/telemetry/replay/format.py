"""What the chunks of a replay hold: their tags, their arrays, and operations made of these."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import short
from mesocosm.core.spec import Role
from mesocosm.telemetry.replay.chunk_file import ArrayShape

# tags of chunks: the first, full ones, the last if partly filled, and the end of a closed file
HEAD_TAG, STEP_TAG, LAST_TAG, DONE_TAG = "HEAD", "STEP", "LAST", "DONE"
# kinds of operations
STEP, RESET = 0, 1
NO_SEED = -1  # of a reset that goes on with the next episode; any negative number means it
# columns of `begun`, a row per episode that begins
BEGUN_STEP, BEGUN_ENV, BEGUN_EPISODE, BEGUN_SEED = 0, 1, 2, 3
BEGUN_WIDTH = 4
MAX_STEPS = 1024  # of a chunk, and of the resets in it
MAX_ENVS = 1 << 24  # of a replay
MAX_LEVELS = 256  # of an action
ACTION_DTYPES = {"choice": ("uint8", "int16", "int32"), "level": ("float32",)}


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


def find_head_misfit(
    meta: Mapping[str, Any], shapes: Mapping[str, ArrayShape], envs: int | None
) -> str:
    """Say what in a first chunk is not what it must be; nothing, if all is.

    Args:
        envs: How many envs the run has, where that is known.
    """
    kinds = {"num_envs": int, "first_env": int, "autoreset": str, "fields": list}
    for key, kind in (kinds | {"config": dict, "behaviour": str}).items():
        if type(meta.get(key)) is not kind:
            return f"{key} is no {kind.__name__}"
    found = meta["num_envs"]
    if not 1 <= found <= MAX_ENVS or envs not in (None, found):
        allowed = f"between 1 and {MAX_ENVS}" if envs is None else f"{envs}, as the run's"
        return f"num_envs must be {allowed}, got {short(found)}"
    if not all(isinstance(name, str) for name in meta["fields"]):
        return "fields is no list of names"
    for key in ("episode", "seed"):
        if shapes.get(key) != ("int64", (found,)):
            return f"{key} is not int64 ({found},)"
    return "" if len(shapes) == 2 else "it holds other arrays than episode and seed"


def find_misfit(shapes: Mapping[str, ArrayShape], steps: int, meta: Mapping[str, Any]) -> str:
    """Say which array that a chunk declares is not what it must be; nothing, if all are.

    Args:
        meta: What the first chunk says.
    """
    envs, fields = meta["num_envs"], len(meta["fields"])
    resets = math.prod(shapes.get("reset_seed", ArrayShape("int64", ())).shape)
    begun = shapes.get("begun", ArrayShape("int64", ())).shape[:1]
    if resets > MAX_STEPS or math.prod(begun) > (steps + resets) * envs:
        return f"it says that it holds {resets} resets and {math.prod(begun)} episodes"
    wanted: dict[str, tuple[str, tuple[int, ...]]] = {
        "kind": ("uint8", (steps + resets,)),
        "digest": ("uint64", (steps + resets, fields)),
        "reset_seed": ("int64", (resets,)),
        "reset_envs": ("uint8", (resets, packed_bytes(envs))),
        "begun": ("int64", (*begun, BEGUN_WIDTH)),
    }
    wanted |= {f"lead_{key}": ("int64", (envs,)) for key in ("start", "episode", "seed")}
    for name, (kind, shape) in wanted.items():
        if shapes.get(name) != (kind, shape):
            return f"{name} is not {kind} {shape}"
    counts = _role_counts(meta["config"])
    for name, found in shapes.items():
        wrong = "" if name in wanted else _find_action_misfit(name, found, (steps, envs), counts)
        if wrong:
            return wrong
    return ""


def _role_counts(config: Any) -> dict[str, Any]:
    """Read how many agents each role has; whether the rest makes sense is for others to say."""
    try:
        return {name: role["count"] for name, role in config["agents"]["roles"].items()}
    except (KeyError, TypeError, AttributeError):
        return {}


def _find_action_misfit(
    name: str, found: ArrayShape, lead: tuple[int, int], counts: Mapping[str, Any]
) -> str:
    what, _, rest = name.partition(".")
    role = rest.rpartition(".")[0] if what == "choice" else rest
    if what not in ACTION_DTYPES or role not in counts:
        return f"{short(name)} belongs to no role"
    shape, wanted = found.shape, (*lead, counts[role])
    parts = shape[3:] if what == "level" else ()
    few = math.prod(parts) <= MAX_LEVELS and len(parts) == (what == "level")
    if found.kind not in ACTION_DTYPES[what] or shape[:3] != wanted or len(shape) > 4 or not few:
        return f"{name} is not {ACTION_DTYPES[what][-1]} {wanted}, got {found.kind} {shape}"
    return ""


def find_wrong_value(arrays: Mapping[str, np.ndarray], first: int, steps: int, envs: int) -> str:
    """Say which value of a chunk's arrays cannot be; nothing, if all can."""
    kinds = arrays["kind"]
    if int((kinds == STEP).sum()) != steps or int((kinds == RESET).sum()) != len(kinds) - steps:
        return "it holds other operations than steps"
    rows = arrays["begun"]
    for column, low, high in ((BEGUN_STEP, first, first + steps), (BEGUN_ENV, 0, envs - 1)):
        if ((rows[:, column] < low) | (rows[:, column] > high)).any():
            return f"begun tells of more than {low} to {high}"
    starts = arrays["lead_start"]
    return "" if ((starts >= 0) & (starts <= first)).all() else "lead_start tells of later steps"
