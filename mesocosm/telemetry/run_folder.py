"""A run folder: what lies where, and the small files that say what the run is."""

import hashlib
import json
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from errno import EEXIST, ENOTEMPTY
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mesocosm.config.identity import behaviour_hash, config_hash, to_yaml
from mesocosm.core.errors import RunError, short
from mesocosm.telemetry.files import (
    read_json,
    remove_partial_files,
    sync_folder,
    write_json,
    write_text,
    writing,
)
from mesocosm.telemetry.manifest import (
    MANIFEST,
    NAME,
    Entry,
    Manifest,
    describe_file,
    find_fault,
    read_manifest,
)
from mesocosm.telemetry.run_lock import LOCK, RunLock, find_owner
from mesocosm.telemetry.step_reader import StepReader
from mesocosm.version import __version__

SCHEMA = 2
CONFIG, RUN, REPLAY, TABLES, POLICIES = (
    "config.yaml",
    "run.json",
    "replay.meso",
    "tables",
    "policies",
)
CHECKPOINTS = "checkpoints"
TENSORBOARD = "tensorboard"
OTHERS = (POLICIES, CHECKPOINTS, TENSORBOARD)  # listed when the run ends
KEPT = tuple(f"{name}/" for name in OTHERS)  # what people add to
PART = re.compile(r"tables/\w+/part-(\d{6,12})\.parquet")
TABLES_MISSING = "tables_missing"  # entry of run.json: why a run that wanted tables has none
SEAL, MANIFEST_HASH = "checksum", "files_sha256"  # entries of run.json: of itself, of the list
ABOUT_KINDS = {
    "preset": str,
    "world": str,
    "status": str,
    "config_hash": str,
    "num_envs": int,
    "num_agents": int,
    "steps": int,
    "seed": int,
    "versions": dict,
}
PACKAGES = ("numpy", "numba", "numba-cuda", "pyarrow", "pydantic", "torch")


def _try_to_write(path: Path) -> None:
    """Find out whether a folder could be made, before anything long is begun for it."""
    above = path.absolute().parent
    while not os.path.lexists(above):
        above = above.parent
    os.rmdir(tempfile.mkdtemp(dir=above, prefix=f".{path.name}."))


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


def seal(about: Mapping[str, Any]) -> str:
    """Hash what run.json says, but for the hash itself."""
    rest = {key: value for key, value in about.items() if key != SEAL}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def walk(folder: Path) -> Iterator[tuple[Path, str]]:
    """Give everything in a folder with its name from there; links are not followed."""
    for at, folders, names in os.walk(folder):
        folders.sort()  # it goes into them in this order
        for path in (Path(at, name) for name in sorted(folders + names)):
            yield path, path.relative_to(folder).as_posix()


def find_links(folder: Path) -> Iterator[str]:
    """Name the links in the place of what a run writes."""
    for path, name in walk(folder):
        if path.is_symlink() and not name.startswith(KEPT):
            yield name


