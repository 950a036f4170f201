"""What a driver and its workers must have in common, so that they compute the same bits."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import mesocosm
from mesocosm.core.errors import RunError
from mesocosm.telemetry.run_folder import versions

SAME = ("mesocosm", "numpy", "numba", "torch")  # packages whose versions decide what is computed
SKIPPED = {"__pycache__"}


class Identity(NamedTuple):
    """The versions of packages, and a digest of every file of this one."""

    versions: dict[str, str]
    digest: str


@lru_cache(1)
def own_identity() -> Identity:
    """Describe this process."""
    home, digest = Path(mesocosm.__file__).parent, hashlib.sha256()
    for path in sorted(home.rglob("*")):
        if path.is_file() and not SKIPPED & set(path.parts):
            name, content = path.relative_to(home).as_posix().encode(), path.read_bytes()
            digest.update(b"%d %s %d " % (len(name), name, len(content)) + content)
    found = versions()
    return Identity({name: found[name] for name in SAME if name in found}, digest.hexdigest())


def check_identity(driver: Identity, worker: Identity, where: str) -> None:
    """Refuse to work for a driver that would compute something else."""
    lead = f"the worker on {where} is not like the driver"
    for name in sorted(driver.versions.keys() | worker.versions.keys()):
        mine, theirs = worker.versions.get(name, "none"), driver.versions.get(name, "none")
        if mine != theirs:
            raise RunError(
                f"{lead}: it has {name} {mine}, the driver {theirs}; install the same versions on "
                "every machine"
            )
    if driver.digest != worker.digest:
        raise RunError(
            f"{lead}: both have mesocosm {driver.versions['mesocosm']}, but its files differ "
            f"({worker.digest[:12]} there, {driver.digest[:12]} here); install the same on every "
            "machine"
        )
