"""Mesocosm in the shape of other libraries' environments; each adapter needs its own extra.

Adapters stand on `boundary`, which opens an env as `core.adapter` declares, and but for benchmarl →
torchrl none imports another: gymnasium → controlled_agent, pettingzoo → roster → whole_role,
pufferlib and sb3 → rows → players. `spaces` and `step_view` are shared by those that speak in
Gymnasium's spaces.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mesocosm.adapters.benchmarl import BenchMARLTask
    from mesocosm.adapters.boundary import open_env
    from mesocosm.adapters.gymnasium import GymEnv, GymRowsEnv, GymVectorEnv
    from mesocosm.adapters.pettingzoo import ZooAECEnv, ZooParallelEnv
    from mesocosm.adapters.pufferlib import PufferEnv
    from mesocosm.adapters.sb3 import SB3VecEnv
    from mesocosm.adapters.torchrl import TorchRLEnv

_HOMES = {
    "BenchMARLTask": "benchmarl",
    "GymEnv": "gymnasium",
    "GymRowsEnv": "gymnasium",
    "GymVectorEnv": "gymnasium",
    "PufferEnv": "pufferlib",
    "RllibEnv": "rllib",
    "SB3VecEnv": "sb3",
    "TorchRLEnv": "torchrl",
    "ZooAECEnv": "pettingzoo",
    "ZooParallelEnv": "pettingzoo",
    "open_env": "boundary",
}
__all__ = [
    "BenchMARLTask",
    "GymEnv",
    "GymRowsEnv",
    "GymVectorEnv",
    "PufferEnv",
    "RllibEnv",
    "SB3VecEnv",
    "TorchRLEnv",
    "ZooAECEnv",
    "ZooParallelEnv",
    "open_env",
]

_LIBRARIES = {
    "rllib": "ray",
    "sb3": "stable_baselines3",
    "boundary": "mesocosm",
}  # the others: alike


def _is_installed(name: str) -> bool:
    home = _HOMES[name]
    return find_spec(_LIBRARIES.get(home, home)) is not None


# so that `import *` gives what is here
__all__[:] = [name for name in __all__ if _is_installed(name)]


def __getattr__(name: str) -> Any:
    """Load an adapter when it is first used, so that only its own library must be there."""
    if name not in _HOMES:
        raise AttributeError(f"module 'mesocosm.adapters' has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """List the adapters whose library is here, loaded or not."""
    return sorted(__all__)
