"""Read config files: YAML, TOML or JSON into plain data, and nothing more than data."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from mesocosm.core.errors import ConfigError

MAX_BYTES = 1 << 20
SUFFIXES = (".yaml", ".yml", ".toml", ".json")


class _Loader(yaml.SafeLoader):
    """Plain data only: no aliases (which can explode), no repeated keys."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.YAMLError(f"line {mark.line + 1}: aliases are not allowed")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if not isinstance(key, str):
                raise yaml.YAMLError(f"line {node.start_mark.line + 1}: key {key!r} is no text")
            if keys.count(key) > 1:
                raise yaml.YAMLError(f"line {node.start_mark.line + 1}: key {key!r} stands twice")
        return super().construct_mapping(node, deep)


def parse_yaml(text: str) -> Any:
    """Parse YAML as plain data."""
    return yaml.load(text, _Loader)  # noqa: S506 (a SafeLoader)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"key {key!r} stands twice")
    return dict(pairs)


def read_file(path: Path) -> dict[str, Any]:
    """Read a config file as plain data."""
    if path.suffix not in SUFFIXES:
        raise ConfigError(f"{path}: must end in {', '.join(SUFFIXES)}, got {path.suffix!r}")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if len(raw) > MAX_BYTES:
        raise ConfigError(f"{path}: must be at most {MAX_BYTES} bytes, got {len(raw)}")
    try:
        text = raw.decode("utf-8")
        if path.suffix == ".toml":
            data = tomllib.loads(text)
        elif path.suffix == ".json":
            data = json.loads(text, object_pairs_hook=_unique)
        else:
            data = parse_yaml(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"{path}: not valid {path.suffix[1:]}: {reason}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: must hold the five sections, got {type(data).__name__}")
    return data


def apply_overrides(data: dict[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Set values by dotted path, in a copy."""
    made = _copy(data)
    for path, value in overrides.items():
        *parents, last = str(path).split(".")
        if not last or not all(parents):
            raise ConfigError(f"override {path!r}: must be a dotted path such as core.max_steps")
        at = made
        for key in parents:
            at = at.setdefault(key, {})
            if not isinstance(at, dict):
                raise ConfigError(f"override {path!r}: {key!r} is a value, not a section")
        at[last] = _copy(value)
    return made


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_copy(entry) for entry in value]
    return value


def parse_assignments(assignments: list[str]) -> dict[str, Any]:
    """Turn `core.x=1` texts into overrides."""
    overrides = {}
    for text in assignments:
        path, equals, value = text.partition("=")
        if not equals or not path:
            raise ConfigError(f"--set {text!r}: must look like core.max_steps=100")
        try:
            overrides[path.strip()] = parse_yaml(value)
        except yaml.YAMLError as error:
            raise ConfigError(f"--set {text!r}: {' '.join(str(error).split())}") from None
    return overrides
