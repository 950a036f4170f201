"""Train at the points of a sweep; each training is a run folder that goes on where it ended."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.core.errors import RunError
from mesocosm.core.spec import Spec
from mesocosm.evaluation.arena.entrant import Entrant
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


def train(
    folder: Path,
    training: Training,
    resolved: Resolved,
    point: Point,
    budget: Budget,
    *,
    on_update: Callable[[int, int], None],
) -> Entrant:
    """Train, or go on, or take what is there already; give who came out of it.

    Args:
        on_update: Is told of every update, and how many there will be; what it raises ends
            the training, which then can go on.
    """
    from mesocosm.learning.open_training import Plan, choose_settings, open_again, open_new

    path = folder / training.name
    if not path.exists() or RunFolder(path).read()["status"] != "finished":
        if path.exists():
            run, trainer = open_again(path, budget.target)
        else:
            plan = Plan(resolved, (), budget.steps, training.seed, budget.target, budget.threads)
            settings = choose_settings(resolved, budget.learning | point.learning_part(), {})
            folder.mkdir(exist_ok=True)
            run, trainer, _ = open_new(path, plan, settings, command="")
        with run:
            for update in trainer.run():
                run.note(update)
                on_update(update.number, trainer.num_updates)
    return trained_entrant(path, training, resolved.spec)


def trained_entrant(path: Path, training: Training, spec: Spec) -> Entrant:
    """Give the policies of a finished training as an entrant."""
    folder = RunFolder(path)
    if folder.read()["status"] != "finished":
        raise RunError(f"{path}: has not finished")
    bundles = find_bundles(folder, spec, "last")
    return Entrant(training.name, str(path), {role: str(file) for role, file in bundles.items()})
