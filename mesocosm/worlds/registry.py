"""Find worlds: each folder here is one, and installed packages may add theirs."""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from mesocosm.core.errors import SpecError, unknown
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
    module = importlib.import_module(_folders()[name].partition(":")[0])
    world = getattr(module, "WORLD", None)
    if not isinstance(world, World) or world.name != name:
        raise SpecError(f"{module.__name__}: must define WORLD, a World named {name!r}")
    return world


def folder(name: str) -> Path:
    """Find a world's folder."""
    module = importlib.import_module(_folders()[name].partition(":")[0])
    return Path(str(module.__file__)).parent


def presets(name: str) -> list[str]:
    """List a world's presets."""
    find(name)
    files = (folder(name) / "presets").glob("*.yaml")
    return sorted(path.stem for path in files)
