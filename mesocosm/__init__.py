"""Mesocosm: multi-agent environments whose every number has a name and a proof."""

from typing import TYPE_CHECKING, Any

from mesocosm.core.action import Action
from mesocosm.core.errors import MesocosmError

if TYPE_CHECKING:
    from mesocosm.build import config_spec, load_config, make, policy, presets, worlds
    from mesocosm.testing import check_world

from mesocosm.version import __version__
__all__ = [
    "Action",
    "MesocosmError",
    "check_world",
    "config_spec",
    "load_config",
    "make",
    "policy",
    "presets",
    "worlds",
]


def __getattr__(name: str) -> Any:
    """Load the rest when it is first used, so that importing costs little."""
    if name not in __all__:
        raise AttributeError(f"module 'mesocosm' has no attribute {name!r}")
    if name == "check_world":
        from mesocosm import testing

        return testing.check_world
    from mesocosm import build

    return getattr(build, name)
