"""How a war looks: everything there is, or the map as one side knows it."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from mesocosm.core.scene import Circle, Line, Primitive, Rect, Scene, Text
from mesocosm.worlds.island.config import DOMAINS, SIDES, Core
from mesocosm.worlds.island.state import DECK, GHOST, GROUP_X, GROUP_Y, SHOT_WEAPON, SHOT_X, SHOT_Y

Truth = Mapping[str, np.ndarray]

WATER, LAND, INK, FAINT = "#dfeaf2", "#cbbf9a", "#2f2e2a", "#8f9aa3"
COLOURS = ("#2457a6", "#b03a2e")
GHOSTS = ("#9db4d8", "#dba9a3")
NEUTRAL = "#6b6b6b"
SIZES = {"air": 0.010, "sea": 0.016, "ground": 0.012}
TASKS = ("idle", "patrol", "engage", "return", "refuel", "capture", "evade", "deck")


class Drawn(NamedTuple):
    """A living unit, in map coordinates from the top left."""

    side: int
    number: int
    code: str
    domain: str
    x: float
    y: float
    heading: tuple[float, float]
    health: float
    fuel: float
    task: str


def units(truth: Truth, core: Core) -> list[Drawn]:
    """List the living units of both sides."""
    found = []
    for side, i in np.argwhere((truth["hp"] > 0) & (truth["kind"] >= 0)).tolist():
        unit = core.units[int(truth["kind"][side, i])]
        x, y = place(core, *truth["pos"][side, i].tolist())
        task = "landed" if truth["landed"][side, i] else TASKS[int(truth["manoeuver"][side, i])]
        east, north = truth["heading"][side, i].tolist()
        found.append(
            Drawn(
                side, i, unit.code, unit.domain, x, y, (east, -north),
                float(truth["hp"][side, i] / unit.hits), float(truth["fuel"][side, i]), task,
            )
        )  # fmt: skip
    return found


def place(core: Core, east: float, north: float) -> tuple[float, float]:
    """Turn km from the centre into km from the top left."""
    return east + core.map_km / 2.0, core.map_km / 2.0 - north


def scene(truth: Truth, core: Core, side: int | None = None) -> Scene:
    """Draw a war: as it is, or in the fog of one side (0 Legacy, 1 Dynasty)."""
    drawn = [*_ground(truth, core)]
    for unit in units(truth, core):
        if side is None or unit.side == side:
            drawn += _unit(unit, core)
    for owner in range(2):
        if side is None:
            drawn += _missiles(truth, core, owner)
    if side is not None:
        drawn += _contacts(truth, core, side)
    view = "" if side is None else f", as {SIDES[side].capitalize()} sees it"
    return Scene(core.map_km, core.map_km, tuple(drawn), caption(truth, core) + view, WATER)


def caption(truth: Truth, core: Core) -> str:
    """Return in one line how the war stands."""
    strength = ", ".join(
        f"{name.capitalize()} {share:.0%}"
        for name, share in zip(SIDES, truth["strength"].tolist(), strict=True)
    )
    holder = ("nobody", *SIDES)[int(truth["flag_owner"])].capitalize()
    capturer = int(truth["capturing"])
    busy = ""
    if capturer:
        spent = truth["capture_progress"][capturer - 1]
        busy = f", {SIDES[capturer - 1].capitalize()} capturing for {spent:.0f} s"
    seconds = int(truth["clock"]) * core.step_seconds
    return f"island, {seconds:.0f} s: {strength}; held by {holder}{busy}"


def _ground(truth: Truth, core: Core) -> Iterator[Primitive]:
    size = core.map_km
    x, y = place(core, core.island_x, core.island_y)
    owner = int(truth["flag_owner"])
    yield Circle(x, y, size * 0.03, LAND, "the island")
    yield Rect(
        x - size * 0.004, y - size * 0.004, size * 0.008, size * 0.008,
        COLOURS[owner - 1] if owner else NEUTRAL, "its flag",
    )  # fmt: skip
    for side, sign in enumerate((-1.0, 1.0)):
        base = core.laydown.base
        x, y = place(core, sign * base.depth, sign * base.lateral)
        half = size * 0.01
        name = f"base of {SIDES[side].capitalize()}"
        yield Rect(x - half, y - half, 2 * half, 2 * half, LAND, name)
        yield Text(x, y + 2.2 * half, size * 0.014, COLOURS[side], SIDES[side].capitalize())


def _unit(unit: Drawn, core: Core) -> Iterator[Primitive]:
    """Draw a unit with its heading; aircraft and ships are discs, ground units squares."""
    size = core.map_km * SIZES[unit.domain]
    side = SIDES[unit.side].capitalize()
    label = f"{side} {unit.code} {unit.number}: {unit.task}, health {unit.health:.0%}"
    colour = COLOURS[unit.side]
    if unit.domain == "air":
        label += f", fuel {unit.fuel:.0%}"
    if unit.domain == "ground" or unit.task in (TASKS[DECK], "landed"):
        yield Rect(unit.x - size / 2, unit.y - size / 2, size, size, colour, label)
        return
    east, south = unit.heading
    reach = 1.6 * size
    yield Line(
        unit.x, unit.y, unit.x + reach * east, unit.y + reach * south, size * 0.2, colour, ""
    )
    yield Circle(unit.x, unit.y, size, colour, label)


def _missiles(truth: Truth, core: Core, side: int) -> Iterator[Primitive]:
    for shot in range(int(truth["num_shots"][side])):
        x, y = place(core, *truth["shot"][side, shot, [SHOT_X, SHOT_Y]].tolist())
        weapon = core.weapons[int(truth["shot_id"][side, shot, SHOT_WEAPON])].name
        yield Circle(x, y, core.map_km * 0.004, INK, f"{SIDES[side].capitalize()} {weapon}")


def _contacts(truth: Truth, core: Core, side: int) -> Iterator[Primitive]:
    """Draw the tracks a side keeps, faint if nobody holds them, and the numbers of groups."""
    enemy = 1 - side
    for j in np.flatnonzero(truth["tier"][side] > 0).tolist():
        x, y = place(core, *truth["spot"][side, j].tolist())
        held = bool(truth["held"][side, j])
        domain = DOMAINS[int(truth["looks"][side, j])]
        age = float(truth["age"][side, j])
        label = f"{domain} contact of tier {int(truth['tier'][side, j])}, {age:.0f} s old"
        colour = COLOURS[enemy] if held else GHOSTS[enemy]
        yield Circle(x, y, core.map_km * SIZES[domain], colour, label)
    for g in np.flatnonzero(truth["group_state"][side] >= GHOST).tolist():
        x, y = (float(share) for share in truth["group"][side, g, [GROUP_X, GROUP_Y]])
        yield Text(
            x * core.map_km, (1.0 - y) * core.map_km - core.map_km * 0.018,
            core.map_km * 0.014, FAINT, f"group {g}",
        )  # fmt: skip
