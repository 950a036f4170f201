"""Draw a scene into a file."""

from pathlib import Path
from typing import Any

from mesocosm.core.errors import ConfigError, MissingExtra
from mesocosm.core.scene import Circle, Line, Primitive, Rect, Scene, Text

CELL, MARGIN, CAPTION = 96, 12, 36
INK = "#2f2e2a"


def require_pillow() -> None:
    """Say what to install if pictures cannot be drawn."""
    try:
        import PIL  # noqa: F401 (asked for, not used)
    except ImportError as error:
        raise MissingExtra("--png needs Pillow: pip install 'mesocosm[pictures]'") from error


def save_png(scene: Scene, path: Path) -> None:
    """Draw a scene as a PNG file with its caption below."""
    from PIL import Image, ImageDraw

    width = round(scene.width * CELL) + 2 * MARGIN
    height = round(scene.height * CELL) + 2 * MARGIN + CAPTION
    image = Image.new("RGB", (width, height), scene.background)
    pen = ImageDraw.Draw(image)
    for primitive in scene.primitives:
        _draw(pen, primitive)
    _write(pen, width / 2, height - CAPTION / 2 - MARGIN / 2, scene.caption, CAPTION / 2, INK)
    try:
        image.save(path, format="PNG")
    except OSError as error:
        raise ConfigError(f"--png: {path}: cannot be written: {error.strerror}") from error


def _at(value: float) -> float:
    return MARGIN + value * CELL


def _draw(pen: Any, p: Primitive) -> None:
    """Draw one primitive."""
    x, y = _at(p.x), _at(p.y)
    match p:
        case Rect():
            box = (x, y, max(_at(p.x + p.size) - 1, x), max(_at(p.y + p.height) - 1, y))
            pen.rectangle(box, fill=p.colour)
        case Circle():
            radius = p.size * CELL / 2
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=p.colour)
        case Line():
            ends = (x, y, _at(p.end_x), _at(p.end_y))
            pen.line(ends, fill=p.colour, width=max(round(p.size * CELL), 1))
        case Text():
            _write(pen, x, y, p.label, p.size * CELL, p.colour)


def _write(pen: Any, x: float, y: float, words: str, height: float, colour: str) -> None:
    """Write words centred on a point."""
    from PIL import ImageFont

    font = ImageFont.load_default(size=max(height * 0.9, 1.0))
    pen.text((x, y), words, fill=colour, font=font, anchor="mm")
