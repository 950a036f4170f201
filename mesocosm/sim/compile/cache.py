"""Where compiled code lives between processes: directories that nobody else can write.

Loading compiled code runs it, so it is loaded from nowhere that another user could have put it:
the directory belongs to the user and neither group nor others can write it, or swap it for another.
"""

import atexit
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from mesocosm.core.errors import ConfigError
from mesocosm.core.world import Rule, World
from mesocosm.sim.compile.fingerprint import fingerprint

VARIABLE = "MESOCOSM_CACHE_DIR"
PRIVATE = 0o700
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@cache
def _temporary_root() -> Path:
    """Make a directory for this process alone, removed at its end."""
    path = Path(tempfile.mkdtemp(prefix="mesocosm-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def cache_root(*, create: bool = True) -> Path:
    """Find the directory for compiled code, making it private to this user.

    Args:
        create: Whether to make it if it is not there.
    """
    named = os.environ.get(VARIABLE)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    root = Path(named) if named else Path(home) / "mesocosm"
    if not create and not root.exists():
        return root
    try:
        root.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
    except FileExistsError:
        if named:
            raise ConfigError(f"{VARIABLE}: {root} is no directory; name one") from None
        _say_refused(f"{root} is no directory")
        return _temporary_root()
    except OSError:
        return _temporary_root()
    doubt = _distrust(root)
    if doubt is None:
        return root if os.access(root, os.W_OK) else _temporary_root()
    if named:
        raise ConfigError(f"{VARIABLE}: {doubt}; make it yours alone (chmod 700), or name another")
    _say_refused(doubt)
    return _temporary_root()


@cache
def _say_refused(doubt: str) -> None:
    """Say it once."""
    if not os.environ.get("MESOCOSM_QUIET"):
        said = f"mesocosm: {doubt}; compiled code is kept for this process only"
        print(said, file=sys.stderr, flush=True)


def _distrust(root: Path) -> str | None:
    """Say why compiled code must not be loaded from a directory: who else could write there."""
    if os.name != "posix":
        return None
    place = root.resolve()
    return _others_write(place) or next(filter(None, map(_others_swap, place.parents)), None)


def _others_write(path: Path) -> str | None:
    """Say so if a directory or file is another user's, or others may write it."""
    found = path.stat()
    if found.st_uid != os.geteuid():
        return f"{path} belongs to another user (number {found.st_uid})"
    if found.st_mode & OTHERS_WRITE:
        return f"{path} can be written by others (mode {stat.S_IMODE(found.st_mode):o})"
    return None


def _others_swap(parent: Path) -> str | None:
    """Say so if others could put another directory in the place of one inside.

    A sticky directory such as /tmp keeps them from it. A directory that the user's own group
    writes is accepted: on many systems that group is the user alone.
    """
    found = parent.stat()
    if found.st_uid not in (0, os.geteuid()):
        return f"{parent} belongs to another user (number {found.st_uid})"
    shared = OTHERS_WRITE if found.st_gid not in (0, os.getegid()) else stat.S_IWOTH
    if found.st_mode & shared and not found.st_mode & stat.S_ISVTX:
        return f"{parent} can be written by others (mode {stat.S_IMODE(found.st_mode):o})"
    return None


def rules_of(world: World) -> list[Rule]:
    """List a world's own rules."""
    rules = world.rules
    owners = (*rules.roles.values(), *rules.axes.values(), *rules.quantities.values(), rules)
    return [rule for owner in owners for rule in vars(owner).values() if callable(rule)]


def code_name(name: str, rules: Iterable[Rule], text: str, options: str, target: str) -> str:
    """Name the directory of one set of sources and versions, compiled in one way."""
    return f"{name}-{fingerprint(rules, text, options, target)[:20]}"


def cache_directory(name: str) -> Path:
    """Make the directory of some code, and check that nobody else could have written it."""
    path = cache_root() / name
    kept = path / "__pycache__"
    for folder in (path, kept):
        folder.mkdir(exist_ok=True, mode=PRIVATE)
    if os.name == "posix":
        for entry in (path, kept, *kept.glob("*.nb?")):
            doubt = _others_write(entry)
            if doubt:
                raise ConfigError(f"compiled code: {doubt}; delete {path}")
    return path


def is_kept(name: str) -> bool:
    """Whether something was compiled under a name."""
    return any((cache_root(create=False) / name / "__pycache__").glob("*.nbi"))
