"""What a program is handed before its first move: the game, its role, and a seed of its own.

Nothing of it depends on the seed of the env: who knows that could rebuild all that is hidden.
"""

from collections.abc import Mapping
from typing import Any

from mesocosm.config.identity import dump
from mesocosm.config.schema import Config
from mesocosm.core.spec import Role

SEED = "seed"
INSTRUMENTATION = "instrumentation"  # says where the match is recorded


def describe_game(config: Config[Any]) -> dict[str, Any]:
    """Give a config as plain data, without any seed and without where things are recorded."""
    return without_seeds(dump(config)) | {INSTRUMENTATION: {}}


def without_seeds(value: Any) -> Any:
    """Copy plain data without all that is called a seed."""
    if isinstance(value, Mapping):
        kept = (key for key in value if key != SEED and not str(key).endswith(f"_{SEED}"))
        return {key: without_seeds(value[key]) for key in kept}
    if isinstance(value, list | tuple):
        return [without_seeds(entry) for entry in value]
    return value


def describe_role(role: Role, num_envs: int) -> dict[str, Any]:
    """Say what a player of a role receives and may answer, for those who do not speak Python."""
    action = role.action
    return {
        "role": role.name,
        "meaning": role.meaning,
        "num_envs": num_envs,
        "num_agents": role.num_agents,
        "observation": {
            "dtype": str(role.observation.dtype),
            "size": role.observation.size,
            "features": [_brief(row) for row in role.observation.rows()],
        },
        "info": [_brief(row) for row in role.info.rows()],
        "action": {
            "choices": [part.name for part in action.choices],
            "levels": [part.name for part in action.levels],
            "mask_size": action.mask_size,
            "parts": [_brief(row) for row in action.rows()],
        },
        "respawn": role.respawn,
    }


def _brief(row: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is of use to those alone who look into the world, and what JSON cannot say."""
    left_out = ("reads", "option_reads", "absent", "glosses")
    made = {key: value for key, value in row.items() if key not in left_out}
    if "range" in made:
        made["range"] = [_number(bound) for bound in made["range"]]
    return made


def _number(value: Any) -> Any:
    number = float(value)
    return number if abs(number) < float("inf") else None
