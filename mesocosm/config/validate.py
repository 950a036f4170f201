"""Turn plain data into a frozen Config, or into one clear error."""

import json
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from mesocosm.config.schema import SCHEMA, SECTIONS, Config
from mesocosm.core.errors import ConfigError, cut_text, hint, short
from mesocosm.core.world import World

TYPE_WORDS = {
    "int_type": "an integer",
    "int_from_float": "an integer",
    "int_parsing_size": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "dict_type": "a section",
    "model_type": "a section",
    "model_attributes_type": "a section",
    "list_type": "a list",
    "tuple_type": "a list",
}
ARCHETYPES = "archetypes"  # what a file may name beside its sections; no resolved config has it
MOST_PLACES = 3  # a key that stands in more of them says little
SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"
BOUND_ERRORS = {"greater_than_equal", "less_than_equal", "greater_than", "less_than"}


def config_class(world: World) -> type[Config[Any]]:
    """Give the config model of a world: the fixed five sections with the world's core."""
    return Config[world.core]  # type: ignore[name-defined]


def json_schema(world: World) -> dict[str, Any]:
    """Describe a world's config files as JSON Schema, for editors and forms."""
    head = {
        "$schema": SCHEMA_DIALECT,
        "title": f"{world.name} config",
        "description": Config.__doc__,
    }
    made = config_class(world).model_json_schema(by_alias=True) | head
    made["properties"][ARCHETYPES] = {
        "title": "Archetypes",
        "description": "archetypes (name, name:dial or path) that the layers section goes on",
        "type": "array",
        "items": {"type": "string"},
        "default": [],
    }
    return made


def validate(data: dict[str, Any], world: World, where: str) -> Config[Any]:
    """Check data against the schema of a world."""
    _check_version(data["identity"].get("version"), world, where)
    model = config_class(world)
    try:
        return model.model_validate_json(json.dumps(data))
    except ValidationError as error:
        problems = _find_problems(error, model)
        path, why = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        refused = ConfigError(f"{where}: {path}: {why}{more}")
        refused.problems = problems
        raise refused from None


def check_sections(data: dict[str, Any], where: str) -> str:
    """Check what must be right before the rest can be understood; give the world's name."""
    if "schema" not in data:
        raise ConfigError(f"{where}: schema: is required; write 'schema: {SCHEMA}'")
    if type(data["schema"]) is not int or data["schema"] != SCHEMA:
        got = short(data["schema"])
        raise ConfigError(f"{where}: schema: this is version {SCHEMA}, the config has {got}")
    for section in SECTIONS:
        if section not in data:
            fix = "{}" if section != "identity" else "{world: ..., version: ...}"
            raise ConfigError(f"{where}: {section}: section is missing; write '{section}: {fix}'")
        if not isinstance(data[section], dict):
            got = short(data[section])
            raise ConfigError(f"{where}: {section}: must be a section, got {got}")
    name = data["identity"].get("world")
    if not isinstance(name, str):
        got = short(name) if "world" in data["identity"] else "nothing"
        raise ConfigError(f"{where}: identity.world: must be the name of a world, got {got}")
    return name


def _check_version(version: Any, world: World, where: str) -> None:
    if type(version) is int and version != world.version:
        raise ConfigError(
            f"{where}: identity.version: {world.name} is version {world.version} here, "
            f"the config is for version {short(version)}"
        )


def _find_problems(error: ValidationError, model: type[BaseModel]) -> tuple[tuple[str, str], ...]:
    """Give the path of everything that is wrong, and what is."""
    found = []
    for problem in error.errors(include_url=False):
        path = [cut_text(str(part)) for part in problem["loc"]]
        found.append((".".join(path) or "config", _reason(problem, path, model)))
    return tuple(found)


