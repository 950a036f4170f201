"""A training's run folder: curve, checkpoints, policies; it goes on wherever it was killed."""

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from mesocosm.core.errors import RunError, short
from mesocosm.learning.bundles.bundle import write_bundle
from mesocosm.learning.bundles.card import Training, make_card
from mesocosm.learning.checkpoint import ABOUT, load_checkpoint, save_checkpoint
from mesocosm.learning.curve import Row, mean_return, rows_of, write_curve
from mesocosm.learning.curve_board import CurveBoard
from mesocosm.learning.ranks import MOST_RANKS
from mesocosm.learning.settings import settings_hash
from mesocosm.learning.trainer import Trainer, Update
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.run_folder import CHECKPOINTS, TENSORBOARD, RunFolder
from mesocosm.telemetry.step_reader import StepReader
from mesocosm.telemetry.tables.parquet import has_pyarrow

MARKS = 50  # times in a training that the best policy is chosen anew and a checkpoint written
CHECKPOINT_SECONDS = 30.0


class Stage(NamedTuple):
    """A part of a curriculum."""

    env: Engine
    score: float = math.inf  # mean return of a role at which to move on


class TrainingRun:
    """Writes down a training as it goes, and moves it through the stages of its curriculum.

    Args:
        stages: In order; the last is what is trained for, and names the run.
        about: What else run.json should say.
    """

    def __init__(
        self,
        path: Path,
        trainer: Trainer,
        stages: Sequence[Stage],
        *,
        resume: bool = False,
        about: dict[str, Any] | None = None,
    ) -> None:
        self._folder, self._trainer, self._stages = RunFolder(path), trainer, stages
        self._checkpoints = path / CHECKPOINTS
        self.curve: list[Row] = []
        self.best: dict[str, float] = {}  # by role
        self._marked = 0  # rows of the curve until the last mark
        self._written = time.monotonic()
        env = stages[-1].env
        wanted = env.config.instrumentation.artefacts.tensorboard
        self._board = CurveBoard(path / TENSORBOARD) if wanted else None
        reader = StepReader(env)
        if not resume:
            self._folder.create(reader, self._about() | (about or {}))
        trainer.ranks.advice = f" `mesocosm train --resume {path}` goes on"
        if not resume:
            return
        self._folder.reopen(reader, {"num_envs": trainer.ranks.num_envs})
        try:
            self._take_up()
        except BaseException:
            self._folder.restore()
            raise

    def _about(self) -> dict[str, Any]:
        trainer = self._trainer
        return {
            "kind": "training",
            "num_envs": trainer.ranks.num_envs,  # of all processes
            "plan": {"agent_steps": trainer.steps, "seed": trainer.seed},
            "learning": trainer.settings.model_dump(mode="json"),
            "learning_hash": settings_hash(trainer.settings),
        }

    def _take_up(self) -> None:
        if not has_checkpoint(self._folder.path):
            if any(name.startswith("tables/") for name in self._folder.files.files):
                raise RunError(f"{self._checkpoints / ABOUT}: is missing; it cannot go on from it")
            return  # killed before its first checkpoint: it begins again
        envs = [stage.env for stage in self._stages]
        noted = load_checkpoint(self._checkpoints, self._trainer, envs)
        self.curve, self.best = list(noted["curve"]), dict(noted["best"])
        self._marked = int(noted["marked"])

    def note(self, update: Update) -> None:
        """Take an update in, and write down what has to last."""
        rows = rows_of(update)
        self.curve += rows
        if self._board is not None:
            self._board.add(rows)
        marks = max(1, self._trainer.num_updates // MARKS)
        last = update.number == self._trainer.num_updates
        if update.number % marks == 0 or last:
            self._mark()
        elif time.monotonic() - self._written > CHECKPOINT_SECONDS:
            self.checkpoint()

    def _mark(self) -> None:
        """Keep the policies if they did better than before; perhaps move on to the next stage."""
        recent = self.curve[self._marked :]
        self._marked = len(self.curve)
        scores = {role: mean_return(recent, role) for role in self._trainer.learners}
        for role, score in scores.items():
            self._save_policy("last", role, score)
            if score is not None and score > self.best.get(role, -math.inf):
                self.best[role] = score
                self._save_policy("best", role, score)
        self._move_on(scores)
        self.checkpoint()

    def _save_policy(self, which: str, role: str, score: float | None) -> None:
        trainer = self._trainer
        learner, alone = trainer.learners[role], len(trainer.learners) == 1
        training = Training(
            settings=trainer.settings,
            agent_steps=self.agent_steps,
            seed=trainer.seed,
            metrics={"mean_return": score},
            command=self._command,
            truth_size=0 if learner.truth is None else learner.truth.size,
        )
        name = f"{which}.mesop" if alone else f"{which}-{role}.mesop"
        card = make_card(learner.role, trainer.env.config, training)
        write_bundle(self._folder.policies / name, learner.network, card)

    @property
    def _command(self) -> str:
        """Say what makes this policy again."""
        return str(self._folder.about.get("command", ""))

    def _move_on(self, scores: Mapping[str, float | None]) -> None:
        """Enter the next stage once every role has the score for it."""
        stage = self._trainer.stage
        wanted = self._stages[stage].score
        if all(score is not None and score >= wanted for score in scores.values()):
            self._trainer.move_to(self._stages[stage + 1].env, stage + 1)
            self.best = {}

    @property
    def reached_its_preset(self) -> bool:
        """Whether a curriculum came to its last stage."""
        return self._trainer.stage == len(self._stages) - 1

    @property
    def agent_steps(self) -> int:
        """Agent-steps that were played."""
        return self._trainer.number * self._trainer.steps_per_update

    @property
    def num_steps(self) -> int:
        return self._trainer.number * self._trainer.settings.horizon

    def checkpoint(self) -> None:
        """Write all that training goes on from."""
        self._save_checkpoint({"curve": self.curve, "best": self.best, "marked": self._marked})
        self._folder.commit(self.num_steps, self._write_tables(), 0)
        self._written = time.monotonic()

    def _save_checkpoint(self, noted: dict[str, Any]) -> None:
        save_checkpoint(self._checkpoints, self._trainer, noted)

    def _write_tables(self) -> dict[str, Any]:
        if not self.curve or not has_pyarrow():
            return {}
        self._folder.tables.mkdir(exist_ok=True)
        return write_curve(self._folder.tables, self.curve)

    def close(self, status: str, error: str = "") -> None:
        """End the run's files; a finished one lists them for good."""
        self._trainer.close()
        files = self._write_tables() if status == "finished" else {}
        if self._board is not None:
            self._board.close()
        if self._trainer.league is not None:
            self._folder.about["league"] = self._trainer.league.table()
        self._folder.finish(self.num_steps, files, 0)
        self._folder.close(status, self.num_steps, error)

    def __enter__(self) -> "TrainingRun":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            whole = self._trainer.number == self._trainer.num_updates
            self.close("finished" if whole else "interrupted")
            return
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        self.close("interrupted" if isinstance(error, KeyboardInterrupt) else "failed", said)


def has_checkpoint(path: Path) -> bool:
    """Whether a run folder holds what training goes on from."""
    return (path / CHECKPOINTS / ABOUT).exists()


def check_training(about: dict[str, Any], path: Path) -> dict[str, int]:
    """Give the plan of a run that is a training: agent-steps, seed, threads."""
    plan = about.get("plan")
    if about.get("kind") != "training" or not isinstance(plan, dict):
        raise RunError(f"{path}: is no training; `mesocosm train PRESET --out RUN` makes one")
    found = plan | {"threads": about.get("threads")}
    for name, low, high in (
        ("agent_steps", 1, math.inf),
        ("seed", 0, math.inf),
        ("threads", 1, MOST_RANKS),
    ):
        if type(found.get(name)) is not int or not low <= found[name] <= high:
            raise RunError(f"{path}: damaged: {name} is {short(found.get(name))}")
    stages = about.get("curriculum")
    good = isinstance(stages, list) and all(
        isinstance(x, dict) and isinstance(x.get("score"), float | int) and "config" in x
        for x in stages
    )
    begun_from = about.setdefault("from", {})
    good &= isinstance(begun_from, dict) and all(
        isinstance(x, dict) and isinstance(x.get("file"), str) and isinstance(x.get("sha256"), str)
        for x in begun_from.values()
    )
    if not good or not isinstance(about.get("learning"), dict):
        raise RunError(f"{path}: damaged: it does not say how it was trained")
    return found
