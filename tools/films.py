"""Film each world for the README: one short animated WebP per world, into docs/pictures/."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import mesocosm as meso
from mesocosm.core.scene import Scene
from mesocosm.evaluation.acting import begin_episodes, choose_actions
from mesocosm.telemetry.pictures.drawing import draw_film
from mesocosm.telemetry.pictures.files import save_webp

ROOT = Path(__file__).parent.parent
MOST_BYTES = 1_000_000


class Shot(NamedTuple):
    """What is filmed: a preset with its players, from a step to another."""

    preset: str
    policies: dict[str, str]  # by role
    first: int
    last: int
    every: int = 1
    side: int = 640  # pixels of the map's longer side
    seed: int = 3
    frames_per_second: float = 8.0


SHOTS = {
    "commons": Shot("commons/default", {"harvester": "steady"}, 0, 60, side=420),
    "island": Shot("island/standard", {"legacy": "rush", "dynasty": "escort"}, 60, 240, 3, 760),
    "mettagrid": Shot("mettagrid/cogs_vs_clips", {"cog": "crew"}, 0, 160, 2),
    "townlet": Shot("townlet/L7", {"resident": "greedy"}, 0, 72, side=560, frames_per_second=6.0),
}


def scenes(shot: Shot) -> Iterator[Scene]:
    """Play what is filmed, and give the scenes that are shown."""
    env = meso.make(shot.preset, target="python", seed=shot.seed, autoreset="off")
    world = shot.preset.partition("/")[0]
    players = {role: meso.policy(world, name) for role, name in shot.policies.items()}
    step, beginnings = begin_episodes(env, players, shot.seed), meso.Beginnings(env)
    began = beginnings.follow(step)
    names = [*(entry.name for entry in env.spec.truth), *env.spec.exposed]
    draw: Any = env.world.scene
    for t in range(shot.last + 1):
        if t >= shot.first and (t - shot.first) % shot.every == 0:
            truth = {name: env.truth(name)[0].copy() for name in names}
            yield draw(truth, env.config.core)
        if bool(step.episode_over[0]):
            return
        step = env.step(choose_actions(players, step, began))
        began = beginnings.follow(step)


def film(name: str, folder: Path) -> Path:
    """Make the film of a world, small enough for a page."""
    shot = SHOTS[name]
    images = draw_film(list(scenes(shot)), shot.side, stride=shot.every)
    path = folder / f"{name}.webp"
    save_webp(images, path, shot.frames_per_second)
    size = path.stat().st_size
    print(f"{path}: {len(images)} frames of {images[0].width} x {images[0].height}, {size:,} bytes")
    if size > MOST_BYTES:
        raise SystemExit(f"{path} is larger than {MOST_BYTES:,} bytes: film fewer steps")
    return path


def main() -> None:
    """Film the worlds that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("worlds", nargs="*", choices=[*SHOTS, []], help="all unless given")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.worlds or SHOTS:
        film(name, given.out)


if __name__ == "__main__":
    main()
