"""Mission variants: the ways of the manual in which cogs communicate, for any game."""

from collections.abc import Callable, Mapping
from typing import Any

from mesocosm.worlds.mettagrid.config import Core

DEFAULT_VIBES = Core.model_fields["vibes"].default


def talk(core: Mapping[str, Any]) -> dict[str, Any]:
    """Speak to those nearby; vibes are kept, but there are no actions for them."""
    return {"core.talk.enabled": True, "core.actions.vibes": []}


def vibes(core: Mapping[str, Any]) -> dict[str, Any]:
    """Take on any vibe of the game by an action, and do not speak."""
    known = list(core.get("vibes", DEFAULT_VIBES))
    return {"core.talk.enabled": False, "core.actions.vibes": known}


MISSION_VARIANTS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "talk": talk,
    "vibes": vibes,
}
