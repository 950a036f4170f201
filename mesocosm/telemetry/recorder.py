"""Record an env: it is played as ever, and everything that happens goes to tables and a replay."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from mesocosm.core.errors import MesocosmError, RunError
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.dense import AgentLevel, StepLevel
from mesocosm.telemetry.folder import RunFolder
from mesocosm.telemetry.level import EpisodeLevel, EventLevel, Level
from mesocosm.telemetry.metrics import tables
from mesocosm.telemetry.moment import Now, agents_of
from mesocosm.telemetry.parquet import ParquetSink
from mesocosm.telemetry.replay import Replay, is_empty
from mesocosm.telemetry.resimulate import perform
from mesocosm.telemetry.sink import Sink
from mesocosm.telemetry.table import Batch
from mesocosm.telemetry.tape import Tape


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
        self._sinks = list(sinks)
        self._folder = None if folder is None else RunFolder(Path(folder))
        self._tape: Tape | None = None
        self._stored: Replay | None = None
        chosen = tables(env.spec, settings)
        if self._folder is not None and settings.artefacts.tables and chosen:
            self._sinks.append(ParquetSink(self._folder.tables))
        if self._folder is not None:
            if settings.artefacts.tensorboard:
                self._sinks.append(_tensorboard(self._folder.path / "tensorboard"))
            self._open_folder(self._folder, resume=resume, about=dict(about or {}))
        for sink in self._sinks:
            sink.open(chosen)
        self._levels = _levels(env, chosen) if self._sinks else []
        turns = "step" in chosen or "agent" in chosen
        self._now = Now(env, turns=turns, sums=any(level.sums for level in self._levels))
        env.watcher = self

    def _open_folder(self, folder: RunFolder, *, resume: bool, about: dict[str, Any]) -> None:
        if not resume:
            folder.create(self.env, about)
            if self.env.config.instrumentation.artefacts.replay:
                self._tape = Tape(folder.replay, self.env)
            return
        if not self.env.config.instrumentation.artefacts.replay:
            raise RunError(f"{folder.path}: cannot be resumed: it was recorded without a replay")
        folder.reopen(self.env, about)
        if is_empty(folder.replay):  # killed before its first reset: nothing to go on from
            folder.replay.unlink(missing_ok=True)
        else:
            self._stored = Replay(folder.replay)
        self._tape = Tape(folder.replay, self.env, self._stored)

    def after_reset(self, chosen: np.ndarray, seed: int | None) -> None:
        """Take note of a reset."""
        if not self._started and not chosen.all():
            raise RunError("a recording begins with a reset of every env")
        self.env.journal.watch()
        with self._failing():
            if not self._started and self._folder is not None:
                self._folder.begin(int(self.env.copy(self.env.driver.f.seed)[0]))
            self._started = True
            if self._tape is not None:
                self._tape.add_reset(chosen, seed)
        self._now.begin(chosen)
        for level in self._levels:
            level.begin(chosen)

    def after_step(self) -> None:
        """Take note of a step."""
        if not self._started:
            raise RunError("a recording begins with a reset: call reset() before step()")
        now = self._now
        now.advance()
        now.events = self.env.journal.watch()
        with self._failing():
            if self._tape is not None:
                self._tape.add_step(now.renewed)
            for level in self._levels:
                level.collect(now)
            now.settle()
            self.num_steps += 1
            self._write()

    def before_load(self) -> None:
        """Refuse: what led to a loaded state is not in the recording, so nothing could prove it."""
        raise MesocosmError("an env that is being recorded cannot load a snapshot; close it first")

    def entropy(self, values: Any) -> None:
        """Note the policies' entropy for the next step: `[env, agent]`, by role if several."""
        self._now.entropy = agents_of(values).astype(np.float32)

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
        for level in self._levels:
            if last or level.full:
                self._emit(level, last=last)
        self._part += last

    def _emit(self, level: Level, *, last: bool) -> None:
        batch = Batch(level.table.name, self._part, last, level.take())
        for sink in self._sinks:
            sink.write(batch)

    def _failing(self) -> "_Failing":
        return _Failing(self)

    def fail(self, error: BaseException) -> None:
        """Let go of the env; what was written stays, and stays readable."""
        self._closed = True
        self.env.watcher = None
        if self._tape is not None:
            self._tape.drop()
        for sink in self._sinks:
            with suppress(Exception):
                sink.close()
        if self._folder is not None:
            with suppress(RunError):
                self._folder.close("failed", self.num_steps, " ".join(str(error).split()))

    def close(self, status: str = "finished", error: str = "") -> None:
        """Write what is left and let go of the env."""
        if self._closed:
            return
        with self._failing():
            if self.num_steps % self._part_steps:
                for level in self._levels:
                    self._emit(level, last=True)
            if self._tape is not None:
                self._tape.close()
            for sink in self._sinks:
                sink.close()
            if self._folder is not None:
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


class _Failing:
    """Closes a recorder when something in it fails."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None:
            self._recorder.fail(error)


def _tensorboard(folder: Path) -> Sink:
    from mesocosm.telemetry.tensorboard import TensorBoardSink

    return TensorBoardSink(folder)


def _levels(env: Engine, chosen: Mapping[str, Any]) -> list[Level]:
    settings = env.config.instrumentation
    made: list[Level] = []
    for name, table in chosen.items():
        level = getattr(settings, name)
        full = level.verbosity == "full"
        collector: Level
        if name == "episode":
            collector = EpisodeLevel(env, table, level.every)
        elif name == "event":
            collector = EventLevel(env, table, level.every)
        elif name == "step":
            collector = StepLevel(env, table, level.every, full)
        else:
            collector = AgentLevel(env, table, level.every, full)
        made.append(collector)
    return made
