"""Draw scenes into files: a PNG, a GIF or an MP4."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mesocosm.core.errors import ConfigError
from mesocosm.core.extra import missing_extra
from mesocosm.core.scene import Circle, Line, Primitive, Rect, Scene, Text

CELL, MARGIN, CAPTION = 96, 12, 36
MAX_SIDE = 2400  # pixels: a wide world gets smaller cells, not a larger picture
INK = "#2f2e2a"


def require_pillow() -> None:
    """Say what to install if pictures cannot be drawn."""
    try:
        import PIL  # noqa: F401 (asked for, not used)
    except ImportError as error:
        raise missing_extra("pictures need Pillow", "pictures") from error


def draw(scene: Scene, cell: int = CELL) -> Any:
    """Draw a scene, with its caption below, as a Pillow image.

    Args:
        cell: Pixels along the side of a cell, or fewer where the picture would be too large.
    """
    from PIL import Image, ImageDraw

    scale = cell / CELL
    margin, caption = round(MARGIN * scale), round(CAPTION * scale)
    side = min(float(cell), MAX_SIDE / max(scene.width, scene.height))
    width = round(scene.width * side) + 2 * margin
    height = round(scene.height * side) + 2 * margin + caption
    image = Image.new("RGB", (width, height), scene.background)
    pen = Pen(ImageDraw.Draw(image), side, margin)
    for primitive in scene.primitives:
        pen.draw(primitive)
    pen.write(width / 2, height - caption / 2 - margin / 2, scene.caption, caption / 2, INK)
    return image


def save_png(scene: Scene, path: Path) -> tuple[int, int]:
    """Draw a scene as a PNG file with its caption below; give its width and height."""
    with _saving(path):
        image = draw(scene)
        image.save(path, format="PNG")
    return image.width, image.height


@contextmanager
def _saving(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        said = error.strerror or error
        raise ConfigError(f"{path}: cannot be written: {said}") from error


def save_gif(images: list[Any], path: Path, frames_per_second: float) -> None:
    """Write images as an animation that repeats."""
    with _saving(path):
        first, *rest = [image.quantize(64) for image in images]
        duration = max(round(1000 / frames_per_second), 20)
        first.save(path, format="GIF", save_all=True, append_images=rest, duration=duration, loop=0)


def save_mp4(images: list[Any], path: Path, frames_per_second: float) -> None:
    """Write images as a film, through ffmpeg."""
    width, height = (side - side % 2 for side in images[0].size)  # the codec wants even sides
    command = [
        find_ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-s", f"{width}x{height}", "-r", str(frames_per_second), "-i", "-", "-an",
        "-vcodec", "libx264", "-pix_fmt", "yuv420p", "-f", "mp4", str(path.absolute()),
    ]  # fmt: skip
    frames = b"".join(image.crop((0, 0, width, height)).tobytes() for image in images)
    done = subprocess.run(command, input=frames, capture_output=True, check=False)  # noqa: S603
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())[-200:]
        raise ConfigError(f"{path}: cannot be written: ffmpeg says: {said}")


def find_ffmpeg() -> str:
    """Find the program that makes films, or say what to install."""
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise missing_extra(
            "GIF needs nothing more, MP4 needs ffmpeg on the PATH, or", "video"
        ) from error
    return str(imageio_ffmpeg.get_ffmpeg_exe())


class Pen:
    """Draws primitives, measured in cells, in pixels."""

    def __init__(self, canvas: Any, cell: float, margin: int) -> None:
        self._canvas, self._cell, self._margin = canvas, cell, margin

    def _at(self, value: float) -> float:
        return self._margin + value * self._cell

    def draw(self, p: Primitive) -> None:
        """Draw one primitive."""
        at, canvas = self._at, self._canvas
        x, y = at(p.x), at(p.y)
        match p:
            case Rect():
                box = (x, y, max(at(p.x + p.size) - 1, x), max(at(p.y + p.height) - 1, y))
                canvas.rectangle(box, fill=p.colour)
            case Circle():
                radius = p.size * self._cell / 2
                canvas.ellipse((x - radius, y - radius, x + radius, y + radius), fill=p.colour)
            case Line():
                ends = (x, y, at(p.end_x), at(p.end_y))
                canvas.line(ends, fill=p.colour, width=max(round(p.size * self._cell), 1))
            case Text():
                self.write(x, y, p.label, p.size * self._cell, p.colour)

    def write(self, x: float, y: float, words: str, height: float, colour: str) -> None:
        """Write words centred on a point."""
        from PIL import ImageFont

        font = ImageFont.load_default(size=max(height * 0.9, 1.0))
        self._canvas.text((x, y), words, fill=colour, font=font, anchor="mm")
