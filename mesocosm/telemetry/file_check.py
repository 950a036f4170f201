"""Compare the files of a run with its own list of them: what is missing, changed or not listed."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mesocosm.core.errors import RunError
from mesocosm.telemetry.manifest import MANIFEST, Manifest, describe_file, find_fault, read_manifest
from mesocosm.telemetry.replay.reader import Replay, is_empty
from mesocosm.telemetry.run_folder import (
    CONFIG,
    KEPT,
    MANIFEST_HASH,
    REPLAY,
    RUN,
    SEAL,
    TABLES,
    RunFolder,
    find_links,
    seal,
    walk,
)
from mesocosm.telemetry.run_lock import LOCK

MOST_NAMES = 10  # of files that are not the run's


class FileCheck(NamedTuple):
    """What a check of a run's files found."""

    num_files: int  # that are listed
    problems: tuple[str, ...]  # each names the file and what is wrong with it
    notes: tuple[str, ...] = ()  # what else lies there, of others or of a writer that was cut off


def check_files(folder: RunFolder, about: Mapping[str, Any]) -> FileCheck:
    """Compare every file of a run with what was written."""
    problems = []
    if about.get(SEAL) != seal(about):
        problems.append(f"{RUN}: was changed after it was written")
    problems += [f"{name}: is a link, not what was written" for name in find_links(folder.path)]
    try:
        files = read_manifest(folder.path)
    except RunError as error:
        return FileCheck(0, (*problems, str(error)))
    wanted = about.get(MANIFEST_HASH)
    if wanted is not None and wanted != describe_file(folder.path / MANIFEST).sha256:
        problems.append(f"{MANIFEST}: was changed after the run was closed")
    problems += _find_faults(folder, files)
    problems += _find_contradictions(folder, files, about)
    unlisted = list(_find_unlisted(folder, files))
    if files.closed:
        problems += [f"{name}: is on no list of the run" for name in unlisted if _is_ours(name)]
        notes = _note_foreign([name for name in unlisted if not _is_ours(name)])
    else:
        notes = _notes(folder, files, unlisted)
    return FileCheck(len(files.files), tuple(problems), tuple(notes))


def _is_ours(name: str) -> bool:
    """Whether only the run itself writes files of this name."""
    return name in (CONFIG, REPLAY) or name.startswith(f"{TABLES}/")


def _note_foreign(names: list[str]) -> Iterator[str]:
    if names:
        rest = len(names) - MOST_NAMES
        more = f" and {rest:,} more" if rest > 0 else ""
        yield f"{', '.join(names[:MOST_NAMES])}{more}: on no list of the run, and not read"


def _find_faults(folder: RunFolder, files: Manifest) -> Iterator[str]:
    root = folder.path.resolve()
    for name, wanted in files.files.items():
        path = folder.path / name
        inside = path.resolve().is_relative_to(root)
        may_grow = name == REPLAY and not files.closed
        fault = find_fault(path, wanted, may_grow=may_grow) if inside else "leads out of the run"
        if fault:
            yield f"{name}: {fault}"


def _find_unlisted(folder: RunFolder, files: Manifest) -> Iterator[str]:
    """Name the files that are not listed; while a run is written, only parts of tables."""
    if not files.closed:
        parts = sorted(folder.tables.glob("*/part-*.parquet"))
        names = (path.relative_to(folder.path).as_posix() for path in parts)
        yield from (name for name in names if name not in files.files)
        return
    known = {RUN, MANIFEST, *files.files, *([LOCK] if folder.owner else [])}
    for path, name in walk(folder.path):
        is_file = name.startswith(KEPT) if path.is_symlink() else not path.is_dir()
        if is_file and name not in known:
            yield name


def _find_contradictions(
    folder: RunFolder, files: Manifest, about: Mapping[str, Any]
) -> Iterator[str]:
    """Compare what run.json says with what the replay says."""
    if files.closed and about["status"] != "running" and about["steps"] != files.steps:
        yield f"{RUN}: says {about['steps']:,} steps, {MANIFEST} {files.steps:,}"
    if REPLAY not in files.files:
        return
    try:
        replay = Replay(folder.replay, num_envs=about["num_envs"])
    except RunError as error:
        yield str(error)
        return
    said = {"behaviour_hash": replay.behaviour, "first_env": replay.first_env}
    for key, value in (said | {"autoreset": replay.autoreset}).items():
        if about.get(key) != value:
            yield f"{RUN}: {key} is {about.get(key)!r}, of the replay {value!r}"
    if replay.num_steps < files.steps:
        yield f"{REPLAY}: ends after {replay.num_steps:,} steps, the run after {files.steps:,}"


def _notes(folder: RunFolder, files: Manifest, unlisted: list[str]) -> Iterator[str]:
    """Say what lies beyond the last step that all files have reached."""
    if unlisted:
        yield f"{', '.join(unlisted)}: written, not yet listed, and not read"
    if not files.has_tables and folder.tables.is_dir():
        yield "tables: their first parts were not whole yet; a resumed run writes them"
    if not files.has_tables or is_empty(folder.replay):
        return
    further = Replay(folder.replay).num_steps - files.steps
    if further > 0:
        yield (
            f"{REPLAY}: holds {further:,} steps more than the tables; both are read to step "
            f"{files.steps:,}, and a resumed run takes up all of them"
        )
