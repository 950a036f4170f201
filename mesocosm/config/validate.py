"""Turn plain data into a frozen Config, or into one clear error."""

import json
from typing import Any

from pydantic import BaseModel, ValidationError

from mesocosm.config.schema import SCHEMA, SECTIONS, Config
from mesocosm.core.errors import ConfigError, hint
from mesocosm.core.world import World

KINDS = {
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "dict_type": "a section",
    "model_type": "a section",
    "model_attributes_type": "a section",
    "list_type": "a list",
    "tuple_type": "a list",
}


def config_class(world: World) -> type[Config[Any]]:
    """Give the config model of a world: the fixed five sections with the world's core."""
    return Config[world.core]  # type: ignore[name-defined]


def validate(data: dict[str, Any], world: World, where: str) -> Config[Any]:
    """Check data against the schema of a world."""
    _check_frame(data, world, where)
    try:
        text = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where}: holds something that is no plain value: {error}") from None
    model = config_class(world)
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise ConfigError(f"{where}: {_explain(error, model)}") from None


def _check_frame(data: dict[str, Any], world: World, where: str) -> None:
    """Check what must be right before the rest can be understood."""
    if data.get("schema") != SCHEMA:
        got = data.get("schema", "none")
        raise ConfigError(f"{where}: schema: this is version {SCHEMA}, the config has {got!r}")
    for section in SECTIONS:
        if section not in data:
            raise ConfigError(f"{where}: {section}: section is missing; write '{section}: {{}}'")
        if not isinstance(data[section], dict):
            got = type(data[section]).__name__
            raise ConfigError(f"{where}: {section}: must be a section, got {got}")
    version = data["identity"].get("version")
    if version is not None and version != world.version:
        raise ConfigError(
            f"{where}: identity.version: {world.name} is version {world.version} here, "
            f"the config is for version {version!r}"
        )


def _explain(error: ValidationError, model: type[BaseModel]) -> str:
    errors = error.errors(include_url=False)
    first = errors[0]
    path = [str(part) for part in first["loc"]]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{'.'.join(path) or 'config'}: {_reason(first, path, model)}{more}"


def _reason(problem: Any, path: list[str], model: type[BaseModel]) -> str:
    kind, got, context = problem["type"], problem["input"], problem.get("ctx", {})
    if kind == "extra_forbidden":
        return f"unknown key.{hint(path[-1], _siblings(path, model))}"
    if kind == "missing":
        return "is required, got nothing"
    if kind in KINDS:
        return f"must be {KINDS[kind]}, got {_short(got)}"
    if kind in ("greater_than_equal", "less_than_equal", "greater_than", "less_than"):
        return f"must be {_bounds(path, model)}, got {_short(got)}"
    if kind == "literal_error":
        return f"must be one of {context['expected']}, got {_short(got)}"
    if kind == "value_error":
        return str(context["error"])
    return f"{problem['msg'].lower()}, got {_short(got)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _model_at(path: list[str], model: type[BaseModel]) -> type[BaseModel] | None:
    """Walk to the model that holds the last key of a path."""
    at: type[BaseModel] | None = model
    for key in path[:-1]:
        field = None if at is None else at.model_fields.get(key)
        kind = None if field is None else field.annotation
        at = kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None
    return at


def _siblings(path: list[str], model: type[BaseModel]) -> list[str]:
    at = _model_at(path, model)
    return [] if at is None else [field.alias or name for name, field in at.model_fields.items()]


def _bounds(path: list[str], model: type[BaseModel]) -> str:
    at = _model_at(path, model)
    field = None if at is None else at.model_fields.get(path[-1])
    limits = {}
    for entry in field.metadata if field else []:
        for name in ("ge", "le", "gt", "lt"):
            if hasattr(entry, name):
                limits[name] = getattr(entry, name)
    if "ge" in limits and limits.get("ge") == limits.get("le"):
        return f"{limits['ge']:g} (nothing else exists yet)"
    if "ge" in limits and "le" in limits:
        return f"between {limits['ge']} and {limits['le']}"
    words = {"ge": "at least", "le": "at most", "gt": "above", "lt": "below"}
    return " and ".join(f"{words[name]} {value}" for name, value in limits.items()) or "in range"
