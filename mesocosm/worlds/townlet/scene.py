"""How a town looks: its places, the people in them, and the time of day."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mesocosm.core.glyph import load_glyphs
from mesocosm.core.palette import share_colour
from mesocosm.core.scene import (
    Bars,
    Box,
    Circle,
    Glyph,
    Legend,
    Line,
    Primitive,
    Rect,
    Scene,
    Text,
    Trail,
)
from mesocosm.worlds.townlet.config import DAY, METERS, Core
from mesocosm.worlds.townlet.declare import spec
from mesocosm.worlds.townlet.params import Params, params
from mesocosm.worlds.townlet.step.place import is_open

Truth = Mapping[str, np.ndarray]

GLYPHS = load_glyphs(Path(__file__).parent / "data" / "glyphs.json")
NEEDS = tuple(name for name in METERS if name != "money")
METER_COLOURS = tuple(f"kind{k}" for k in (4, 0, 6, 7, 2, 1, 3, 5))
PLACE_GLYPHS = {
    "Bed": "bed", "LuxuryBed": "luxury_bed", "Shower": "shower", "HomeMeal": "meal",
    "FastFood": "burger", "Doctor": "doctor", "Hospital": "hospital", "Therapist": "therapist",
    "Recreation": "recreation", "Bar": "bar", "Job": "job", "Labor": "labor", "Gym": "gym",
    "Park": "park", "CoffeeShop": "coffee",
}  # fmt: skip
CUE_GLYPHS = {
    "looks_tired": ("tired", "kind4"), "looks_energetic": ("energetic", "fair"),
    "looks_sick": ("sick", "bad"), "looks_healthy": ("healthy", "good"),
    "looks_sad": ("sad", "kind2"), "looks_happy": ("happy", "fair"),
    "looks_poor": ("poor", "faint"), "looks_wealthy": ("wealthy", "good"),
    "looks_dirty": ("dirty", "kind8"), "at_job": ("job", "kind0"),
    "at_hospital": ("hospital", "bad"), "at_bar": ("bar", "kind6"),
}  # fmt: skip
UNKNOWN_CUE = ("question", "faint")
CLOCK_STRIP, DARKEST = 0.8, 0.34
DAWN, DUSK, TWILIGHT = 6, 20, 2.0  # hours; how long it takes to get light or dark
LARGEST_WHOLE = 24  # cells of a town that is shown whole
BLOCK = 4  # cells by which the frame of a larger one grows
MOST_CUES = 4  # icons beside one person
CROWD = 16  # people; the paths of more are shorter
MOST_BESIDE = 2  # people beside a place's sign; more stand before it
LEAST_ROOM, LEAST_NAMED = 0.36, 0.24  # of a cell for meters and cues, and for a number


class Place(NamedTuple):
    """An affordance in town."""

    name: str
    x: int
    y: int
    open: bool
    hours: str


class Person(NamedTuple):
    """A living resident."""

    number: int
    x: int
    y: int
    lowest: str  # the need that is lowest
    value: float
    doing: str  # the affordance in use, or nothing
    progress: int
    ticks: int
    cues: tuple[str, ...]
    meters: tuple[float, ...]


@cache
def _rules(text: str) -> Params:
    core = Core.model_validate_json(text)
    return params(core, spec(core))


def places(truth: Truth, core: Core) -> list[Place]:
    """List the affordances in town, and whether they are open now."""
    hour, found = int(truth["hour"]), []
    p = _rules(core.model_dump_json())
    for kind, k, (x, y) in zip(
        core.affordances, range(len(core.affordances)), truth["affordance_position"].tolist(),
        strict=True,
    ):  # fmt: skip
        if x >= 0 and y >= 0:
            found.append(Place(kind.name, x, y, is_open(p, k, hour), f"{kind.opens}-{kind.closes}"))
    return found


def people(truth: Truth, core: Core) -> list[Person]:
    """List the living."""
    rows = {name: truth[name].tolist() for name in ("meters", "position", "doing", "progress")}
    cues = truth["cue"].tolist()
    found = []
    for a in np.flatnonzero(truth["alive"]).tolist():
        meters = dict(zip(METERS, rows["meters"][a], strict=True))
        lowest = min(NEEDS, key=meters.__getitem__)
        (x, y), doing = rows["position"][a], rows["doing"][a]
        kind = core.affordances[doing] if doing >= 0 else None
        shown = zip(core.shown_cues, cues[a], strict=False)
        found.append(
            Person(
                a, x, y, lowest, meters[lowest],
                kind.name if kind else "", rows["progress"][a], kind.ticks if kind else 0,
                tuple(name for name, on in shown if on), tuple(rows["meters"][a]),
            )
        )  # fmt: skip
    return found


def scene(truth: Truth, core: Core) -> Scene:
    """Draw a town: the grid, its places, its people and the hour."""
    size, town, alive = core.grid_size, places(truth, core), people(truth, core)
    box = _focus(size, town, alive)
    drawn = [*grid(box), *(tile(place.x, place.y, place.open) for place in town)]
    dark = darkness(int(truth["hour"])) if core.temporal else 0.0
    if dark > 0:
        drawn.append(Rect(*box, "night", DARKEST * dark))
    cells: dict[tuple[int, int], list[Person]] = {}
    for person in alive:
        cells.setdefault((person.x, person.y), []).append(person)
    taken = {(place.x, place.y) for place in town}
    drawn += [*_couples(truth, alive), *_trails(alive)]
    for place in town:
        drawn += sign(place)
    for cell, company in cells.items():
        drawn += _draw_company(company, beside=cell in taken)
    drawn += clock(box, int(truth["hour"]) if core.temporal else None)
    shown = Box(box.x, box.y, box.width, box.height + CLOCK_STRIP)
    return Scene(
        float(size), size + CLOCK_STRIP, tuple(drawn), caption(truth, core),
        legend=legend(core), focus=shown, glyphs=GLYPHS,
    )  # fmt: skip


def _focus(size: int, town: Sequence[Place], alive: Sequence[Person]) -> Box:
    """Return where things are: all of a small town, and whole blocks of a large one."""
    spots = [(place.x, place.y) for place in town] + [(one.x, one.y) for one in alive]
    if size <= LARGEST_WHOLE or not spots:
        return Box(0.0, 0.0, float(size), float(size))
    left, top = (min(values) // BLOCK * BLOCK for values in zip(*spots, strict=True))
    right, bottom = (
        min((max(values) // BLOCK + 1) * BLOCK, size) for values in zip(*spots, strict=True)
    )
    return Box(float(left), float(top), float(right - left), float(bottom - top))


def caption(truth: Truth, core: Core) -> str:
    """Return in one line where and when this is."""
    time = f"{int(truth['hour']):02d}:00" if core.temporal else "time rules off"
    alive = int(truth["alive"].sum())
    return f"townlet level {core.level}, {time}, {alive} of {core.num_agents} alive"


def legend(core: Core) -> tuple[Legend, ...]:
    """Say what colours and icons mean."""
    bars = tuple(
        Legend("", colour, name) for name, colour in zip(METERS, METER_COLOURS, strict=True)
    )
    worst = Legend("person", "bad", "lowest need is empty")
    met = Legend("person", "good", "all needs are met")
    closed = (Legend("", "closed", "closed now"),) if core.temporal else ()
    married = (Legend("", "kind6", "married"),) if core.has_families else ()
    return (met, worst, *bars, *closed, *married, *cue_legend(core))


def cue_legend(core: Core) -> tuple[Legend, ...]:
    """Say what the icons beside people mean."""
    return tuple(
        Legend(*CUE_GLYPHS.get(name, UNKNOWN_CUE), name.replace("_", " "))
        for name in core.shown_cues
    )


def darkness(hour: float) -> float:
    """Return how dark it is, from 0 by day to 1 at night."""
    day = min(hour - DAWN, DUSK - hour)
    return min(max(-day / TWILIGHT + 0.5, 0.0), 1.0)


def grid(box: Box) -> Iterator[Primitive]:
    """Draw the lines of a town's cells."""
    right, bottom = box.x + box.width, box.y + box.height
    for k in range(int(box.height) + 1):
        yield Line(box.x, box.y + k, right, box.y + k, 0.02, "grid")
    for k in range(int(box.width) + 1):
        yield Line(box.x + k, box.y, box.x + k, bottom, 0.02, "grid")


