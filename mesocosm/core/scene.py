"""Pictures as data: what a world draws of one env, for any front end to show."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Rect:
    """A filled rectangle; x, y is its top left corner.

    Args:
        size: Its width.
        height: Its height.
        label: What a front end may say about it, as every primitive's.
    """

    x: float
    y: float
    size: float
    height: float
    colour: str
    label: str = ""


@dataclass(frozen=True)
class Circle:
    """A filled disc; x, y is its centre and size its diameter."""

    x: float
    y: float
    size: float
    colour: str
    label: str = ""


@dataclass(frozen=True)
class Line:
    """A line from x, y to end_x, end_y; size is its thickness."""

    x: float
    y: float
    end_x: float
    end_y: float
    size: float
    colour: str
    label: str = ""


@dataclass(frozen=True)
class Text:
    """One line of words, which are its label, centred on x, y; size is the height of a line."""

    x: float
    y: float
    size: float
    colour: str
    label: str = ""


Primitive = Rect | Circle | Line | Text


@dataclass(frozen=True)
class Scene:
    """What can be seen of one env, drawn in the order of its primitives.

    Args:
        width: In cells; x runs to the right from 0 to this, y down from 0 to the height.
        primitives: What is drawn, the later over the earlier; colours are `#rrggbb`.
        caption: One line that says what is seen.
        background: The colour under everything.
    """

    width: float
    height: float
    primitives: tuple[Primitive, ...]
    caption: str = ""
    background: str = "#ffffff"

    def plain(self) -> dict[str, Any]:
        """Give the scene as data that JSON can say; every primitive names its kind."""
        drawn = [{"kind": type(p).__name__.lower(), **asdict(p)} for p in self.primitives]
        return {**asdict(self), "primitives": drawn}
