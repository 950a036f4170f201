"""How a war looks: everything there is, or the map as one side knows it."""

from collections.abc import Iterator, Mapping, Sequence
from math import atan2, ceil, degrees
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mesocosm.core.glyph import load_glyphs
from mesocosm.core.palette import share_colour, team
from mesocosm.core.scene import (
    Bars,
    Box,
    Circle,
    Glyph,
    Legend,
    Line,
    Primitive,
    Ring,
    Scene,
    Text,
    Trail,
)
from mesocosm.worlds.island.config import DOMAINS, SIDES, Core, Unit
from mesocosm.worlds.island.state import (
    DECK,
    GHOST,
    GROUP_X,
    GROUP_Y,
    SHOT_TAG,
    SHOT_WEAPON,
    SHOT_X,
    SHOT_Y,
)

Truth = Mapping[str, np.ndarray]

GLYPHS = load_glyphs(Path(__file__).parent / "data" / "glyphs.json")
COLOURS = (team(0), team(1))
NEUTRAL = "faint"
TASKS = ("idle", "patrol", "engage", "return", "refuel", "capture", "evade", "deck")
BY_CODE = {
    "INT": "fighter", "MRF": "fighter", "STK": "strike", "BMB": "bomber", "AEW": "radar_plane",
    "TNK": "tanker", "JAM": "jammer", "SET": "settler", "CVN": "carrier", "DDG": "ship",
    "SAM": "launcher", "CDB": "battery",
}  # fmt: skip
BY_DOMAIN = {"air": "fighter", "sea": "ship", "ground": "launcher"}
SIZES = {"air": 0.9, "sea": 1.2, "ground": 0.9}  # in glyph sizes
GLYPHS_ACROSS = 30  # how many would fit beside each other
BLOCK = 8  # the frame grows by map sizes over this
LEAST_LATERAL = 0.17  # of the map, on both sides of the axis
MARGIN = 0.05  # of the map, round what there is
PILE = 1.1  # glyph sizes: units of one type nearer than this are drawn as one, with their number
SPREAD, SPREAD_ROUNDS = 1.0, 24  # glyph sizes between units; how often they are moved
LOW_FUEL = 0.3
MISSILE_STEPS = 12
RING_OPACITY, RING_FILL = 0.35, 0.045
MOST_RINGS, RING_APART = 3, 0.25  # of a side; in radii


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
    rows = {name: truth[name].tolist() for name in ("kind", "pos", "landed", "manoeuver", "heading",
                                                    "hp", "fuel")}  # fmt: skip
    for side, i in np.argwhere((truth["hp"] > 0) & (truth["kind"] >= 0)).tolist():
        unit = core.units[rows["kind"][side][i]]
        x, y = place(core, *rows["pos"][side][i])
        task = "landed" if rows["landed"][side][i] else TASKS[rows["manoeuver"][side][i]]
        east, north = rows["heading"][side][i]
        found.append(
            Drawn(
                side, i, unit.code, unit.domain, x, y, (east, -north),
                rows["hp"][side][i] / unit.hits, rows["fuel"][side][i], task,
            )
        )  # fmt: skip
    return found


def place(core: Core, east: float, north: float) -> tuple[float, float]:
    """Turn km from the centre into km from the top left."""
    return east + core.map_km / 2.0, core.map_km / 2.0 - north


def glyph_size(core: Core) -> float:
    """Return how large a glyph is, in km: the same all through a war."""
    return home_box(core).width / GLYPHS_ACROSS


def home_box(core: Core) -> Box:
    """Return the part of the map between both bases, with room round it."""
    half = core.map_km / 2.0
    reach = min(max(abs(core.laydown.base.depth), 0.25 * core.map_km) * 1.15, half)
    lateral = min(max(abs(core.laydown.base.lateral), LEAST_LATERAL * core.map_km) * 1.2, half)
    return Box(half - reach, half - lateral, 2.0 * reach, 2.0 * lateral)


