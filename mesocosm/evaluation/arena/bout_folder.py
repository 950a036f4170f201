"""The run folder of an evaluation: every finished bout is kept, so it goes on where it ended."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mesocosm.config.provenance import provenance_of
from mesocosm.core.errors import RunError
from mesocosm.evaluation.arena.bout import Bout, from_data, to_data
from mesocosm.evaluation.arena.tables import Kinds, Row, write_table
from mesocosm.resolve import Resolved, resolve
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.files import read_json, write_bytes
from mesocosm.telemetry.manifest import Entry, describe_file
from mesocosm.telemetry.recorder import say_missing_tables
from mesocosm.telemetry.run_folder import CHECKPOINTS, RunFolder
from mesocosm.telemetry.step_reader import StepReader
from mesocosm.telemetry.tables.parquet import has_pyarrow

MAX_BYTES = 1 << 30  # of a stored bout
RECORDINGS = "recordings"
PRESETS = "presets.json"  # in the folder of checkpoints: the configs that are played


class BoutFolder:
    """Keeps bouts, each in a file that is there whole or not at all, and writes the tables.

    Args:
        env: Of the evaluation's first preset.
        presets: The configs that are played and what they were made of, as plain data.
        about: What else run.json should say; None: the folder is there, and is gone on with.
    """

    def __init__(
        self,
        path: Path,
        env: Engine,
        presets: Mapping[str, Sequence[Mapping[str, Any]]],
        about: Mapping[str, Any] | None,
    ) -> None:
        self.path, self._folder = path, RunFolder(path)
        self._bouts = path / CHECKPOINTS
        self._steps = 0
        self._files: dict[str, Entry] = {}
        reader = StepReader(env)
        if about is None:
            self._folder.reopen(reader, {})
        else:
            say_missing_tables(env.config.instrumentation)
            self._folder.create(reader, dict(about))
        self._bouts.mkdir(exist_ok=True)
        write_bytes(self._bouts / PRESETS, _to_json(dict(presets)))

    def find(self, number: int) -> Bout | None:
        """Read a bout that was played; None if it was not."""
        bout = read_bout(self.path, number)
        if bout is not None:
            self._steps += bout.steps
            self._remove_batches(number)
        return bout

    def keep(self, bout: Bout) -> None:
        """Write a bout down, in the place of its batches."""
        write_bytes(_place(self.path, bout.number), _to_json(to_data(bout)))
        self._steps += bout.steps
        self._remove_batches(bout.number)

    def find_batches(self, number: int) -> dict[int, Bout]:
        """Read the batches that were played of a bout that is not whole."""
        found = {int(path.stem[-6:]): path for path in self._batches(number)}
        return {k: from_data(read_json(found[k], MAX_BYTES), str(found[k])) for k in sorted(found)}

    def keep_batch(self, part: Bout, batch: int) -> None:
        """Write a batch of a bout down, until all are there."""
        place = self._bouts / f"bout-{part.number:06d}-batch-{batch:06d}.json"
        write_bytes(place, _to_json(to_data(part)))

    def _batches(self, number: int) -> list[Path]:
        digits = "[0-9]" * 6
        return list(self._bouts.glob(f"bout-{number:06d}-batch-{digits}.json"))

    def _remove_batches(self, number: int) -> None:
        for path in self._batches(number):
            path.unlink()

    @property
    def policies(self) -> Path:
        """Where policies are kept that were made on the way."""
        return self._folder.policies

    def recording(self, number: int, batch: int | None = None) -> Path:
        """Name the folder that a bout is recorded into, or a batch where it has several."""
        end = "" if batch is None else f"-batch-{batch:06d}"
        return self.path / RECORDINGS / f"bout-{number:06d}{end}"

    def write_tables(self, tables: Mapping[str, tuple[Kinds, Sequence[Row]]]) -> None:
        """Write tables that `query` reads, where that is possible."""
        if not has_pyarrow():
            return
        self._folder.tables.mkdir(exist_ok=True)
        for name, (kinds, rows) in tables.items():
            self._files |= write_table(self._folder.tables, name, kinds, rows)

    def write_file(self, name: str, content: bytes) -> None:
        """Write a file of results."""
        write_bytes(self.path / name, content)
        self._files[name] = describe_file(self.path / name)

    def close(self, status: str, error: str = "") -> None:
        """Note how the evaluation ended, and let go of the folder."""
        self._folder.finish(self._steps, self._files, 0)
        self._folder.close(status, self._steps, error)


def _place(path: Path, number: int) -> Path:
    return path / CHECKPOINTS / f"bout-{number:06d}.json"


def read_bout(path: Path, number: int) -> Bout | None:
    """Read a bout from a run folder; None if it was not played."""
    place = _place(path, number)
    return from_data(read_json(place, MAX_BYTES), str(place)) if place.exists() else None


def read_plan(path: Path, kind: str) -> tuple[RunFolder, dict[str, Any]]:
    """Give the plan of an evaluation that goes on."""
    folder = RunFolder(path)
    about = folder.read()
    folder.check_free()
    folder.check_links()
    if about.get("kind") != kind or not isinstance(about.get("plan"), dict):
        raise RunError(f"{path}: is no {kind}; `mesocosm {kind} ... --out RUN` makes one")
    return folder, about


def read_presets(path: Path) -> list[dict[str, Any]]:
    """Give the configs that an evaluation plays, as plain data."""
    place = path / CHECKPOINTS / PRESETS
    found = read_json(place, MAX_BYTES).get("presets")
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise RunError(f"{place}: damaged: it lists no configs")
    return found


def resolve_presets(path: Path) -> list[Resolved]:
    """Give what an evaluation plays, and what that was made of."""
    made_of = read_json(path / CHECKPOINTS / PRESETS, MAX_BYTES).get("provenance") or []
    found = [resolve(config) for config in read_presets(path)]
    for k, data in enumerate(made_of[: len(found)]):
        found[k] = replace(found[k], provenance=provenance_of(data))
    return found


def _to_json(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":"), allow_nan=False).encode() + b"\n"
