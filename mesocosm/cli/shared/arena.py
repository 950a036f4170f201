"""What `evaluate` and `tournament` share: their plan, the arena, and how they are interrupted."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from mesocosm.cli.shared.engine import Engine, open_executor
from mesocosm.cli.shared.interrupt import compiling, interrupts
from mesocosm.cli.shared.options import at_least, choose_target
from mesocosm.cli.shared.output import progress_bar, say
from mesocosm.core.errors import ConfigError, RunError
from mesocosm.evaluation.arena.arena import Arena, Conditions, open_again, open_new
from mesocosm.evaluation.arena.bout_folder import read_plan, resolve_presets
from mesocosm.evaluation.arena.entrant import (
    PROGRAM,
    Entrant,
    check_same_entrants,
    describe_entrant,
)
from mesocosm.evaluation.arena.episodes import MOST_EPISODES, Episodes
from mesocosm.evaluation.match import draw_seed
from mesocosm.resolve import Resolved
from mesocosm.telemetry.run_folder import RunFolder

PresetArgument = Annotated[
    str | None,
    typer.Argument(metavar="[PRESET]", help="A preset or a config file; not needed with --resume."),
]
Entrants = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME=]POLICY...",
        help="Who plays: a scripted policy's name, trained/NAME, FILE.mesop, FILE.py:CLASS, "
        "program:FILE.py:CLASS (in a process of its own) or the folder of a training.",
    ),
]
NumEpisodes = Annotated[int, typer.Option("--episodes", help="Episodes that every bout plays.")]
NumEnvs = Annotated[
    int | None, typer.Option(help="Episodes played side by side; all, at most 256, if not said.")
]
EvaluationSeed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        help="Which episodes: the same seed gives the same ones. If not said 0; with programs, who "
        "could find out what is hidden if they knew it, chance.",
    ),
]
Out = Annotated[Path | None, typer.Option(help="Keep the results in this new run folder.")]
Resume = Annotated[Path | None, typer.Option(help="Go on with one that was interrupted or killed.")]
Recorded = Annotated[
    bool, typer.Option("--record", help="Record every bout with tables and replay, beside them.")
]
MoveSeconds = Annotated[
    float, typer.Option("--limit", help="Seconds that a program may take for an answer.")
]


class Plan(NamedTuple):
    """What is to be played, as asked or as a folder says.

    Args:
        more: What else the command has to know to go on.
    """

    kind: str
    conditions: Conditions
    entrants: Sequence[Entrant]
    more: dict[str, Any]
    out: Path | None = None
    resume: bool = False
    engine: Engine = Engine()


class Asked(NamedTuple):
    """What a person said of how it is to be played."""

    episodes: int
    seed: int
    num_envs: int | None
    target: str
    limit: float
    recorded: bool


def choose_seed(seed: int | None, texts: Sequence[str]) -> int:
    """Give the seed that was asked for; else one that no program among the players can guess."""
    if seed is not None:
        return seed
    return draw_seed() if any(PROGRAM in text for text in texts) else 0


def make_conditions(presets: Sequence[Resolved], asked: Asked) -> Conditions:
    """Check what was asked."""
    episodes, seed, num_envs, target, limit, recorded = asked
    at_least(1, episodes=episodes, num_envs=num_envs)
    at_least(0, seed=seed)
    if episodes > MOST_EPISODES:
        raise ConfigError(f"--episodes: must be at most {MOST_EPISODES:,}, got {episodes:,}")
    if not 0 < limit <= 3600:
        raise ConfigError(f"--limit: must be above 0 and at most 3600 seconds, got {limit}")
    worlds = {resolved.spec.world for resolved in presets}
    if len(worlds) > 1:
        raise ConfigError(f"presets must be of one world, got {', '.join(sorted(worlds))}")
    which = Episodes(episodes, seed, min(num_envs or 0, episodes))
    return Conditions(tuple(presets), which, target, limit, recorded=recorded)


def resumed_conditions(
    path: Path, kind: str, target: str | None
) -> tuple[Conditions, dict[str, Any]]:
    """Read from a run folder what was planned, and where it was played if no target is given."""
    _, about = read_plan(path, kind)
    plan = about["plan"]
    try:
        presets = resolve_presets(path)
        episodes, seed, num_envs = (int(plan[key]) for key in ("episodes", "seed", "num_envs"))
        limit, recorded = float(plan["limit"]), bool(plan["record"])
        where = choose_target(target, about)
        asked = Asked(episodes, seed, num_envs or None, where, limit, recorded)
        conditions = make_conditions(presets, asked)
        _ = plan["entrants"], plan["more"]  # must be there
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path}: damaged: its plan cannot be read: {error}") from None
    return conditions, plan


@contextmanager
def open_arena(plan: Plan, total: Callable[[], int]) -> Iterator[Arena]:
    """Make the arena of a plan, with a bar; Ctrl-C ends it between two steps."""
    spec = plan.conditions.presets[0].spec
    told = [describe_entrant(entrant, spec) for entrant in plan.entrants]
    if plan.resume and plan.out is not None:
        before = RunFolder(plan.out).read()["plan"]["entrants"]
        check_same_entrants(before, told, str(plan.out))
    elif plan.out is not None:
        RunFolder(plan.out).check_new()
    about = {"kind": plan.kind, "plan": _data(plan, told)}
    folder = None
    if plan.out is not None:
        folder = (
            open_again(plan.out, plan.conditions)
            if plan.resume
            else open_new(plan.out, plan.conditions, about)
        )
    with (
        open_executor(plan.engine) as executor,
        progress_bar("bouts") as bar,
        interrupts() as interrupted,
    ):
        task = bar.add_task(plan.conditions.preset_name(0), total=total())

        def check() -> None:
            if interrupted():
                raise KeyboardInterrupt

        def show(what: str, done: int) -> None:
            bar.update(task, description=what, completed=done, total=total())

        with compiling():
            arena = Arena(
                plan.conditions,
                plan.entrants,
                open_folder=folder,
                executor=executor,
                on_step=check,
                on_bout=show,
            )
        with closing(arena):
            yield arena
            bar.update(task, completed=len(arena.bouts))


@contextmanager
def closing(arena: Arena) -> Iterator[None]:
    """Close an arena that fails or is interrupted; what ends well closes it itself."""
    try:
        yield
    except KeyboardInterrupt:
        arena.close("interrupted")
        raise
    except BaseException as error:
        arena.close("failed", f"{type(error).__name__}: {' '.join(str(error).split())}")
        raise


def _data(plan: Plan, entrants: list[dict[str, Any]]) -> dict[str, Any]:
    conditions = plan.conditions
    return {
        "presets": [conditions.preset_name(k) for k in range(len(conditions.presets))],
        "episodes": conditions.episodes.count,
        "seed": conditions.episodes.seed,
        "num_envs": conditions.episodes.num_envs,
        "limit": conditions.move_seconds,
        "record": conditions.recorded,
        "entrants": entrants,
        "more": plan.more,
    }


def check_request(command: str, source: str | None, out: Path | None, *, recorded: bool) -> str:
    """Refuse what is missing; give what is played."""
    if source is None:
        raise ConfigError(f"{command}: needs a preset or a config file, such as commons")
    if recorded and out is None:
        raise ConfigError("--record: needs --out RUN, where the recordings go")
    return source


def check_resumed(*given: Any) -> None:
    """Refuse what a run that goes on says itself."""
    if any(entry is not None for entry in given):
        raise ConfigError("--resume: the run says all else itself; only --target and --engine go")


def say_interrupted(plan: Plan) -> None:
    """Tell how to go on."""
    where = f"; mesocosm {plan.kind} --resume {plan.out} goes on" if plan.out else ""
    say(f"mesocosm: interrupted{where}")
