"""Trainings at the points of a sweep; each is a run folder that goes on where it ended."""

from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.core.errors import RunError
from mesocosm.core.spec import Spec
from mesocosm.evaluation.arena.entrant import Entrant
from mesocosm.evaluation.jobs.plain_preset import to_plain
from mesocosm.evaluation.jobs.train_job import TrainJob
from mesocosm.evaluation.sweep.dials import Point
from mesocosm.evaluation.sweep.plan import Training
from mesocosm.evaluation.trained import find_bundles
from mesocosm.resolve import Resolved
from mesocosm.telemetry.run_folder import RunFolder


class Budget(NamedTuple):
    """What every training gets."""

    steps: int
    threads: int
    target: str
    learning: dict[str, Any]  # settings that are the same at all points


def plan_training(
    folder: Path, training: Training, resolved: Resolved, point: Point, budget: Budget
) -> TrainJob:
    """Give the job that trains at a point."""
    return TrainJob(
        folder / training.name,
        to_plain(resolved),
        budget.steps,
        training.seed,
        budget.target,
        budget.threads,
        budget.learning | point.learning_part(),
    )


def trained_entrant(path: Path, training: Training, spec: Spec) -> Entrant:
    """Give the policies of a finished training as an entrant."""
    folder = RunFolder(path)
    if folder.read()["status"] != "finished":
        raise RunError(f"{path}: has not finished")
    bundles = find_bundles(folder, spec, "last")
    return Entrant(training.name, str(path), {role: str(file) for role, file in bundles.items()})
