"""The `match` command: play programs and policies against each other, and count."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mesocosm.build import make
from mesocosm.cli.shared.exit_status import INTERRUPTED
from mesocosm.cli.shared.interrupt import compiling, interrupts
from mesocosm.cli.shared.options import (
    Archetypes,
    AsJson,
    Sets,
    Source,
    Target,
    Variants,
    at_least,
    resolve_source,
)
from mesocosm.cli.shared.output import console, print_json, print_table, progress_bar
from mesocosm.evaluation.programs.command import is_program, read_command
from mesocosm.evaluation.programs.containment import find_containment, require_containment
from mesocosm.evaluation.programs.limits import Limits
from mesocosm.evaluation.series import SeriesResult, SeriesSettings, play_series, seats_of
from mesocosm.learning.policies.load import load_policy
from mesocosm.resolve import Resolved
from mesocosm.telemetry.run_folder import RunFolder

MIB = 1 << 20
Programs = Annotated[
    list[str],
    typer.Argument(
        metavar="A B",
        help="The players: FILE.py:CLASS, MODULE:CLASS or a command line in quotes, which are "
        "closed in; or a scripted policy's name or FILE.mesop, which are trusted.",
    ),
]


def match(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    source: Source,
    programs: Programs,
    series: Annotated[int, typer.Option(help="How many seeds are played.")] = 1,
    swap: Annotated[
        bool, typer.Option("--swap", help="Play each seed again with the sides exchanged.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(help="What the games' seeds are made of; else chance, which none can guess."),
    ] = None,
    program_seed: Annotated[
        int | None, typer.Option(help="What the programs' own seeds are made of; else chance.")
    ] = None,
    move_seconds: Annotated[float, typer.Option(help="Allowed for a move.")] = 1.0,
    start_seconds: Annotated[float, typer.Option(help="Allowed before the first one.")] = 60.0,
    memory: Annotated[int, typer.Option(help="MiB that a program may use.")] = 2048,
    readable: Annotated[
        list[Path] | None,
        typer.Option(help="What programs may read beside the folders they are in; repeatable."),
    ] = None,
    closed: Annotated[
        bool, typer.Option("--closed", help="Refuse to play where there are no namespaces.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Record all games into this new folder.")] = None,
    target: Target = "cpu",
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
    as_json: AsJson = False,
) -> None:
    """Play programs and policies against each other, on the same seeds and from both sides."""
    at_least(1, series=series, memory=memory)
    at_least(0, seed=seed, program_seed=program_seed)
    resolved = resolve_source(source, assignments, archetypes, variants)
    limits = Limits(
        move_seconds=move_seconds, start_seconds=start_seconds, memory_bytes=memory * MIB
    )
    settings = SeriesSettings(series, swap, seed, program_seed, limits, tuple(readable or ()))
    _check(programs, resolved, closed=closed, out=out)
    result = _play(programs, resolved, settings, target=target, out=out)
    about: dict[str, Any] = {"preset": _preset(resolved), "run": str(out) if out else None}
    if as_json:
        print_json(about | result.data())
    else:
        _print(about["preset"], result, out)
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)


def _check(programs: list[str], resolved: Resolved, *, closed: bool, out: Path | None) -> None:
    """Refuse what cannot be played before anything compiles."""
    seats_of(resolved.spec, len(programs))
    for text in programs:
        if is_program(text):
            read_command(text)
        else:
            load_policy(text, resolved.spec.world)
    if closed and any(map(is_program, programs)):
        require_containment("namespaces")
    if out is not None:
        RunFolder(out).check_new()


def _play(
    programs: list[str],
    resolved: Resolved,
    settings: SeriesSettings,
    *,
    target: str,
    out: Path | None,
) -> SeriesResult:
    with compiling():
        env = make(resolved, target=target, autoreset="off")
    total = settings.count * (len(programs) if settings.swap else 1)
    with progress_bar("games") as progress, interrupts() as interrupted:
        task = progress.add_task(_preset(resolved), total=total)
        return play_series(
            env,
            programs,
            settings,
            out=out,
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
    if out is not None:
        print(f"recorded in {out} (see: mesocosm replay verify {out})")
