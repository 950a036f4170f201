"""Films of the typical, the best and the worst episode of what was played."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mesocosm.build import open_run
from mesocosm.cli.shared.film import write_life
from mesocosm.cli.shared.output import progress_bar
from mesocosm.core.errors import MesocosmError
from mesocosm.core.spec import Spec
from mesocosm.evaluation.arena.bout import Bout
from mesocosm.evaluation.arena.entrant import Entrant
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.evaluation.arena.lineup import describe
from mesocosm.evaluation.arena.playback import Choice, choose_episodes, play_again
from mesocosm.evaluation.report.document import Film
from mesocosm.resolve import Resolved
from mesocosm.telemetry.pictures.drawing import require_pillow
from mesocosm.telemetry.run import Visit

MOST_FRAMES, SIDE = 80, 320  # of one film among several


class Shown(NamedTuple):
    """Films, and what is to be said of them or why there are none."""

    films: list[Film]
    note: str


class Filmed(NamedTuple):
    """A bout that is filmed, and whose returns say which episodes are."""

    preset: Resolved
    episodes: Episodes
    entrants: Sequence[Entrant]
    bout: Bout
    entrant: int


def find_film_fault(spec: Spec) -> str:
    """Say why a world cannot be filmed here; nothing if it can."""
    from mesocosm.worlds.registry import find

    if find(spec.world).scene is None:
        return f"{spec.world} cannot be drawn"
    try:
        require_pillow()
    except MesocosmError as error:
        return str(error)
    return ""


def film_bout(filmed: Filmed, target: str) -> Shown:
    """Play chosen episodes of a bout again and film them, or say why not."""
    fault = find_film_fault(filmed.preset.spec)
    if fault:
        return Shown([], f"No films: {fault}.")
    values = filmed.bout.returns_of(filmed.entrant)
    chosen = choose_episodes(values)
    names = [entrant.name for entrant in filmed.entrants]
    lineup = describe(filmed.preset.spec, filmed.bout.lineup, names)
    note = (
        f"Of {names[filmed.entrant]} in bout {filmed.bout.number} ({lineup}), by the return of its "
        "agents; played again, and found to go as it did."
    )
    try:
        return Shown(_film_batches(filmed, chosen, target), note)
    except MesocosmError as error:
        return Shown([], f"No films: {error}.")


def _film_batches(filmed: Filmed, chosen: Sequence[Choice], target: str) -> list[Film]:
    size, spec = filmed.episodes.batch_size, filmed.preset.spec
    played: dict[int, Path] = {}
    films = []
    with tempfile.TemporaryDirectory() as scratch, progress_bar("films") as progress:
        task = progress.add_task("films", total=len(chosen))
        for choice in chosen:
            batch = choice.episode // size
            if batch not in played:
                played[batch] = Path(scratch) / f"batch-{batch}"
                play_again(filmed.preset, filmed.episodes, filmed.entrants, filmed.bout,
                           batch=batch, target=target, out=played[batch])  # fmt: skip
            visit = open_run(played[batch]).visit(env=choice.episode, step=0, target=target)
            steps = _length(filmed.bout, choice.episode)
            ended = spec.reason_name(int(filmed.bout.endings[choice.episode]))
            words = f"episode {choice.episode}, return {choice.value:,.2f}"
            films.append(film_episode(visit, steps, choice.title, f"{words}; ended by {ended}"))
            progress.advance(task)
    return films


def film_episode(visit: Visit, steps: int, title: str, words: str) -> Film:
    """Film the first steps of an episode."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "film.gif"
        every = write_life(visit, steps, path, lambda: None, most_frames=MOST_FRAMES, side=SIDE)
        data = path.read_bytes()
    frames = "every step is a frame" if every == 1 else f"one frame for every {every}"
    return Film(data, f"{words}, after {steps:,} steps ({frames}).", f"{title.capitalize()}:")


def _length(bout: Bout, episode: int) -> int:
    mine = bout.lives["env"] == episode
    return int(np.max(bout.lives["began"][mine] + bout.lives["length"][mine], initial=0))
