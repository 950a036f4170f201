"""Where compiled code lives between processes, and what makes it stale."""

import hashlib
import os
import platform
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mesocosm.core.world import World

PACKAGE = Path(__file__).resolve().parent.parent
SHARED_SOURCES = ("sim", "layers", "core")


def cache_root() -> Path:
    """Find the directory for compiled code, making it private to this user."""
    named = os.environ.get("MESOCOSM_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    root = Path(named) if named else Path(home) / "mesocosm"
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(root, os.W_OK):
            return root
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="mesocosm-"))


def world_sources(world: World) -> list[Path]:
    """List the Python files that a world's rules come from."""
    files: set[Path] = set()
    own = [entry for role in world.rules.roles.values() for entry in vars(role).values()]
    for function in [*own, *vars(world.rules).values()]:
        module = sys.modules.get(getattr(function, "__module__", ""))
        path = Path(getattr(module, "__file__", None) or "missing")
        if (path.parent / "__init__.py").is_file():
            files.update(path.parent.rglob("*.py"))
        elif path.is_file():
            files.add(path)
    return sorted(files)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def cache_directory(world: World, text: str, options: str) -> Path:
    """Name the directory of one world, one set of sources and versions, one way to compile."""
    digest = hashlib.sha256(f"{text}\n{options}".encode())
    for folder in SHARED_SOURCES:
        for path in sorted((PACKAGE / folder).glob("*.py")):
            digest.update(path.read_bytes())
    for path in world_sources(world):
        digest.update(path.name.encode() + path.read_bytes())
    for package in ("numba", "llvmlite", "numpy", "numba-cuda"):
        digest.update(f"{package}={_version(package)}".encode())
    digest.update(f"{sys.version}{platform.machine()}".encode())
    for name in sorted(os.environ):
        if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR":
            digest.update(f"{name}={os.environ[name]}".encode())
    path = cache_root() / f"{world.name}-{digest.hexdigest()[:20]}"
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path