def focus(core: Core, spots: Sequence[tuple[float, float]]) -> Box:
    """Return where the war is: between the bases, and in whole blocks wherever units are."""
    box = home_box(core)
    step, size = core.map_km / BLOCK, core.map_km
    pad = MARGIN * size
    left, right = box.x, box.x + box.width
    top, bottom = box.y, box.y + box.height
    for x, y in spots:
        left = min(left, (x - pad) // step * step) if x - pad < left else left
        right = max(right, ceil((x + pad) / step) * step) if x + pad > right else right
        top = min(top, (y - pad) // step * step) if y - pad < top else top
        bottom = max(bottom, ceil((y + pad) / step) * step) if y + pad > bottom else bottom
    left, top, right, bottom = max(left, 0.0), max(top, 0.0), min(right, size), min(bottom, size)
    return Box(left, top, right - left, bottom - top)


def scene(truth: Truth, core: Core, side: int | None = None) -> Scene:
    """Draw a war: as it is, or in the fog of one side (0 Legacy, 1 Dynasty)."""
    seen = [unit for unit in units(truth, core) if side is None or unit.side == side]
    drawn: list[Primitive] = [*_rings(truth, core, seen), *ground(core, int(truth["flag_owner"]))]
    drawn += [*_trails(core, seen), *draw_units(seen, core)]
    if side is None:
        drawn += [*_missiles(truth, core, 0), *_missiles(truth, core, 1)]
    if side is not None:
        drawn += _contacts(truth, core, side)
    view = "" if side is None else f", as {SIDES[side].capitalize()} sees it"
    return Scene(
        core.map_km, core.map_km, tuple(drawn), caption(truth, core) + view, "water",
        legend=legend(core), focus=focus(core, [(unit.x, unit.y) for unit in seen]), glyphs=GLYPHS,
    )  # fmt: skip


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


def legend(core: Core) -> tuple[Legend, ...]:
    """Say what glyphs and colours mean."""
    used = {force.unit for side in range(2) for force in core.forces_of(side)}
    used |= {package.unit for package in core.laydown.wing}
    kinds = [unit for unit in core.units if unit.code in used]
    sides = tuple(
        Legend("base", colour, name.capitalize())
        for name, colour in zip(SIDES, COLOURS, strict=True)
    )
    types = tuple(
        Legend(unit_glyph(unit), "faint", f"{unit.code} {unit.names.legacy}") for unit in kinds
    )
    return (*sides, *types, Legend("dot", "ink", "missile"), Legend("flag", NEUTRAL, "flag"))


def unit_glyph(unit: Unit) -> str:
    """Name the drawing of a type of unit."""
    return BY_CODE.get(unit.code, BY_DOMAIN[unit.domain])


def ground(core: Core, owner: int) -> Iterator[Primitive]:
    """Draw the island with its flag (0 nobody's, else 1 + side), and both bases."""
    size = glyph_size(core)
    x, y = place(core, core.island_x, core.island_y)
    for wide, colour in ((3.4, "deep_water"), (2.5, "land_edge"), (2.2, "land")):
        for dx, dy, share in ((0.0, 0.0, 1.0), (-0.55, 0.22, 0.6), (0.5, -0.2, 0.66)):
            yield Circle(
                x + dx * size, y + dy * size, wide * share * size, colour, label="the island"
            )
    flag = COLOURS[owner - 1] if owner else NEUTRAL
    holder = SIDES[owner - 1].capitalize() if owner else "nobody"
    yield Glyph("flag", x, y - 0.2 * size, 1.3 * size, flag, label=f"held by {holder}")
    for side, sign in enumerate((-1.0, 1.0)):
        base = core.laydown.base
        x, y = place(core, sign * base.depth, sign * base.lateral)
        name = SIDES[side].capitalize()
        yield Circle(x, y, 3.4 * size, "land_edge")
        yield Circle(x, y, 3.1 * size, "land", label=f"base of {name}")
        y = home_box(core).y + home_box(core).height - 1.2 * size
        yield Glyph("base", x - 1.4 * size, y, 1.1 * size, COLOURS[side])
        yield Text(x - 0.7 * size, y, 0.8 * size, COLOURS[side], name, align="start", halo="water")


def _rings(truth: Truth, core: Core, seen: Sequence[Drawn]) -> Iterator[Primitive]:
    """Draw how far the widest radars of each side look, without those that add little."""
    kept: list[tuple[int, float, float, float]] = []
    kinds = {unit.code: unit for unit in core.units}
    wide = [unit for unit in seen if kinds[unit.code].radar_degrees == 360]
    for unit in sorted(wide, key=lambda one: -kinds[one.code].radar_km):
        reach, side = kinds[unit.code].radar_km, unit.side
        apart = [max(abs(x - unit.x), abs(y - unit.y)) for who, x, y, _ in kept if who == side]
        far = not apart or (len(apart) < MOST_RINGS and min(apart) > RING_APART * reach)
        if reach > 0 and truth["radar"][side, unit.number] and far:
            kept.append((side, unit.x, unit.y, reach))
            yield Ring(
                unit.x, unit.y, 2.0 * reach, COLOURS[side], 0.0, RING_OPACITY, RING_FILL,
                label=f"radar of {unit.code} {unit.number}: {reach:g} km",
            )  # fmt: skip


def _trails(core: Core, seen: Sequence[Drawn]) -> Iterator[Primitive]:
    size = glyph_size(core)
    for unit in seen:
        if unit.domain == "air":
            yield Trail(
                unit.x, unit.y, 0.07 * size, COLOURS[unit.side],
                f"unit {unit.side} {unit.number}", 8, 4.0 * size,
            )  # fmt: skip


def piles(seen: Sequence[Drawn], near: float) -> list[list[Drawn]]:
    """Gather units of one side and type that are too near each other to be told apart."""
    found: list[list[Drawn]] = []
    for unit in seen:
        for pile in found:
            head = pile[0]
            alike = (head.side, head.code) == (unit.side, unit.code)
            if alike and abs(head.x - unit.x) < near and abs(head.y - unit.y) < near:
                pile.append(unit)
                break
        else:
            found.append([unit])
    return found


def spread(spots: np.ndarray, apart: float) -> np.ndarray:
    """Move places that lie on each other a little apart, the same way for the same places."""
    moved = spots.copy()
    order = np.arange(len(spots)) * 2.39996  # directions for those in one place
    tie = np.stack([np.cos(order), np.sin(order)], 1) * 1e-3 * apart
    moved += tie
    for _ in range(SPREAD_ROUNDS):
        gap = moved[:, None] - moved[None]
        far = np.sqrt((gap**2).sum(-1)) + np.eye(len(moved)) * 1e9
        push = np.clip(apart - far, 0.0, None) / far
        moved += 0.35 * (gap * push[..., None]).sum(1)
    return moved


def draw_units(seen: Sequence[Drawn], core: Core) -> Iterator[Primitive]:
    """Draw all units: those of one type in one place as one, and others beside each other."""
    found = piles(seen, PILE * glyph_size(core))
    if not found:
        return
    true = np.array([np.mean([(u.x, u.y) for u in pile], axis=0) for pile in found])
    size = glyph_size(core)
    shown = spread(true, SPREAD * size)
    for pile, (x, y), (u, v) in zip(found, shown.tolist(), true.tolist(), strict=True):
        if abs(x - u) + abs(y - v) > 1.2 * size:
            yield Line(u, v, x, y, 0.05 * size, COLOURS[pile[0].side], 0.6)
        yield from draw_pile(pile, core, x, y)


def draw_pile(pile: Sequence[Drawn], core: Core, x: float, y: float) -> Iterator[Primitive]:
    """Draw one unit, or several in one place with their number; and what it lacks."""
    head = pile[0]
    size = glyph_size(core) * SIZES[head.domain]
    kind = next(unit for unit in core.units if unit.code == head.code)
    east, south = head.heading
    turn = degrees(atan2(east, -south)) if head.domain != "ground" else 0.0
    still = head.task in (TASKS[DECK], "landed")
    yield Glyph(
        unit_glyph(kind), x, y, size * (0.7 if still else 1.0), COLOURS[head.side], turn,
        label="; ".join(about(unit) for unit in pile), key=f"unit {head.side} {head.number}",
    )  # fmt: skip
    if len(pile) > 1:
        yield Text(
            x + 0.6 * size, y - 0.4 * size, 0.55 * glyph_size(core), "ink", f"{len(pile)}",
            halo="water",
        )  # fmt: skip
    health, fuel = min(unit.health for unit in pile), min(unit.fuel for unit in pile)
    names = ("health", "fuel") if head.domain == "air" else ("health",)
    if health < 1.0 or (head.domain == "air" and fuel < LOW_FUEL):
        high = 0.14 * size * len(names)
        yield Bars(
            x - size / 2, y + 0.5 * size, size, high, (health, fuel)[: len(names)],
            (share_colour(health), "sun")[: len(names)], names=names,
        )  # fmt: skip


def about(unit: Drawn) -> str:
    """Say what a unit is and does."""
    side = SIDES[unit.side].capitalize()
    fuel = f", fuel {unit.fuel:.0%}" if unit.domain == "air" else ""
    return f"{side} {unit.code} {unit.number}: {unit.task}, health {unit.health:.0%}{fuel}"


def _missiles(truth: Truth, core: Core, side: int) -> Iterator[Primitive]:
    size = glyph_size(core)
    for shot in range(int(truth["num_shots"][side])):
        x, y = place(core, *truth["shot"][side, shot, [SHOT_X, SHOT_Y]].tolist())
        weapon, tag = truth["shot_id"][side, shot, [SHOT_WEAPON, SHOT_TAG]].tolist()
        name = f"{SIDES[side].capitalize()} {core.weapons[weapon].name}"
        key = f"missile {side} {tag}"
        yield Trail(x, y, 0.1 * size, COLOURS[side], key, MISSILE_STEPS, 8.0 * size)
        yield Circle(x, y, 0.4 * size, "paper", label=name)
        yield Circle(x, y, 0.28 * size, COLOURS[side], label=name, key=key)


def _contacts(truth: Truth, core: Core, side: int) -> Iterator[Primitive]:
    """Draw the tracks a side keeps, faint if nobody holds them, and the numbers of groups."""
    enemy, size = 1 - side, glyph_size(core)
    for j in np.flatnonzero(truth["tier"][side] > 0).tolist():
        x, y = place(core, *truth["spot"][side, j].tolist())
        held = bool(truth["held"][side, j])
        domain = DOMAINS[int(truth["looks"][side, j])]
        age = float(truth["age"][side, j])
        label = f"{domain} contact of tier {int(truth['tier'][side, j])}, {age:.0f} s old"
        yield Glyph(
            "contact", x, y, 0.8 * SIZES[domain] * size, COLOURS[enemy],
            opacity=1.0 if held else 0.4, label=label, key=f"contact {j}",
        )  # fmt: skip
    for g in np.flatnonzero(truth["group_state"][side] >= GHOST).tolist():
        x, y = (float(share) for share in truth["group"][side, g, [GROUP_X, GROUP_Y]])
        yield Text(
            x * core.map_km, (1.0 - y) * core.map_km - 0.9 * size, 0.6 * size, "faint",
            f"group {g}", halo="water",
        )  # fmt: skip
