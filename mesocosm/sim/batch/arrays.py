"""Allocate the arrays of a batch: the world's state, the engine's frame, the roles' buffers."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import BEFORE, Spec
from mesocosm.core.world import World
from mesocosm.sim.frame import frame_arrays, role_arrays
from mesocosm.sim.layering import Layering

FEW_ENVS = 16  # so many are made without asking for memory
GIB = 2**30


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
    """Allocate everything for a number of envs; refuse what memory has no room for."""
    if num_envs > FEW_ENVS:
        one, two = (_allocate(world, spec, params, layering, n, autoreset) for n in (1, 2))
        _check_memory(one, two, num_envs)
    return _allocate(world, spec, params, layering, num_envs, autoreset)


def _allocate(
    world: World,
    spec: Spec,
    params: Any,
    layering: Layering | None,
    num_envs: int,
    autoreset: str,
) -> Batch:
    roles = tuple(role_arrays(role, spec, num_envs) for role in spec.all_roles)
    frame = frame_arrays(spec, num_envs, autoreset)
    extra: tuple[Any, ...] = ()
    places: Mapping[str, tuple[int, str]] = {}
    if layering is not None:
        added = layering.arrays(num_envs)
        frame = frame._replace(**added.frame)
        extra, places = (added.layers, *added.role_layers), added.truth
    return Batch(_state_arrays(world, spec, num_envs), frame, params, roles, extra, places)


def _check_memory(one: Batch, two: Batch, num_envs: int) -> None:
    """Refuse a number of envs whose arrays are larger than the memory that is free."""
    first = _count_bytes(one.arguments)
    each = _count_bytes(two.arguments) - first
    needed, free = first + (num_envs - 1) * each, _free_memory()
    if free is not None and needed > free:
        fit = max(1 + (free - first) // each, 0)
        raise ConfigError(
            f"num_envs: {num_envs} envs of {each:,} bytes need {needed / GIB:,.1f} GiB of memory, "
            f"{free / GIB:,.1f} GiB are free: at most {fit:,} fit"
        )


def _count_bytes(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(_count_bytes(part) for part in value)
    return value.nbytes if isinstance(value, np.ndarray) else 0


def _free_memory() -> int | None:
    """Return how many bytes programs can still get, or what the machine has; None: unknown."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        kibibytes = next(line.split()[1] for line in lines if line.startswith("MemAvailable:"))
        return int(kibibytes) * 1024
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _state_arrays(world: World, spec: Spec, num_envs: int) -> Any:
    kinds = {entry.name: (entry.shape, entry.dtype) for entry in spec.fields}
    kinds |= {entry.name + BEFORE: kinds[entry.name] for entry in spec.fields if entry.previous}
    made = {name: np.zeros((num_envs, *shape), kind) for name, (shape, kind) in kinds.items()}
    return world.state(**made)
