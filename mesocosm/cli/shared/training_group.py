"""What `train --seeds` does: trainings that differ in their seed, into one run folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesocosm.cli.shared.engine import Engine, open_executor
from mesocosm.cli.shared.interrupt import compiling, interrupts
from mesocosm.cli.shared.output import console, print_json, print_table, progress_bar, say
from mesocosm.evaluation.jobs.files import checksum
from mesocosm.evaluation.jobs.plain_preset import to_plain
from mesocosm.evaluation.training_group import GroupPlan, TrainingGroup, read_group
from mesocosm.telemetry.run_folder import RunFolder

if TYPE_CHECKING:
    from mesocosm.learning.open_training import Plan

PARTS = 1000  # of a training, on the bar


def plan_group(
    plan: "Plan",
    seeds: int,
    learning: Mapping[str, Any],
    starts: list[str],
    commands: Mapping[int, str],
) -> GroupPlan:
    """Plan trainings with some seeds, from that of the plan on; refuse what cannot be read."""
    from mesocosm.learning.open_training import choose_settings
    from mesocosm.learning.warm_start import read_starts

    roles = list(plan.resolved.spec.roles)
    choose_settings(plan.resolved, learning, read_starts(starts, roles))
    files = [text.rpartition("=")[2] for text in starts]
    return GroupPlan(
        to_plain(plan.resolved),
        plan.steps,
        tuple(range(plan.seed, plan.seed + seeds)),
        plan.target,
        plan.threads,
        learning,
        tuple((to_plain(resolved), score) for resolved, score in plan.earlier),
        tuple(starts),
        {file: checksum(file) for file in files},
        commands,
    )


def train_group(path: Path, plan: GroupPlan, engine: Engine) -> dict[str, Any]:
    """Train a new group."""
    RunFolder(path).check_new()
    return _carry_out(path, plan, engine, resume=False)


def resume_group(path: Path, target: str, engine: Engine) -> dict[str, Any]:
    """Go on with a group."""
    return _carry_out(path, read_group(path, target), engine, resume=True)


def _carry_out(path: Path, plan: GroupPlan, engine: Engine, *, resume: bool) -> dict[str, Any]:
    with compiling():
        group = TrainingGroup(path, plan, resume=resume)
    rows: list[dict[str, Any]] = []
    interrupted = False
    try:
        with open_executor(engine) as executor, interrupts() as asked:
            rows = _train(group, executor, asked)
        group.close("finished", rows)
    except KeyboardInterrupt:
        group.close("interrupted")
        interrupted = True
    except BaseException as error:
        group.close("failed", error=f"{type(error).__name__}: {' '.join(str(error).split())}")
        raise
    identity = plan.preset.resolve().config.identity
    preset = f"{identity.world}/{identity.preset}"
    made = {"preset": preset, "run": str(path), "seeds": list(plan.seeds), "trainings": rows}
    return made | {"interrupted": interrupted}


def _train(group: TrainingGroup, executor: Any, asked: Any) -> list[dict[str, Any]]:
    """Train with a bar, until all is done or Ctrl-C."""
    shares = [1.0 if job.is_done else 0.0 for job in group.jobs]
    with progress_bar("") as bar:
        task = bar.add_task("trainings", total=PARTS * len(shares))

        def watch(k: int | None, share: float) -> None:
            if k is not None:
                shares[k] = share
                done = sum(x >= 1.0 for x in shares)
                words = f"{done} of {len(shares)} trainings done, {group.jobs[k].name} {share:.0%}"
                bar.update(task, completed=int(PARTS * sum(shares)), description=words)
            if asked():
                raise KeyboardInterrupt

        return group.train(executor, watch)


def tell_group(summary: Mapping[str, Any], *, as_json: bool) -> None:
    """Print what came of a group."""
    run = summary["run"]
    if as_json:
        print_json(dict(summary))
        return
    if summary["interrupted"]:
        say(f"mesocosm: interrupted; mesocosm train --resume {run} goes on")
        return
    title = f"{summary['preset']}: trained with {len(summary['seeds'])} seeds"
    console().print(title, style="bold")
    head = ("seed", "role", "agent-steps", "best return", "last return")
    print_table(head, [_cells(row) for row in summary["trainings"]])
    print(f"kept in {run} (see: mesocosm query {run} 'FROM learning', mesocosm report {run})")


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    means = [row["best_return"], row["last_return"]]
    told = ["-" if value is None else f"{value:.3f}" for value in means]
    return (str(row["seed"]), row["role"], f"{row['agent_steps']:,}", *told)
