"""What a config's active layers hand to the engine: their hooks, and the arrays these act on.

The layered step is a second program, written once per world; which layers are on, and how far, is
in arrays. At the baseline none of this is used: the plain step runs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.spec import Spec
from mesocosm.sim.handles import Hooks

# whose tuple an array is in: the frame's, the layers', or that of role ROLE_ARRAYS + k
FRAME, ENV_ARRAYS, ROLE_ARRAYS = -2, -1, 0


class Added(NamedTuple):
    """The arrays that layers need for a batch."""

    layers: Any  # what concerns all agents; `layers.handles` is what the engine reads
    role_layers: tuple[Any, ...]  # per role; its `world_view` is what the engine reads
    frame: Mapping[str, np.ndarray]  # handles of the frame, by name
    truth: Mapping[str, tuple[int, str]]  # where layer fields are: whose tuple, and their path


@dataclass(frozen=True)
class Layering:
    """What a config's active layers do to an env.

    Args:
        inner: The spec that the world itself declares; its rules know no other.
        hooks: What layers do at each stage of a step.
        arrays: Allocates for a number of envs.
        groups: The group of each agent, where layers form groups.
    """

    inner: Spec
    hooks: Hooks
    arrays: Callable[[int], Added]
    groups: tuple[int, ...] = ()


def find_array(place: tuple[int, str], frame: Any, extra: tuple[Any, ...]) -> Any:
    """Find the array of a layer field among the frame, the layers and the roles' own tuples."""
    whose, path = place
    return attrgetter(path)(frame if whose == FRAME else extra[whose + 1])
