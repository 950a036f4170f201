"""Walk the JSON Schema of a world's configs: its models, their fields, where they stand in data."""

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

from mesocosm.config.validate import config_class
from mesocosm.worlds.registry import find

Path = tuple[str | int, ...]
Slot = tuple[str, str]  # a model and one of its fields
SECTIONS = ("identity", "core", "layers", "agents", "instrumentation")
# what one config cannot choose: they say which world and which format it is of
FIXED = {("Identity", "world"), ("Identity", "version")}


class Schema:
    """The JSON Schema of one world."""

    def __init__(self, world: str) -> None:
        self.world = world
        self.root = config_class(find(world)).model_json_schema()
        self.models: dict[str, Any] = self.root["$defs"]

    def model_of(self, node: dict[str, Any]) -> str | None:
        """Name the model that a node refers to."""
        ref = node.get("$ref")
        return None if ref is None else str(ref).rpartition("/")[2]

    def choices(self, node: dict[str, Any]) -> list[dict[str, Any]]:
        """List what a union allows, null left out."""
        found = node.get("anyOf", [node])
        return [entry for entry in found if entry.get("type") != "null"]

    def field(self, slot: Slot) -> dict[str, Any]:
        """Give the node of a field."""
        node: dict[str, Any] = self.models[slot[0]]["properties"][slot[1]]
        return node

    def children(self, node: dict[str, Any]) -> set[str]:
        """Name the models that a value of this node may hold at once."""
        found = set()
        for choice in self.choices(node):
            model = self.model_of(choice)
            if model is not None:
                found.add(model)
            for key in ("items", "additionalProperties"):
                if isinstance(choice.get(key), dict):
                    found |= self.children(choice[key])
        return found

    def slots(self, model: str) -> list[Slot]:
        """List every field of a model and of all that can stand in it."""
        seen, todo = [], [model]
        while todo:
            name = todo.pop(0)
            if name in seen:
                continue
            seen.append(name)
            for node in self.models[name].get("properties", {}).values():
                todo += sorted(self.children(node))
        return [(name, key) for name in seen for key in self.models[name].get("properties", {})]

    @cached_property
    def sections(self) -> dict[str, list[Slot]]:
        """Give the fields of each section."""
        nodes = self.root["properties"]
        names = {name: self.model_of(nodes[name]) or name for name in SECTIONS}
        return {name: [s for s in self.slots(names[name]) if s not in FIXED] for name in SECTIONS}

    @cached_property
    def parents(self) -> dict[str, list[Slot]]:
        """Say for each model which fields may hold it."""
        found: dict[str, list[Slot]] = {}
        for slot in self.slots("Core"):
            for child in self.children(self.field(slot)):
                found.setdefault(child, []).append(slot)
        return found

    def instances(
        self, data: Any, node: dict[str, Any] | None = None, path: Path = ()
    ) -> Iterator[tuple[str, Path, dict[str, Any]]]:
        """Find every model in data: its name, where it stands, its values."""
        node = self.root if node is None else node
        for choice in self.choices(node):
            model = self.model_of(choice)
            body = choice if model is None else self.models[model]
            if isinstance(data, dict) and "properties" in body:
                if model is not None:
                    yield model, path, data
                for key, value in data.items():
                    if key in body["properties"]:
                        yield from self.instances(value, body["properties"][key], (*path, key))
            elif isinstance(data, dict) and isinstance(body.get("additionalProperties"), dict):
                for key, value in data.items():
                    yield from self.instances(value, body["additionalProperties"], (*path, key))
            elif isinstance(data, list) and isinstance(body.get("items"), dict):
                for k, value in enumerate(data):
                    yield from self.instances(value, body["items"], (*path, k))


@lru_cache
def schema_of(world: str) -> Schema:
    """Give the schema of a world, made once."""
    return Schema(world)


def at(data: Any, path: Path) -> Any:
    """Give what stands at a path, or None."""
    for key in path:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return None
    return data
