"""The `doctor` command: what is installed, where rules can run, what is compiled."""

import platform
import re
import shutil
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from mesocosm.build import world_names
from mesocosm.cli.compile import describe_presets, variant_data
from mesocosm.cli.shared.options import AsJson
from mesocosm.cli.shared.output import Section, print_json, print_sections, size_text
from mesocosm.core.errors import MesocosmError
from mesocosm.evaluation.programs.containment import find_containment
from mesocosm.precompile import list_variants
from mesocosm.sim.compile.cache import cache_root
from mesocosm.sim.compile.code_cache import KEPT, SHIPPED, find_code
from mesocosm.sim.targets.launch import TARGETS, check_target
from mesocosm.version import __version__

PACKAGES = ("numpy", "numba", "pydantic", "gymnasium", "pettingzoo", "numba-cuda", "torch")
STATES = {SHIPPED: "came with the package", KEPT: "compiled"}
ENTRY = re.compile(r"^(?P<world>\w+)-[0-9a-f]{20}$")


def doctor(
    clear_cache: Annotated[bool, typer.Option("--clear-cache", help="Empty the cache.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say what is installed, what works here, and what is compiled."""
    root = cache_root(create=False)
    cleared = _clear(root) if clear_cache else None
    data = {
        "versions": {"mesocosm": __version__, "python": platform.python_version(), **_versions()},
        "targets": {target: _target(target) for target in TARGETS},
        "programs": {"containment": find_containment()},
        "cache": {"directory": str(root), "cleared_bytes": cleared, "worlds": _compiled(root)},
        "ready": _ready(),
    }
    if as_json:
        print_json(data)
    else:
        print_sections(_sections(data))


def _versions() -> dict[str, str | None]:
    return {name: _version(name) for name in PACKAGES}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _target(target: str) -> str:
    """Say `available`, or why not."""
    try:
        check_target(target)
    except (MesocosmError, ImportError) as error:
        return " ".join(str(error).split())
    return "available"


def _entries(root: Path) -> list[tuple[str, Path]]:
    """List what is ours in the cache directory: a person may have named any directory."""
    paths = sorted(root.iterdir()) if root.is_dir() else []
    found = ((ENTRY.match(path.name), path) for path in paths)
    return [(match["world"], path) for match, path in found if match and path.is_dir()]


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _compiled(root: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for world, path in _entries(root):
        entry = found.setdefault(world, {"builds": 0, "compiled": 0, "bytes": 0})
        entry["builds"] += 1
        entry["compiled"] += any(path.rglob("*.nbi"))
        entry["bytes"] += _bytes(path)
    return found


def _ready() -> list[dict[str, Any]]:
    """Say for all that presets need, and for any layer, whether it is compiled as it is now."""
    return [
        {**variant_data(variant), "code": find_code(variant.code)}
        for variant in list_variants(world_names(), layers=True)
    ]


def _clear(root: Path) -> int:
    """Delete every build; say how many bytes that were."""
    total = 0
    for _, path in _entries(root):
        total += _bytes(path)
        shutil.rmtree(path)
    return total


def _sections(data: dict[str, Any]) -> list[Section]:
    versions = [(name, value or "absent") for name, value in data["versions"].items()]
    cache = data["cache"]
    rows = [
        (name, str(w["builds"]), str(w["compiled"]), size_text(w["bytes"]))
        for name, w in cache["worlds"].items()
    ]
    ready = [
        (
            entry["world"],
            "layered" if entry["layered"] else "plain",
            describe_presets(entry),
            STATES.get(entry["code"], "not compiled (mesocosm compile)"),
        )
        for entry in data["ready"]
    ]
    total = size_text(sum(w["bytes"] for w in cache["worlds"].values()))
    note = f"{cache['directory']}: {total}"
    if cache["cleared_bytes"] is not None:
        note += f" (cleared {size_text(cache['cleared_bytes'])})"
    return [
        Section("Versions", ("package", "version"), versions),
        Section("Targets", ("target", "state"), list(data["targets"].items())),
        Section(
            "Programs in matches", ("", ""), [("closed in by", data["programs"]["containment"])]
        ),
        Section("Cache", ("code", "builds", "compiled", "size"), rows, note),
        Section("Ready to run on cpu", ("world", "layers", "presets", ""), ready),
    ]
