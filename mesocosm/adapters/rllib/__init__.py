"""Mesocosm for RLlib, on its new API stack.

`env` is the environment, all agents of one episode; `module` makes our networks RLlib's modules,
with `distribution` for their actions. `runner` plays many envs in one call: it keeps what was
played in `episodes` and reports in `lives`. All use `spaces`; none of them imports `runner`.
"""

from typing import TYPE_CHECKING, Any

from mesocosm.adapters.rllib.env import RllibEnv
from mesocosm.adapters.rllib.spaces import role_of

if TYPE_CHECKING:
    from mesocosm.adapters.rllib.module import RllibModule, module_specs
    from mesocosm.adapters.rllib.runner import RllibRunner

__all__ = ["RllibEnv", "RllibModule", "RllibRunner", "module_specs", "role_of"]


def __getattr__(name: str) -> Any:
    """Load what needs PyTorch when it is first used."""
    if name in ("RllibModule", "module_specs"):
        from mesocosm.adapters.rllib import module

        return getattr(module, name)
    if name == "RllibRunner":
        from mesocosm.adapters.rllib import runner

        return runner.RllibRunner
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
