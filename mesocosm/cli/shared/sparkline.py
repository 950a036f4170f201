"""Draw a curve in one line of text, on any terminal."""

import math
import sys
from collections.abc import Sequence

BLOCKS, PLAIN = "▁▂▃▄▅▆▇█", "_.-=+*%#"
WIDTH = 60


def sparkline(values: Sequence[float], low: float | None = None, high: float | None = None) -> str:
    """Draw values as a row of bars, averaged to fit; NaN leaves a gap.

    Args:
        low, high: What the lowest and the highest bar stand for; those of the values if not said.
    """
    shown = _squeeze(values)
    known = [value for value in shown if math.isfinite(value)]
    if not known:
        return ""
    bottom = min(known) if low is None else low
    top = max(known) if high is None else high
    marks = BLOCKS if can_print(BLOCKS) else PLAIN
    width = (top - bottom) or 1.0
    return "".join(
        " " if not math.isfinite(value) else marks[_level((value - bottom) / width)]
        for value in shown
    )


def _level(share: float) -> int:
    return min(max(int(share * len(BLOCKS)), 0), len(BLOCKS) - 1)


def _squeeze(values: Sequence[float]) -> list[float]:
    count = min(len(values), WIDTH)
    made = []
    for k in range(count):
        part = values[k * len(values) // count : (k + 1) * len(values) // count]
        known = [value for value in part if math.isfinite(value)]
        made.append(sum(known) / len(known) if known else math.nan)
    return made


def can_print(text: str) -> bool:
    """Whether the terminal has these characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
