"""The `train` command: let the roles of a preset learn, and say how it goes."""

import math
import os
import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, cast

import typer

from mesocosm.cli.shared.engine import LOCAL_ENGINE, Address, Engine, choose_engine
from mesocosm.cli.shared.exit_status import INTERRUPTED
from mesocosm.cli.shared.interrupt import compiling, interrupts
from mesocosm.cli.shared.learning import import_learning
from mesocosm.cli.shared.options import (
    DEFAULT_TARGET,
    Archetypes,
    AsJson,
    ResumableTarget,
    Sets,
    Variants,
    at_least,
    choose_target,
)
from mesocosm.cli.shared.output import (
    print_json,
    progress_bar,
    say,
)
from mesocosm.cli.shared.rllib_training import (
    RLLIB,
    check_options,
    is_by_rllib,
    open_rllib,
    resume_rllib,
)
from mesocosm.cli.shared.training_group import plan_group, resume_group, tell_group, train_group
from mesocosm.cli.shared.training_summary import bar_text, preset_of, print_summary, summarise
from mesocosm.config.source import parse_assignments
from mesocosm.core.errors import ConfigError
from mesocosm.evaluation.training_group import is_group
from mesocosm.resolve import Resolved, resolve
from mesocosm.telemetry.run_folder import RunFolder

if TYPE_CHECKING:
    from mesocosm.learning.open_training import Plan
    from mesocosm.learning.trainer import Trainer
    from mesocosm.learning.training_run import TrainingRun

SHARED_STEPS = 1_000_000  # from which on several processes train
THREADS_PER_CORE, LEAST_MOST_THREADS = 4, 16  # more processes only wait for each other
DEFAULT_THREADS = 8  # at most: the envs of a preset, shared out further, leave little to do
DEFAULT_STEPS = 20_000_000
LEARNING = "learning."


Steps = Annotated[
    int | None, typer.Option(help="Agent-steps to play in all; 20,000,000 if not said.")
]
Out = Annotated[Path | None, typer.Option(help="The new run folder; one under runs/ if not said.")]
Resume = Annotated[
    Path | None, typer.Option(help="Go on with a training that was interrupted or killed.")
]
Start = Annotated[
    list[str] | None,
    typer.Option(
        "--from", metavar="[ROLE=]FILE", help="Begin from a policy (.mesop); may be repeated."
    ),
]
Curriculum = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PRESET=SCORE",
        help="Train on another preset first, until its mean return; may be repeated.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        help="Processes that play and learn together; if not said, one per core, at most 8, but "
        "one in short trainings and with --seeds. On a GPU and in a league always one."
    ),
]
EngineName = Annotated[
    Literal["local", "ray", "rllib"],
    typer.Option(
        "--engine",
        help="Who trains: this process; Ray's workers, one for each of --seeds; or RLlib's PPO, "
        "whose workers play.",
    ),
]
Workers = Annotated[
    int | None, typer.Option(help="With --engine rllib: how many play; all cores if not said.")
]
Seeds = Annotated[
    int | None,
    typer.Option(help="Train with so many seeds, from --seed on, into one run folder."),
]


def train(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[PRESET]", help="A preset or a config file; not needed with --resume."
        ),
    ] = None,
    steps: Steps = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of everything that is random; 0 if not said.")
    ] = None,
    seeds: Seeds = None,
    engine: EngineName = "local",
    workers: Workers = None,
    address: Address = None,
    out: Out = None,
    resume: Resume = None,
    start: Start = None,
    curriculum: Curriculum = None,
    target: ResumableTarget = None,
    threads: Threads = None,
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
    as_json: AsJson = False,
) -> None:
    """Train the roles of a preset, and keep their policies in a run folder."""
    at_least(1, steps=steps, threads=threads, seeds=seeds, workers=workers)
    at_least(0, seed=seed)
    chosen = _choose_engine(engine, address, seeds, resume)
    lists = {"--from": start, "--curriculum": curriculum, "--set": assignments}
    lists |= {"--archetype": archetypes, "--variant": variants}
    check_options(engine, {"--workers": workers, "--seeds": seeds} | lists)
    if resume is not None:
        numbers = (steps, seed, seeds, threads, workers)
        if any(x is not None for x in (source, out, *numbers, *lists.values())):
            raise ConfigError("--resume: the run says all else itself; only --target goes")
        summary = _go_on(resume, target, chosen)
    elif source is None:
        raise ConfigError("train: needs a preset or a config file, such as townlet/L3")
    else:
        import_learning()
        where = target or DEFAULT_TARGET
        how = _How(steps or DEFAULT_STEPS, seed or 0, seeds, where, threads, chosen, out, workers)
        summary = _begin(source, lists, how)
    _tell(summary, as_json=as_json)


