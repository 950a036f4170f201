"""What a resident receives, as a scene: the town as far as it is seen, and how one feels."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mesocosm.core.observation import Layout
from mesocosm.core.scene import Box, Glyph, Legend, Primitive, Rect, Scene, entries, with_source
from mesocosm.core.spec import Role
from mesocosm.core.view import ROW, Panel, Row, add_features, add_info, add_mask, feature_rows
from mesocosm.worlds.townlet.config import DAY, Core
from mesocosm.worlds.townlet.declare import FAILURES
from mesocosm.worlds.townlet.scene import (
    CLOCK_STRIP,
    GLYPHS,
    METER_COLOURS,
    Place,
    body,
    clock,
    cue_icons,
    cue_legend,
    grid,
    sign,
    tile,
)

DRAWN = ("grid", "window", "position", "meters", "affordance", "time", "others", "other_cues")
PANEL_GAP, LEAST_LINES = 0.4, 28  # beside the map; of the list
FOG = 0.28


class Received:
    """One agent's observation and info, by name."""

    def __init__(self, layout: Layout, obs: np.ndarray, info: Mapping[str, Any]) -> None:
        self.layout, self.flat = layout, np.asarray(obs, np.float64).reshape(-1)
        self.info = info

    def has(self, name: str) -> bool:
        """Whether a feature is there, and not empty."""
        return name in self.layout.offsets and self.layout.feature(name).size > 0

    def values(self, name: str) -> np.ndarray:
        """Return the numbers of a feature in its shape; none if it is not there."""
        if not self.has(name):
            return np.zeros((0, 0))
        return self.flat[self.layout.span(name)].reshape(self.layout.feature(name).shape)

    def entries(self, name: str, first: int = 0, num: int = 0) -> str:
        """Name entries of a feature: all of them unless told."""
        count = num or self.layout.feature(name).size
        return entries("obs", self.layout.offsets[name] + first, count)


def view(
    core: Core, role: Role, obs: np.ndarray, mask: np.ndarray, info: Mapping[str, Any]
) -> Scene:
    """Draw what one resident received."""
    got = Received(role.observation, obs, info)
    size = float(core.grid_size)
    box = Box(0.0, 0.0, size, size)
    x, y, here = _position(core, got)
    drawn: list[Primitive] = [*grid(box), *_seen(core, got, x, y, here)]
    drawn += _me(core, got, x, y, here)
    drawn += _others(core, got, x, y, here)
    if core.temporal and got.has("time"):
        sine, cosine = got.values("time").tolist()
        hour = round(math.atan2(sine, cosine) * DAY / (2.0 * math.pi), 1) % DAY
        drawn += clock(box, hour, (got.entries("time"),))
    panel = _panel(core, role, got, mask)
    height = max(size + CLOCK_STRIP, panel.height)
    return Scene(
        panel.width, height, (*drawn, *panel.drawn), "what a resident receives",
        legend=(Legend("house", "faint", "some place"), *cue_legend(core)), glyphs=GLYPHS,
    )  # fmt: skip


def _position(core: Core, got: Received) -> tuple[int, int, tuple[str, ...]]:
    """Return where I am, and the entries that say so."""
    size = core.grid_size
    if got.has("grid"):
        cell = int(np.argmax(got.values("grid")))
        return cell % size, cell // size, (got.entries("grid"),)
    if not got.has("position"):
        return size // 2, size // 2, ()
    x, y = (round(share * (size - 1)) for share in got.values("position").tolist())
    return x, y, (got.entries("position"),)


def _seen(core: Core, got: Received, x: int, y: int, here: tuple[str, ...]) -> Iterator[Primitive]:
    """Draw the places that are told or in the window; what is not in it lies in fog."""
    size = core.grid_size
    if got.has("grid"):
        yield from _told_map(core, got)
        return
    yield Rect(0.0, 0.0, size, size, "fog", FOG, label="not seen")
    window = got.values("window")
    reach = len(window) // 2
    for row, values in enumerate(window.tolist()):
        for column, value in enumerate(values):
            left, top = x + column - reach, y + row - reach
            if not (0 <= left < size and 0 <= top < size):
                continue
            source = (got.entries("window", row * len(values) + column, 1), *here)
            yield Rect(left + 0.02, top + 0.02, 0.96, 0.96, "paper", source=source)
            if value > 0.5:
                yield tile(left, top, True)._replace(source=source)
                if (column, row) != (reach, reach):
                    yield Glyph("house", left + 0.3, top + 0.38, 0.4, "faint", label="some place",
                                source=source)  # fmt: skip


