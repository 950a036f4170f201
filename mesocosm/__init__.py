"""Mesocosm: multi-agent environments whose every number has a name and a proof."""

from typing import TYPE_CHECKING, Any

import mesocosm.worlds as _folder  # noqa: F401 (loaded first: `worlds()` below takes the name)
from mesocosm.core.action import Action
from mesocosm.core.errors import MesocosmError
from mesocosm.version import __version__

if TYPE_CHECKING:
    from mesocosm.build import config_spec, load_config, make, open_run, policy, presets
    from mesocosm.telemetry.recorder import record
    from mesocosm.testing import audit, check_world

__all__ = [
    "Action",
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
    "worlds",
]


def worlds() -> list[str]:
    """List the worlds."""
    from mesocosm import build

    return build.worlds()


def __getattr__(name: str) -> Any:
    """Load the rest when it is first used, so that importing costs little."""
    if name not in __all__:
        raise AttributeError(f"module 'mesocosm' has no attribute {name!r}")
    if name in ("audit", "check_world"):
        from mesocosm import testing

        return getattr(testing, name)
    if name == "record":
        from mesocosm.telemetry.recorder import record

        return record
    from mesocosm import build

    return getattr(build, name)
