"""Take out of a config what import refuses, to see whether the rest is equal."""

import copy
import json
from typing import Any

from tests.worlds.mettagrid.differential.names import Json


def prune(config: Json, path: str) -> Json | None:
    """Return a config without what a path names, or None where it names nothing."""
    found = copy.deepcopy(config)
    parts = path.split(".")
    trail: list[tuple[Any, Any]] = []
    part: Any = found
    while parts:
        key, used = next_key(part, parts)
        if key is None:
            break
        trail.append((part, key))
        part = part[key]
        parts = parts[used:]
    if not trail:
        return None
    holder, key = trail[-1]
    if key in ("name", "map_name") and trail[-2][0] is found["game"]["objects"]:
        return rename(found, holder[key], trail[-2][1])
    if isinstance(holder, dict) and key in ("mutation_type", "filter_type", "query", "name", "tag"):
        holder, key = trail[-2]
    del holder[key]
    return found


def rename(config: Json, old: str, new: str) -> Json:
    """Return a config in which a type and its cells have the name of its key."""
    text = json.dumps(config)
    for word in ("", "type:", "objects."):
        text = text.replace(f'"{word}{old}"', f'"{word}{new}"')
    return json.loads(text)


def next_key(part: Any, parts: list[str]) -> tuple[Any, int]:
    """Return the key that begins a path, which may hold dots itself, and how many parts it is."""
    if isinstance(part, list) and parts[0].isdigit() and int(parts[0]) < len(part):
        return int(parts[0]), 1
    if isinstance(part, dict):
        for used in range(len(parts), 0, -1):
            if ".".join(parts[:used]) in part:
                return ".".join(parts[:used]), used
    return None, 0
