"""Make a film of a recorded run in a worker: play it again, draw it, write it."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesocosm.core.errors import ConfigError
from mesocosm.core.scene import Scene
from mesocosm.telemetry.pictures.drawing import draw_film
from mesocosm.telemetry.pictures.files import save_gif, save_mp4, save_webp
from mesocosm.web.workers.channel import RESULT, STATUS
from mesocosm.web.workers.entry import Desk, Stopped
from mesocosm.web.workers.frames import FrameMaker
from mesocosm.web.workers.job import asked_to_stop
from mesocosm.web.workers.plan import PlayPlan
from mesocosm.web.workers.playback import Playback

Save = Callable[[list[Any], Path, float], None]
FORMATS: dict[str, Save] = {"gif": save_gif, "webp": save_webp, "mp4": save_mp4}


@dataclass(frozen=True)
class FilmPlan:
    """A film.

    Args:
        run: The run folder.
        first, last: Steps of the run; both are shown.
        every: Steps between two frames.
        side: Pixels along the longer side of the map.
        out: The file, which is not there yet.
    """

    run: str
    target: str
    env: int
    perspective: str
    first: int
    last: int
    every: int
    side: int
    theme: str
    format: str
    frames_per_second: float
    out: str

    @property
    def num_frames(self) -> int:
        return -(-(self.last - self.first) // self.every) + 1


def make_film(desk: Desk, plan: FilmPlan) -> None:
    """Play, draw and write; every frame of the first two is told."""
    game = Playback(PlayPlan(plan.target, replay=plan.run, env=plan.env, step=plan.first))
    desk.idle()  # a film may take as long as it wants
    scenes: list[Scene] = []
    begins: set[int] = set()  # of episodes, by frame
    episode = game.episode
    for scene in _scenes(game, plan):
        if game.episode != episode:
            begins.add(len(scenes))
            episode = game.episode
        scenes.append(scene)
        _tell(desk, plan, "playing", len(scenes))
    images = draw_film(
        scenes, plan.side, theme=plan.theme, stride=plan.every, begins=begins,
        advance=lambda done: _tell(desk, plan, "drawing", done),
    )  # fmt: skip
    _tell(desk, plan, "writing", plan.num_frames)
    size = _write(images, plan)
    width, height = images[0].size
    made = {"frames": len(images), "bytes": size, "width": width, "height": height}
    desk.channel.send_data(RESULT, made | {"format": plan.format})


def _scenes(game: Playback, plan: FilmPlan) -> Iterator[Scene]:
    """Give the scenes that are shown; where an episode follows another, the end of the first is."""
    frames = FrameMaker(game)
    frames.check(plan.perspective)
    while True:
        if (game.step - plan.first) % plan.every == 0 or game.step >= plan.last:
            scene = frames.scene(plan.perspective)
            if scene is None:
                raise ConfigError("perspective: the world has no scene; choose an agent's")
            yield scene
        before = game.step
        while game.step == before:
            if before >= plan.last or not game.advance():
                return


def _tell(desk: Desk, plan: FilmPlan, what: str, done: int) -> None:
    told = {"status": "running", "doing": what, "done": done, "total": plan.num_frames}
    desk.channel.send_data(STATUS, told)
    if asked_to_stop(desk):
        raise Stopped


def _write(images: list[Any], plan: FilmPlan) -> int:
    """Write the film under another name first, so that nobody finds half of it."""
    out = Path(plan.out)
    partial = out.with_name(f".{out.name}.part")
    try:
        FORMATS[plan.format](images, partial, plan.frames_per_second)
        os.replace(partial, out)
    finally:
        with suppress(OSError):
            partial.unlink()
    return out.stat().st_size
