"""Pictures as data: what a world draws of one env, for any front end to show."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from mesocosm.core.glyph import GLYPHS, Glyphs

DECIMALS = 3  # of lengths in JSON: a thousandth of a cell cannot be seen
Source = tuple[str, ...]


class Rect(NamedTuple):
    """A filled rectangle; x, y is its top left corner.

    Args:
        colour: `#rrggbb`, or a name of the palette, as every primitive's.
        opacity: From 0 to 1.
        round: Radius of its corners, in cells.
        label: What a front end may say about it, as every primitive's.
        key: Whose it is, such as `agent 3`, the same in every frame; as every primitive's.
        source: In a view, the entries that were received and that decide it; see `entries`.
    """

    x: float
    y: float
    width: float
    height: float
    colour: str
    opacity: float = 1.0
    round: float = 0.0
    label: str = ""
    key: str = ""
    source: Source = ()


class Circle(NamedTuple):
    """A filled disc; x, y is its centre and size its diameter."""

    x: float
    y: float
    size: float
    colour: str
    opacity: float = 1.0
    label: str = ""
    key: str = ""
    source: Source = ()


class Ring(NamedTuple):
    """The outline of a circle round x, y, or of a slice of it.

    Args:
        size: Its diameter.
        line: Thickness of the outline.
        opacity: Of the outline.
        fill: Opacity of what is inside.
        turn: The middle of the slice, in degrees clockwise from the right.
        sweep: How many degrees the slice has; 360 is a whole ring.
    """

    x: float
    y: float
    size: float
    colour: str
    line: float = 0.0
    opacity: float = 1.0
    fill: float = 0.0
    turn: float = 0.0
    sweep: float = 360.0
    label: str = ""
    key: str = ""
    source: Source = ()


class Line(NamedTuple):
    """A line from x, y to end_x, end_y; size is its thickness."""

    x: float
    y: float
    end_x: float
    end_y: float
    size: float
    colour: str
    opacity: float = 1.0
    label: str = ""
    key: str = ""
    source: Source = ()


class Polyline(NamedTuple):
    """A line through points.

    Args:
        points: x and y of each, one after the other.
        fade: Whether the line is faint at its first point and full at its last.
        closed: Whether it is a filled shape instead of a line.
    """

    points: tuple[float, ...]
    size: float
    colour: str
    opacity: float = 1.0
    fade: bool = False
    closed: bool = False
    label: str = ""
    key: str = ""
    source: Source = ()


class Trail(NamedTuple):
    """Something that moves is at x, y now; `Follower` turns it into the path of its last steps."""

    x: float
    y: float
    size: float
    colour: str
    key: str
    steps: int = 8
    reach: float = 2.0  # what moves further in one step has jumped, and leaves no path


class Glyph(NamedTuple):
    """A drawing by its name, centred on x, y.

    Args:
        size: Side of its square box.
        colour: What its drawing calls `main`.
        turn: Degrees clockwise; unturned, what has a front points up.
        accent: What its drawing calls `accent`; `ink` unless given.
    """

    name: str
    x: float
    y: float
    size: float
    colour: str
    turn: float = 0.0
    opacity: float = 1.0
    accent: str = ""
    label: str = ""
    key: str = ""
    source: Source = ()


class Text(NamedTuple):
    """One line of words, which are its label, beside or centred on x, y.

    Args:
        size: The height of a line; a front end draws no text lower than ten pixels.
        align: `middle`, or `start` or `end` where x is.
        room: The width there is; longer words are set smaller, then cut. 0 is any width.
        halo: The colour behind its letters, where what is behind them varies.
    """

    x: float
    y: float
    size: float
    colour: str
    label: str = ""
    align: str = "middle"
    room: float = 0.0
    halo: str = ""
    key: str = ""
    source: Source = ()


class Bars(NamedTuple):
    """Some shares as bars on one plate; x, y is its top left corner.

    Args:
        values: From 0 to 1; below 0 is unknown, and drawn empty.
        colours: One for each value, or one for all.
        upright: Whether bars stand side by side, growing upwards; else they lie one above the
            other, growing to the right.
        names: What each bar is, for a front end to say.
    """

    x: float
    y: float
    width: float
    height: float
    values: tuple[float, ...]
    colours: tuple[str, ...]
    upright: bool = False
    names: tuple[str, ...] = ()
    label: str = ""
    key: str = ""
    source: Source = ()


class Cells(NamedTuple):
    """A raster: one character for each cell, row by row from the top left corner x, y.

    Args:
        columns: How many cells a row has.
        rows: How many rows.
        cells: A digit or small letter is the number (0-9, a-z) of its colour; `.` is nothing.
        size: Side of a cell.
    """

    x: float
    y: float
    columns: int
    rows: int
    cells: str
    colours: tuple[str, ...]
    opacity: float = 1.0
    size: float = 1.0
    label: str = ""
    key: str = ""
    source: Source = ()


Primitive = Rect | Circle | Ring | Line | Polyline | Trail | Glyph | Text | Bars | Cells
CELL_CODES = "0123456789abcdefghijklmnopqrstuvwxyz"


class Legend(NamedTuple):
    """What a glyph or a colour means; without a glyph, a patch of the colour is shown."""

    glyph: str
    colour: str
    words: str
    accent: str = ""


class Box(NamedTuple):
    """A part of a scene, in cells."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Scene:
    """What can be seen of one env, drawn in the order of its primitives.

    Args:
        width: In cells; x runs to the right from 0 to this, y down from 0 to the height.
        primitives: What is drawn, the later over the earlier.
        caption: One line that says what is seen.
        background: The colour under everything.
        legend: What glyphs and colours mean.
        focus: Where things happen; the rest need not be shown. All of it unless given.
        glyphs: The drawings that glyphs name, beside those that every scene has.
    """

    width: float
    height: float
    primitives: tuple[Primitive, ...]
    caption: str = ""
    background: str = "paper"
    legend: tuple[Legend, ...] = ()
    focus: Box | None = None
    glyphs: Glyphs = field(default_factory=dict, repr=False, compare=False)

    @property
    def box(self) -> Box:
        """What part is shown: the focus, or everything."""
        return self.focus or Box(0.0, 0.0, self.width, self.height)

    @property
    def drawings(self) -> Glyphs:
        """All drawings that this scene may name."""
        return {**GLYPHS, **self.glyphs}

    def plain(self) -> dict[str, Any]:
        """Give the scene as data that JSON can say; docs/scenes.md describes its form."""
        return {
            "size": [_short(self.width), _short(self.height)],
            "box": [_short(value) for value in self.box],
            "background": self.background,
            "caption": self.caption,
            "items": [_item(p) for p in self.primitives],
            "legend": [_strip(list(entry)) for entry in self.legend],
        }

    def showing(self, box: Box) -> "Scene":
        """Give this scene with another part of it in focus."""
        return replace(self, focus=box)


