"""Build a wheel that carries compiled code for a baseline CPU, so that its users compile nothing.

    python tools/wheel.py [--worlds commons ...] [--out dist]

The code is compiled from a copy of the sources, so that a checkout never runs it, and under the
names of a user's cache; the wheel is for this version of Python and this platform alone.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = ("pyproject.toml", "README.md", "LICENSE")
sys.path.insert(0, str(ROOT))


def copy_sources(stage: Path) -> None:
    """Copy what a wheel is made of."""
    shutil.rmtree(stage, ignore_errors=True)
    unwanted = shutil.ignore_patterns("__pycache__", "compiled")
    shutil.copytree(ROOT / "mesocosm", stage / "mesocosm", ignore=unwanted)
    for name in FILES:
        shutil.copy(ROOT / name, stage / name)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tags = f"[bdist_wheel]\npython_tag = {python}\nplat_name = {platform}\n"
    (stage / "setup.cfg").write_text(tags)


def compile_worlds(stage: Path, cache: Path, worlds: list[str]) -> None:
    """Compile for the baseline, into a cache of its own, and copy that into the package."""
    from mesocosm.sim.compile.shipped import BASELINE, SURROUNDINGS, lacking

    if lacking():
        raise SystemExit(f"wheel: this CPU is no {BASELINE}: it lacks {', '.join(lacking())}")
    plain = {name: text for name, text in os.environ.items() if not name.startswith("NUMBA_")}
    own = {"MESOCOSM_CACHE_DIR": str(cache), "PYTHONPATH": str(stage), **SURROUNDINGS}
    chosen = worlds or ["--all", "--layers"]
    command = [sys.executable, "-m", "mesocosm.cli", "compile", *chosen]
    subprocess.run(command, cwd=stage, env=plain | own, check=True)  # noqa: S603 (our own)
    for path in sorted(cache.glob("*/__pycache__/*.nb?")):
        folder = stage / "mesocosm" / "compiled" / path.parent.parent.name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / path.name)


def main() -> None:
    """Build it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--worlds", nargs="*", default=[], help="worlds or presets; all if none are named"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "wheel")
    given = parser.parse_args()
    stage, cache = given.work / "stage", given.work / "cache"
    copy_sources(stage)
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir(mode=0o700, parents=True)
    compile_worlds(stage, cache, given.worlds)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    command = [
        *pip,
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(given.out.resolve()),
        str(stage),
    ]
    subprocess.run(command, check=True)  # noqa: S603
    made = max(given.out.glob("mesocosm-*.whl"), key=lambda path: path.stat().st_mtime)
    print(f"{made} ({made.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
