"""Mesocosm: multi-agent environments whose every number has a name and a proof."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mesocosm.core.action import Action
from mesocosm.core.beginnings import Beginnings
from mesocosm.core.errors import MesocosmError
from mesocosm.version import __version__

if TYPE_CHECKING:
    from mesocosm.build import (
        config_spec,
        load_config,
        make,
        open_run,
        presets,
        world_names,
    )
    from mesocosm.learning.policies.load import policy
    from mesocosm.telemetry.recorder import record
    from mesocosm.testing import audit, check_world

__all__ = [
    "Action",
    "Beginnings",
    "MesocosmError",
    "__version__",
    "audit",
    "check_world",
    "config_spec",
    "load_config",
    "make",
    "open_run",
    "policy",
    "presets",
    "record",
    "world_names",
]

# where each name is defined that is loaded when it is first used, so that importing costs little
_HOMES = {
    "audit": "mesocosm.testing",
    "check_world": "mesocosm.testing",
    "config_spec": "mesocosm.build",
    "load_config": "mesocosm.build",
    "make": "mesocosm.build",
    "open_run": "mesocosm.build",
    "policy": "mesocosm.learning.policies.load",
    "presets": "mesocosm.build",
    "record": "mesocosm.telemetry.recorder",
    "world_names": "mesocosm.build",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'mesocosm' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
