"""Whose agents are rows, and how the action of a row is given."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from mesocosm.adapters.spaces import INT32, Parts, action_space, read_actions
from mesocosm.core.errors import ActionError, ConfigError, short, unknown
from mesocosm.core.spec import Role, Spec


def choose_agents(
    spec: Spec, role: str | None, agents: Sequence[int] | None
) -> tuple[Role, list[int]]:
    """Find the role, and the places of the chosen agents in it."""
    if role is not None and (not isinstance(role, str) or role not in spec.roles):
        raise unknown("role with agents", str(role), spec.roles)
    if agents is None:
        found = spec.roles[role] if role else next(iter(spec.roles.values()))
        return found, list(range(found.num_agents))
    plain = list(agents) if isinstance(agents, Sequence | np.ndarray) else []
    whole = all(isinstance(a, int | np.integer) and not isinstance(a, bool) for a in plain)
    if not plain or not whole or len(set(plain)) != len(plain):
        raise ConfigError(f"agents: must be different numbers of agents, got {short(agents)}")
    found = spec.role_of(plain[0])
    others = [a for a in plain if spec.role_of(a) is not found]
    if others or found.name != (role or found.name):
        wrong = others[0] if others else plain[0]
        wanted = role or found.name
        raise ConfigError(f"agents: {wrong} is a {spec.role_of(wrong).name}, not a {wanted}")
    return found, [int(a) - found.first for a in plain]


def check_bins(role: Role, given: int | None) -> int:
    """Give the number of bins; 0 for none."""
    if given is None:
        return 0
    if isinstance(given, bool) or not isinstance(given, int) or given < 2:
        raise ConfigError(f"level_bins: must be a whole number from 2 on, got {short(given)}")
    if not role.action.levels:
        raise ConfigError(f"level_bins: an action of {role.name!r} has no levels")
    return given


def row_action_space(role: Role, bins: int) -> Any:
    """Give the space of one row's action; choices and levels together need bins."""
    action = role.action
    if bins:
        counts = [len(part.options) for part in action.choices]
        return spaces.MultiDiscrete(counts + [bins] * len(action.levels))
    if action.choices and action.levels:
        raise ConfigError(
            f"role {role.name!r}: an action has choices and levels, which the library has no space "
            "for: give level_bins=5, and a level is chosen among five values"
        )
    return action_space(role)


def read_rows(role: Role, given: Any, lead: tuple[int, int], bins: int) -> Parts:
    """Split the actions `[row, ...]` of rows into choices and levels, `[env, agent, part]`."""
    num_rows = lead[0] * lead[1]
    if not bins:
        choice, level = read_actions(role, given, (num_rows,))
        return choice.reshape(*lead, -1), level.reshape(*lead, -1)
    try:
        array, num_choices = np.asarray(given), len(role.action.choices)
    except (TypeError, ValueError, RuntimeError) as error:
        name = type(given).__name__
        raise ActionError(f"role {role.name!r}: {name} is no array: {error}") from None
    shape = (num_rows, num_choices + len(role.action.levels))
    if array.dtype.kind not in "iu" or array.shape != shape:
        got = f"{array.dtype} {array.shape}"
        raise ActionError(f"role {role.name!r}: actions must be integers {shape}, got {got}")
    array = array.reshape(*lead, -1)
    low, high = np.array([(part.low, part.high) for part in role.action.levels]).T
    share = np.clip(array[..., num_choices:], 0, bins - 1) / (bins - 1)
    choice = np.clip(array[..., :num_choices], INT32.min, INT32.max)
    return choice.astype(np.int32), (low + share * (high - low)).astype(np.float32)
