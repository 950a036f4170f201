"""Drawings of things as vectors: paths in a square box, the same for Pillow and for browsers."""

import json
import math
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.core.errors import SpecError

BOX = 24.0  # coordinates of a drawing run from 0 to this, x to the right and y down
PAINTS = ("main", "dark", "light", "accent", "ink", "paper", "white")
ARC = 4.0 / 3.0 * (math.sqrt(2.0) - 1.0)  # how far the handles of a quarter circle reach
STEPS = 8  # straight pieces of a curve, where a front end has no curves
NUMBERS = {"M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0, "O": 3, "R": 5}  # after each command


class Part(NamedTuple):
    """One shape of a drawing.

    Args:
        paint: The colour's name: `main`, `dark` and `light` (shades of it), `accent`, `ink`,
            `paper`, `white`.
        path: As in SVG, with the commands M, L, Q, C and Z, all absolute.
        line: Thickness of the line; 0 fills the shape.
    """

    paint: str
    path: str
    line: float = 0.0


Drawing = tuple[Part, ...]
Glyphs = Mapping[str, Drawing]


def load_glyphs(file: Path) -> Glyphs:
    """Read drawings by name from a JSON file.

    Beside SVG's commands a path may say `O x y r`, a circle, and `R x y width height r`, a
    rectangle with round corners: both are written out as curves.
    """
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return {name: tuple(_part(name, *part) for part in parts) for name, parts in found.items()}


def _part(name: str, paint: str, path: str, line: float = 0.0) -> Part:
    if paint not in PAINTS:
        raise SpecError(f"glyph {name}: no paint {paint!r}; one of {', '.join(PAINTS)}")
    return Part(paint, " ".join(_written_out(name, path)), float(line))


def _commands(name: str, path: str) -> Iterator[tuple[str, list[float]]]:
    """Split a path into commands and their numbers."""
    words = path.split()
    at = 0
    while at < len(words):
        command = words[at]
        if command not in NUMBERS:
            raise SpecError(f"glyph {name}: no path command {command!r}; {', '.join(NUMBERS)} are")
        end = at + 1 + NUMBERS[command]
        if end > len(words):
            raise SpecError(f"glyph {name}: {command} needs {NUMBERS[command]} numbers")
        yield command, [float(word) for word in words[at + 1 : end]]
        at = end


def _written_out(name: str, path: str) -> Iterator[str]:
    for command, numbers in _commands(name, path):
        if command == "O":
            x, y, r = numbers
            yield _round_rect(x - r, y - r, 2 * r, 2 * r, r)
        elif command == "R":
            yield _round_rect(*numbers)
        else:
            yield " ".join([command, *(f"{value:g}" for value in numbers)])


def _round_rect(x: float, y: float, width: float, height: float, r: float) -> str:
    right, bottom, k = x + width, y + height, r * (1.0 - ARC)
    corners = (
        ("M", x + r, y), ("L", right - r, y), ("C", right - k, y, right, y + k, right, y + r),
        ("L", right, bottom - r), ("C", right, bottom - k, right - k, bottom, right - r, bottom),
        ("L", x + r, bottom), ("C", x + k, bottom, x, bottom - k, x, bottom - r),
        ("L", x, y + r), ("C", x, y + k, x + k, y, x + r, y), ("Z",),
    )  # fmt: skip
    return " ".join(_word(value) for corner in corners for value in corner)


def _word(value: Any) -> str:
    return value if isinstance(value, str) else f"{round(value, 3):g}"


Outline = tuple[tuple[float, float], ...]


@cache
def outlines(path: str) -> tuple[Outline, ...]:
    """Give the parts of a path as straight lines through points."""
    found: list[list[tuple[float, float]]] = []
    for command, numbers in _commands("path", path):
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        if command == "M":
            found.append(points)
        elif command == "L":
            found[-1] += points
        elif command == "Z":
            found[-1].append(found[-1][0])
        else:
            found[-1] += _curve([found[-1][-1], *points])
    return tuple(tuple(line) for line in found)


def _curve(points: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Give points of a Bezier curve, without its first."""
    for step in range(1, STEPS + 1):
        t, level = step / STEPS, points
        while len(level) > 1:
            level = [
                ((1 - t) * x + t * u, (1 - t) * y + t * v) for (x, y), (u, v) in pairwise(level)
            ]
        yield level[0]


def plain_glyphs(glyphs: Glyphs) -> dict[str, list[list[Any]]]:
    """Give drawings as data that JSON can say: for each the paint, the path and the line."""
    return {name: [list(part) for part in parts] for name, parts in glyphs.items()}


GLYPHS: Glyphs = load_glyphs(Path(__file__).parent / "glyphs.json")
