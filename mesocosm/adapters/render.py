"""Show an env to a person: as a picture, as text, or as a picture in the terminal."""

import sys
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from mesocosm.core.adapter import AdapterEnv
from mesocosm.core.errors import ConfigError, MissingExtra, unknown
from mesocosm.core.scene import Scene
from mesocosm.telemetry.pictures.drawing import draw, require_pillow

MODES = ("rgb_array", "ansi", "human")
FPS = 10
PIXELS = 480  # along the longer side of a picture, at most
COLUMNS = 96  # of a picture in the terminal, or lines of half their number
HOME, CLEAR, PLAIN = "\x1b[H", "\x1b[J", "\x1b[0m"
HALF = "▀"  # its upper half in one colour, the lower in another: two pixels


class Renderer:
    """Shows the envs of an adapter in one mode; refuses at once what cannot be shown.

    `rgb_array` gives a picture `uint8 [height, width, 3]` of the world's scene, `ansi` the world's
    text, and `human` draws the scene in the terminal, in 24-bit colours.
    """

    def __init__(self, env: AdapterEnv, mode: str | None) -> None:
        if mode is not None and mode not in MODES:
            raise unknown("render mode", mode, MODES)
        self._env, self.mode = env, mode
        self._shape: tuple[int, ...] = ()  # of the first picture
        is_text = mode == "ansi"
        if mode is not None and not (env.has_text if is_text else env.has_scene):
            lacking = "text" if is_text else "scene"
            raise ConfigError(
                f"render_mode={mode!r}: {env.spec.world} cannot be shown: "
                f"its WORLD has no {lacking}"
            )
        if mode is not None and not is_text:
            require_pillow()

    def show(self, env: int = 0) -> Any:
        """Give what the mode gives of one env; None if it was drawn, or there is no mode."""
        if self.mode == "ansi":
            return self._env.text(env)
        if self.mode == "rgb_array":
            drawn = picture(self._env.scene(env), PIXELS)
            self._shape = self._shape or drawn.shape
            return fit(drawn, self._shape)
        if self.mode == "human":
            sys.stdout.write(HOME + CLEAR + terminal_picture(self._env.scene(env)))
            sys.stdout.flush()
        return None

    def follow(self) -> None:
        """Draw what has just happened, where a person watches."""
        if self.mode == "human":
            self.show()


def offered_modes(env: AdapterEnv) -> list[str]:
    """List the modes in which a world can be shown here."""
    return [
        *(["rgb_array"] if env.has_scene and _has_pillow() else []),
        *(["ansi"] if env.has_text else []),
        *(["human"] if env.has_scene and _has_pillow() else []),
    ]


def _has_pillow() -> bool:
    try:
        require_pillow()
    except MissingExtra:
        return False
    return True


def picture(scene: Scene, pixels: int) -> np.ndarray:  # uint8 [height, width, 3]
    """Draw a scene without words, so that its longer side has so many pixels, at most."""
    return np.array(draw(replace(scene, caption=""), pixels, legend=False), np.uint8)


def fit(pixels: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Cut or fill a picture to a height and a width: films want frames of one size."""
    if pixels.shape == shape:
        return pixels
    made = np.full(shape, 255, np.uint8)
    height, width = (min(pair) for pair in zip(pixels.shape[:2], shape[:2], strict=True))
    made[:height, :width] = pixels[:height, :width]
    return made


def terminal_picture(scene: Scene) -> str:
    """Draw a scene in lines of coloured half blocks, with its caption below."""
    pixels = picture(scene, 2 * COLUMNS)[::2, ::2]
    lines = []
    for upper, lower in zip(pixels[:-1:2], pixels[1::2], strict=True):
        runs = groupby(zip(upper.tolist(), lower.tolist(), strict=True))
        cells = (
            f"\x1b[38;2;{_rgb(a)};48;2;{_rgb(b)}m" + HALF * len(list(same)) for (a, b), same in runs
        )
        lines.append("".join(cells) + PLAIN)
    return "\n".join([*lines, scene.caption, ""])


def _rgb(colour: list[int]) -> str:
    return ";".join(map(str, colour))
