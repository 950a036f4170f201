"""The `train` command: let the roles of a preset learn, and say how it goes."""

import math
import os
import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from mesocosm.cli.shared.engine import LOCAL_ENGINE, Address, Engine, EngineName, choose_engine
from mesocosm.cli.shared.exit_status import INTERRUPTED
from mesocosm.cli.shared.interrupt import compiling, interrupts
from mesocosm.cli.shared.options import (
    Archetypes,
    AsJson,
    Sets,
    Target,
    Variants,
    at_least,
)
from mesocosm.cli.shared.output import (
    console,
    print_json,
    print_table,
    progress_bar,
    rate_text,
    say,
)
from mesocosm.cli.shared.training_group import plan_group, resume_group, tell_group, train_group
from mesocosm.config.source import parse_assignments
from mesocosm.core.errors import ConfigError
from mesocosm.core.extra import missing_extra
from mesocosm.evaluation.training_group import is_group
from mesocosm.resolve import Resolved, resolve
from mesocosm.telemetry.run_folder import RunFolder

if TYPE_CHECKING:
    from mesocosm.learning.open_training import Plan
    from mesocosm.learning.trainer import Trainer, Update
    from mesocosm.learning.training_run import TrainingRun

DEFAULT_STEPS = 20_000_000
LEARNING = "learning."
RECENT = 0.02  # share of the training whose lives the bar and the summary tell of


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
    typer.Option(help="Cores to learn with; all if not said, with --seeds one for each training."),
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
    address: Address = None,
    out: Out = None,
    resume: Resume = None,
    start: Start = None,
    curriculum: Curriculum = None,
    target: Target = "cpu",
    threads: Threads = None,
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
    as_json: AsJson = False,
) -> None:
    """Train the roles of a preset, and keep their policies in a run folder."""
    at_least(1, steps=steps, threads=threads, seeds=seeds)
    at_least(0, seed=seed)
    chosen = _choose_engine(engine, address, seeds, resume)
    lists = {"--from": start, "--curriculum": curriculum, "--set": assignments}
    lists |= {"--archetype": archetypes, "--variant": variants}
    if resume is not None:
        if any(x is not None for x in (source, steps, seed, seeds, out, threads, *lists.values())):
            raise ConfigError("--resume: the run says all else itself; only --target goes")
        summary = _go_on(resume, target, chosen)
    elif source is None:
        raise ConfigError("train: needs a preset or a config file, such as townlet/L3")
    else:
        _import_learning()
        how = _How(steps or DEFAULT_STEPS, seed or 0, seeds, target, threads, chosen, out)
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
        threads=_check_threads(how.threads or (_num_cores() if how.seeds is None else 1)),
    )
    path = _free_folder(plan.resolved) if how.out is None else how.out
    if how.seeds is None:
        return _carry_out(*_new(path, plan, learning, start, _command(source, plan, lists)))
    seeds = range(plan.seed, plan.seed + how.seeds)
    commands = {seed: _command(source, plan._replace(seed=seed), lists) for seed in seeds}
    group = plan_group(plan, how.seeds, learning, start, commands)
    return train_group(path, group, how.engine)


def _go_on(path: Path, target: str, engine: Engine) -> dict[str, Any]:
    """Go on with a training, or with several."""
    if not is_group(path):
        return _carry_out(*_resumed(path, target))
    _import_learning()
    return resume_group(path, target, engine)


def _choose_engine(name: str, address: str | None, seeds: int | None, resume: Any) -> Engine:
    """Refuse Ray where there is only one training to do."""
    chosen = choose_engine(name, address)
    if chosen.name != LOCAL_ENGINE and seeds is None and (resume is None or not is_group(resume)):
        raise ConfigError(
            "--engine ray: is for several trainings: --seeds 8 trains with eight seeds"
        )
    return chosen


def _tell(summary: dict[str, Any], *, as_json: bool) -> None:
    if "trainings" in summary:
        tell_group(summary, as_json=as_json)
    elif as_json:
        print_json(summary)
    else:
        _print(summary)
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


def _check_threads(count: int) -> int:
    from mesocosm.learning.crew import MOST_THREADS

    if count > MOST_THREADS:
        raise ConfigError(f"--threads: must be at most {MOST_THREADS}, got {count:,}")
    return count


def _import_learning() -> None:
    try:
        import safetensors
        import torch  # noqa: F401 (asked for here, used where learning is)
    except ImportError as error:
        raise missing_extra("training needs PyTorch and safetensors", "learn") from error
    del safetensors


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
    _import_learning()
    from mesocosm.learning.open_training import open_again

    with compiling():
        run, trainer = open_again(path, target)
    return run, trainer, path


