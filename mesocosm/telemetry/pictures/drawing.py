"""Draw a scene as a picture: the part that is shown, what it means, and its caption."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from mesocosm.core.extra import missing_extra
from mesocosm.core.follow import Follower
from mesocosm.core.palette import resolve_colour
from mesocosm.core.scene import Box, Glyph, Legend, Rect, Scene, union
from mesocosm.telemetry.pictures.pen import Pen, text_width

ZOOM = 2  # pictures are drawn this much larger, and made smaller, for smooth edges
CELL = 96  # pixels of a cell at most
MAX_SIDE = 1200  # pixels of the map: a wide world gets smaller cells, not a larger picture
MARGIN, LINE, ICON, GAP = 10, 20, 16, 14  # pixels of the frame, and of the legend
LEGEND_TEXT, CAPTION_TEXT = 12, 14


def require_pillow() -> None:
    """Say what to install if pictures cannot be drawn."""
    try:
        import PIL  # noqa: F401 (asked for, not used)
    except ImportError as error:
        raise missing_extra("pictures need Pillow", "pictures") from error


class Placed(NamedTuple):
    """An entry of the legend, in pixels from the legend's top left."""

    entry: Legend
    x: float
    y: float


def draw(
    scene: Scene,
    side: int = MAX_SIDE,
    *,
    theme: str = "light",
    box: Box | None = None,
    legend: bool = True,
) -> Any:
    """Draw a scene, with its legend and its caption below, as a Pillow image.

    Args:
        side: Pixels along the longer side of the map, at most.
        box: The part that is shown, where it is not the scene's own.
    """
    from PIL import Image

    shown = box or scene.box
    cell = min(float(CELL), side / max(shown.width, shown.height))
    width = max(round(shown.width * cell), min(side, 320)) + 2 * MARGIN
    height = round(shown.height * cell)
    placed, rows = place_legend(scene.legend if legend else (), width - 2 * MARGIN)
    lines = wrap(scene.caption, CAPTION_TEXT, width - 2 * MARGIN)
    total = height + 2 * MARGIN + rows * LINE + len(lines) * LINE + MARGIN // 2
    size = (width * ZOOM, total * ZOOM)
    image = Image.new("RGB", size, resolve_colour(scene.background, theme))
    offset = ((width - shown.width * cell) / 2 * ZOOM, MARGIN * ZOOM)
    glyphs = scene.drawings
    pen = Pen(image, glyphs, theme, box=shown, cell=cell * ZOOM, offset=offset, zoom=ZOOM)
    for primitive in scene.primitives:
        pen.draw(primitive)
    _cover(image, scene, theme, (width, total), height + 2 * MARGIN)
    top = height + 2 * MARGIN
    _draw_legend(image, glyphs, theme, placed, top)
    ink = resolve_colour("ink", theme)
    for k, line in enumerate(lines):
        y = top + rows * LINE + (k + 0.5) * LINE
        pen.write(width / 2 * ZOOM, y * ZOOM, line, CAPTION_TEXT * ZOOM, ink)
    return image.resize((width, total), Image.Resampling.BOX)


def draw_film(
    scenes: Sequence[Scene],
    side: int,
    *,
    theme: str = "light",
    stride: int = 1,
    begins: Collection[int] = (),
    advance: Callable[[int], None] | None = None,
) -> list[Any]:
    """Draw scenes that follow one another, all of one part of the world and of one size.

    Args:
        stride: Steps between two scenes.
        begins: Indices of scenes with which another episode begins.
        advance: Is told how many were drawn.
    """
    follower = Follower(camera=False, stride=stride)
    followed = []
    for k, scene in enumerate(scenes):
        if k in begins:
            follower.reset()
        followed.append(follower.follow(scene))
    box = union([scene.box for scene in followed])
    images = []
    for scene in followed:
        images.append(draw(scene, side, theme=theme, box=box))
        if advance is not None:
            advance(len(images))
    return level(images, theme)


def level(images: Sequence[Any], theme: str) -> list[Any]:
    """Make pictures equally large, with paper below and beside the smaller ones."""
    from PIL import Image

    size = (max(image.width for image in images), max(image.height for image in images))
    made = []
    for image in images:
        sheet = Image.new("RGB", size, resolve_colour("paper", theme))
        sheet.paste(image, (0, 0))
        made.append(sheet)
    return made


def _cover(image: Any, scene: Scene, theme: str, size: tuple[int, int], top: int) -> None:
    """Clear what lies outside of the part that is shown."""
    from PIL import ImageDraw

    canvas = ImageDraw.Draw(image)
    width, height = size
    paper = resolve_colour("paper", theme)
    canvas.rectangle((0, top * ZOOM, width * ZOOM, height * ZOOM), fill=paper)


def place_legend(legend: Sequence[Legend], width: float) -> tuple[list[Placed], int]:
    """Place the entries of a legend in rows; give them and how many rows there are."""
    placed: list[Placed] = []
    x, row = 0.0, 0
    for entry in legend:
        wide = ICON + 5 + text_width(entry.words, LEGEND_TEXT) + GAP
        if x > 0 and x + wide - GAP > width:
            x, row = 0.0, row + 1
        placed.append(Placed(entry, x, row * LINE))
        x += wide
    return placed, row + 1 if placed else 0


def _draw_legend(image: Any, glyphs: Any, theme: str, placed: list[Placed], top: float) -> None:
    unit = Box(0.0, 0.0, 1.0, 1.0)
    pen = Pen(image, glyphs, theme, box=unit, cell=ZOOM, offset=(0, 0), zoom=ZOOM)
    ink = resolve_colour("ink", theme)
    for entry, x, y in placed:
        left, middle = MARGIN + x, top + y + LINE / 2
        if entry.glyph:
            pen.draw(
                Glyph(entry.glyph, left + ICON / 2, middle, ICON, entry.colour, accent=entry.accent)
            )
        else:
            side = ICON - 4
            pen.draw(Rect(left + 2, middle - side / 2, side, side, entry.colour, round=2))
        pen.write(
            (left + ICON + 5) * ZOOM, middle * ZOOM, entry.words, LEGEND_TEXT * ZOOM, ink,
            align="start",
        )  # fmt: skip


def wrap(words: str, height: float, room: float) -> list[str]:
    """Break words into lines that fit a width in pixels."""
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, height) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