class RunFolder:
    """The files of one run; a writer holds its lock from `create` or `reopen` to `close`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config, self.run, self.replay = path / CONFIG, path / RUN, path / REPLAY
        self.tables, self.policies = path / TABLES, path / POLICIES
        self.about: dict[str, Any] = {}
        self.files = Manifest(0, False, 0, {})
        self._lock = RunLock(path / LOCK)

    @property
    def owner(self) -> str | None:
        """Who writes to it now."""
        return find_owner(self.path / LOCK)

    def check_new(self) -> None:
        """Refuse a folder that is not empty, and say who writes to it if somebody does."""
        with writing(self.path):
            taken = next(self.path.iterdir(), None) if self.path.is_dir() else None
        if taken is not None:
            self.check_free()
            raise RunError(
                f"{self.path}: is not empty ({taken.name}); choose another folder, or resume it"
            )
        with writing(self.path):
            _try_to_write(self.path)

    def check_free(self) -> None:
        """Refuse a run that somebody writes to."""
        owner = self.owner
        if owner is not None:
            raise RunError(f"{self.path}: is being written by {owner}")

    def check_links(self) -> None:
        """Refuse to write where a link leads."""
        for name in find_links(self.path):
            raise RunError(f"{self.path / name}: is a link; a run goes on in its own files only")

    def create(self, reader: StepReader, about: dict[str, Any]) -> None:
        """Make the folder with what a run begins with, at once; refuse one that is not empty."""
        self.about = describe(reader) | {"provenance": reader.provenance}
        self.about |= about | {"target": reader.target, "versions": versions()}
        self.about["hash_seed"] = os.environ.get("PYTHONHASHSEED", "random")
        self.about |= {"started": utc_now(), "ended": None, "status": "running", "steps": 0}
        self.about["dropped_events"] = 0
        self.check_new()
        with writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            made = Path(tempfile.mkdtemp(dir=self.path.parent, prefix=f".{self.path.name}."))
            try:
                self._fill(made, to_yaml(reader.config))
                os.replace(made, self.path)
            except BaseException as error:
                self._lock.release()
                shutil.rmtree(made, ignore_errors=True)
                if isinstance(error, OSError) and error.errno in (ENOTEMPTY, EEXIST):
                    self.check_new()  # somebody else made it meanwhile
                raise
            self._lock.moved(self.path / LOCK)
        sync_folder(self.path.parent)

    def _fill(self, made: Path, config: str) -> None:
        made.chmod(0o755)
        self._lock = RunLock(made / LOCK)
        self._lock.take(self.about["started"])
        (made / POLICIES).mkdir()
        write_text(made / CONFIG, f"# {self.about['config_hash']}\n{config}")
        self.files = Manifest(0, False, 0, {CONFIG: describe_file(made / CONFIG)})
        self.files.write(made)
        self._write_about(made / RUN)

    def reopen(self, reader: StepReader, about: dict[str, Any]) -> None:
        """Take up a run that was interrupted; the env must be the same.

        Args:
            about: What the run says now; of the env, only where that is part of a whole.
        """
        self.read()
        self.check_links()
        self._lock.take(utc_now())
        try:
            self._reopen(reader, about)
        except BaseException:
            self._lock.release()
            raise

    def _reopen(self, reader: StepReader, about: dict[str, Any]) -> None:
        self._before = self.about = self.read()
        self.files = read_manifest(self.path)
        own = describe(reader)
        for key, value in (own | {key: about[key] for key in own.keys() & about.keys()}).items():
            if key != "seed" and self.about.get(key) != value:
                got = self.about.get(key)
                raise RunError(f"{self.run}: {key} of the run is {got!r}, of this env {value!r}")
        fault = find_fault(self.config, self.files.files.get(CONFIG, Entry(0, "")))
        if fault:
            raise RunError(f"{self.config}: damaged: {fault}")
        remove_partial_files(self.path)
        outdated = ("error", TABLES_MISSING, MANIFEST_HASH)
        kept = {key: value for key, value in self.about.items() if key not in outdated}
        self.about = kept | about | {"status": "running", "ended": None}
        self.about["target"] = reader.target  # which may be another than before
        self.about["resumed"] = [*self.about.get("resumed", []), utc_now()]
        self._write_about(self.run)

    def begin(self, seed: int) -> None:
        """Note the seed of the first episodes."""
        if self.about["seed"] != seed:
            self.about["seed"] = seed
            self._write_about(self.run)

    def read(self) -> dict[str, Any]:
        """Read what the run is."""
        try:
            there, has_run = self.path.is_dir(), self.run.is_file()
        except OSError as error:
            raise RunError(f"{self.path}: no run folder: {error.strerror}") from None
        if not there:
            raise RunError(f"{self.path}: no run folder: no such directory")
        if not has_run:
            raise RunError(f"{self.path}: no run folder: it has no {RUN}")
        about = read_json(self.run)
        if about.get("schema") != SCHEMA:
            got = about.get("schema")
            raise RunError(f"{self.run}: schema: this is version {SCHEMA}, the run has {got!r}")
        for key, kind in ABOUT_KINDS.items():
            if type(about.get(key)) is not kind:
                raise RunError(f"{self.run}: damaged: {key} is no {kind.__name__}")
            if kind is int and not 0 <= about[key] < 2**63:
                raise RunError(f"{self.run}: damaged: {key} is {short(about[key])}")
        return about

    def full_parts(self, part_steps: int) -> dict[str, Entry]:
        """Give the listed parts that hold all their steps."""
        count = self.files.steps // part_steps
        listed = self.files.files.items()
        return {n: e for n, e in listed if (m := PART.fullmatch(n)) and int(m[1]) < count}

    def rewind(self, part_steps: int, replay: Entry | None, dropped: int) -> None:
        """List no more than what a resumed run keeps: it overwrites what follows.

        Args:
            replay: The beginning of the replay that holds the kept parts' steps.
        """
        files = {CONFIG: self.files.files[CONFIG]} | self.full_parts(part_steps)
        if replay is not None:
            files[REPLAY] = replay
        steps = self.files.steps - self.files.steps % part_steps
        self.files = Manifest(steps, False, dropped, files)
        self.files.write(self.path)

    def commit(self, steps: int, files: Mapping[str, Entry], dropped: int) -> None:
        """List what was written, up to a step that all of it has reached."""
        made = Manifest(steps, False, dropped, {**self.files.files, **files})
        if steps <= self.files.steps:  # played again: what was listed reaches further already
            known = {name: entry for name, entry in files.items() if name != REPLAY}
            made = self.files._replace(files={**self.files.files, **known})
        if made != self.files:
            self.files = made
            made.write(self.path)

    def finish(self, steps: int, files: Mapping[str, Entry], dropped: int) -> None:
        """List every file of the run, for good."""
        others = [path for name in OTHERS for path in (self.path / name).rglob("*")]
        for folder in {path.parent for path in others}:
            remove_partial_files(folder)
        names = {p.relative_to(self.path).as_posix(): p for p in others if p.is_file()}
        found = {name: describe_file(p) for name, p in names.items() if NAME.fullmatch(name)}
        listed = {**self.files.files, **files, **found}
        self.files = Manifest(steps, True, dropped, listed)
        self.files.write(self.path)

    def close(self, status: str, steps: int, error: str = "") -> None:
        """Note how the run ended, and let go of it."""
        self.about |= {"status": status, "ended": utc_now(), "steps": steps}
        self.about["dropped_events"] = self.files.dropped_events
        self.about[MANIFEST_HASH] = describe_file(self.path / MANIFEST).sha256
        if error:
            self.about["error"] = error
        self._write_about(self.run)
        self.release()

    def restore(self) -> None:
        """Leave a run that was taken up as it was: nothing new was played."""
        self.about = self._before | {"resumed": self.about["resumed"]}
        self._write_about(self.run)
        self.release()

    def release(self) -> None:
        """Let others write."""
        self._lock.release()

    def _write_about(self, path: Path) -> None:
        self.about[SEAL] = seal(self.about)
        write_json(path, self.about)