def tile(x: float, y: float, is_lit: bool) -> Rect:
    """Draw the ground of a place."""
    return Rect(x + 0.03, y + 0.03, 0.94, 0.94, "place" if is_lit else "closed", round=0.08)


def sign(place: Place) -> Iterator[Primitive]:
    """Draw what a place is, and its name; a closed one is dim."""
    label = f"{place.name}, {'open' if place.open else 'closed'} ({place.hours})"
    colour, ink = ("accent", "ink") if place.open else ("faint", "faint")
    shape, key = PLACE_GLYPHS.get(place.name, "house"), f"place {place.name}"
    yield Glyph(shape, place.x + 0.28, place.y + 0.38, 0.46, colour, label=label, key=key)
    yield Text(place.x + 0.5, place.y + 0.86, 0.145, ink, place.name, room=0.92)


def _trails(alive: Sequence[Person]) -> Iterator[Primitive]:
    """Mark where people are; each a little beside the middle, so that paths lie side by side."""
    steps = 4 if len(alive) <= CROWD else 2
    for person in alive:
        shift = (person.number * 0.382 % 1.0 - 0.5) * 0.5
        at = (person.x + 0.5 + shift, person.y + 0.5 + shift)
        yield Trail(*at, 0.035, share_colour(person.value), f"agent {person.number}", steps)


