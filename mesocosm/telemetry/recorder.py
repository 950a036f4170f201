"""Record an env: it is played as ever, and everything that happens goes to tables and a replay."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from mesocosm.core.errors import MesocosmError, RunError
from mesocosm.core.extra import install_command
from mesocosm.core.path import check_path
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.levels.level import Level, make_levels
from mesocosm.telemetry.manifest import Entry, describe_file
from mesocosm.telemetry.replay.reader import Replay, is_empty
from mesocosm.telemetry.replay.resimulate import perform
from mesocosm.telemetry.replay.writer import ReplayWriter
from mesocosm.telemetry.run_folder import REPLAY, TABLES_MISSING, TENSORBOARD, RunFolder
from mesocosm.telemetry.step_reader import StepReader, join_roles
from mesocosm.telemetry.tables.columns import enabled_tables
from mesocosm.telemetry.tables.parquet import ParquetSink, has_pyarrow, require_pyarrow
from mesocosm.telemetry.tables.sinks import Sink
from mesocosm.telemetry.tables.table import LEVELS, Batch, Table

_said: set[str] = set()


def record(
    env: Engine,
    folder: str | Path | None = None,
    *,
    sinks: Iterable[Sink] = (),
    resume: bool = False,
    about: Mapping[str, Any] | None = None,
) -> "Recorder":
    """Record everything that happens to an env from its next reset on.

    Args:
        folder: Where the run's files go; without it only the sinks get rows.
        sinks: Where rows go beside the folder's tables.
        resume: Go on with the run in the folder: play it again from its beginning (or call
            `catch_up`), and it continues where it broke off.
        about: What else run.json should say.
    """
    return Recorder(env, folder, sinks=sinks, resume=resume, about=about)


class Recorder:
    """Watches an env; reads its arrays after every operation and never writes to them."""

    def __init__(
        self,
        env: Engine,
        folder: str | Path | None,
        *,
        sinks: Iterable[Sink],
        resume: bool,
        about: Mapping[str, Any] | None,
    ) -> None:
        if env.watcher is not None:
            raise MesocosmError("this env is being recorded already; close that recording first")
        settings = env.config.instrumentation
        self.env, self.num_steps = env, 0
        self._part, self._part_steps = 0, settings.part_steps
        self._started = self._closed = False
        self._included: dict[str, Entry] = {}
        self._sinks = list(sinks)
        self._folder = None if folder is None else RunFolder(check_path(folder, RunError))
        self._replay: ReplayWriter | None = None
        self._stored: Replay | None = None
        self._parquet: ParquetSink | None = None
        chosen = enabled_tables(env.spec, settings)
        self._reader = StepReader(env)
        if self._folder is not None:
            if settings.artefacts.tensorboard:
                self._sinks.append(_tensorboard(self._folder.path / TENSORBOARD))
            self._open_folder(self._folder, resume=resume, about=dict(about or {}))
        try:
            self._open_sinks(chosen)
        except BaseException:
            if self._folder is not None:
                self._folder.release()
            raise
        env.watcher = self

    def _open_folder(self, folder: RunFolder, *, resume: bool, about: dict[str, Any]) -> None:
        settings = self.env.config.instrumentation
        missing = say_missing_tables(settings)
        about |= {TABLES_MISSING: missing} if missing else {}
        if not resume:
            folder.create(self._reader, about)
            if settings.artefacts.replay:
                self._replay = ReplayWriter(folder.replay, self._reader)
            return
        if not settings.artefacts.replay:
            raise RunError(f"{folder.path}: cannot be resumed: it was recorded without a replay")
        folder.reopen(self._reader, about)
        try:
            self._go_on(folder)
        except BaseException:
            folder.restore()
            raise

    def _go_on(self, folder: RunFolder) -> None:
        if folder.files.has_tables:
            require_pyarrow()
        if is_empty(folder.replay):  # killed before its first reset: nothing to go on from
            folder.replay.unlink(missing_ok=True)
        else:
            self._stored = Replay(folder.replay, num_envs=self.env.num_envs)
        self._replay = ReplayWriter(folder.replay, self._reader, self._stored, self._rewind)

    def _rewind(self) -> None:
        """List no longer what the resumed run is about to overwrite."""
        folder, stored = self._folder, self._stored
        if folder is not None and stored is not None:
            end = stored.end_of(folder.files.steps - folder.files.steps % self._part_steps)
            entry = describe_file(folder.replay, end)
            folder.rewind(self._part_steps, entry, self._reader.num_dropped_events)

    def _open_sinks(self, chosen: Mapping[str, Table]) -> None:
        folder, artefacts = self._folder, self.env.config.instrumentation.artefacts
        if folder is not None and artefacts.tables and chosen and has_pyarrow():
            self._parquet = ParquetSink(folder.tables, folder.full_parts(self._part_steps))
            self._sinks.append(self._parquet)
        for sink in self._sinks:
            sink.open(chosen)
        self._levels = make_levels(self._reader, chosen) if self._sinks else []

    def after_reset(self, chosen: np.ndarray, seed: int | None) -> None:
        """Take note of a reset."""
        if not self._started and not chosen.all():
            raise RunError("a recording begins with a reset of every env")
        self._reader.begin(chosen)
        with self._failing():
            if not self._started and self._folder is not None:
                self._folder.begin(int(self._reader.read("seed")[0]))
            self._started = True
            if self._replay is not None:
                self._replay.add_reset(chosen, seed)
        for level in self._levels:
            level.begin(chosen)

    def after_step(self) -> None:
        """Take note of a step."""
        if not self._started:
            raise RunError("a recording begins with a reset: call reset() before step()")
        reader = self._reader
        reader.advance()
        with self._failing():
            if self._replay is not None:
                self._replay.add_step(reader.renewed)
            for level in self._levels:
                level.collect()
            reader.settle()
            self.num_steps += 1
            self._write()

    def before_load(self) -> None:
        """Refuse: what led to a loaded state is not in the recording, so nothing could prove it."""
        raise MesocosmError("an env that is being recorded cannot load a snapshot; close it first")

    def entropy(self, values: Any) -> None:
        """Note the policies' entropy for the next step: `[env, agent]`, by role if several."""
        self._reader.entropy = join_roles(values).astype(np.float32)

    def note(self, **about: Any) -> None:
        """Say more in run.json, when the run is closed; plain data, by name."""
        if self._folder is not None:
            self._folder.about |= about

    def include(self, files: Mapping[str, Entry]) -> None:
        """List files of the run, by their names in its folder, that others wrote."""
        self._included |= files

    def catch_up(self) -> int:
        """Play again what a resumed run holds; give the number of steps that are played then."""
        if self._stored is not None:
            # read first: the last, partly filled chunk is written anew
            partial = self._stored.partial_operations(dict(self.env.spec.roles))
            for operation in self._stored.operations(dict(self.env.spec.roles), partial=False):
                perform(self.env, operation)
            for operation in partial:
                perform(self.env, operation)
        return self.num_steps

    def _write(self) -> None:
        last = self.num_steps % self._part_steps == 0
        if last and self._replay is not None:
            self._replay.end_part()
        for level in self._levels:
            if last or level.full:
                self._emit(level, last=last)
        self._part += last
        if last and self._folder is not None:
            self._folder.commit(self.num_steps, self._written(), self._reader.num_dropped_events)

    def _written(self) -> dict[str, Entry]:
        """Describe the files that were written, as far as they are whole."""
        files = dict(self._parquet.finished) if self._parquet is not None else {}
        files |= self._included
        if self._replay is not None:
            files[REPLAY] = self._replay.entry()
        return files

    def _emit(self, level: Level, *, last: bool) -> None:
        batch = Batch(level.table.name, self._part, last, level.take())
        for sink in self._sinks:
            sink.write(batch)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Let go of the env if what is done here fails."""
        try:
            yield
        except BaseException as error:
            self.fail(error)
            raise

    def fail(self, error: BaseException) -> None:
        """Let go of the env; what was written stays, and stays readable."""
        self._closed = True
        self.env.watcher = None
        if self._replay is not None:
            self._replay.drop()
        for sink in self._sinks:
            with suppress(Exception):
                sink.close()
        if self._folder is not None:
            status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
            with suppress(RunError):
                self._leave(self._folder, status, " ".join(str(error).split()))
            self._folder.release()

    def _leave(self, folder: RunFolder, status: str, error: str) -> None:
        """Say how far the run's files reach; a resumed run that played nothing new is as before."""
        if self._replay is not None and self._replay.compares:
            folder.restore()
            return
        steps = folder.files.steps
        if self._parquet is None:
            steps = self.num_steps if self._replay is None else self._replay.num_written
        folder.close(status, steps, error)

    def close(self, status: str = "finished", error: str = "") -> None:
        """Write what is left and let go of the env."""
        if self._closed:
            return
        with self._failing():
            again = self._replay is not None and self._replay.compares
            if self._replay is not None:
                self._replay.close()  # first: where it overwrites, less is listed
            if self.num_steps % self._part_steps and not again:
                for level in self._levels:
                    self._emit(level, last=True)
            for sink in self._sinks:
                sink.close()
            if self._folder is not None and again:
                self._folder.restore()
            elif self._folder is not None:
                dropped = self._reader.num_dropped_events
                self._folder.finish(self.num_steps, self._written(), dropped)
                self._folder.close(status, self.num_steps, error)
        self._closed, self.env.watcher = True, None

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
            return
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        with suppress(RunError):
            self.close("interrupted" if isinstance(error, KeyboardInterrupt) else "failed", said)


def _tensorboard(folder: Path) -> Sink:
    from mesocosm.telemetry.tables.tensorboard import TensorBoardSink

    return TensorBoardSink(folder)


def say_missing_tables(settings: Any) -> str:
    """Say, once, that tables will not be recorded for want of an extra; give what was said."""
    missing = _missing_tables(settings)
    if missing and missing not in _said:
        _said.add(missing)
        print(f"mesocosm: {missing}", file=sys.stderr, flush=True)
    return missing


def _missing_tables(settings: Any) -> str:
    wanted = any(getattr(settings, level).enabled for level in LEVELS)
    if not settings.artefacts.tables or not wanted or has_pyarrow():
        return ""
    return f"tables are not recorded: Parquet needs pyarrow: {install_command('runs')}"
