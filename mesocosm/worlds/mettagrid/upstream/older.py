"""Migrations of configs whose objects have handlers, from before handlers were one tree."""

from collections.abc import Iterator
from typing import Any

HANDLER_KEYS = {"name", "filters", "mutations", "handler_type", "handlers"}


def bodies(game: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """List the agents and objects of a game."""
    agents, objects = game.get("agents"), game.get("objects")
    found = [game.get("agent"), *(agents if isinstance(agents, list) else [])]
    found += list(objects.values()) if isinstance(objects, dict) else []
    yield from (entry for entry in found if isinstance(entry, dict))


def use_handlers_by_name(game: dict[str, Any]) -> int:
    """Make `on_use_handlers` one handler: they were tried in order until one succeeded."""
    changed = 0
    for body in bodies(game):
        handlers = body.get("on_use_handlers")
        if isinstance(handlers, dict) and body.get("on_use_handler") is None:
            del body["on_use_handlers"]
            body["on_use_handler"] = _tree(handlers, "first_match")
            changed += bool(handlers)
    return changed


def tick_handlers_by_name(game: dict[str, Any]) -> int:
    """Make handlers of `on_tick` one: all of them ran at every step."""
    changed = 0
    for body in (game, *bodies(game)):
        handlers = body.get("on_tick")
        if isinstance(handlers, dict) and _is_by_name(handlers):
            body["on_tick"] = _tree(handlers, "all_of")
            changed += bool(handlers)
    return changed


def _is_by_name(handlers: dict[str, Any]) -> bool:
    """Whether a mapping has a handler under each key, and is none itself."""
    return not handlers or not HANDLER_KEYS.issuperset(handlers)


def _tree(handlers: dict[str, Any], kind: str) -> dict[str, Any] | None:
    if not handlers:
        return None
    named = [
        {**entry, "name": entry.get("name") or name} if isinstance(entry, dict) else entry
        for name, entry in handlers.items()
    ]
    return {"handler_type": kind, "handlers": named}
