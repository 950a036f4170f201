"""A run folder: what lies where, and the small files that say what the run is."""

import os
import platform
import shutil
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mesocosm.config.identity import behaviour_hash, config_hash, to_yaml
from mesocosm.core.errors import RunError
from mesocosm.telemetry.files import (
    read_json,
    remove_partial_files,
    sync_folder,
    write_json,
    write_text,
    writing,
)
from mesocosm.telemetry.step_reader import StepReader
from mesocosm.version import __version__

SCHEMA = 1
CONFIG, RUN, REPLAY, TABLES, POLICIES = (
    "config.yaml",
    "run.json",
    "replay.meso",
    "tables",
    "policies",
)
PACKAGES = ("numpy", "numba", "numba-cuda", "pyarrow", "pydantic")


def utc_now() -> str:
    """Give the time, for people."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def versions() -> dict[str, str]:
    """Name the versions that produced a run."""
    found = {"mesocosm": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def describe(reader: StepReader) -> dict[str, Any]:
    """Say what a run is, in terms that do not depend on the machine."""
    identity = reader.config.identity
    return {
        "schema": SCHEMA,
        "world": identity.world,
        "world_version": identity.version,
        "preset": f"{identity.world}/{identity.preset}",
        "config_hash": config_hash(reader.config),
        "behaviour_hash": behaviour_hash(reader.config),
        "seed": int(reader.read("seed")[0]),
        "num_envs": reader.num_envs,
        "first_env": reader.first_env,
        "num_agents": reader.spec.num_agents,
        "autoreset": reader.autoreset,
    }


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config, self.run, self.replay = path / CONFIG, path / RUN, path / REPLAY
        self.tables, self.policies = path / TABLES, path / POLICIES
        self.about: dict[str, Any] = {}

    def create(self, reader: StepReader, about: dict[str, Any]) -> None:
        """Make the folder with what a run begins with, at once; refuse one that is not empty."""
        self.about = describe(reader) | {"provenance": reader.provenance}
        self.about |= about | {"target": reader.target, "versions": versions()}
        self.about["hash_seed"] = os.environ.get("PYTHONHASHSEED", "random")
        self.about |= {"started": utc_now(), "ended": None, "status": "running", "steps": 0}
        with writing(self.path):
            taken = next(self.path.iterdir(), None) if self.path.is_dir() else None
            if taken is not None:
                raise RunError(
                    f"{self.path}: is not empty ({taken.name}); choose another folder, or resume it"
                )
            self.path.parent.mkdir(parents=True, exist_ok=True)
            made = Path(tempfile.mkdtemp(dir=self.path.parent, prefix=f".{self.path.name}."))
            try:
                made.chmod(0o755)
                (made / POLICIES).mkdir()
                write_text(
                    made / CONFIG, f"# {self.about['config_hash']}\n{to_yaml(reader.config)}"
                )
                write_json(made / RUN, self.about)
                os.replace(made, self.path)
            except BaseException:
                shutil.rmtree(made, ignore_errors=True)
                raise
        sync_folder(self.path.parent)

    def reopen(self, reader: StepReader, about: dict[str, Any]) -> None:
        """Take up a run that was interrupted; the env must be the same."""
        self.about = self.read()
        for key, value in describe(reader).items():
            if key != "seed" and self.about.get(key) != value:
                got = self.about.get(key)
                raise RunError(f"{self.run}: {key} of the run is {got!r}, of this env {value!r}")
        remove_partial_files(self.path)
        self.about |= about | {"status": "running", "ended": None}
        self.about["resumed"] = [*self.about.get("resumed", []), utc_now()]
        write_json(self.run, self.about)

    def begin(self, seed: int) -> None:
        """Note the seed of the first episodes."""
        if self.about["seed"] != seed:
            self.about["seed"] = seed
            write_json(self.run, self.about)

    def read(self) -> dict[str, Any]:
        """Read what the run is."""
        if not self.path.is_dir():
            raise RunError(f"{self.path}: no run folder: no such directory")
        if not self.run.is_file():
            raise RunError(f"{self.path}: no run folder: it has no {RUN}")
        about = read_json(self.run)
        if about.get("schema") != SCHEMA:
            got = about.get("schema")
            raise RunError(f"{self.run}: schema: this is version {SCHEMA}, the run has {got!r}")
        for key, kind in (("preset", str), ("status", str), ("num_envs", int), ("steps", int)):
            if type(about.get(key)) is not kind:
                raise RunError(f"{self.run}: damaged: {key} is no {kind.__name__}")
        return about

    def close(self, status: str, steps: int, error: str = "") -> None:
        """Note how the run ended."""
        self.about |= {"status": status, "ended": utc_now(), "steps": steps}
        if error:
            self.about["error"] = error
        write_json(self.run, self.about)
