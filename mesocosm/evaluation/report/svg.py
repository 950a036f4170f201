"""Write SVG and HTML: elements as text, every name and number escaped."""

import html
import math
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

NAMESPACE = "http://www.w3.org/2000/svg"
REPLACED = "\N{REPLACEMENT CHARACTER}"
MOST_ZOOM = 1.25  # beyond its own size a drawing is not enlarged
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn")  # categories of characters: control, format, unassigned


def escape(value: object) -> str:
    """Make text of anything, safe between tags and in quotes; what cannot be seen is marked."""
    words = str(value)
    if not words.isprintable():
        words = "".join(_visible(sign) for sign in words)
    return html.escape(words, quote=True)


def _visible(sign: str) -> str:
    """Replace what has no picture, or turns the direction of the text around."""
    if sign in "\n\t":
        return sign
    return REPLACED if unicodedata.category(sign) in HIDDEN else sign


def clip(words: object, most: int = 26) -> str:
    """Shorten a name for a drawing; its end tells paths apart, so both ends stay."""
    text = str(words)
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[:half]}…{text[-(most - 1 - half) :]}"


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """Write an element; `class_` and `stroke_width` become `class` and `stroke-width`.

    Args:
        content: What is inside, escaped already.
    """
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    shown = "".join(f' {name}="{escape(_plain(value))}"' for name, value in named.items())
    return f"<{tag}{shown}>{content}</{tag}>" if content else f"<{tag}{shown}/>"


def text(x: float, y: float, words: object, class_: str = "", anchor: str = "start") -> str:
    """Write words at a point of a drawing."""
    return element("text", escape(words), x=x, y=y, class_=class_, text_anchor=anchor)


def line(start: tuple[float, float], end: tuple[float, float], class_: str) -> str:
    """Draw a straight line."""
    return element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], class_=class_)


def drawing(width: float, height: float, content: str, label: str) -> str:
    """Put shapes into a drawing that scales with the page."""
    return element(
        "svg",
        element("title", escape(label)) + content,
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        style=f"max-width: {MOST_ZOOM * width:g}px",
    )


def sheet(rows: Sequence[Sequence[str]], style: str, label: str) -> str:
    """Put rows of drawings into one SVG file that needs nothing else."""
    width, height, shapes = 0.0, 0.0, []
    for row in rows:
        sizes = [_size(made) for made in row]
        left = 0.0
        for made, (own_width, own_height) in zip(row, sizes, strict=True):
            place = (
                f'<svg x="{left:g}" y="{height:g}" width="{own_width:g}" height="{own_height:g}"'
            )
            shapes.append(made.replace("<svg", place, 1))
            left += own_width
        width, height = max(width, left), height + max((size[1] for size in sizes), default=0.0)
    paper = element("rect", width=width, height=height, class_="paper")
    content = element("style", style) + paper + "".join(shapes)
    whole = drawing(width, height, content, label)
    return whole.replace("<svg", f'<svg xmlns="{NAMESPACE}"', 1) + "\n"


def _size(made: str) -> tuple[float, float]:
    _, _, width, height = made.partition('viewBox="')[2].partition('"')[0].split()
    return float(width), float(height)


def _plain(value: object) -> object:
    return f"{round(value, 2):g}" if isinstance(value, float) else value


class Scale(NamedTuple):
    """Maps values to places."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        width = (self.high - self.low) or 1.0
        return self.start + (value - self.low) / width * (self.end - self.start)


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Choose round values from at most `low` to at least `high`."""
    if not high > low:
        high = low + (abs(low) or 1.0)
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def number(value: float, digits: int = 3) -> str:
    """Write a number for people: 1,012, 0.25, 20 M."""
    if not math.isfinite(value):
        return "-"
    for limit, unit in ((1e9, " G"), (1e6, " M")):
        if abs(value) >= limit:
            return f"{value / limit:.{digits}g}{unit}"
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def percent(value: float) -> str:
    """Write a share for people; never 100 % of what is not all."""
    if not math.isfinite(value):
        return "-"
    shown = f"{100 * value:.1f}"
    if value < 1 and shown == "100.0":
        shown = "99.9"
    return f"{shown.removesuffix('.0')} %"
