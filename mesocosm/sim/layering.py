"""What active layers add to a world's step: the arrays they act on, and their hooks by name.

The layered step is a second module, composed once per world; which layers are on, and how far, is
in arrays. At the baseline none of this is used: the plain step runs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.spec import Field, Spec
from mesocosm.core.world import Rule


def find_array(place: tuple[int, str], frame: Any, extra: tuple[Any, ...]) -> Any:
    """Find the array of a layer field among the frame, the dials and the roles' own tuples."""
    whose, name = place
    return getattr(frame if whose == FRAME else extra[whose + 1], name)


class Added(NamedTuple):
    """The arrays that layers need for a batch."""

    dials: Any  # what concerns all agents
    own: tuple[Any, ...]  # per role: views, tables and memories of its observations
    frame: Mapping[str, np.ndarray]  # handles of the frame, by name
    truth: Mapping[str, tuple[int, str]]  # where layer fields are: whose tuple, and its attribute


APART = 11  # entry of dials.switch: whether some role's views are kept apart from what it sees
COMPARED = 12  # entry of dials.switch: whether columns are compared with what they were
CHANGED = 8  # entry of own.extra: whether what the role sees, is told or may do is altered
FRAME, DIALS, OWN = -2, -1, 0  # whose tuple: the frame's, the dials', that of role OWN + k


@dataclass(frozen=True)
class Layering:
    """What a config's active layers do to an env.

    Args:
        inner: The spec that the world itself declares; its rules know no other.
        rules: The hooks that the composed step calls, by name.
        arrays: Allocates for a number of envs.
        groups: The group of each agent, where the hierarchy layer forms groups.
    """

    inner: Spec
    rules: Mapping[str, Rule]
    arrays: Callable[[int], Added]
    groups: tuple[int, ...] = ()


def field_access(fields: tuple[Field, ...]) -> dict[str, str]:
    """Write the bodies that read and write one number of a malleable field, by its index."""
    read, write = [], []
    for k, entry in enumerate(fields):
        if entry.malleable:
            at = _place(entry)
            read.append(f"    if k == {k}:\n        return s.{entry.name}[{at}]")
            write.append(f"    if k == {k}:\n        s.{entry.name}[{at}] = value")
    nothing = "    return"
    return {"read": "\n".join(read), "write": "\n".join(write) or nothing}


def _place(entry: Field) -> str:
    """Index a field of one env by a flat number i."""
    indices, rest = [], "i"
    for axis in range(len(entry.shape), 0, -1):
        size = f"s.{entry.name}.shape[{axis}]"
        indices.append(rest if axis == 1 else f"{rest} % {size}")
        rest = f"({rest} // {size})"
    return ", ".join(["e", *reversed(indices)])
