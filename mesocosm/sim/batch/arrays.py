"""Allocate the arrays of a batch: the world's state, the engine's frame, the roles' buffers."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.spec import BEFORE, Spec
from mesocosm.core.world import World
from mesocosm.sim.frame import frame_arrays, role_arrays
from mesocosm.sim.layering import Layering


class Batch(NamedTuple):
    """What a step works on, on the host, before a driver takes it to its target.

    Args:
        extra: What layers add to the roles.
        places: Where the fields of layers are: whose tuple, and its attribute.
    """

    s: Any
    f: Any
    p: Any
    roles: tuple[Any, ...]
    extra: tuple[Any, ...]
    places: Mapping[str, tuple[int, str]]

    @property
    def arguments(self) -> tuple[Any, Any, Any, tuple[Any, ...]]:
        """The arguments of the step."""
        return self.s, self.f, self.p, (*self.roles, *self.extra)


def make_batch(
    world: World,
    spec: Spec,
    params: Any,
    layering: Layering | None,
    *,
    num_envs: int,
    autoreset: str,
) -> Batch:
    """Allocate everything for a number of envs."""
    roles = tuple(role_arrays(role, spec, num_envs) for role in spec.all_roles)
    frame = frame_arrays(spec, num_envs, autoreset)
    extra: tuple[Any, ...] = ()
    places: Mapping[str, tuple[int, str]] = {}
    if layering is not None:
        added = layering.arrays(num_envs)
        frame = frame._replace(**added.frame)
        extra, places = (added.layers, *added.role_layers), added.truth
    return Batch(_state_arrays(world, spec, num_envs), frame, params, roles, extra, places)


def _state_arrays(world: World, spec: Spec, num_envs: int) -> Any:
    kinds = {entry.name: (entry.shape, entry.dtype) for entry in spec.fields}
    kinds |= {entry.name + BEFORE: kinds[entry.name] for entry in spec.fields if entry.previous}
    made = {name: np.zeros((num_envs, *shape), kind) for name, (shape, kind) in kinds.items()}
    return world.state(**made)
