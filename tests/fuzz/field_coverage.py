"""Count in how many accepted configs each field of the schema was off its default."""

from typing import Any

from tests.fuzz.schema import FIXED, SECTIONS, Schema, at, schema_of

SHARED = ("identity", "layers", "agents", "instrumentation")
LEAST = 5
# what no config can choose, though the schema takes any text
ONE_VALUE = {"townlet:Meter.name"}  # the eight meters, in their order


def off_default(world: str, base: dict[str, Any], data: dict[str, Any]) -> list[str]:
    """Name the fields whose value is neither the schema's default nor the preset's."""
    schema = schema_of(world)
    found = set()
    for model, path, held in schema.instances(data):
        if not path or (model, "") in FIXED:
            continue
        section = str(path[0])
        old = at(base, path)
        for key, value in held.items():
            if (model, key) in FIXED or key not in schema.models[model]["properties"]:
                continue
            if value != _default(schema, model, key) and not _same(old, key, value):
                found.add(field_name(world, section, model, key))
    return sorted(found)


def _default(schema: Schema, model: str, key: str) -> Any:
    node = schema.field((model, key))
    if "default" in node:
        return node["default"]
    return {} if schema.model_of(node) else _Nothing


class _Nothing:
    """Equal to no value: a field that must be given."""


def _same(old: Any, key: str, value: Any) -> bool:
    return isinstance(old, dict) and key in old and old[key] == value


def field_name(world: str, section: str, model: str, key: str) -> str:
    """Name a field: core fields by world, the others over all worlds."""
    return f"{section}:{model}.{key}" if section in SHARED else f"{world}:{model}.{key}"


def all_fields(worlds: list[str]) -> list[str]:
    """List every field that a config can choose."""
    found = set()
    for world in worlds:
        for section in SECTIONS:
            for model, key in schema_of(world).sections[section]:
                found.add(field_name(world, section, model, key))
    return sorted(found - ONE_VALUE)
