"""Mesocosm in the shape of other libraries' environments; each adapter needs its own extra.

Imports point down: gymnasium → controlled_agent, pettingzoo → roster →
whole_role; both use `spaces` and `step_view`, and neither imports the other.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mesocosm.adapters.gymnasium import GymEnv, GymVectorEnv
    from mesocosm.adapters.pettingzoo import ZooAECEnv, ZooParallelEnv

__all__ = ["GymEnv", "GymVectorEnv", "ZooAECEnv", "ZooParallelEnv"]

_HOMES = {
    "GymEnv": "gymnasium",
    "GymVectorEnv": "gymnasium",
    "ZooAECEnv": "pettingzoo",
    "ZooParallelEnv": "pettingzoo",
}


def __getattr__(name: str) -> Any:
    """Load an adapter when it is first used, so that only its own library must be there."""
    if name not in _HOMES:
        raise AttributeError(f"module 'mesocosm.adapters' has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
