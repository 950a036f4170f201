"""A training's run folder: curve, checkpoints, policies; it goes on wherever it was killed."""

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from mesocosm.core.errors import RunError
from mesocosm.learning.checkpoint import load_checkpoint, save_checkpoint
from mesocosm.learning.curve import Row, mean_return, rows_of, write_curve
from mesocosm.learning.settings import settings_hash
from mesocosm.learning.trainer import Trainer, Update
from mesocosm.telemetry.run_folder import CHECKPOINTS, RunFolder
from mesocosm.telemetry.step_reader import StepReader
from mesocosm.telemetry.tables.parquet import has_pyarrow

MARKS = 50  # times in a training that the best policy is chosen anew and a checkpoint written
CHECKPOINT_SECONDS = 30.0
SavePolicy = Callable[[Path, Trainer, str, dict[str, Any]], None]


class TrainingRun:
    """Writes down a training as it goes.

    Args:
        save_policy: `(path, trainer, role, metrics)` writes a role's network as a file.
        about: What else run.json should say.
    """

    def __init__(
        self,
        path: Path,
        trainer: Trainer,
        save_policy: SavePolicy,
        *,
        resume: bool = False,
        about: dict[str, Any] | None = None,
    ) -> None:
        self._folder, self._trainer, self._save_policy = RunFolder(path), trainer, save_policy
        self._checkpoints = path / CHECKPOINTS
        self.curve: list[Row] = []
        self.best: dict[str, float] = {}  # by role
        self._marked = 0  # rows of the curve until the last mark
        self._written = time.monotonic()
        reader = StepReader(trainer.env)
        if not resume:
            self._folder.create(reader, self._about() | (about or {}))
            return
        self._folder.reopen(reader, {})
        try:
            self._take_up()
        except BaseException:
            self._folder.restore()
            raise

    def _about(self) -> dict[str, Any]:
        trainer = self._trainer
        return {
            "kind": "training",
            "plan": {"agent_steps": trainer.steps, "seed": trainer.seed},
            "learning": trainer.settings.model_dump(mode="json"),
            "learning_hash": settings_hash(trainer.settings),
        }

    def _take_up(self) -> None:
        if not (self._checkpoints / "last.json").exists():
            return  # killed before its first checkpoint: it begins again
        noted = load_checkpoint(self._checkpoints, self._trainer)
        self.curve, self.best = list(noted["curve"]), dict(noted["best"])
        self._marked = int(noted["marked"])

    def note(self, update: Update) -> None:
        """Take an update in, and write down what has to last."""
        self.curve += rows_of(update)
        marks = max(1, self._trainer.num_updates // MARKS)
        last = update.number == self._trainer.num_updates
        if update.number % marks == 0 or last:
            self._mark()
        elif time.monotonic() - self._written > CHECKPOINT_SECONDS:
            self.checkpoint()

    def _mark(self) -> None:
        """Keep the policies if they did better than before, and write a checkpoint."""
        recent = self.curve[self._marked :]
        self._marked = len(self.curve)
        for role in self._trainer.learners:
            score = mean_return(recent, role)
            metrics = {"mean_return": score, "agent_steps": self.agent_steps}
            self._save_policy(self._policy_path("last", role), self._trainer, role, metrics)
            if score is not None and score > self.best.get(role, float("-inf")):
                self.best[role] = score
                self._save_policy(self._policy_path("best", role), self._trainer, role, metrics)
        self.checkpoint()

    @property
    def agent_steps(self) -> int:
        """Agent-steps that were played."""
        return self._trainer.number * self._trainer.steps_per_update

    @property
    def num_steps(self) -> int:
        return self._trainer.number * self._trainer.settings.horizon

    def _policy_path(self, which: str, role: str) -> Path:
        alone = len(self._trainer.learners) == 1
        return self._folder.policies / (f"{which}.mesop" if alone else f"{which}-{role}.mesop")

    def checkpoint(self) -> None:
        """Write all that training goes on from."""
        noted = {"curve": self.curve, "best": self.best, "marked": self._marked}
        save_checkpoint(self._checkpoints, self._trainer, noted)
        self._folder.commit(self.num_steps, self._write_tables(), 0)
        self._written = time.monotonic()

    def _write_tables(self) -> dict[str, Any]:
        if not self.curve or not has_pyarrow():
            return {}
        self._folder.tables.mkdir(exist_ok=True)
        return write_curve(self._folder.tables, self.curve)

    def close(self, status: str, error: str = "") -> None:
        """End the run's files; a finished one lists them for good."""
        files = self._write_tables() if status == "finished" else {}
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


def check_training(about: dict[str, Any], path: Path) -> dict[str, Any]:
    """Give the plan of a run that is a training."""
    plan = about.get("plan")
    if about.get("kind") != "training" or not isinstance(plan, dict):
        raise RunError(f"{path}: is no training; `mesocosm train PRESET --out RUN` makes one")
    for name in ("agent_steps", "seed"):
        if type(plan.get(name)) is not int or plan[name] < 0:
            raise RunError(f"{path}: damaged: plan.{name} is {plan.get(name)!r}")
    return plan
