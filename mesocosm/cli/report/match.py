"""The report about a series of matches: its games are in the recording, so films need no player."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.cli.report.evaluation import say_written
from mesocosm.cli.report.films import Shown, film_episode, find_film_fault
from mesocosm.cli.shared.output import progress_bar
from mesocosm.config.identity import dump
from mesocosm.core.errors import MesocosmError, RunError
from mesocosm.evaluation.arena.playback import choose_episodes
from mesocosm.evaluation.pages.match import Series, match_command, read_series, write_match
from mesocosm.evaluation.pages.source import (
    Source,
    check_whole,
    find_changes,
    list_files,
    reading,
)
from mesocosm.resolve import Resolved, resolve
from mesocosm.telemetry.files import write_text
from mesocosm.telemetry.run import Run


def report_match(run: Run, out: Path, *, target: str, film: bool, as_json: bool) -> None:
    """Write the page about the games of a run."""
    check_whole(run)
    path = run.folder.path
    series = read_series(run.about, str(path))
    resolved = resolve(run.folder.config)
    shown = _film(run, resolved, series, target) if film else Shown([], "")
    commands = {
        "Play": f"{match_command(run.about, series, path)} --out {shlex.quote(str(path))}",
        "Prove the recording": shlex.join(["mesocosm", "replay", "verify", str(path)]),
        "Write this page": shlex.join(["mesocosm", "report", str(path)]),
    }
    changes, files = find_changes([dump(resolved.config)]), list_files(run)
    source = Source(run.about, {}, changes, files, commands, shown.films, shown.note)
    with reading(path):
        page = write_match(source, series)
    write_text(out, page)
    say_written(run, out, len(shown.films), as_json=as_json)


def _film(run: Run, resolved: Resolved, series: Series, target: str) -> Shown:
    """Film games from the recording: by the return of the first player, whoever won."""
    fault = find_film_fault(resolved.spec)
    if fault:
        return Shown([], f"No films: {fault}.")
    first = next(iter(series.programs))
    values = np.array([_return(game, first) for game in series.games])
    starts = np.cumsum([0, *(int(game["steps"]) for game in series.games)])
    films = []
    chosen = choose_episodes(values)
    try:
        with progress_bar("films") as progress:
            task = progress.add_task("films", total=len(chosen))
            for choice in chosen:
                game, start = series.games[choice.episode], int(starts[choice.episode])
                visit = run.visit(env=0, step=start, target=target)
                if run.replay.start_of(0, start).step != start:
                    raise RunError(f"game {choice.episode} does not begin where it should")
                won = ", ".join(map(str, game["winners"])) or "nobody"
                words = f"game {choice.episode}, return {choice.value:,.2f}; won by {won}"
                films.append(film_episode(visit, int(game["steps"]), choice.title, words))
                progress.advance(task)
    except MesocosmError as error:
        return Shown([], f"No films: {error}.")
    return Shown(films, f"By the return of {series.label(first)}, from the recording.")


def _return(game: Any, letter: str) -> float:
    """Give what a player earned in a game that nobody forfeited."""
    seats = [seat for seat, player in game["players"].items() if player == letter]
    if game["forfeits"] or not seats or not game["steps"]:
        return float("nan")
    return float(game["mean_return"][seats[0]])
