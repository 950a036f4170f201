"""Let a game count which of its handlers run, so that a comparison can say what it covered."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

Json = dict[str, Any]
PREFIX = "ran "


def with_counters(config: Json) -> Json:
    """Return a config in which each handler first adds one to a statistic of the game."""
    made = deepcopy(config)
    for path, handler in handlers_of(made["game"], ()):
        handler["mutations"].insert(0, _count(PREFIX + path))
    return made


def handlers_of(part: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Json]]:
    """List the handlers of a game by path; agents are one."""
    if isinstance(part, list):
        for k, entry in enumerate(part):
            own = entry.get("name") if isinstance(entry, dict) else None
            inner = "*" if path[-1:] == ("agents",) else str(own or k)
            yield from handlers_of(entry, (*path, inner))
    if not isinstance(part, dict):
        return
    if isinstance(part.get("mutations"), list):
        yield ".".join(path), part
    for key, entry in part.items():
        if key not in ("mutations", "filters", "map_builder"):
            yield from handlers_of(entry, (*path, key))


def _count(stat: str) -> Json:
    own = {"name": stat, "scope": "game", "delta": False}
    source = {"values": [own, {"value": 1.0}], "weights": None, "log": False}
    made = {"mutation_type": "stats", "stat": stat, "target": "game", "entity": "target"}
    return made | {"source": source}
