"""What someone at the lake receives, as a scene: the lake, and the people who are seen."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mesocosm.core.palette import share_colour
from mesocosm.core.scene import Glyph, Primitive, Scene, entries
from mesocosm.core.spec import Role
from mesocosm.core.view import Panel, add_features, add_info, add_mask
from mesocosm.worlds.commons.config import Core
from mesocosm.worlds.commons.scene import (
    GLYPHS,
    deal,
    lake,
    legend,
    middle,
    owned,
    person,
    seat_at,
)

PANEL_GAP = 0.4


class Received:
    """The numbers of one observation by name, and which entries they are."""

    def __init__(self, role: Role, obs: np.ndarray) -> None:
        self._layout = role.observation
        self._flat = np.asarray(obs, np.float64).reshape(-1)

    def number(self, name: str, k: int = 0) -> float:
        """Return the k-th number of a feature."""
        return float(self._flat[self._layout.offsets[name] + k])

    def source(self, *names: str, k: int = 0) -> tuple[str, ...]:
        """Name the k-th entry of each of some features."""
        return tuple(entries("obs", self._layout.offsets[name] + k) for name in names)


def view(
    core: Core, role: Role, obs: np.ndarray, mask: np.ndarray, info: Mapping[str, Any]
) -> Scene:
    """Draw what a harvester or a warden received."""
    got = Received(role, obs)
    size = 2.0 * middle(core)
    drawn: list[Primitive] = [*lake(core, got.number("stock"), source=got.source("stock"))]
    drawn += _as_harvester(core, got) if role.name == "harvester" else _as_warden(core, got)
    panel = Panel(size + PANEL_GAP, 0.3, lines=max(int(size / 0.34), 20))
    panel.title("what I am shown")
    names = [feature.name for feature in role.observation.features]
    add_features(panel, role.observation, obs, names)
    add_mask(panel, role, mask)
    add_info(panel, role.info, info)
    caption = f"what a {role.name} receives"
    return Scene(
        panel.width, max(size, panel.height), (*drawn, *panel.drawn), caption, "grass",
        legend(core), glyphs=GLYPHS,
    )  # fmt: skip


def _as_harvester(core: Core, got: Received) -> Iterator[Primitive]:
    """Draw me at the first seat, my neighbours beside me, and nobody I do not see."""
    near = 2 * core.sight
    for seat in range(core.sight + 1, core.num_harvesters - core.sight):
        x, y = seat_at(core, seat)
        yield Glyph("question", x, y, 0.6, "fog", label="not seen")
    for slot in range(near):
        away = slot // 2 + 1
        seat = -away if slot % 2 == 0 else away
        x, y = seat_at(core, seat)
        names = ("near_alive", "near_catch", "near_standing")
        yield from _neighbour(got, x, y, slot, names)
    x, y = seat_at(core, 0)
    mine = got.source("wealth", "catch", "standing")
    colour = share_colour(4.0 * got.number("wealth"))
    yield from person("fisher", x, y, colour, "me", "myself", source=got.source("wealth"))
    values = (got.number("wealth"), got.number("catch"), got.number("standing"))
    yield owned(x, y, values, mine)
    yield from deal(x, y, core.wealth_cap * got.number("received"), got.source("received"))


def _neighbour(
    got: Received, x: float, y: float, k: int, names: tuple[str, str, str]
) -> Iterator[Primitive]:
    """Draw someone who is seen: alive or not, what was caught, how often fined."""
    alive, catch, standing = names
    there = got.source(alive, k=k)
    if got.number(alive, k) <= 0.5:
        yield Glyph("grave", x, y, 0.8, "faint", label="nobody", source=there)
        return
    yield from person("fisher", x, y, "faint", str(k + 1), f"person {k + 1} I see", source=there)
    values = (-1.0, got.number(catch, k), got.number(standing, k))
    yield owned(x, y, values, (*there, *got.source(catch, standing, k=k)))


def _as_warden(core: Core, got: Received) -> Iterator[Primitive]:
    """Draw all harvesters, in the order of their numbers: a warden is not told their seats."""
    for k in range(core.num_harvesters):
        x, y = seat_at(core, k)
        yield from _neighbour(got, x, y, k, ("alive", "catches", "standings"))