def _told_map(core: Core, got: Received) -> Iterator[Primitive]:
    """Draw the map that is told at the first levels."""
    spots = np.asarray(got.info.get("affordance_map", ())).reshape(-1, 2).tolist()
    source = (entries("info", "affordance_map"),)
    for kind, (x, y) in zip(core.affordances, spots, strict=False):
        if x >= 0 and y >= 0:
            yield tile(x, y, True)._replace(source=source)
            place = Place(kind.name, int(x), int(y), True, f"{kind.opens}-{kind.closes}")
            yield from with_source(sign(place), source)


def _me(core: Core, got: Received, x: int, y: int, here: tuple[str, ...]) -> Iterator[Primitive]:
    """Draw myself, and the place where I stand."""
    flags, names = got.values("affordance").tolist(), [kind.name for kind in core.affordances]
    source = (got.entries("affordance"), *here)
    at = int(np.argmax(flags))
    if at < len(names) and flags[at] > 0 and not got.has("grid"):
        yield from with_source(sign(Place(names[at], x, y, True, "here")), source)
    yield from with_source(body(x + 0.64, y + 0.08, 0.7, "accent", "me", "myself", ""), here)


def _others(
    core: Core, got: Received, x: int, y: int, here: tuple[str, ...]
) -> Iterator[Primitive]:
    """Draw the people I see, where I see them, with what I read off them."""
    if not got.has("others"):
        return
    told = got.info.get("visible_agents")
    known = int(np.asarray(told).reshape(-1)[0]) if told is not None else 0
    cues = got.values("other_cues")
    for slot, (dx, dy) in enumerate(got.values("others").tolist()):
        flags = cues[slot].tolist() if len(cues) else []
        if slot >= known and not (dx or dy or any(flags)):
            continue
        source = (got.entries("others", 2 * slot, 2), *here, entries("info", "visible_agents"))
        if flags:
            source += (got.entries("other_cues", slot * len(flags), len(flags)),)
        left = x + dx + 0.3 + 0.2 * (slot % 3)
        top = y + dy + 0.12 + 0.14 * (slot % 2)
        yield from with_source(
            body(left, top, 0.6, "team4", str(slot + 1), f"person {slot + 1} I see", ""), source
        )
        shown = [name for name, on in zip(core.shown_cues, flags, strict=False) if on]
        yield from cue_icons(shown, left, top, 0.6, source)


def _panel(core: Core, role: Role, got: Received, mask: np.ndarray) -> Panel:
    """List meters, where I stand, everything that is not on the map, and what I may do."""
    panel = Panel(
        core.grid_size + PANEL_GAP, 0.1, lines=max(int(core.grid_size / ROW), LEAST_LINES)
    )
    panel.title("how I feel")
    feature, first = got.layout.feature("meters"), got.layout.offsets["meters"]
    rows = feature_rows(feature, got.values("meters"), "obs", first)
    for row, colour in zip(rows, METER_COLOURS, strict=True):
        panel.row(row._replace(name=row.name.partition(".")[2], colour=colour))
    flags = got.values("affordance")
    names = [*(kind.name for kind in core.affordances), "none"]
    panel.row(Row("I stand at", -1.0, names[int(np.argmax(flags))], (got.entries("affordance"),)))
    rest = [entry.name for entry in got.layout.features if entry.name not in DRAWN]
    add_features(panel, got.layout, got.flat, rest)
    add_mask(panel, role, mask)
    panel.title("told besides")
    told = {name: value for name, value in got.info.items() if name != "affordance_map"}
    failed = told.pop("action_failed", None)
    if failed is not None:
        code = int(np.asarray(failed).reshape(-1)[0])
        word = FAILURES[code] if 0 <= code < len(FAILURES) else str(code)
        panel.row(Row("last action failed", -1.0, word, (entries("info", "action_failed"),)))
    add_info(panel, role.info, told)
    return panel
