"""The `report` command: see what was given, and write the page that belongs to it.

There is a module for each kind of run; these are over `films` and `playing`.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from mesocosm.build import open_run
from mesocosm.cli.report.evaluation import report_evaluation
from mesocosm.cli.report.match import report_match
from mesocosm.cli.report.playing import Asked
from mesocosm.cli.report.training import report_training
from mesocosm.cli.report.trainings import report_trainings
from mesocosm.cli.shared.options import AsJson, Target, at_least
from mesocosm.core.errors import ConfigError, RunError
from mesocosm.evaluation.training_group import find_trainings, is_group
from mesocosm.telemetry.run import Run

DEFAULT_EPISODES, DEFAULT_SEED = 1000, 1_000_003
EVALUATIONS = ("evaluate", "tournament", "sweep")
TRAINING, MATCH = "training", "match"
MADE_BY = "train, evaluate, tournament, match or sweep"
Runs = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN...",
        help="The folder of a training, an evaluation, a tournament, a series of matches or a "
        "sweep; or several trainings of one config.",
    ),
]


def report(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    folders: Runs,
    out: Annotated[
        Path | None,
        typer.Option(help="The page; report/report.html in the (first) run if not said."),
    ] = None,
    episodes: Annotated[
        int | None,
        typer.Option(help=f"Episodes that what trainings learnt plays; {DEFAULT_EPISODES:,}."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help=f"Seed of these, not a training's; {DEFAULT_SEED:,}.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(help="A scripted policy to compare trainings with; may be repeated."),
    ] = None,
    of: Annotated[
        str | None, typer.Option(help="Whose episodes are filmed; the best one's if not said.")
    ] = None,
    film: Annotated[bool, typer.Option(help="Show episodes, where the world has pictures.")] = True,
    target: Target = "cpu",
    as_json: AsJson = False,
) -> None:
    """Write one page about a run of any kind, or about several trainings of one config."""
    at_least(1, episodes=episodes)
    at_least(0, seed=seed)
    runs = [open_run(path) for folder in folders for path in _members(folder)]
    kinds = [kind_of(run) for run in runs]
    _check_options(kinds[0], of=of, episodes=episodes, seed=seed, against=against)
    page = _page_path(folders[0] if len(folders) == 1 else None, out)
    judged = (
        DEFAULT_EPISODES if episodes is None else episodes,
        DEFAULT_SEED if seed is None else seed,
    )
    asked = Asked(*judged, against, target, film)
    with _folder_of(page):
        if len(runs) > 1:
            _check_trainings(runs, kinds)
            report_trainings(runs, asked, page, as_json=as_json)
        elif kinds[0] == TRAINING:
            report_training(runs[0], asked, page, as_json=as_json)
        elif kinds[0] == MATCH:
            report_match(runs[0], page, target=target, film=film, as_json=as_json)
        else:
            report_evaluation(runs[0], page, target=target, film=film, of=of, as_json=as_json)


def _check_trainings(runs: list[Run], kinds: list[str]) -> None:
    for run, kind in zip(runs, kinds, strict=True):
        if kind != TRAINING:
            raise ConfigError(f"{run.folder.path}: only trainings go together, this is {kind}")


def _members(folder: Path) -> list[Path]:
    """Name the trainings of a group; any other run is one itself."""
    return find_trainings(folder) if is_group(folder) else [folder]


def kind_of(run: Run) -> str:
    """Say what a run is, or that no page can be made of it."""
    kind = run.about.get("kind")
    if kind == TRAINING or kind in EVALUATIONS:
        return str(kind)
    if kind is None and isinstance(run.about.get(MATCH), dict):
        return MATCH
    got = "a plain run" if kind is None else f"of a foreign kind, {str(kind)[:40]!r}"
    raise RunError(f"{run.folder.path}: is {got}; a report is of what {MADE_BY} made")


def _check_options(kind: str, **given: Any) -> None:
    """Refuse an option that would do nothing."""
    idle = {name: value for name, value in given.items() if value is not None}
    if kind == TRAINING:
        idle = {name: value for name, value in idle.items() if name == "of"}
    elif kind in EVALUATIONS:
        idle.pop("of", None)
    for name in idle:
        for_whom = "evaluations and tournaments" if name == "of" else "trainings"
        raise ConfigError(f"--{name}: is for {for_whom}; of this run everything was played already")


def _page_path(folder: Path | None, out: Path | None) -> Path:
    if out is None and folder is None:
        raise ConfigError("report: of several trainings needs --out PAGE.html")
    path = folder / "report" / "report.html" if out is None and folder is not None else out
    if path is None or path.suffix != ".html":
        raise ConfigError(f"--out: must end in .html, got {str(path)!r}")
    return path


@contextmanager
def _folder_of(page: Path) -> Iterator[None]:
    """Make the folder that a page goes into; leave none if no page comes of it."""
    folder = page.parent
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made: {error.strerror}") from error
    try:
        yield
    except BaseException:
        for place in made:
            with suppress(OSError):  # something lies in it
                place.rmdir()
        raise
