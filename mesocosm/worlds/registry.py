"""Find worlds: each folder here is one, and installed packages may add theirs."""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from mesocosm.core.errors import SpecError, short, unknown
from mesocosm.core.world import World

GROUP = "mesocosm.worlds"
HERE = Path(__file__).parent


@cache
def _folders() -> dict[str, str]:
    """Map each world's name to the module that defines it."""
    here = [module.name for module in pkgutil.iter_modules([str(HERE)]) if module.ispkg]
    found = {name: f"{__package__}.{name}" for name in here}
    return found | {entry.name: entry.value for entry in entry_points(group=GROUP)}


def names() -> list[str]:
    """List the worlds."""
    return sorted(_folders())


def find(name: str) -> World:
    """Load a world by name."""
    if not isinstance(name, str) or name not in _folders():
        raise unknown("world", str(name), names())
    module = _module(name)
    world = getattr(module, "WORLD", None)
    if not isinstance(world, World) or world.name != name:
        got = f"a World named {world.name!r}" if isinstance(world, World) else short(world)
        place = module.__file__ or f"{next(iter(module.__path__))}, which has no __init__.py"
        raise SpecError(f"{place}: must define WORLD, a World named {name!r}, got {got}")
    return world


def _module(name: str) -> ModuleType:
    """Import the module that defines a world."""
    path = _folders()[name].partition(":")[0]
    try:
        return importlib.import_module(path)
    except Exception as error:
        kind = type(error).__name__
        raise SpecError(f"world {name!r}: cannot import {path}: {kind}: {error}") from error


def folder(name: str) -> Path:
    """Find a world's folder."""
    return Path(str(_module(name).__file__)).parent


def presets(name: str) -> list[str]:
    """List a world's presets."""
    find(name)
    return list(preset_files(name))


def preset_files(name: str) -> dict[str, Path]:
    """Give the files of a known world's presets, by preset name."""
    place = folder(name) / "presets"
    paths = sorted(place.glob("*.yaml"), key=lambda path: path.stem)
    if not paths:
        raise SpecError(f"world {name!r} has no presets: put default.yaml into {place}")
    return {path.stem: path for path in paths}


def trained_files(name: str) -> dict[str, Path]:
    """Give the policy bundles that come with a known world, as `trained/NAME`."""
    paths = sorted((folder(name) / "trained").glob("*.mesop"))
    return {f"trained/{path.stem}": path for path in paths}
