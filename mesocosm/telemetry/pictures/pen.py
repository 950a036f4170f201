"""How each primitive is drawn with Pillow."""

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

from mesocosm.core.glyph import BOX, Glyphs, outlines
from mesocosm.core.palette import THEMES, mix, resolve_colour
from mesocosm.core.scene import (
    CELL_CODES,
    Bars,
    Box,
    Cells,
    Circle,
    Glyph,
    Line,
    Polyline,
    Primitive,
    Rect,
    Ring,
    Text,
)

LEAST_TEXT = 10.0  # pixels
FEWEST_LETTERS = 3  # of words that were cut; fewer are left out
LEAST_BAR = 2.0  # pixels: lower bars are left out
SHADE = 0.3  # of black in `dark`, of white in `light`
FADE_STEPS = 12


@lru_cache(maxsize=64)
def font_of(height: int) -> Any:
    """Return Pillow's own font, for lines of this height in pixels."""
    from PIL import ImageFont

    return ImageFont.load_default(size=height)


class Pen:
    """Draws primitives, measured in cells, in pixels.

    Args:
        image: An RGB image.
        box: The part of the scene that is shown.
        cell: Pixels of a cell.
        offset: Where the box's top left corner is, in pixels.
        zoom: Pixels here for each pixel at the size shown.
    """

    def __init__(  # noqa: PLR0913 (all of a drawing's frame)
        self, image: Any, glyphs: Glyphs, theme: str, *, box: Box, cell: float,
        offset: tuple[float, float], zoom: float,
    ) -> None:  # fmt: skip
        from PIL import ImageDraw

        self._image, self._glyphs, self._theme = image, glyphs, theme
        self._canvas = ImageDraw.Draw(image, "RGBA")
        self._cell, self._zoom = cell, zoom
        self._left, self._top = offset[0] - box.x * cell, offset[1] - box.y * cell
        self._kinds: dict[type, Callable[[Any], None]] = {
            Rect: self._rect, Circle: self._circle, Ring: self._ring, Line: self._line,
            Polyline: self._polyline, Glyph: self._glyph, Text: self._text, Bars: self._bars,
            Cells: self._cells,
        }  # fmt: skip

    def draw(self, p: Primitive) -> None:
        """Draw one primitive; what only says where something is leaves nothing."""
        kind = self._kinds.get(type(p))
        if kind is not None:
            kind(p)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return self._left + x * self._cell, self._top + y * self._cell

    def _ink(self, name: str, opacity: float = 1.0) -> str:
        return resolve_colour(name, self._theme) + f"{round(255 * min(max(opacity, 0), 1)):02x}"

    def _rect(self, p: Rect) -> None:
        self._box(p.x, p.y, p.width, p.height, self._ink(p.colour, p.opacity), p.round)

    def _box(
        self, x: float, y: float, width: float, height: float, ink: str, radius: float = 0.0
    ) -> None:
        (left, top), (right, bottom) = self._at(x, y), self._at(x + width, y + height)
        if right - left < 1 or bottom - top < 1:
            return
        box = (round(left), round(top), round(right) - 1, round(bottom) - 1)
        if radius > 0:
            self._canvas.rounded_rectangle(box, radius * self._cell, fill=ink)
        elif box[2] >= box[0] and box[3] >= box[1]:
            self._canvas.rectangle(box, fill=ink)

    def _circle(self, p: Circle) -> None:
        (x, y), r = self._at(p.x, p.y), p.size * self._cell / 2
        self._canvas.ellipse((x - r, y - r, x + r, y + r), fill=self._ink(p.colour, p.opacity))

    def _ring(self, p: Ring) -> None:
        (x, y), r = self._at(p.x, p.y), p.size * self._cell / 2
        box, width = (x - r, y - r, x + r, y + r), self._width(p.line)
        ink, fill = self._ink(p.colour, p.opacity), self._ink(p.colour, p.fill)
        if p.sweep >= 360:
            if p.fill > 0:
                self._canvas.ellipse(box, fill=fill)
            self._canvas.ellipse(box, outline=ink, width=width)
            return
        first, last = p.turn - p.sweep / 2, p.turn + p.sweep / 2
        if p.fill > 0:
            self._canvas.pieslice(box, first, last, fill=fill)
        self._canvas.arc(box, first, last, fill=ink, width=width)

    def _width(self, size: float) -> int:
        return max(round(size * self._cell), round(self._zoom))

    def _line(self, p: Line) -> None:
        ends = (*self._at(p.x, p.y), *self._at(p.end_x, p.end_y))
        self._canvas.line(ends, fill=self._ink(p.colour, p.opacity), width=self._width(p.size))

    def _polyline(self, p: Polyline) -> None:
        flat = p.points
        points = [self._at(x, y) for x, y in zip(flat[::2], flat[1::2], strict=True)]
        if p.closed:
            self._canvas.polygon(points, fill=self._ink(p.colour, p.opacity))
            return
        width, pieces = self._width(p.size), len(points) - 1
        if not p.fade:
            self._canvas.line(
                points, fill=self._ink(p.colour, p.opacity), width=width, joint="curve"
            )
            return
        for k, ends in enumerate(pairwise(points)):
            ink = self._ink(p.colour, p.opacity * (k + 1) / pieces)
            self._canvas.line(ends, fill=ink, width=max(round(width * (k + 1) / pieces), 1))

    def _paints(self, p: Glyph) -> dict[str, str]:
        main = resolve_colour(p.colour, self._theme)
        colours = THEMES[self._theme]
        return {
            "main": main, "dark": mix(main, "#000000", SHADE), "light": mix(main, "#ffffff", SHADE),
            "accent": resolve_colour(p.accent or "ink", self._theme), "ink": colours["ink"],
            "paper": colours["paper"], "white": colours["white"],
        }  # fmt: skip

    def _glyph(self, p: Glyph) -> None:
        (x, y), scale = self._at(p.x, p.y), p.size * self._cell / BOX
        angle = math.radians(p.turn)
        cos, sin = scale * math.cos(angle), scale * math.sin(angle)
        paints = self._paints(p)
        half = BOX / 2
        for part in self._glyphs[p.name]:
            ink = self._ink(paints[part.paint], p.opacity)
            for outline in outlines(part.path):
                points = [
                    (
                        x + (u - half) * cos - (v - half) * sin,
                        y + (u - half) * sin + (v - half) * cos,
                    )
                    for u, v in outline
                ]
                if part.line > 0:
                    width = max(round(part.line * scale), round(self._zoom))
                    self._canvas.line(points, fill=ink, width=width, joint="curve")
                else:
                    self._canvas.polygon(points, fill=ink)

    def _text(self, p: Text) -> None:
        x, y = self._at(p.x, p.y)
        self.write(
            x, y, p.label, p.size * self._cell, self._ink(p.colour),
            align=p.align, room=p.room * self._cell,
            halo=self._ink(p.halo) if p.halo else None,
        )  # fmt: skip

    def write(  # noqa: PLR0913 (what a line of text has)
        self, x: float, y: float, words: str, height: float, ink: str, *,
        align: str = "middle", room: float = 0.0, halo: str | None = None,
    ) -> None:  # fmt: skip
        """Write words beside a point, at least ten pixels high at the size shown."""
        least = LEAST_TEXT * self._zoom
        font = font_of(round(max(height, least)))
        if room > 0 and font.getlength(words) > room:
            fitting = font.size * room / max(font.getlength(words), 1.0)
            font = font_of(math.floor(max(fitting, least)))
            words = cut(words, font, room)
        if words:
            anchor = {"middle": "mm", "start": "lm", "end": "rm"}[align]
            stroke = max(round(font.size * 0.14), 1) if halo else 0
            self._canvas.text(
                (x, y), words, fill=ink, font=font, anchor=anchor, stroke_width=stroke,
                stroke_fill=halo,
            )  # fmt: skip

    def _bars(self, p: Bars) -> None:
        count = max(len(p.values), 1)
        step = (p.width if p.upright else p.height) / count
        if step * self._cell < LEAST_BAR * self._zoom:
            return
        gap = min(0.2 * step, 2 * self._zoom / self._cell) if count > 1 else 0.0
        plate = self._ink("plate")
        for k, value in enumerate(p.values):
            colour = self._ink(p.colours[k % len(p.colours)])
            share = min(max(value, 0.0), 1.0)
            at, size = k * step, step - gap
            if p.upright:
                self._box(p.x + at, p.y, size, p.height, plate)
                high = p.height * share
                self._box(p.x + at, p.y + p.height - high, size, high, colour)
            else:
                self._box(p.x, p.y + at, p.width, size, plate)
                self._box(p.x, p.y + at, p.width * share, size, colour)

    def _cells(self, p: Cells) -> None:
        inks = [self._ink(colour, p.opacity) for colour in p.colours]
        for row in range(p.rows):
            line = p.cells[row * p.columns : (row + 1) * p.columns]
            left = 0
            while left < p.columns:
                right = left + 1
                while right < p.columns and line[right] == line[left]:
                    right += 1
                if line[left] != ".":
                    x, y = p.x + left * p.size, p.y + row * p.size
                    ink = inks[CELL_CODES.index(line[left])]
                    self._box(x, y, (right - left) * p.size, p.size, ink)
                left = right


def cut(words: str, font: Any, room: float) -> str:
    """Cut words to the room there is; nothing is left of what would be too short to tell."""
    if font.getlength(words) <= room:
        return words
    for length in range(len(words) - 1, FEWEST_LETTERS - 1, -1):
        shown = words[:length].rstrip() + "…"
        if font.getlength(shown) <= room:
            return shown
    return ""


def text_width(words: str, height: float) -> float:
    """Return how wide words are, in pixels."""
    return float(font_of(round(height)).getlength(words))