def _carry_out(run: "TrainingRun", trainer: "Trainer", path: Path) -> dict[str, Any]:
    """Train to the end, or until Ctrl-C, and sum up."""
    begun, first = time.perf_counter(), trainer.number
    interrupted = False
    with run, interrupts() as asked, progress_bar("") as progress:
        task = progress.add_task(_preset(trainer), total=trainer.num_updates, completed=first)
        for update in trainer.run():
            run.note(update)
            speed = (trainer.number - first) * trainer.steps_per_update
            text = _text(run, update, speed / (time.perf_counter() - begun))
            described = f"{_preset(trainer)} {text}"
            progress.update(task, completed=update.number, description=described)
            if asked():
                interrupted = True
                run.checkpoint()
                break
    seconds = time.perf_counter() - begun
    played = (trainer.number - first) * trainer.steps_per_update
    return _summary(run, trainer, path) | {
        "interrupted": interrupted,
        "seconds": seconds,
        "agent_steps_per_second": played / max(seconds, 1e-9),
    }


def _preset(trainer: "Trainer") -> str:
    """Name what is played now; in a curriculum, its stage."""
    identity = trainer.env.config.identity
    return f"{identity.world}/{identity.preset}"


def _text(run: "TrainingRun", update: "Update", speed: float) -> str:
    """Say how it goes, for the bar."""
    seconds = update.seconds
    total = sum(seconds) or 1.0
    shares = "/".join(f"{100 * part / total:.0f}" for part in seconds)
    recent = _recent(run)
    returns = ", ".join(f"{x['mean_return']:.1f}" for x in recent.values() if x["lives"]) or "-"
    entropy = ", ".join(f"{report.entropy:.2f}" for report in update.reports.values())
    return f"{rate_text(speed)}/s, return {returns}, entropy {entropy}, env/act/learn {shares} %"


def _recent(run: "TrainingRun") -> dict[str, dict[str, Any]]:
    """Sum up the lives of the last few updates, by role."""
    roles = list(dict.fromkeys(row["role"] for row in run.curve))
    count = max(1, int(RECENT * len(run.curve) / max(len(roles), 1)))
    made = {}
    for role in roles:
        rows = [row for row in run.curve if row["role"] == role and row["lives"]][-count:]
        lives = sum(row["lives"] for row in rows)
        keys = ("mean_return", "mean_length", "success", "failure", "neutral", "timeout")
        means = {
            key: sum(row[key] * row["lives"] for row in rows) / lives if lives else None
            for key in keys
        }
        made[role] = {"lives": lives, **means}
    return made


def _summary(run: "TrainingRun", trainer: "Trainer", path: Path) -> dict[str, Any]:
    seconds = {
        part: sum(row[f"{part}_seconds"] for row in run.curve)
        for part in ("env", "inference", "learning")
    }
    total = sum(seconds.values()) or 1.0
    return {
        "preset": _preset(trainer),
        "run": str(path),
        "agent_steps": run.agent_steps,
        "updates": trainer.number,
        "shares": {part: value / total for part, value in seconds.items()},
        "lately": _recent(run),
        "best": run.best,
        "reached_its_preset": run.reached_its_preset,
        "league": [] if trainer.league is None else trainer.league.table(),
    }


def _print(summary: dict[str, Any]) -> None:
    stopped = ", interrupted" if summary["interrupted"] else ""
    console().print(f"{summary['preset']}: trained{stopped}", style="bold")
    if not summary["reached_its_preset"]:
        say("mesocosm: the curriculum was not done: its score was not reached, and what it was "
            "to lead to was never played")  # fmt: skip
    shares = ", ".join(f"{name} {100 * part:.0f} %" for name, part in summary["shares"].items())
    rows = [
        ("agent-steps", f"{summary['agent_steps']:,} in {summary['updates']:,} updates"),
        ("speed", f"{rate_text(summary['agent_steps_per_second'])} agent-steps/s ({shares})"),
    ]
    for role, lately in summary["lately"].items():
        rows.append((f"lives of a {role} lately", _lives(lately)))
    rows.append(("run folder", f"{summary['run']} (see: mesocosm runs show {summary['run']})"))
    print_table(("", ""), rows)
    if summary["league"]:
        title = ("role", "network", "rating", "rated episodes", "did better")
        print_table(title, [_rating(entry) for entry in summary["league"]])


def _rating(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Say how strong a network of the league is."""
    network = "now" if entry["update"] is None else f"after update {entry['update']}"
    rating = f"{entry['rating']:.1f} ± {entry['uncertainty']:.1f}"
    rate = entry["score_rate"]
    better = "-" if rate is None else f"{100 * rate:.0f} %"
    return entry["role"], network, rating, f"{entry['games']:,}", better


def _lives(lately: dict[str, Any]) -> str:
    if not lately["lives"]:
        return "none ended"
    shares = [
        f"{name} {100 * lately[name]:.0f} %"
        for name in ("success", "failure", "neutral", "timeout")
        if lately[name]
    ]
    mean = f"return {lately['mean_return']:.1f}, {lately['mean_length']:.0f} steps"
    return f"{lately['lives']:,}: {mean}; {', '.join(shares)}"
