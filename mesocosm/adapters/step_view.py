"""Read a role's Step as agents see it, in copies."""

from typing import Any

import numpy as np

from mesocosm.adapters.spaces import sample_mask
from mesocosm.core.spec import OUTCOMES, Role, Spec
from mesocosm.core.step import Step


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


class Ends:
    """What the codes of ends mean.

    Args:
        truncates: bool [reason code], whether it is an end imposed from outside.
    """

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self.truncates = truncates(spec)

    def name(self, reason: int, outcome: int) -> dict[str, str]:
        """Name why and how something ended."""
        return ending(self._spec, reason, outcome)


def ending(spec: Spec, reason: int, outcome: int) -> dict[str, str]:
    """Name why and how something ended."""
    return {"reason": spec.reason_name(int(reason)), "outcome": OUTCOMES[int(outcome)]}


def truncates(spec: Spec) -> np.ndarray:  # bool [reason code]
    """Say for each reason code whether it is an end imposed from outside."""
    return np.array([False, *(reason.truncates for reason in spec.reasons)])