def _reason(problem: Any, path: list[str], model: type[BaseModel]) -> str:
    """Say what is wrong with one value, and what would be right."""
    kind, context = problem["type"], problem.get("ctx", {})
    if kind == "extra_forbidden":
        return (
            f"unknown key.{_elsewhere(path[-1], model) or hint(path[-1], _siblings(path, model))}"
        )
    if kind == "missing":
        return "is required, got nothing"
    if kind == "value_error":
        return str(context["error"])
    got = problem["input"]
    meant = _meant(got, context) if kind == "literal_error" else ""
    return f"{_allowed(problem, path, model)}, got {short(got)}{meant}"


def _allowed(problem: Any, path: list[str], model: type[BaseModel]) -> str:
    kind, message, context = problem["type"], problem["msg"], problem.get("ctx", {})
    if kind in TYPE_WORDS:
        return f"must be {TYPE_WORDS[kind]}"
    if kind in BOUND_ERRORS:
        return f"must be {_bounds(path, model, context)}"
    if kind == "literal_error":
        return f"must be one of {context['expected']}"
    if kind == "string_pattern_mismatch":
        return f"must match {context['pattern']}"
    return f"{message[:1].lower()}{message[1:]}"


def _meant(got: Any, context: dict[str, Any]) -> str:
    """Suggest the nearest of the allowed values."""
    options = context["expected"].replace(" or ", ", ").replace("'", "").split(", ")
    found, _, _ = hint(got if isinstance(got, str) else "", options).partition(" Available")
    return f".{found}" if found else ""


def _model_in(kind: Any) -> type[BaseModel] | None:
    """Find the model in an annotation: itself, or what a dict or list of them holds."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind
    return next((found for part in get_args(kind) if (found := _model_in(part))), None)


def _find_field(path: list[str], model: type[BaseModel]) -> tuple[type[BaseModel] | None, Any]:
    """Follow a path to the model that holds its last key, and to that key's field."""
    at: type[BaseModel] | None = model
    field: FieldInfo | None = None
    keyed = False  # the next part is a key of a dict (or an index), not a field
    for depth, key in enumerate(path):
        if keyed:
            keyed = False
            continue
        if at is None and field is not None:
            break  # inside a plain list or dict, whose values have the limits
        field = None if at is None else at.model_fields.get(key)
        if depth == len(path) - 1:
            break
        at = None if field is None else _model_in(field.annotation)
        keyed = field is not None and at is not None and field.annotation is not at
    return at, field


def _limits(kind: Any) -> list[Any]:
    """List the limits of the values that a list or dict holds."""
    parts = get_args(kind)
    own = [limit for part in parts if isinstance(part, FieldInfo) for limit in part.metadata]
    return own + [limit for part in parts for limit in _limits(part)]


def _elsewhere(key: str, model: type[BaseModel]) -> str:
    """Say where a key stands that was written in the wrong place; nothing if that is not clear."""
    found = list(_paths(key, model))
    if not 1 <= len(found) <= MOST_PLACES:
        return ""
    return f" Did you mean {' or '.join(map(repr, found))}?"


def _paths(key: str, model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """List the paths of all settings of a name, through sections only."""
    for name, field in model.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        if name == key and prefix:
            yield path
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _paths(key, kind, f"{path}.")


def _siblings(path: list[str], model: type[BaseModel]) -> list[str]:
    at, _ = _find_field(path, model)
    return [] if at is None else [field.alias or name for name, field in at.model_fields.items()]


def _bounds(path: list[str], model: type[BaseModel], context: dict[str, Any]) -> str:
    """Say what a number must be: within its field's limits, else within the one that it broke."""
    _, field = _find_field(path, model)
    limits = {}
    for entry in [*field.metadata, *_limits(field.annotation)] if field else []:
        for name in ("ge", "le", "gt", "lt"):
            if hasattr(entry, name):
                limits[name] = getattr(entry, name)
    if "ge" in limits and limits.get("ge") == limits.get("le"):
        return f"{limits['ge']:g} (nothing else exists yet)"
    if "ge" in limits and "le" in limits:
        return f"between {limits['ge']} and {limits['le']}"
    words = {"ge": "at least", "le": "at most", "gt": "above", "lt": "below"}
    return " and ".join(f"{words[name]} {value}" for name, value in (limits or context).items())
