"""Files and folders as bytes: how they travel, so that machines need no disk in common."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from mesocosm.core.errors import RunError, short
from mesocosm.core.path import open_regular_file
from mesocosm.telemetry.files import sync_folder, write_bytes, writing
from mesocosm.telemetry.manifest import NAME
from mesocosm.telemetry.run_lock import LOCK

Parcel = Mapping[str, bytes]  # by name inside a folder; of a single file, by the empty name


def pack(path: Path) -> Parcel:
    """Read a file, or all that lies in a folder; locks and half-written files stay behind."""
    if path.is_file():
        return {"": _read(path)}
    made = {}
    for place in sorted(path.rglob("*")):
        name = place.relative_to(path).as_posix()
        if place.is_file() and not place.is_symlink() and NAME.fullmatch(name) and name != LOCK:
            made[name] = _read(place)
    return made


def _read(path: Path) -> bytes:
    with open_regular_file(path) as file:
        return file.read()


def unpack(parcel: Parcel, path: Path) -> None:
    """Write a parcel; a folder takes the place of one that is there, at once."""
    if set(parcel) == {""}:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, parcel[""])
        return
    for name in parcel:
        if not NAME.fullmatch(name):
            raise RunError(f"{path}: a worker sent a file with the name {short(name)}")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        try:
            for name, content in parcel.items():
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                (made / name).write_bytes(content)
            made.chmod(0o755)
            _replace(made, path)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
    sync_folder(path.parent)


def _replace(made: Path, path: Path) -> None:
    """Put a folder in the place of another; a kill between leaves the old one beside it."""
    old = made.with_name(f"{made.name}.old")
    if path.exists():
        os.replace(path, old)
    os.replace(made, path)
    shutil.rmtree(old, ignore_errors=True)