def _couples(truth: Truth, alive: Sequence[Person]) -> Iterator[Primitive]:
    """Join people who are married."""
    where = {person.number: (person.x + 0.5, person.y + 0.5) for person in alive}
    for a, other in enumerate(truth["partner"].tolist()):
        if a < other and a in where and other in where:
            label = f"{a} and {other} are married"
            yield Line(*where[a], *where[other], 0.04, "kind6", 0.6, label=label)


def _draw_company(company: list[Person], *, beside: bool) -> Iterator[Primitive]:
    """Draw all people of one cell side by side, beside the place that is there."""
    count = len(company)
    left, width, height = (0.0, 1.0, 0.78) if beside else (0.0, 1.0, 1.0)
    if beside and count <= MOST_BESIDE:
        left, width = 0.46, 0.54
    columns = math.ceil(math.sqrt(count * width / height))
    rows = math.ceil(count / columns)
    room = min(width / columns, height / rows)
    for k, person in enumerate(company):
        x = person.x + left + (k % columns + 0.5) * width / columns
        y = person.y + (k // columns) * height / rows + (height / rows - room) / 2
        yield from _draw_person(person, x, y, room)
    if room < LEAST_NAMED:
        at = (company[0].x + 0.5, company[0].y + height / 2)
        yield Text(*at, 0.3, "ink", f"{count} people", room=0.94, halo="paper")


def _draw_person(person: Person, x: float, y: float, room: float) -> Iterator[Primitive]:
    """Draw someone in a square box: body, number, meters, progress, cues."""
    doing = f", {person.progress}/{person.ticks} of {person.doing}" if person.doing else ""
    cues = f", {' '.join(person.cues)}" if person.cues else ""
    label = f"resident {person.number}: {person.lowest} {person.value:.2f}{doing}{cues}"
    key = f"agent {person.number}"
    name = str(person.number) if room >= LEAST_NAMED else ""
    yield from body(x, y, room, share_colour(person.value), name, label, key)
    if room < LEAST_ROOM:
        return
    yield Bars(
        x - 0.36 * room, y + 0.72 * room, 0.72 * room, 0.2 * room, person.meters, METER_COLOURS,
        upright=True, names=METERS, key=key,
    )  # fmt: skip
    if person.doing:
        share = min(person.progress / person.ticks, 1.0)
        yield Bars(
            x - 0.36 * room, y + 0.02 * room, 0.72 * room, 0.07 * room, (share,), ("accent",),
            label=f"{person.doing} {share:.0%}", key=key,
        )  # fmt: skip
    yield from cue_icons(person.cues, x, y, room)


def body(
    x: float, y: float, room: float, colour: str, name: str, label: str, key: str
) -> Iterator[Primitive]:
    """Draw a person with a name on the chest."""
    yield Glyph("person", x, y + 0.41 * room, 0.52 * room, colour, label=label, key=key)
    if name:
        yield Text(x, y + 0.56 * room, 0.2 * room, "white", name, room=0.5 * room, key=key)


def cue_icons(
    cues: Sequence[str], x: float, y: float, room: float, source: tuple[str, ...] = ()
) -> Iterator[Primitive]:
    """Draw what can be read off a person, on both sides of the head."""
    for k, cue in enumerate(cues[:MOST_CUES]):
        shape, colour = CUE_GLYPHS.get(cue, UNKNOWN_CUE)
        side = 0.36 if k % 2 == 0 else -0.36
        at = (x + side * room, y + (0.24 + 0.25 * (k // 2)) * room)
        yield Glyph(shape, *at, 0.22 * room, colour, label=cue, source=source)


def clock(box: Box, hour: float | None, source: tuple[str, ...] = ()) -> Iterator[Primitive]:
    """Draw the day as a line under a town, with the sun or the moon at this hour."""
    middle, wide = box.y + box.height + CLOCK_STRIP / 2, box.width
    if hour is None:
        yield Text(box.x + wide / 2, middle, 0.2, "faint", "time rules off", room=wide)
        return
    left, right = box.x + 0.22 * wide, box.x + 0.95 * wide
    step = (right - left) / DAY
    yield Text(
        box.x + 0.09 * wide, middle, 0.3, "ink", f"{int(hour):02d}:{round(hour % 1 * 60):02d}",
        room=0.2 * wide, source=source,
    )  # fmt: skip
    for first, last, colour in ((0, DAWN, "moon"), (DAWN, DUSK, "sun"), (DUSK, DAY, "moon")):
        yield Line(left + first * step, middle, left + last * step, middle, 0.07, colour, 0.55)
    for mark in range(0, DAY + 1, 6):
        yield Text(left + mark * step, middle + 0.27, 0.16, "faint", str(mark))
    lit = DAWN <= hour < DUSK
    now = left + step * hour
    yield Circle(now, middle, 0.4, "paper", source=source)
    yield Glyph(
        "sun" if lit else "moon", now, middle, 0.36, "sun" if lit else "moon",
        label=f"hour {hour:g}", source=source,
    )  # fmt: skip
