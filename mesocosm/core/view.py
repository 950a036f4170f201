"""What one agent received, as a scene: named numbers as bars, for worlds that draw nothing better.

Whatever is drawn here is made of an observation, a mask and an info alone, and says in its
`source` which of their entries it shows.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.observation import Feature, Layout
from mesocosm.core.palette import RAMP
from mesocosm.core.scene import Bars, Cells, Primitive, Scene, Text, cell_codes, entries
from mesocosm.core.spec import Role

ROW, PANEL = 0.34, 5.2  # cells: the height of a line, the width of a column
NAME_SHARE, VALUE_SHARE = 0.46, 0.2  # of a column's width
MOST_BARS = 24  # numbers of one feature; more are a raster
RASTER = 32  # numbers beside each other in one
RASTER_MARGIN = 0.05  # cells above and below one
MOST_OPTIONS = 16  # of a choice that are named
LINES = 34  # of a column


class Row(NamedTuple):
    """A line of a panel: a name, and a share as a bar, or some words."""

    name: str
    share: float
    words: str
    source: tuple[str, ...]
    colour: str = "accent"


class Panel:
    """Lines under one another, in columns.

    Args:
        x: The left side.
        y: The top.
        lines: How many lines a column has.
        unit: What all lengths are multiplied with, where a cell is not about an inch.
    """

    def __init__(self, x: float, y: float, lines: int = LINES, unit: float = 1.0) -> None:
        self._x, self._y, self._lines, self._unit = x, y, lines, unit
        self._line = 0
        self.drawn: list[Primitive] = []

    @property
    def width(self) -> float:
        """Where everything ends on the right."""
        columns = max(self._line - 1, 0) // self._lines + 1
        return self._x + PANEL * self._unit * columns

    @property
    def height(self) -> float:
        """Where everything ends below."""
        return self._y + ROW * self._unit * min(self._line, self._lines)

    def _next(self, lines: int = 1) -> tuple[float, float]:
        """Return where the next lines begin; they stay together in a column."""
        left = self._lines - self._line % self._lines
        if left < lines <= self._lines:
            self._line += left
        column, line = divmod(self._line, self._lines)
        self._line += lines
        return self._x + column * PANEL * self._unit, self._y + line * ROW * self._unit

    def title(self, words: str) -> None:
        """Write what follows."""
        x, y = self._next(2)
        self._line -= 1
        unit = self._unit
        room = PANEL * 0.96 * unit
        self.drawn.append(
            Text(x, y + ROW / 2 * unit, 0.24 * unit, "ink", words, "start", room=room)
        )

    def row(self, row: Row) -> None:
        """Draw a line: its name, its bar, and its words."""
        x, y = self._next()
        unit, source = self._unit, row.source
        middle, name = y + ROW / 2 * unit, PANEL * NAME_SHARE * unit
        wide = (PANEL * (1.0 - NAME_SHARE - VALUE_SHARE) - 0.1) * unit
        high, at, room = 0.21 * unit, x + name, PANEL * (1 - NAME_SHARE) * unit
        if row.share >= 0:
            at, room = at + wide + 0.1 * unit, PANEL * VALUE_SHARE * unit
            self.drawn.append(
                Bars(x + name, middle - 0.08 * unit, wide, 0.16 * unit, (row.share,), (row.colour,),
                     label=f"{row.name} {row.words}", source=source)
            )  # fmt: skip
        self.drawn += [
            Text(x + 0.1 * unit, middle, high, "faint", row.name, "start", room=name - 0.2 * unit,
                 source=source),
            Text(at, middle, high, "ink", row.words, "start", room=room - 0.1 * unit,
                 source=source),
        ]  # fmt: skip

    def raster(self, shares: np.ndarray, label: str, source: tuple[str, ...]) -> None:
        """Draw many shares as coloured cells; what is below 0 is nothing."""
        size = (PANEL - 0.3) / RASTER * self._unit
        rows = -(-len(shares) // RASTER)
        high = rows * size + 2 * RASTER_MARGIN * self._unit
        lines = max(int(-(-high // (ROW * self._unit))), 1)
        x, y = self._next(lines)
        numbers = np.full(rows * RASTER, -1)
        numbers[: len(shares)] = np.where(
            shares < 0, -1, np.rint(np.clip(shares, 0, 1) * (RAMP - 1))
        ).astype(int)
        colours = tuple(f"ramp{k}" for k in range(RAMP))
        at = (x + 0.1 * self._unit, y + RASTER_MARGIN * self._unit)
        self.drawn.append(
            Cells(*at, RASTER, rows, cell_codes(numbers.tolist()), colours, size=size, label=label,
                  source=source)
        )  # fmt: skip


def number_text(value: float) -> str:
    """Write a number in few characters."""
    return f"{value:.3g}" if abs(value) < 1e5 else f"{value:.1e}"


def feature_rows(feature: Feature, values: np.ndarray, part: str, first: int) -> Iterator[Row]:
    """Give a line for every number of a feature that begins at an entry of a flat row."""
    span = (feature.high - feature.low) or 1.0
    for k, index in enumerate(np.ndindex(feature.shape)):
        parts = [str(i) for i in index]
        if feature.labels and parts:
            parts[-1] = feature.labels[index[-1]]
        value = float(values[k])
        yield Row(
            ".".join([feature.name, *parts]), min(max((value - feature.low) / span, 0.0), 1.0),
            number_text(value), (entries(part, first + k),),
        )  # fmt: skip


def add_features(panel: Panel, layout: Layout, row: np.ndarray, names: Iterable[str]) -> None:
    """Add the features of these names to a panel: as bars, or as a raster where there are many."""
    flat = np.asarray(row, np.float64).reshape(-1)
    for name in names:
        feature, span = layout.feature(name), layout.span(name)
        if feature.size == 0:
            continue
        if feature.size <= MOST_BARS:
            for line in feature_rows(feature, flat[span], "obs", span.start):
                panel.row(line)
            continue
        panel.title(f"{name}: {feature.meaning}")
        shares = (flat[span] - feature.low) / ((feature.high - feature.low) or 1.0)
        source = (entries("obs", span.start, feature.size),)
        panel.raster(np.clip(shares, 0.0, 1.0), name, source)


def add_mask(panel: Panel, role: Role, mask: np.ndarray) -> None:
    """Add what may be done to a panel: options by name, or as a raster where there are many."""
    flat, at = np.asarray(mask).reshape(-1), 0
    for choice in role.action.choices:
        count = len(choice.options) if choice.masked else 0
        part, first = flat[at : at + count], at
        at += count
        if count == 0 or len(part) < count:
            continue
        panel.title(f"may I, {choice.name}: {choice.meaning}")
        if count > MOST_OPTIONS:
            panel.raster(part.astype(np.float64), choice.name, (entries("mask", first, count),))
            continue
        for k, option in enumerate(choice.options):
            allowed = bool(part[k])
            words = "yes" if allowed else "no"
            colour = "good" if allowed else "bad"
            panel.row(Row(option, float(allowed), words, (entries("mask", first + k),), colour))


def add_info(panel: Panel, layout: Layout, info: Mapping[str, Any]) -> None:
    """Add what was told outside the observation to a panel."""
    for feature in layout.features:
        if feature.name not in info or feature.size == 0:
            continue
        values = np.asarray(info[feature.name], np.float64).reshape(-1)
        source = (entries("info", feature.name),)
        if feature.size == 1:
            panel.row(Row(feature.name, -1.0, number_text(float(values[0])), source))
            continue
        panel.title(f"{feature.name}: {feature.meaning}")
        shares = (values - feature.low) / ((feature.high - feature.low) or 1.0)
        panel.raster(np.clip(shares, 0.0, 1.0), feature.name, source)


def add_tokens(panel: Panel, layout: Layout, row: np.ndarray) -> None:
    """Add the tokens of a row to a panel, one line each."""
    tokens = layout.tokens
    if tokens is None:
        return
    for k, token in enumerate(np.asarray(row).reshape(-1, 3)):
        one = tokens.decode(token)
        for place, found in one.items():
            for name, value in found.items():
                panel.row(Row(f"{place} {name}", -1.0, str(value), (entries("obs", 3 * k, 3),)))


def view_numbers(
    core: Any, role: Role, obs: np.ndarray, mask: np.ndarray, info: Mapping[str, Any]
) -> Scene:
    """Draw what one agent received: every number by its name, and what it may do."""
    panel, layout = Panel(0.2, 0.2), role.observation
    if layout.tokens is not None:
        add_tokens(panel, layout, obs)
    else:
        add_features(panel, layout, obs, [feature.name for feature in layout.features])
    add_mask(panel, role, mask)
    add_info(panel, role.info, info)
    caption = f"what a {role.name} receives"
    return Scene(panel.width, panel.height + 0.2, tuple(panel.drawn), caption)
