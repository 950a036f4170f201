"""Read a Step as one role or one agent sees it, on the host and in copies."""

from typing import Any

import numpy as np

from mesocosm.adapters.spaces import sample_mask
from mesocosm.core.spec import OUTCOMES, Role, Spec
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine

PER_ENV = ("episode_over", "episode_reason", "episode_outcome")


def role_steps(step: Step, spec: Spec) -> dict[str, Step]:
    """Split a step by role, each part an ordinary Step of NumPy arrays."""
    entries = step._asdict()
    alone = len(spec.roles) == 1
    return {
        name: Step(
            **{
                key: _host(value if alone or key in PER_ENV else value[name])
                for key, value in entries.items()
            }
        )
        for name in spec.roles
    }


def _host(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: np.asarray(array) for name, array in value.items()}
    return np.asarray(value)


def copy_value(values: Any) -> Any:
    """Copy an array; a single number becomes plain Python."""
    made = np.array(values)
    return made if made.ndim else made.item()


def info_at(role: Role, part: Step, at: tuple[Any, int]) -> dict[str, Any]:
    """Copy what agents are told beside their observation: declared info, mask, turn."""
    info = {name: copy_value(values[at]) for name, values in part.info.items()}
    if role.action.choices:
        info["action_mask"] = sample_mask(role.action, part.mask[at])
    return info | {"acting": copy_value(part.acting[at])}


def structured(raw: Engine, role: Role, part: Step, at: tuple[int, int]) -> dict[str, Any]:
    """Give what the world makes of all that one agent received, if it makes anything of it."""
    tell = raw.world.tell
    if tell is None:
        return {}
    told = {name: np.array(values[at]) for name, values in part.info.items()}
    return tell(raw.config.core, role, np.array(part.obs[at]), np.array(part.mask[at]), told)


def ending(spec: Spec, reason: int, outcome: int) -> dict[str, str]:
    """Name why and how something ended."""
    return {"reason": spec.reason_name(int(reason)), "outcome": OUTCOMES[int(outcome)]}


def truncates(spec: Spec) -> np.ndarray:  # bool [reason code]
    """Say for each reason code whether it is an end imposed from outside."""
    return np.array([False, *(reason.truncates for reason in spec.reasons)])
