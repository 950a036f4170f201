"""Write the frames of a replayed episode as a film, as pictures or as JSON."""

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from mesocosm.cli.shared.output import to_json_value
from mesocosm.core.errors import ConfigError
from mesocosm.core.scene import Scene
from mesocosm.telemetry.pictures.drawing import draw_film, require_pillow
from mesocosm.telemetry.pictures.files import find_ffmpeg, save_gif, save_mp4, save_png
from mesocosm.telemetry.run import Visit
from mesocosm.worlds.registry import find

FORMATS = (".mp4", ".gif", ".png", ".json")
FILM_SIDE = 800  # pixels along the longer side of a film's map
LIFE_FRAMES, LIFE_SIDE, LIFE_FRAMES_PER_SECOND = 120, 480, 8.0  # of a film within a page


def check_film(visit: Visit, suffix: str) -> None:
    """Refuse what cannot be drawn or written, before anything is played."""
    if suffix not in FORMATS:
        raise ConfigError(f"--out: must end in {', '.join(FORMATS)}, got {suffix!r}")
    if suffix == ".json":
        return
    name = visit.env.config.identity.world
    if find(name).scene is None:
        raise ConfigError(f"{name} cannot be drawn: its WORLD has no scene; .json can be written")
    require_pillow()
    if suffix == ".mp4":
        find_ffmpeg()


def frames(
    visit: Visit, steps: int, every: int, suffix: str, advance: Callable[[], None]
) -> Iterator[tuple[int, Any]]:
    """Give the step and the scene (or, for JSON, everything) of each frame."""
    scene = None if suffix == ".json" else find(visit.env.config.identity.world).scene
    for k, moment in enumerate(islice(visit, steps + 1)):
        events = visit.env.events()  # what the step that led here wrote
        if k % every and moment.actions is not None:
            continue
        truth = visit.truth()
        advance()
        if scene is not None:
            yield moment.step, scene(truth, visit.env.config.core)
            continue
        reward = visit.env.copy(visit.env.driver.f.reward)[0]
        yield (
            moment.step,
            {
                "step": moment.step,
                "t": moment.step - moment.start.step,
                "reward": reward.tolist(),
                "over": bool(moment.view.episode_over[0]),
                "actions": _actions(moment.actions),
                "truth": {name: value.tolist() for name, value in truth.items()},
                "events": events,
            },
        )


def _actions(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _actions(entry) for name, entry in value.items()}
    if isinstance(value, tuple):
        return {"choice": value[0][0].tolist(), "level": value[1][0].tolist()}
    return None if value is None else value[0].tolist()


def write_film(
    shown: Iterator[tuple[int, Any]], out: Path, frames_per_second: float, stride: int = 1
) -> str:
    """Write the frames, and say what was written.

    Args:
        stride: Steps between two frames.
    """
    if out.suffix == ".json":
        return _json(shown, out)
    if out.suffix == ".png":
        paths = [_png(scene, out, step) for step, scene in shown]
        return f"{len(paths)} pictures, {paths[0].name} to {paths[-1].name}"
    images = draw_film([scene for _, scene in shown], FILM_SIDE, stride=stride)
    save = save_gif if out.suffix == ".gif" else save_mp4
    save(images, out, frames_per_second)
    return f"{len(images)} frames of {images[0].width} x {images[0].height}"


def write_life(
    visit: Visit,
    steps: int,
    out: Path,
    advance: Callable[[], None],
    *,
    most_frames: int = LIFE_FRAMES,
    side: int = LIFE_SIDE,
) -> int:
    """Write the first steps of an episode as a small GIF; give the steps between two frames."""
    every = max(1, -(-steps // most_frames))
    shown = frames(visit, steps, every, ".gif", advance)
    images = draw_film([scene for _, scene in shown], side, stride=every)
    save_gif(images, out, LIFE_FRAMES_PER_SECOND)
    return every


def _png(scene: Scene, out: Path, step: int) -> Path:
    path = out.with_name(f"{out.stem}-{step:06d}.png")
    save_png(scene, path)
    return path


def _json(shown: Iterator[tuple[int, Any]], out: Path) -> str:
    entries = [to_json_value(entry) for _, entry in shown]
    try:
        out.write_text(json.dumps(entries, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written: {error.strerror}") from error
    return f"{len(entries)} moments"
