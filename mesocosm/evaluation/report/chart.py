"""Charts of a report: lines over steps, bars with intervals, and histograms of lives."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mesocosm.evaluation.report.svg import (
    Scale,
    drawing,
    element,
    escape,
    line,
    number,
    percent,
    text,
    ticks,
)
from mesocosm.evaluation.statistics.estimate import Estimate

WIDTH, HEIGHT = 460, 264
BARS_WIDTH = 310
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 34, 40
BAR, GAP = 22, 14  # pixels: height of a bar, and between two
Format = Callable[[float], str]


class Series(NamedTuple):
    """Points `(x, y)` in order of x; NaN breaks a line.

    Args:
        raw: What `points` are averages of, drawn as dots.
    """

    points: Sequence[tuple[float, float]]
    raw: Sequence[tuple[float, float]] = ()


class Level(NamedTuple):
    """A value to compare a curve with."""

    name: str
    value: float
    class_: str


class Axes(NamedTuple):
    """What a chart shows.

    Args:
        y_range: Always shown, if given; else it follows from the values.
        missing: Said where there is no point.
        room: Pixels at the right for the names of levels.
    """

    title: str
    x_name: str
    y_format: Format = number
    y_range: tuple[float, float] | None = None
    room: float = 0.0
    missing: str = "no life ended"


def line_chart(series: Series, axes: Axes, levels: Sequence[Level] = ()) -> str:
    """Draw a curve, with levels beside which it is seen."""
    known = [(x, y) for x, y in (*series.points, *series.raw) if math.isfinite(y)]
    levels = [level for level in levels if math.isfinite(level.value)]
    if not known:
        return _empty(axes.title, f"nothing to show: {axes.missing}")
    right = WIDTH - RIGHT - axes.room
    x = Scale(0.0, max(x for x, _ in known), LEFT, right)
    values = [y for _, y in known] + [level.value for level in levels]
    low, high = axes.y_range or (min(*values, 0.0), max(values))
    y_ticks = ticks(low, high, 4)
    y = Scale(y_ticks[0], y_ticks[-1], HEIGHT - BOTTOM, TOP)
    shapes = _frame(x, y, axes, y_ticks)
    shapes += [
        element("circle", cx=x(a), cy=y(b), r=1.6, class_="raw")
        for a, b in series.raw
        if math.isfinite(b)
    ]
    shapes += _levels(levels, y, right, axes.y_format)
    shapes.append(element("path", d=_path(series.points, x, y), class_="curve"))
    return drawing(WIDTH, HEIGHT, "".join(shapes), axes.title)


def _frame(x: Scale, y: Scale, axes: Axes, y_ticks: Sequence[float]) -> list[str]:
    shapes = [text(LEFT - 44, 18, axes.title, "title")]
    for value in y_ticks:
        shapes.append(line((x.start, y(value)), (x.end, y(value)), "gridline"))
        shapes.append(text(x.start - 6, y(value) + 4, axes.y_format(value), "tick", "end"))
    steps = [value for value in ticks(x.low, x.high, 4) if value <= x.high * 1.001]
    for value in steps:
        shapes.append(line((x(value), y.start), (x(value), y.start + 4), "axis"))
        shapes.append(text(x(value), y.start + 17, number(value), "tick", "middle"))
    shapes.append(line((x.start, y.start), (x.end, y.start), "axis"))
    middle = (x.start + x.end) / 2
    return [*shapes, text(middle, HEIGHT - 5, axes.x_name, "tick", "middle")]


def _levels(levels: Sequence[Level], y: Scale, right: float, form: Format) -> list[str]:
    """Draw levels as dashed lines, their names spread so that none covers another."""
    shapes, lowest = [], y.start + 18.0
    for level in sorted(levels, key=lambda entry: entry.value):
        at = y(level.value)
        shapes.append(line((LEFT, at), (right, at), f"level {level.class_}"))
        lowest = min(at + 4, lowest - 14)
        words = f"{level.name} {form(level.value)}"
        shapes.append(text(right + 6, lowest, words, f"name {level.class_}"))
    return shapes


def _path(points: Sequence[tuple[float, float]], x: Scale, y: Scale) -> str:
    parts, pen = [], "M"
    for a, b in points:
        if not math.isfinite(b):
            pen = "M"
            continue
        dot = "h0" if pen == "M" else ""  # so that a point between gaps is seen
        parts.append(f"{pen}{x(a):.1f} {y(b):.1f}{dot}")
        pen = "L"
    return "".join(parts) or "M0 0"


def _empty(title: str, why: str) -> str:
    words = text(LEFT - 44, 18, title, "title") + text(WIDTH / 2, HEIGHT / 2, why, "tick", "middle")
    return drawing(WIDTH, HEIGHT, words, f"{title}: {why}")


def bar_chart(title: str, entries: Mapping[str, Estimate], form: Format, classes: Mapping[str, str],
              most: float | None = None) -> str:  # fmt: skip
    """Draw a bar for each name, with its interval."""
    height = TOP + len(entries) * (BAR + GAP) + 6
    shown = {name: entry for name, entry in entries.items() if math.isfinite(entry.value)}
    ends = [v for e in shown.values() for v in (e.value, e.low, e.high) if math.isfinite(v)]
    names = 12 + 7.2 * max((len(name) for name in entries), default=0)
    low, high = min([*ends, 0.0]), max([*ends, 0.0]) if most is None else most
    x = Scale(low, high if high > low else low + 1.0, names, BARS_WIDTH - 66)
    shapes = [text(8, 18, title, "title")]
    for k, name in enumerate(entries):
        y = TOP + k * (BAR + GAP)
        shapes.append(text(names - 8, y + BAR / 2 + 4, name, "label", "end"))
        if name not in shown:
            shapes.append(text(names, y + BAR / 2 + 4, "no life ended", "tick"))
            continue
        shapes += _bar(shown[name], x, y, classes.get(name, "other"))
        end = max(x(v) for v in (shown[name].value, shown[name].high, 0.0) if math.isfinite(v))
        shapes.append(text(end + 8, y + BAR / 2 + 4, form(shown[name].value), "value"))
    shapes.append(line((x(0.0), TOP - 6), (x(0.0), height - 8), "axis"))
    return drawing(BARS_WIDTH, height, "".join(shapes), title)


def _bar(entry: Estimate, x: Scale, y: float, class_: str) -> list[str]:
    left, right = sorted((x(0.0), x(entry.value)))
    made = [element("rect", x=left, y=y, width=max(right - left, 1.0), height=BAR, rx=2,
                    class_=f"bar {class_}")]  # fmt: skip
    if math.isfinite(entry.low):
        middle, a, b = y + BAR / 2, x(entry.low), x(entry.high)
        made.append(line((a, middle), (b, middle), "whisker"))
        made += [line((end, middle - 5), (end, middle + 5), "whisker") for end in (a, b)]
    return made


class Lengths(NamedTuple):
    """Lives of one policy: their lengths, by outcome."""

    name: str
    lengths: Mapping[str, Sequence[int]]

    def shares(self) -> list[str]:
        """Say how lives ended, the most frequent first."""
        total = sum(map(len, self.lengths.values()))
        parts = sorted(self.lengths.items(), key=lambda item: -len(item[1]))
        return [f"{percent(len(part) / total)} {outcome}" for outcome, part in parts][:3]


def histogram(rows: Sequence[Lengths], num_bins: int = 40) -> str:
    """Draw how long lives were, a row for each policy, stacked by outcome."""
    row_height, top, width = 84, 12, 2 * WIDTH
    longest = max((n for row in rows for part in row.lengths.values() for n in part), default=0)
    if not longest:
        return drawing(width, 60, text(width / 2, 34, "no life ended", "tick", "middle"), "lives")
    height = top + row_height * len(rows) + BOTTOM
    names = 16 + 7.0 * max(len(words) for row in rows for words in (row.name, *row.shares()))
    edges = ticks(0, longest, 5)
    x = Scale(0.0, edges[-1], names, width - RIGHT)
    shapes = []
    for k, row in enumerate(rows):
        base = top + (k + 1) * row_height - 10
        shapes += _stack(row, x, base, row_height - 26, num_bins)
        shares = row.shares()
        for up, words in enumerate(reversed(shares)):
            shapes.append(text(names - 10, base - 2 - 15 * up, words, "tick", "end"))
        at = base - 4 - 15 * len(shares)
        shapes.append(text(names - 10, at, row.name, "label", "end"))
        shapes.append(line((x.start, base), (x.end, base), "axis"))
    floor = height - BOTTOM
    for value in edges:
        shapes.append(line((x(value), floor - 10), (x(value), floor - 5), "axis"))
        shapes.append(text(x(value), floor + 8, number(value), "tick", "middle"))
    shapes.append(text((x.start + x.end) / 2, height - 8, "length of a life, in steps", "tick",
                       "middle"))  # fmt: skip
    return drawing(width, height, "".join(shapes), "lengths of lives")


def _stack(row: Lengths, x: Scale, base: float, room: float, num_bins: int) -> list[str]:
    width = x.high / num_bins
    counts = {outcome: [0] * num_bins for outcome in row.lengths}
    for outcome, lengths in row.lengths.items():
        for length in lengths:
            counts[outcome][min(int(length / width), num_bins - 1)] += 1
    totals = [sum(part[k] for part in counts.values()) for k in range(num_bins)]
    most, lives, shapes = max(totals), sum(totals), []
    for k in range(num_bins):
        y = base
        for outcome, part in counts.items():
            if not part[k]:
                continue
            tall = max(part[k] / most * room, 1.5)
            y -= tall
            span = f"{number(k * width)} to {number((k + 1) * width)} steps"
            about = element("title", escape(f"{row.name}, {span}: {part[k]:,} {outcome}"))
            shapes.append(element("rect", about, x=x(k * width) + 0.5, y=y, height=tall,
                                  width=x(width) - x(0) - 1, class_=outcome))  # fmt: skip
    if lives:
        peak = totals.index(most)
        at = min(max(x((peak + 0.5) * width), x.start + 30), x.end - 30)
        words = f"{100 * most / lives:.0f} %"
        shapes.append(text(at, base - room - 4, words, "tick", "middle"))
    return shapes
