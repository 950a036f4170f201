"""The `match` command: play programs and policies against each other, and count."""

import secrets
import shutil
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from mesocosm.build import make
from mesocosm.cli.shared.exit_status import INTERRUPTED
from mesocosm.cli.shared.interrupt import compiling, interrupts
from mesocosm.cli.shared.options import (
    DEFAULT_TARGET,
    Archetypes,
    AsJson,
    ResumableTarget,
    Sets,
    Variants,
    at_least,
    choose_target,
    resolve_source,
)
from mesocosm.cli.shared.output import console, print_json, print_table, progress_bar
from mesocosm.core.errors import ConfigError, RunError
from mesocosm.evaluation.game_store import GameStore
from mesocosm.evaluation.programs.command import is_program, read_command
from mesocosm.evaluation.programs.containment import find_containment, require_containment
from mesocosm.evaluation.programs.limits import Limits
from mesocosm.evaluation.series import (
    MOST_SEEDS,
    SeriesSettings,
    check_same_programs,
    play_series,
    seats_of,
)
from mesocosm.evaluation.series_result import SeriesResult
from mesocosm.learning.policies.load import load_policy
from mesocosm.resolve import Resolved, resolve
from mesocosm.telemetry.run import Run
from mesocosm.telemetry.run_folder import RUN, RunFolder

MIB = 1 << 20
PresetArgument = Annotated[
    str | None,
    typer.Argument(metavar="[PRESET]", help="A preset or a config file; not needed with --resume."),
]
Programs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[A B]",
        help="The players: FILE.py:CLASS, MODULE:CLASS or a command line in quotes, which are "
        "closed in; or a scripted policy's name or FILE.mesop, which are trusted.",
    ),
]
Swap = Annotated[
    bool, typer.Option("--swap", help="Play each seed again with the sides exchanged.")
]
GameSeed = Annotated[
    int | None,
    typer.Option(help="What the games' seeds are made of; else chance, which none can guess."),
]
ProgramSeed = Annotated[
    int | None, typer.Option(help="What the programs' own seeds are made of; else chance.")
]
Readable = Annotated[
    list[Path] | None,
    typer.Option(help="What programs may read beside the folders they are in; repeatable."),
]
Closed = Annotated[
    bool, typer.Option("--closed", help="Refuse to play where there are no namespaces.")
]


def match(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    source: PresetArgument = None,
    programs: Programs = None,
    series: Annotated[int, typer.Option(help="How many seeds are played.")] = 1,
    swap: Swap = False,
    seed: GameSeed = None,
    program_seed: ProgramSeed = None,
    move_seconds: Annotated[float, typer.Option(help="Allowed for a move.")] = 1.0,
    start_seconds: Annotated[float, typer.Option(help="Allowed before the first one.")] = 60.0,
    memory: Annotated[int, typer.Option(help="MiB that a program may use.")] = 2048,
    readable: Readable = None,
    closed: Closed = False,
    out: Annotated[Path | None, typer.Option(help="Record all games into this new folder.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the series of a folder.")] = None,
    target: ResumableTarget = None,
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
    as_json: AsJson = False,
) -> None:
    """Play programs and policies against each other, on the same seeds and from both sides."""
    at_least(1, series=series, memory=memory)
    at_least(0, seed=seed, program_seed=program_seed)
    if resume is not None:
        if source or programs or out or assignments:
            raise ConfigError("--resume: the series says all else itself; only --target goes")
        finished = _find_finished(resume)
        if finished is not None:
            _tell(*finished, resume, as_json=as_json)
            return
        asked = _resumed(resume, target)
    else:
        limits = Limits(
            move_seconds=move_seconds, start_seconds=start_seconds, memory_bytes=memory * MIB
        )
        for path in readable or ():
            if not path.exists():
                raise ConfigError(f"--readable: {path}: no such file or folder")
        if series > MOST_SEEDS:
            raise ConfigError(f"--series: must be at most {MOST_SEEDS:,}, got {series:,}")
        settings = SeriesSettings(series, swap, seed, program_seed, limits, tuple(readable or ()))
        if source is None:
            raise ConfigError("match: needs a preset and players, such as commons greedy steady")
        resolved = resolve_source(source, assignments, archetypes, variants)
        asked = Asked(resolved, programs or [], settings, target or DEFAULT_TARGET, out)
    _check(asked, closed=closed, resume=resume is not None)
    result = _play(asked, resume=resume is not None)
    _tell(_preset(asked.resolved), result, asked.out, as_json=as_json)
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)


class Asked(NamedTuple):
    """What is to be played, as asked or as a series that goes on says."""

    resolved: Resolved
    programs: list[str]
    settings: SeriesSettings
    target: str
    out: Path | None