def entries(part: str, first: int | str, num: int = 1) -> str:
    """Name entries of what an agent received.

    Args:
        part: `obs` or `mask`, with the number of the first entry of the flat row; or `info`, with
            the name of the feature.
        num: How many follow one another.
    """
    return f"{part}:{first}" if num == 1 else f"{part}:{first}-{int(first) + num - 1}"


def with_source(drawn: Iterable[Any], source: Source) -> Iterator[Primitive]:
    """Say of primitives which entries they came from."""
    for p in drawn:
        yield p._replace(source=source)


def union(boxes: Sequence[Box]) -> Box:
    """Return the smallest box that has all of these in it."""
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right = max(box.x + box.width for box in boxes)
    bottom = max(box.y + box.height for box in boxes)
    return Box(left, top, right - left, bottom - top)


def cell_codes(numbers: Sequence[int]) -> str:
    """Write the numbers of colours as the characters of `Cells`; below 0 is nothing."""
    return "".join([CELL_CODES[k] if k >= 0 else "." for k in numbers])


_NAMES = {kind: kind.__name__.lower() for kind in Primitive.__args__}
_DEFAULTS: Mapping[Any, tuple[Any, ...]] = {
    kind: (None, *(kind._field_defaults.get(name, None) for name in kind._fields))
    for kind in _NAMES
}


def _item(p: Primitive) -> list[Any]:
    """Give a primitive as a list: its kind, then its fields without the defaults at the end."""
    kind = type(p)
    made: list[Any] = [
        round(value, DECIMALS) if type(value) is float else value for value in (_NAMES[kind], *p)
    ]
    defaults = _DEFAULTS[kind]
    last = len(made)
    while made[last - 1] == defaults[last - 1]:
        last -= 1
    del made[last:]
    if kind is Polyline or kind is Bars:
        numbers = 1 if kind is Polyline else 5
        made[numbers] = [round(value, DECIMALS) for value in made[numbers]]
    return made


def _short(value: float) -> float:
    return round(float(value), DECIMALS)


def _strip(values: list[Any]) -> list[Any]:
    while values and values[-1] == "":
        values.pop()
    return values
