"""What a cog receives, as a scene: its window of the grid, and what it is told besides."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.scene import (
    Bars,
    Cells,
    Circle,
    Glyph,
    Primitive,
    Rect,
    Scene,
    Text,
    entries,
)
from mesocosm.core.spec import Role
from mesocosm.core.view import ROW, Panel, Row, add_info, add_mask
from mesocosm.worlds.mettagrid.code import MESSAGE_PLACE, MESSAGE_STEPS, MESSAGE_TEXT
from mesocosm.worlds.mettagrid.compile.geometry import visible_cells
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.idmap import GLOBAL_LOCATION, LOCATION_ROW
from mesocosm.worlds.mettagrid.looks import (
    GLYPHS,
    HANDFUL,
    Looks,
    glyph_of,
    looks,
    raster,
    spoken,
    vibe_colour,
)
from mesocosm.worlds.mettagrid.render import message_text

TOKEN = 3  # numbers of a token: place, feature, value
INVENTORY, TYPE = "inv:", "type:"
AGENT = "agent"
PANEL_GAP, PANEL_UNITS = 0.4, 13.0  # beside the window; as high as it
MAX_BUBBLE_CHARS = 16


class Told(NamedTuple):
    """One token, by name."""

    name: str
    value: int
    label: str  # what the value is called, or the number
    source: str


class Spot(NamedTuple):
    """What tokens say of one cell."""

    row: int
    col: int
    told: tuple[Told, ...]

    def values(self, name: str) -> list[int]:
        """List the values of a feature."""
        return [one.value for one in self.told if one.name == name]

    def labels(self, name: str) -> list[str]:
        """List what the values of a feature are called."""
        return [one.label for one in self.told if one.name == name]

    @property
    def source(self) -> tuple[str, ...]:
        """All entries that say something of this cell."""
        return tuple(one.source for one in self.told)


def view(
    core: Core, role: Role, obs: np.ndarray, mask: np.ndarray, info: Mapping[str, Any]
) -> Scene:
    """Draw what one cog received: the cells around it, and what is about no cell."""
    spots, anywhere = read_tokens(core, role, obs)
    seen = looks(core)
    height, width = core.obs.height, core.obs.width
    drawn: list[Primitive] = [_window(core)]
    for spot in spots:
        drawn += _spot(core, seen, spot)
    drawn += _heard(core, info)
    unit = max(height, width) / PANEL_UNITS
    panel = Panel(width + PANEL_GAP * unit, 0.1, lines=int(PANEL_UNITS / ROW), unit=unit)
    add_mask(panel, role, mask)
    add_info(panel, role.info, {name: told for name, told in info.items() if name != "heard"})
    _list_tokens(panel, spots, anywhere, core)
    return Scene(
        panel.width, max(float(height), panel.height), (*drawn, *panel.drawn),
        "what a cog receives", legend=seen.legend, glyphs=GLYPHS,
    )  # fmt: skip


def read_tokens(core: Core, role: Role, obs: np.ndarray) -> tuple[list[Spot], list[Told]]:
    """Gather the newest tokens of a row: by cell, nearest first, and those about no cell."""
    tokens = role.observation.tokens
    kinds = {kind.id: kind for kind in tokens.kinds} if tokens is not None else {}
    empty = tokens.empty if tokens is not None else -1
    cells: dict[int, list[Told]] = {}
    rows = np.asarray(obs).reshape(-1, TOKEN)[: core.obs.num_tokens].tolist()
    for k, (place, number, value) in enumerate(rows):
        if place == empty:
            continue
        kind = kinds.get(number)
        labels = kind.labels if kind is not None else ()
        label = labels[value] if value < len(labels) else str(value)
        name = kind.name if kind is not None else f"feature {number}"
        told = Told(name, value, label, entries("obs", TOKEN * k, TOKEN))
        cells.setdefault(place, []).append(told)
    anywhere = cells.pop(GLOBAL_LOCATION, [])
    found = [Spot(*divmod(place, LOCATION_ROW), tuple(told)) for place, told in cells.items()]
    return found, anywhere


def _window(core: Core) -> Cells:
    """Draw the cells that can be seen; the corners of a round window lie in fog."""
    height, width = core.obs.height, core.obs.width
    numbers = np.full((height, width), 0)
    for dr, dc in visible_cells(height, width, round_=core.has_round_window):
        numbers[dr + height // 2, dc + width // 2] = 1
    return Cells(0.0, 0.0, width, height, raster(numbers), ("fog", "panel"), 0.5, label="my window")


def kind_of(spot: Spot) -> str:
    """Say what is on a cell, by its tags; an agent is `agent`."""
    tags = spot.labels("tag")
    types = [tag.removeprefix(TYPE) for tag in tags if tag.startswith(TYPE)]
    plain = types or [tag for tag in tags if ":" not in tag]
    return plain[0] if plain else ""


def _spot(core: Core, seen: Looks, spot: Spot) -> Iterator[Primitive]:
    """Draw what tokens say of one cell."""
    x, y, source = spot.col + 0.5, spot.row + 0.42, spot.source
    kind = kind_of(spot)
    label = ", ".join(f"{one.name} {one.label}" for one in spot.told)
    if kind == "wall":
        yield Rect(spot.col, spot.row, 1.0, 1.0, "wall", label=label, source=source)
        return
    names = seen.plan.ids.tag_names()
    teams = {names[tag]: colour for tag, colour in seen.teams.items()}
    colour = next((teams[tag] for tag in spot.labels("tag") if tag in teams), "")
    here = (spot.row, spot.col) == (core.obs.height // 2, core.obs.width // 2)
    if kind == AGENT or here:
        group = next(iter(spot.values("agent:group")), 0)
        yield Glyph("cog", x, y, 0.8, colour or f"team{group % 6}", label=label, source=source)
        number = spot.labels("agent_id")
        words = "me" if here else (number[0] if number else "")
        yield Text(x, y, 0.36, "white", words, room=0.8, source=source)
    elif kind:
        known = {look.name: look for look in seen.kinds}
        look = known.get(kind)
        own = look.colour if look is not None else "faint"
        glyph = look.glyph if look is not None else glyph_of(kind) or "box"
        yield Glyph(glyph, x, y, 0.8, colour or own, accent="sun", label=label, source=source)
    elif spot.told:
        yield Circle(x, y + 0.08, 0.25, "faint", label=label, source=source)
    yield from _state(seen, core, spot)


def _state(seen: Looks, core: Core, spot: Spot) -> Iterator[Primitive]:
    """Draw the vibe, the clipping and the inventory that tokens tell of a cell."""
    x, y, source = spot.col + 0.5, spot.row + 0.42, spot.source
    vibe = next(iter(spot.values("vibe")), 0)
    if vibe:
        said = f"vibe {next(iter(spot.labels('vibe')))}"
        yield Circle(x + 0.34, y - 0.28, 0.28, vibe_colour(vibe), label=said, source=source)
    if any(spot.values("clipped")):
        yield Glyph("cross", x, y, 0.7, "bad", opacity=0.8, label="clipped", source=source)
    held = {one.name: one.value for one in spot.told if one.name.startswith(INVENTORY)}
    if held:
        amounts = [held.get(f"{INVENTORY}{name}", 0) for name in seen.bar_names]
        most = [max((look.most[k] for look in seen.kinds), default=0) for k in seen.shown]
        shares = (amount / max(top, HANDFUL) for amount, top in zip(amounts, most, strict=True))
        yield Bars(
            spot.col + 0.06, spot.row + 0.74, 0.88, 0.24, tuple(shares), seen.bar_colours,
            upright=True, names=seen.bar_names, source=source,
        )  # fmt: skip


def _heard(core: Core, info: Mapping[str, Any]) -> Iterator[Primitive]:
    """Draw what those I hear say, where they are."""
    rows = np.asarray(info.get("heard", ()))
    if rows.ndim != 2 or not core.talk.enabled:
        return
    source = (entries("info", "heard"),)
    for row in rows:
        if row[MESSAGE_STEPS] > 0:
            r, c = divmod(int(row[MESSAGE_PLACE]), LOCATION_ROW)
            said = spoken(message_text(row[MESSAGE_TEXT:]), MAX_BUBBLE_CHARS)
            wide = 0.28 * len(said) + 0.5
            x, y = max(c + 0.5 - wide / 2, 0.0), max(r - 0.6, 0.0)
            yield Rect(x, y, wide, 0.6, "bubble", round=0.2, label=said, source=source)
            yield Text(x + wide / 2, y + 0.3, 0.4, "ink", said, room=wide, source=source)


def _list_tokens(panel: Panel, spots: list[Spot], anywhere: list[Told], core: Core) -> None:
    """List what is about no cell, and what I am told of myself."""
    middle = (core.obs.height // 2, core.obs.width // 2)
    mine = [one for spot in spots if (spot.row, spot.col) == middle for one in spot.told]
    for title, told in (("what I am told", anywhere), ("of myself", mine)):
        panel.title(title)
        for one in told:
            panel.row(Row(one.name, -1.0, one.label, (one.source,)))