def _find_finished(out: Path) -> tuple[str, SeriesResult] | None:
    """Give preset and result of a series that needs nothing more; its games may be left over."""
    if not (out / RUN).is_file():
        return None
    run = Run(out, make)
    if run.status != "finished" or "match" not in run.about:
        return None
    try:
        result = SeriesResult.of_data(run.about["match"])
    except (KeyError, TypeError, AttributeError) as error:
        raise RunError(f"{out}: is no series that can go on: {error}") from None
    GameStore(out).remove()
    return _preset(resolve(run.folder.config)), result


def _tell(preset: str, result: SeriesResult, out: Path | None, *, as_json: bool) -> None:
    """Show what came of a series."""
    if as_json:
        print_json({"preset": preset, "run": str(out) if out else None} | result.data())
    else:
        _print(preset, result, out)


def _resumed(out: Path, target: str | None) -> Asked:
    """Read what was asked of a series that goes on."""
    store = GameStore(out)
    plan = store.read_plan()
    store.check_free()
    try:
        programs = [str(text) for text in plan["programs"]]
        settings = SeriesSettings.of_data(plan["settings"])
        check_same_programs(plan, programs, settings, store)
        where = choose_target(target, plan)
        return Asked(resolve(plan["config"]), programs, settings, where, out)
    except (KeyError, TypeError, AttributeError) as error:
        raise RunError(f"{store.path}: damaged: its plan cannot be read: {error}") from None


def _check(asked: Asked, *, closed: bool, resume: bool) -> None:
    """Refuse what cannot be played before anything compiles."""
    seats_of(asked.resolved.spec, len(asked.programs))
    for text in asked.programs:
        if is_program(text):
            read_command(text)
        else:
            load_policy(text, asked.resolved.spec.world)
    if closed and any(map(is_program, asked.programs)):
        require_containment("namespaces")
    if asked.out is not None:
        if resume:
            _remove_partial(asked.out)
        RunFolder(asked.out).check_new()


def _remove_partial(out: Path) -> None:
    """Remove a recording that did not come to its end: it is made anew from the games."""
    whole = ("finished", "running")
    if out.is_dir() and any(out.iterdir()) and Run(out, make).status not in whole:
        away = out.with_name(f".{out.name}.{secrets.token_hex(6)}.old")
        out.rename(away)  # at once: half a folder would stand in the way for ever
        shutil.rmtree(away)


def _play(asked: Asked, *, resume: bool) -> SeriesResult:
    with compiling():
        env = make(asked.resolved, target=asked.target, autoreset="off")
    settings = asked.settings
    total = settings.count * (len(asked.programs) if settings.swap else 1)
    with progress_bar("games") as progress, interrupts() as interrupted:
        task = progress.add_task(_preset(asked.resolved), total=total)
        return play_series(
            env,
            asked.programs,
            settings,
            out=asked.out,
            resume=resume,
            advance=lambda game: progress.advance(task),
            interrupted=interrupted,
        )


def _preset(resolved: Resolved) -> str:
    identity = resolved.config.identity
    return f"{identity.world}/{identity.preset}"


def _print(preset: str, result: SeriesResult, out: Path | None) -> None:
    stopped = ", interrupted" if result.interrupted else ""
    by = "the rules" if result.judged_by == "rules" else "mean return"
    head = f"{preset}: {len(result.games)} games, won by {by}{stopped}"
    console().print(head, style="bold", highlight=False)
    columns = ("player", "program", "games", "wins", "draws", "losses", "forfeits")
    rows = [
        (
            s.player, s.program, str(s.games), str(s.wins), str(s.draws), str(s.losses),
            str(s.forfeits), "-" if s.mean_return is None else f"{s.mean_return:.4g}",
            f"{s.slowest * 1e3:.1f} ms" if s.slowest else "-",
        )
        for s in result.standings()
    ]  # fmt: skip
    print_table((*columns, "mean return", "slowest move"), rows)
    seats = dict.fromkeys(seat for game in result.games for seat in game.players)
    wins = [
        (seat, *(str(s.wins_by_seat.get(seat, 0)) for s in result.standings())) for seat in seats
    ]
    print_table(("wins as", *result.programs), wins)
    if result.reasons():
        why = [(player, str(count), reason) for player, reason, count in result.reasons()]
        print_table(("forfeited", "games", "reason"), why)
    if any(map(is_program, result.programs.values())):
        print(f"programs were closed in by: {find_containment()}")
    if out is not None and result.interrupted:
        print(f"go on with: mesocosm match --resume {out}")
    elif out is not None:
        print(f"recorded in {out} (see: mesocosm replay verify {out})")
