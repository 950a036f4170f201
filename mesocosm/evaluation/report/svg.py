"""Write SVG and HTML: elements as text, every name and number escaped."""

import html
import math
from typing import NamedTuple


def escape(value: object) -> str:
    """Make text of anything, safe between tags and in quotes."""
    return html.escape(str(value), quote=True)


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
    )


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
