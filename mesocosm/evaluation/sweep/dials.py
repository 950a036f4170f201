"""Dials: settings and the values that a sweep gives them."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mesocosm.config.source import parse_assignments
from mesocosm.core.errors import ConfigError, short

MAX_POINTS = 10_000
MAX_VALUES = 1_000
LEARNING = "learning."
FORM = "--param: must look like core.x=1,2,3 or core.x=0:1:5 (from, to, how many)"


class Dial(NamedTuple):
    """A setting, by its path in the config, and the values that it gets."""

    path: str
    values: tuple[Any, ...]

    @property
    def is_number(self) -> bool:
        """Whether all values are numbers, which have places on an axis."""
        return all(isinstance(x, int | float) and not isinstance(x, bool) for x in self.values)


class Point(NamedTuple):
    """One setting of all dials."""

    number: int
    values: Mapping[str, Any]  # by path

    @property
    def label(self) -> str:
        """Name it for people."""
        return ", ".join(f"{path}={told(value)}" for path, value in self.values.items()) or "as is"

    def world_part(self) -> dict[str, Any]:
        """Give what changes the world's config."""
        return {k: v for k, v in self.values.items() if not k.startswith(LEARNING)}

    def learning_part(self) -> dict[str, Any]:
        """Give what changes how agents learn."""
        return {k: v for k, v in self.values.items() if k.startswith(LEARNING)}


def told(value: Any) -> str:
    """Write a value shortly."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def parse_dials(texts: Sequence[str]) -> list[Dial]:
    """Read `PATH=VALUES` of every dial; no two may turn the same setting."""
    dials = [_parse(text) for text in texts]
    paths = [dial.path for dial in dials]
    for path in paths:
        if paths.count(path) > 1:
            raise ConfigError(f"--param {path}: is given twice; list all its values in one")
    return dials


def _parse(text: str) -> Dial:
    path, equals, values = text.partition("=")
    if not equals or not path.strip() or not values.strip():
        raise ConfigError(f"{FORM}, got {short(text)}")
    found = _range(path, values) if values.count(":") == 2 else _listed(path, values)
    if len(set(map(repr, found))) < len(found):
        raise ConfigError(f"--param {path}: has a value twice: {short(values)}")
    return Dial(path.strip(), tuple(found))


def _range(path: str, text: str) -> list[float | int]:
    """Read `FROM:TO:HOW MANY`; whole numbers stay whole where all steps are."""
    try:
        first, last = (float(part) for part in text.split(":")[:2])
        count = int(text.split(":")[2])
    except ValueError:
        raise ConfigError(f"{FORM}, got {short(f'{path}={text}')}") from None
    if not (math.isfinite(first) and math.isfinite(last)) or not 2 <= count <= MAX_VALUES:
        raise ConfigError(
            f"--param {path}: a range needs two finite ends and 2 to {MAX_VALUES:,} values, "
            f"got {short(text)}"
        )
    made = [first + (last - first) * k / (count - 1) for k in range(count)]
    whole = all(value == int(value) for value in made) and "." not in text
    return [int(value) for value in made] if whole else made


def _listed(path: str, text: str) -> list[Any]:
    """Read values with commas between; those of a list in brackets belong together."""
    try:
        (values,) = parse_assignments([f"{path}=[{text}]"]).values()
    except ConfigError:
        raise ConfigError(f"{FORM}, got {short(f'{path}={text}')}") from None
    if not isinstance(values, list) or not values or len(values) > MAX_VALUES:
        raise ConfigError(f"--param {path}: needs 1 to {MAX_VALUES:,} values, got {short(text)}")
    return values


def make_grid(dials: Sequence[Dial]) -> list[Point]:
    """Combine all values of all dials, the last one turning fastest."""
    count = math.prod(len(dial.values) for dial in dials)
    if count > MAX_POINTS:
        raise ConfigError(
            f"--param: {count:,} combinations of values; at most {MAX_POINTS:,} are allowed"
        )
    paths = [dial.path for dial in dials]
    combinations = itertools.product(*(dial.values for dial in dials))
    return [Point(k, dict(zip(paths, x, strict=True))) for k, x in enumerate(combinations)]
