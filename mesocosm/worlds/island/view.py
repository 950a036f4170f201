"""What a side receives, as a scene: its own units, the groups it knows, and how things stand."""

from collections.abc import Iterator, Mapping, Sequence
from math import atan2, degrees
from typing import Any

import numpy as np

from mesocosm.core.palette import share_colour
from mesocosm.core.scene import Bars, Box, Circle, Glyph, Line, Primitive, Scene, Text, entries
from mesocosm.core.spec import Role
from mesocosm.core.view import PANEL, Panel, add_features, add_info, add_mask
from mesocosm.worlds.island.config import DOMAINS, SIDES, Core
from mesocosm.worlds.island.declare import ENTITY_FEATURES, GLOBALS, GROUP_FEATURES
from mesocosm.worlds.island.scene import (
    BY_DOMAIN,
    COLOURS,
    GLYPHS,
    LOW_FUEL,
    NEUTRAL,
    SIZES,
    focus,
    glyph_size,
    home_box,
    legend,
    unit_glyph,
)

AT = {name: k for k, name in enumerate(ENTITY_FEATURES)}
GROUP_AT = {name: k for k, name in enumerate(GROUP_FEATURES)}
FLAG_STEP = 1.0 / 3.0  # of `flag_faction` from one holder to the next
COLUMNS, PANEL_LINES = 4, 14  # of the list below the map


def view(
    core: Core, role: Role, obs: np.ndarray, mask: np.ndarray, info: Mapping[str, Any]
) -> Scene:
    """Draw what one side received; a side that sees turned is drawn turned."""
    layout, flat = role.observation, np.asarray(obs, np.float64).reshape(-1)
    side = SIDES.index(role.name)
    drawn: list[Primitive] = [*_island(core, layout.offsets, flat)]
    own, groups = (_table(role, flat, name) for name in ("entities", "groups"))
    own = {k: row for k, row in own.items() if row[AT["grid_x"]] or row[AT["grid_y"]]}  # lost ones
    for first, row in groups.items():
        drawn += _group(core, row, first, side, (entries("obs", first, len(GROUP_FEATURES)),))
    start = layout.offsets["entities"]
    for first, row in own.items():
        i = (first - start) // len(ENTITY_FEATURES)
        source = (entries("obs", first, len(ENTITY_FEATURES)), entries("info", "kinds"))
        drawn += _unit(core, row, _glyph(core, row, info, i), f"unit {i}", side, source)
    places = [_place(core, row[AT["grid_x"]], row[AT["grid_y"]]) for row in own.values()]
    shown = focus(core, places)
    panel = _panel(core, role, flat, mask, info, shown.y + shown.height)
    box = Box(shown.x, shown.y, max(shown.width, panel.width - shown.x), panel.height - shown.y)
    return Scene(
        core.map_km, max(core.map_km, panel.height), (*drawn, *panel.drawn),
        f"what {role.name.capitalize()} receives", "water", legend=legend(core), focus=box,
        glyphs=GLYPHS,
    )  # fmt: skip


def _table(role: Role, flat: np.ndarray, name: str) -> dict[int, list[float]]:
    """Give the rows of a table that stand for something, by the number of their first entry."""
    feature, first = role.observation.feature(name), role.observation.offsets[name]
    rows = flat[role.observation.span(name)].reshape(feature.shape)
    wide = feature.shape[1]
    return {first + k * wide: rows[k].tolist() for k in np.flatnonzero(rows.any(1)).tolist()}


def _place(core: Core, east: float, north: float) -> tuple[float, float]:
    """Turn shares of the map into km from the top left."""
    return east * core.map_km, (1.0 - north) * core.map_km


def _island(core: Core, at: Mapping[str, int], flat: np.ndarray) -> Iterator[Primitive]:
    """Draw the island where it is said to be, and who holds it."""
    size = glyph_size(core)
    names = ("island_center_x_norm", "island_center_y_norm")
    where = tuple(entries("obs", at[name]) for name in names)
    x, y = _place(core, *(float(flat[at[name]]) for name in names))
    yield Circle(x, y, 3.0 * size, "land_edge", source=where)
    yield Circle(x, y, 2.7 * size, "land", label="the island", source=where)
    holder = round(float(flat[at["flag_faction"]]) / FLAG_STEP)
    colour = COLOURS[holder - 1] if holder in (1, 2) and not core.ego_flag else NEUTRAL
    source = (*where, entries("obs", at["flag_faction"]))
    yield Glyph("flag", x, y, 1.3 * size, colour, label="its flag", source=source)


