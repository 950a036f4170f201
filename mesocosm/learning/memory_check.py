"""Refuse a training that cannot fit into memory, before anything of it is made."""

from itertools import pairwise

from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Spec
from mesocosm.learning.presets import bytes_per_step
from mesocosm.learning.settings import LearningSettings, NetworkSettings
from mesocosm.sim.batch import arrays

PER_WEIGHT = 16  # bytes: the weight, its gradient, and two moments of Adam
GATES = {"none": 0, "gru": 3, "lstm": 4}


def check_memory(spec: Spec, settings: LearningSettings) -> None:
    """Refuse settings whose rollout and networks surely take more memory than is free."""
    rollout = settings.rows * bytes_per_step(spec)
    networks = len(spec.roles) * least_bytes(settings.network)
    free = arrays._free_memory()  # what envs are refused by, too
    if free is not None and rollout + networks > free:
        needed, more, there = (f"{x / arrays.GIB:,.1f} GiB" for x in (rollout, networks, free))
        raise ConfigError(
            f"learning: a rollout takes {needed} and the networks at least {more} of memory, "
            f"{there} are free; lower learning.num_envs, learning.horizon or learning.network"
        )


def least_bytes(network: NetworkSettings) -> int:
    """Say how much the layers between the first and the last take while they learn."""
    weights = sum(a * b for a, b in pairwise(network.hidden))
    weights += GATES[network.memory] * network.memory_size**2
    return PER_WEIGHT * weights * (1 if network.shared else 2)
