"""Build a map with the builder of MettaGrid's own package, if that is installed."""

import importlib
import random
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mesocosm.core.errors import ConfigError, short
from mesocosm.core.extra import install_command

CellNames = list[list[str]]  # what is in each cell
PACKAGE = "mettagrid"
UNSET_SEED = 0  # where a builder has no seed, and MettaGrid would draw anew
FILE_KEYS = ("file", "scene_file", "uri")  # what a scene reads when it is built
MAX_TOLD = 300  # characters of what MettaGrid says is wrong
HAND_IN = (
    "hand in the grid that it builds, as rows of names: grid=[['wall', 'agent.agent', ...], ...] "
    "in Python, --grid FILE (JSON) on the command line"
)


def build_grid(section: Mapping[str, Any], agents: int, path: str) -> CellNames:
    """Build the map of a `map_builder` section as MettaGrid does, from its seeds."""
    check_trusted(section, path)
    if find_spec(PACKAGE) is None:
        raise ConfigError(
            f"{path}.type: only MettaGrid builds {short(section.get('type'))}: "
            f"{install_command('oracle')}, or {HAND_IN}"
        )
    return _built(lambda base: base.model_validate(dict(section)), agents, path)


def build_from(builder: Any, agents: int) -> CellNames:
    """Build the map of MettaGrid's own builder object, which it cannot always write as JSON."""
    return _built(lambda base: builder.model_copy(deep=True), agents, "game.map_builder")


def _built(read: Callable[[Any], Any], agents: int, path: str) -> CellNames:
    base = importlib.import_module(f"{PACKAGE}.map_builder.map_builder").MapBuilderConfig
    kept = random.getstate()
    random.seed(UNSET_SEED)  # one builder draws from the global generator
    try:
        built = _fill_seeds(read(base), base).create().build_for_num_agents(agents)
    except ImportError as error:
        raise ConfigError(f"{path}.type: MettaGrid has no such class: {error}") from None
    except (ValueError, TypeError, AttributeError, AssertionError, OSError) as error:
        told = " ".join(str(error).split())[:MAX_TOLD]
        raise ConfigError(f"{path}: MettaGrid cannot build it: {told}") from None
    finally:
        random.setstate(kept)
    return [[str(name) for name in row] for row in built.grid]


def _fill_seeds(config: Any, base: type) -> Any:
    """Give a seed to each builder of maps that has none; scenes draw from their builder's."""
    if getattr(config, "seed", UNSET_SEED) is None:
        config.seed = UNSET_SEED
    if isinstance(getattr(config, "instance", None), base):
        _fill_seeds(config.instance, base)
    return config


def check_trusted(section: Mapping[str, Any], path: str) -> None:
    """Refuse a section that would run code, or read files, from outside MettaGrid's package."""
    for at, key, value in _entries(section, path):
        if key == "type" and "." in value and not value.startswith(f"{PACKAGE}."):
            raise ConfigError(
                f"{at}: a config may name only classes of {PACKAGE} itself ({PACKAGE}.*), "
                f"got {short(value)}: {HAND_IN}"
            )
        if key in FILE_KEYS and not _is_own_file(value):
            raise ConfigError(
                f"{at}: a config may name only files inside the package {PACKAGE}, "
                f"got {short(value)}: {HAND_IN}"
            )


def _entries(value: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """List every text in a section: its path, its key, and the text."""
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, entry in pairs:
        at = f"{path}.{key}"
        if isinstance(entry, str):
            yield at, str(key), entry
        elif isinstance(entry, Mapping | list | tuple):
            yield from _entries(entry, at)


def _is_own_file(name: str) -> bool:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None or "\0" in name:
        return False
    return Path(name).resolve().is_relative_to(Path(spec.origin).parent.resolve())
