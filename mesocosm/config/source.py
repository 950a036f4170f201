"""Read config files: YAML, TOML or JSON into plain data, and nothing more than data."""

import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import yaml

from mesocosm.core.errors import ConfigError, short
from mesocosm.core.path import check_path, open_regular_file

MAX_BYTES = 1 << 20
MAX_DEPTH = 64
MAX_YAML_VALUES = 50_000  # some seconds of parsing
SUFFIXES = (".yaml", ".yml", ".toml", ".json")
# What a bare word means in YAML 1.2; the older rules read 1:30 as 90, no as false, 1e3 as text.
SCALAR_PATTERNS = {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?(?:0|[1-9][0-9]*)",
    "float": r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
}
# Parts of a key and the dots between; the parser's time grows with the square of their number.
_KEY_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*"|'[^'\n]*')[ \t]*"""
_DEEP_TOML_KEY = re.compile(
    rf"""(?:^|[\[{{,])[ \t]*+(?:{_KEY_PART}\.[ \t]*){{{MAX_DEPTH}}}""", re.MULTILINE
)


class _Loader(yaml.SafeLoader):
    """Plain data only: no aliases (which can explode), no tags, no repeated keys."""

    yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012 (filled below)
    num_values = 0
    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1
        self.num_values += 1
        if self.num_values > MAX_YAML_VALUES:
            raise yaml.YAMLError(f"line {line}: must hold at most {MAX_YAML_VALUES:,} values")
        if isinstance(event, yaml.events.AliasEvent):
            raise yaml.YAMLError(f"line {line}: aliases are not allowed; write the value out")
        if getattr(event, "tag", None):
            raise yaml.YAMLError(f"line {line}: tags are not allowed, got {event.tag!r}")
        if self.depth > MAX_DEPTH:
            raise yaml.YAMLError(f"line {line}: must be nested at most {MAX_DEPTH} deep")
        self.depth += 1
        made = super().compose_node(parent, index)
        self.depth -= 1
        return made

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = []
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                line = key_node.start_mark.line + 1
                raise yaml.YAMLError(f"line {line}: a key must be text, got {short(key)}")
            keys.append(key)
        try:
            _refuse_repeated(keys)
        except ValueError as error:
            raise yaml.YAMLError(f"line {node.start_mark.line + 1}: {error}") from None
        return super().construct_mapping(node, deep)


for _kind, _pattern in SCALAR_PATTERNS.items():
    _word = re.compile(f"^(?:{_pattern})$")
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_kind}", _word, None)


def _refuse_repeated(keys: Iterable[str]) -> None:
    for key, count in Counter(keys).items():
        if count > 1:
            raise ValueError(f"key {short(key)} stands {count} times")


def parse_yaml(text: str) -> Any:
    """Parse YAML as plain data."""
    return yaml.load(text, _Loader)  # noqa: S506 (a SafeLoader)


def _parse_json(text: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        _refuse_repeated(key for key, _ in pairs)
        return dict(pairs)

    return json.loads(text, object_pairs_hook=unique)


def _parse_toml(text: str) -> Any:
    deep = _DEEP_TOML_KEY.search(text)
    if deep is not None:
        line = text.count("\n", 0, deep.start()) + 1
        raise ValueError(f"line {line}: a key must have at most {MAX_DEPTH} parts")
    return tomllib.loads(text)


PARSERS: dict[str, Callable[[str], Any]] = {".toml": _parse_toml, ".json": _parse_json}


def _parse(text: str, suffix: str) -> Any:
    """Parse text; whatever is wrong with it becomes a ValueError of one line."""
    try:
        return PARSERS.get(suffix, parse_yaml)(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(" ".join(str(error).split())) from None


def _read_text(path: Path) -> str:
    try:
        with open_regular_file(path) as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if len(raw) > MAX_BYTES:
        raise ConfigError(f"{path}: must be at most {MAX_BYTES} bytes, got more")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: must be UTF-8 text, got {error.reason}") from None


def read_file(path: Path) -> dict[str, Any]:
    """Read a config file as plain data."""
    check_path(path, ConfigError)
    if path.suffix not in SUFFIXES:
        raise ConfigError(f"{path}: must end in {', '.join(SUFFIXES)}, got {path.suffix!r}")
    text = _read_text(path)
    try:
        data = _parse(text, path.suffix)
    except ValueError as error:
        raise ConfigError(f"{path}: not valid {path.suffix[1:]}: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: must hold the five sections, got {short(data)}")
    return data


def to_plain_data(value: Any, where: str, path: str = "", depth: int = 0) -> Any:
    """Copy data, or say what in it is no plain value: text, number, bool, list or section."""
    at = f"{where}: {path}" if path else where
    if depth > MAX_DEPTH:
        raise ConfigError(f"{at}: must be nested at most {MAX_DEPTH} deep")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or not key.isprintable():
                raise ConfigError(f"{at}: a key must be printable text, got {short(key)}")
        return {
            k: to_plain_data(v, where, f"{path}.{k}".lstrip("."), depth + 1)
            for k, v in value.items()
        }
    if isinstance(value, list | tuple):
        return [to_plain_data(v, where, f"{path}.{k}", depth + 1) for k, v in enumerate(value)]
    if isinstance(value, str):
        return _clean_text(value, at)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Real):
        return _clean_number(value, at)
    raise ConfigError(
        f"{at}: must be text, a number, true or false, a list or a section, got {short(value)}"
    )


def _clean_number(value: Real, at: str) -> int | float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ConfigError(f"{at}: must be a finite number, got {short(value)}")
    if isinstance(value, Integral):
        return int(value)
    return number + 0.0  # -0.0 is 0.0: equal values have one hash


def _clean_text(value: str, at: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{at}: must be Unicode text, got {short(value)}") from None
    return str(value)


def apply_overrides(
    data: Mapping[str, Any], overrides: Mapping[str, Any], where: str = "config"
) -> dict[str, Any]:
    """Set values by dotted path, in a copy."""
    if not isinstance(overrides, Mapping):
        raise ConfigError(
            f"overrides: must map paths to values, as {{'core.max_steps': 100}} does, "
            f"got {short(overrides)}"
        )
    made: dict[str, Any] = to_plain_data(data, where)
    for path, value in overrides.items():
        where = f"override {short(path)}"
        *parents, last = path.split(".") if isinstance(path, str) and path.isprintable() else [""]
        if not last or not all(parents):
            raise ConfigError(f"{where}: must be a dotted path such as core.max_steps")
        at = made
        for key in parents:
            at = at.setdefault(key, {})
            if not isinstance(at, dict):
                raise ConfigError(f"{where}: {key!r} is a value, not a section, got {short(at)}")
        at[last] = to_plain_data(value, where)
    return made


def parse_assignments(assignments: list[str]) -> dict[str, Any]:
    """Turn `core.x=1` texts into overrides."""
    overrides = {}
    for text in assignments:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise ConfigError(f"--set {short(text)}: must look like core.max_steps=100")
        try:
            overrides[path.strip()] = _parse(value, ".yaml")
        except ValueError as error:
            raise ConfigError(f"--set {short(text)}: {error}") from None
    return overrides