class _How(NamedTuple):
    """How a new training is done, as asked."""

    steps: int
    seed: int
    seeds: int | None
    target: str
    threads: int | None
    engine: Engine
    out: Path | None
    workers: int | None


def _begin(source: str, lists: Mapping[str, list[str] | None], how: _How) -> dict[str, Any]:
    """Train what was asked for, with one seed or with several."""
    from mesocosm.learning.open_training import Plan

    start, curriculum, assignments, archetypes, variants = (x or [] for x in lists.values())
    core, learning = _split(parse_assignments(assignments))
    plan = Plan(
        resolve(source, core, archetypes, variants),
        tuple(_earlier_stage(text) for text in curriculum),
        steps=how.steps,
        seed=how.seed,
        target=how.target,
        threads=_check_threads(how.threads or _default_threads(how)),
    )
    path = _free_folder(plan.resolved) if how.out is None else how.out
    if how.engine.name == RLLIB:
        return _train_by_rllib(path, plan, learning, how, _command(source, plan, lists))
    if how.seeds is None:
        return _carry_out(*_new(path, plan, learning, start, _command(source, plan, lists)))
    seeds = range(plan.seed, plan.seed + how.seeds)
    commands = {seed: _command(source, plan._replace(seed=seed), lists) for seed in seeds}
    group = plan_group(plan, how.seeds, learning, start, commands)
    return train_group(path, group, how.engine)


def _go_on(path: Path, asked: str | None, engine: Engine) -> dict[str, Any]:
    """Go on with a training, or with several."""
    target = choose_target(asked, RunFolder(path).read())
    by_rllib = not is_group(path) and is_by_rllib(path)
    if engine.name == RLLIB and not by_rllib:
        raise ConfigError(f"{path}: is no training by the engine 'rllib': resume it without")
    if by_rllib:
        import_learning()
        with resume_rllib(path, target, engine.address) as (run, trainer):
            return _carry_out(run, cast("Trainer", trainer), path)
    if not is_group(path):
        return _carry_out(*_resumed(path, target))
    import_learning()
    return resume_group(path, target, engine)


def _choose_engine(name: str, address: str | None, seeds: int | None, resume: Any) -> Engine:
    """Refuse Ray where there is only one training to do."""
    chosen = choose_engine(name, address)
    if chosen.name == RLLIB:
        return chosen
    if chosen.name != LOCAL_ENGINE and seeds is None and (resume is None or not is_group(resume)):
        raise ConfigError(
            "--engine ray: is for several trainings: --seeds 8 trains with eight seeds"
        )
    return chosen


def _train_by_rllib(
    path: Path, plan: "Plan", learning: dict[str, Any], how: _How, command: str
) -> dict[str, Any]:
    """Let RLlib play on Ray's workers."""
    workers = how.workers or _num_cores()
    command += f" --engine {RLLIB} --workers {workers}"
    asked: dict[str, Any] = {"workers": workers, "address": how.engine.address}
    with open_rllib(path, plan, learning, **asked, command=command) as (run, trainer):
        return _carry_out(run, cast("Trainer", trainer), path)


def _tell(summary: dict[str, Any], *, as_json: bool) -> None:
    if "trainings" in summary:
        tell_group(summary, as_json=as_json)
    elif as_json:
        print_json(summary)
    else:
        print_summary(summary)
    if summary["interrupted"]:
        raise typer.Exit(INTERRUPTED)


