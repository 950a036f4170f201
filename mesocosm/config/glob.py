"""Globs over declared names: which match, and which of several counts."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import TypeVar

from mesocosm.core.errors import ConfigError, hint

Value = TypeVar("Value")


def _rank(glob: str) -> tuple[bool, int, str]:
    """Order globs from vague to specific, whatever order the config has them in."""
    return (not set(glob) & set("*?["), len(glob), glob)


def closest_glob(name: str, globs: Iterable[str]) -> str | None:
    """Give the most specific glob that matches a name."""
    return max((glob for glob in globs if fnmatchcase(name, glob)), key=_rank, default=None)


def closest_match(name: str, globs: Mapping[str, Value], default: Value) -> Value:
    """Give the value of the most specific glob that matches a name."""
    glob = closest_glob(name, globs)
    return default if glob is None else globs[glob]


def check_globs(globs: Iterable[str], names: list[str], where: str) -> None:
    """Require that every glob matches some name."""
    for glob in globs:
        if not any(fnmatchcase(name, glob) for name in names):
            raise ConfigError(f"{where}: {glob!r} matches nothing.{hint(glob, names)}")


def matching(glob: str, names: list[str], where: str) -> list[int]:
    """Give the places of the names that a glob matches; at least one must."""
    check_globs([glob], names, where)
    return [k for k, name in enumerate(names) if fnmatchcase(name, glob)]
