"""Write pictures into files: a PNG, a GIF, a WebP or an MP4."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mesocosm.core.errors import ConfigError
from mesocosm.core.extra import missing_extra
from mesocosm.core.scene import Scene
from mesocosm.telemetry.pictures.drawing import draw

COLOURS = 128  # of a GIF
WEBP_QUALITY = 72


def save_png(scene: Scene, path: Path, *, theme: str = "light") -> tuple[int, int]:
    """Draw a scene as a PNG file with its caption below; give its width and height."""
    with _saving(path):
        image = draw(scene, theme=theme)
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
        palette = images[len(images) // 2].quantize(COLOURS)  # one for all: colours do not flicker
        first, *rest = [image.quantize(palette=palette, dither=0) for image in images]
        duration = max(round(1000 / frames_per_second), 20)
        first.save(path, format="GIF", save_all=True, append_images=rest, duration=duration, loop=0)


def save_webp(images: list[Any], path: Path, frames_per_second: float) -> None:
    """Write images as an animated WebP that repeats."""
    with _saving(path):
        first, *rest = images
        duration = max(round(1000 / frames_per_second), 20)
        first.save(
            path, format="WEBP", save_all=True, append_images=rest, duration=duration, loop=0,
            quality=WEBP_QUALITY, method=4,
        )  # fmt: skip


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