def _glyph(core: Core, row: Sequence[float], info: Mapping[str, Any], i: int) -> str:
    """Name the drawing of a unit: by its type where that is told, else by its domain."""
    kinds = np.asarray(info.get("kinds", ())).reshape(-1)
    if i < len(kinds) and 0 <= kinds[i] < len(core.units):
        return unit_glyph(core.units[int(kinds[i])])
    return BY_DOMAIN[_domain([row[AT[f"domain_{name}"]] for name in DOMAINS])]


def _domain(flags: Sequence[float]) -> str:
    return DOMAINS[int(np.argmax(flags))]


def _unit(
    core: Core, row: Sequence[float], glyph: str, name: str, side: int, source: tuple[str, ...]
) -> Iterator[Primitive]:
    """Draw one of my units, with what it lacks."""
    domain = _domain([row[AT[f"domain_{name}"]] for name in DOMAINS])
    size = glyph_size(core) * SIZES[domain]
    x, y = _place(core, row[AT["grid_x"]], row[AT["grid_y"]])
    east, north = (row[AT[part]] - 0.5 for part in ("heading_sin", "heading_cos"))
    turn = degrees(atan2(east, north)) if domain != "ground" else 0.0
    yield Glyph(glyph, x, y, size, COLOURS[side], turn, label=name, source=source)
    health, fuel = row[AT["health_ok"]], row[AT["fuel_norm"]]
    if health < 1.0 or (domain == "air" and fuel < LOW_FUEL):
        yield Bars(
            x - size / 2, y + 0.5 * size, size, 0.28 * size, (health, fuel),
            (share_colour(health), "sun"), names=("health", "fuel"), source=source,
        )  # fmt: skip


def _group(
    core: Core, row: Sequence[float], first: int, side: int, source: tuple[str, ...]
) -> Iterator[Primitive]:
    """Draw an enemy group: where it is thought, whither it moves, and how many it has."""
    size = glyph_size(core)
    x, y = _place(core, row[GROUP_AT["grid_x"]], row[GROUP_AT["grid_y"]])
    domain = _domain([row[GROUP_AT[f"domain_{name}"]] for name in DOMAINS])
    seen = row[GROUP_AT["is_detected"]] > 0.5
    count = round(row[GROUP_AT["entity_count_norm"]] * core.max_entities)
    colour, opacity = COLOURS[1 - side], 1.0 if seen else 0.45
    label = f"{count} {domain}{'' if seen else ', not seen now'}"
    east, north = (2.0 * row[GROUP_AT[name]] - 1.0 for name in ("velocity_x", "velocity_y"))
    yield Line(x, y, x + 3.0 * size * east, y - 3.0 * size * north, 0.08 * size, colour, opacity,
               source=source)  # fmt: skip
    yield Glyph("contact", x, y, 1.3 * size, colour, opacity=opacity, label=label, source=source)
    yield Glyph(BY_DOMAIN[domain], x, y, 0.6 * size, colour, opacity=opacity, source=source)
    yield Text(
        x + 0.75 * size, y - 0.6 * size, 0.6 * size, "ink", str(count), halo="water", source=source
    )


def _panel(
    core: Core, role: Role, flat: np.ndarray, mask: np.ndarray, info: Mapping[str, Any], top: float
) -> Panel:
    """List how things stand, what may be ordered, and what is told besides, below the map."""
    home = home_box(core)
    unit = home.width / (COLUMNS * PANEL)
    panel = Panel(home.x, top + 0.2 * unit, PANEL_LINES, unit)
    panel.title("how things stand")
    add_features(panel, role.observation, flat, GLOBALS)
    shown = (*GLOBALS, "entities", "groups")
    rest = [entry.name for entry in role.observation.features if entry.name not in shown]
    add_features(panel, role.observation, flat, rest)
    panel.title("told besides")
    add_info(panel, role.info, {name: told for name, told in info.items() if np.size(told) == 1})
    add_mask(panel, role, mask)
    return panel
