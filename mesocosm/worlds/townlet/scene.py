"""How a town looks: its places, the people in them, and the time of day."""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from mesocosm.core.scene import Circle, Line, Primitive, Rect, Scene, Text
from mesocosm.worlds.townlet.config import DAY, METERS, Core
from mesocosm.worlds.townlet.declare import spec
from mesocosm.worlds.townlet.params import params
from mesocosm.worlds.townlet.step.place import is_open

Truth = Mapping[str, np.ndarray]

NEEDS = tuple(name for name in METERS if name != "money")
PAPER, GRID, INK, FAINT = "#fbfaf6", "#dcd8cc", "#2f2e2a", "#a8a498"
OPEN, CLOSED = "#bcd4e6", "#ebebe6"
DONE, TO_DO = "#2f6f9f", "#ffffff"
BAD, FAIR, GOOD = (200, 48, 40), (232, 176, 40), (56, 150, 80)
NAME_STRIP, CLOCK_STRIP = 0.24, 1.0
LETTER = 0.55  # the width of a letter, in heights


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


def places(truth: Truth, core: Core) -> list[Place]:
    """List the affordances in town, and whether they are open now."""
    p, found = params(core, spec(core)), []
    for k, kind in enumerate(core.affordances):
        x, y = (int(value) for value in truth["affordance_position"][k])
        if x >= 0 and y >= 0:
            hours = f"{kind.opens}-{kind.closes}"
            found.append(Place(kind.name, x, y, is_open(p, k, int(truth["hour"])), hours))
    return found


def people(truth: Truth, core: Core) -> list[Person]:
    """List the living."""
    return [_person(truth, core, int(a)) for a in np.flatnonzero(truth["alive"])]


def _person(truth: Truth, core: Core, a: int) -> Person:
    meters = dict(zip(METERS, truth["meters"][a].tolist(), strict=True))
    lowest = min(NEEDS, key=lambda name: meters[name])
    x, y = truth["position"][a].tolist()
    doing = int(truth["doing"][a])
    kind = core.affordances[doing] if doing >= 0 else None
    shown = zip(core.shown_cues, truth["cue"][a], strict=False)
    return Person(
        a, x, y, lowest, meters[lowest],
        kind.name if kind else "", int(truth["progress"][a]), kind.ticks if kind else 0,
        tuple(name for name, on in shown if on),
    )  # fmt: skip


def scene(truth: Truth, core: Core) -> Scene:
    """Draw a town: the grid, its places, its people and the hour."""
    size, alive = core.grid_size, people(truth, core)
    drawn = [*_grid(size)]
    for place in places(truth, core):
        drawn += _draw_place(place)
    cells: dict[tuple[int, int], list[Person]] = {}
    for person in alive:
        cells.setdefault((person.x, person.y), []).append(person)
    for company in cells.values():
        drawn += _draw_company(company)
    drawn += _clock(size, int(truth["hour"]), core.temporal)
    return Scene(
        float(size), size + CLOCK_STRIP, tuple(drawn), caption(truth, core), background=PAPER
    )


def caption(truth: Truth, core: Core) -> str:
    """Return in one line where and when this is."""
    time = f"{int(truth['hour']):02d}:00" if core.temporal else "time rules off"
    alive = int(truth["alive"].sum())
    return f"townlet level {core.level}, {time}, {alive} of {core.num_agents} alive"


def health_colour(value: float) -> str:
    """Mix red, amber and green for a meter between 0 and 1."""
    low, high, share = (BAD, FAIR, 2 * value) if value < 0.5 else (FAIR, GOOD, 2 * value - 1)
    mixed = (round(one + (two - one) * share) for one, two in zip(low, high, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _grid(size: int) -> Iterator[Primitive]:
    for k in range(size + 1):
        yield Line(0.0, float(k), float(size), float(k), 0.02, GRID)
        yield Line(float(k), 0.0, float(k), float(size), 0.02, GRID)


def _draw_place(place: Place) -> Iterator[Primitive]:
    """Draw a place with its name; a closed one is dim."""
    state = "open" if place.open else "closed"
    label = f"{place.name}, {state} ({place.hours})"
    colour, ink = (OPEN, INK) if place.open else (CLOSED, FAINT)
    yield Rect(place.x + 0.03, place.y + 0.03, 0.94, 0.94, colour, label)
    yield _words(place.x + 0.5, place.y + 0.15, place.name, 0.16, 0.9, ink)


def _words(x: float, y: float, words: str, size: float, width: float, ink: str) -> Text:
    """Write words no wider than there is room."""
    return Text(x, y, min(size, width / (LETTER * max(len(words), 1))), ink, words)


def _draw_company(company: list[Person]) -> Iterator[Primitive]:
    """Draw all people of one cell, side by side below the place's name."""
    columns = math.ceil(math.sqrt(len(company)))
    rows = math.ceil(len(company) / columns)
    room = min(1.0 / columns, (1.0 - NAME_STRIP) / rows)
    for k, person in enumerate(company):
        x = person.x + (k % columns + 0.5) / columns
        y = person.y + NAME_STRIP + (k // columns) * room
        yield from _draw_person(person, x, y, room)


def _draw_person(person: Person, x: float, y: float, room: float) -> Iterator[Primitive]:
    """Draw someone in a box of this height: body, number, progress, cues."""
    doing = f", {person.progress}/{person.ticks} of {person.doing}" if person.doing else ""
    cues = f", {' '.join(person.cues)}" if person.cues else ""
    label = f"resident {person.number}: {person.lowest} {person.value:.2f}{doing}{cues}"
    yield Circle(x, y + 0.24 * room, 0.46 * room, health_colour(person.value), label)
    yield _words(x, y + 0.24 * room, str(person.number), 0.28 * room, 0.4 * room, PAPER)
    if person.doing:
        share = min(person.progress / person.ticks, 1.0)
        left, top, width = x - 0.35 * room, y + 0.49 * room, 0.7 * room
        yield Rect(left, top, width, 0.05 * room, TO_DO, f"{person.doing} {share:.0%}")
        yield Rect(left, top, width * share, 0.05 * room, DONE)
    for k, cue in enumerate(person.cues):
        line = 0.4 / max(len(person.cues), 3)
        yield _words(x, y + (0.61 + k * line) * room, cue, line * room, room, INK)


def _clock(size: int, hour: int, temporal: bool) -> Iterator[Primitive]:
    """Draw the day as a line under the town, with a mark at this hour."""
    middle = size + 0.5
    if not temporal:
        yield _words(size / 2, middle, "time rules off", 0.24, size, FAINT)
        return
    left, right = 0.25 * size, 0.95 * size
    now = left + (right - left) * hour / DAY
    yield _words(0.12 * size, middle, f"{hour:02d}:00", 0.36, 0.2 * size, INK)
    yield Line(left, middle, right, middle, 0.04, GRID, "the day")
    for mark in range(0, DAY + 1, 6):
        at = left + (right - left) * mark / DAY
        yield Line(at, middle - 0.1, at, middle + 0.1, 0.03, FAINT)
        yield _words(at, middle + 0.28, str(mark), 0.2, 1.0, FAINT)
    yield Circle(now, middle, 0.22, DONE, f"hour {hour}")
