"""Heat maps: a table of numbers whose colours say where each lies between the extremes."""

from collections.abc import Sequence
from typing import NamedTuple

from mesocosm.evaluation.report.svg import clip, drawing, element, escape, number, text

CELL_WIDTH, CELL_HEIGHT = 74, 30
COLUMN_LETTERS = 11  # of a name that fit over a column
LOW, HIGH = (247, 244, 236), (31, 111, 178)  # colours of the least and the greatest value
DARK_BELOW = 0.179  # luminance of a cell on which white is read as well as black


class Matrix(NamedTuple):
    """A table of numbers; None: nothing is known.

    Args:
        by_column: Whether colours compare within a column, where columns differ in scale.
    """

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    by_column: bool = False


def draw_heat(matrix: Matrix) -> str:
    """Draw a table of numbers as a heat map."""
    names = [clip(name) for name in matrix.rows]
    left = 20 + 7.4 * max(len(name) for name in names)
    width = left + CELL_WIDTH * len(matrix.columns) + 12
    height = 62 + CELL_HEIGHT * len(matrix.rows) + 10
    shapes = [text(8, 20, matrix.title, "title")]
    for k, name in enumerate(matrix.columns):
        words = clip(name, COLUMN_LETTERS)
        shapes.append(text(left + CELL_WIDTH * (k + 0.5), 50, words, "tick", "middle"))
    for j, (name, row) in enumerate(zip(names, matrix.values, strict=True)):
        top = 58 + CELL_HEIGHT * j
        shapes.append(text(left - 8, top + 20, name, "", "end"))
        for k, value in enumerate(row):
            about = f"{matrix.rows[j]}, {matrix.columns[k]}"
            place = (left + CELL_WIDTH * k, top)
            shapes += _cell(value, _share(matrix, value, k), place, about)
    return drawing(max(width, 16 + 8.4 * len(matrix.title)), height, "".join(shapes), matrix.title)


def _share(matrix: Matrix, value: float | None, column: int) -> float:
    """Say where a value lies between the least and the greatest."""
    chosen = [row[column : column + 1] if matrix.by_column else row for row in matrix.values]
    known = [entry for row in chosen for entry in row if entry is not None]
    if value is None or min(known) == max(known):
        return 0.0
    return (value - min(known)) / (max(known) - min(known))


def _cell(value: float | None, share: float, place: tuple[float, float], about: str) -> list[str]:
    colour = [round(a + (b - a) * share) for a, b in zip(LOW, HIGH, strict=True)]
    words = "-" if value is None else number(value)
    left, top = place
    box = element(
        "rect", element("title", escape(f"{about}: {words}")), x=left, y=top, width=CELL_WIDTH,
        height=CELL_HEIGHT, class_="cell", fill=f"rgb({','.join(map(str, colour))})",
    )  # fmt: skip
    class_ = "light" if luminance(colour) < DARK_BELOW else "dark"
    return [box, text(left + CELL_WIDTH / 2, top + 20, words, class_, "middle")]


def luminance(colour: Sequence[int]) -> float:
    """Say how bright a colour is, from 0 to 1 (WCAG 2)."""
    parts = [value / 255 for value in colour]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