def _command(source: str, plan: "Plan", lists: Mapping[str, list[str] | None]) -> str:
    """Write down what to type to train the same again."""
    made = ["mesocosm", "train", source, "--steps", str(plan.steps), "--seed", str(plan.seed)]
    for option, values in lists.items():
        for value in values or []:
            made += [option, value]
    if plan.target != "cpu":
        made += ["--target", plan.target]
    return shlex.join([*made, "--threads", str(plan.threads)])


def _split(overrides: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tell settings of the config from those of learning."""
    learning = {path: value for path, value in overrides.items() if path.startswith(LEARNING)}
    return {path: value for path, value in overrides.items() if path not in learning}, learning


def _free_folder(resolved: Resolved) -> Path:
    identity = resolved.config.identity
    name = f"train-{identity.world}-{identity.preset}"
    numbers = (Path("runs") / f"{name}-{number}" for number in range(1, 1_000_000))
    return next(path for path in numbers if not path.exists())


def _num_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _default_threads(how: "_How") -> int:
    """Use all cores, unless the others would hardly have begun by the end, or learn beside."""
    alone = how.seeds is not None or how.steps < SHARED_STEPS
    return 1 if alone else min(_num_cores(), DEFAULT_THREADS)


def _check_threads(count: int) -> int:
    """Refuse more processes than would only wait for each other."""
    cores = _num_cores()
    most = max(LEAST_MOST_THREADS, THREADS_PER_CORE * cores)
    if count > most:
        raise ConfigError(
            f"--threads: must be at most {most} on a machine with {cores} cores, got {count:,}"
        )
    return count


def _earlier_stage(text: str) -> tuple[Resolved, float]:
    """Read `PRESET=SCORE`."""
    preset, _, score = text.rpartition("=")
    try:
        wanted = float(score)
    except ValueError:
        wanted = math.nan
    if not preset or not math.isfinite(wanted):
        raise ConfigError(f"--curriculum {text}: must look like townlet/L4=400")
    return resolve(preset), wanted


def _new(
    path: Path, plan: "Plan", learning: dict[str, Any], start: list[str], command: str
) -> tuple["TrainingRun", "Trainer", Path]:
    from mesocosm.learning.open_training import choose_settings, open_new
    from mesocosm.learning.warm_start import read_starts

    RunFolder(path).check_new()
    bundles = read_starts(start, list(plan.resolved.spec.roles))
    settings = choose_settings(plan.resolved, learning, bundles)
    with compiling():
        run, trainer, notes = open_new(path, plan, settings, command=command, bundles=bundles)
    for note in notes:
        say(f"mesocosm: {note}")
    return run, trainer, path


def _resumed(path: Path, target: str) -> tuple["TrainingRun", "Trainer", Path]:
    import_learning()
    from mesocosm.learning.open_training import open_again

    with compiling():
        run, trainer = open_again(path, target)
    return run, trainer, path


def _carry_out(run: "TrainingRun", trainer: "Trainer", path: Path) -> dict[str, Any]:
    """Train to the end, or until Ctrl-C, and sum up."""
    begun, first = time.perf_counter(), trainer.number
    interrupted = False
    with run, interrupts() as asked, progress_bar("") as progress:
        task = progress.add_task(preset_of(trainer), total=trainer.num_updates, completed=first)
        for update in trainer.run():
            run.note(update)
            speed = (trainer.number - first) * trainer.steps_per_update
            text = bar_text(run, update, speed / (time.perf_counter() - begun))
            described = f"{preset_of(trainer)} {text}"
            progress.update(task, completed=update.number, description=described)
            if asked():
                interrupted = True
                run.checkpoint()
                break
    seconds = time.perf_counter() - begun
    played = (trainer.number - first) * trainer.steps_per_update
    return summarise(run, trainer, path) | {
        "interrupted": interrupted,
        "seconds": seconds,
        "agent_steps_per_second": played / max(seconds, 1e-9),
    }
