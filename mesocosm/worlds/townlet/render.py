"""A town for the terminal: map, legend, meters as bars."""

import re
from collections.abc import Iterable

from mesocosm.worlds.townlet.config import METERS, Core
from mesocosm.worlds.townlet.scene import Person, Place, Truth, caption, people, places

BAR, MOST = 7, 8
NOBODY = " ."


def text(truth: Truth, core: Core) -> str:
    """Write one frame: where everything is, what is open, and how people feel."""
    town, alive = places(truth, core), people(truth, core)
    codes = short_codes(kind.name for kind in core.affordances)
    blocks = [caption(truth, core), *_map(core.grid_size, town, alive, codes), ""]
    blocks += [*_legend(town, codes, core.temporal), "", *_table(truth, core, alive, town)]
    return "\n".join(line.rstrip() for line in blocks)


def short_codes(names: Iterable[str]) -> dict[str, str]:
    """Return every name two capital letters of its own: initials, or the first that are free."""
    codes: dict[str, str] = {}
    for k, name in enumerate(names):
        initials = re.findall(r"[A-Z]", name)
        tries = ["".join(initials[:2])] if len(initials) > 1 else []
        tries += [name[:1] + letter for letter in name[1:]]
        tries += [f"{chr(ord('A') + k // 10 % 26)}{k % 10}"]
        free = [code.upper() for code in tries if code.upper() not in codes.values()]
        codes[name] = free[0] if free else "??"
    return codes


def _map(size: int, town: list[Place], alive: list[Person], codes: dict[str, str]) -> list[str]:
    """Draw the cells, two characters each: people over places over nothing."""
    cells = {(x, y): NOBODY for x in range(size) for y in range(size)}
    for place in town:
        code = codes[place.name]
        cells[place.x, place.y] = code if place.open else code.lower()
    here: dict[tuple[int, int], list[Person]] = {}
    for person in alive:
        here.setdefault((person.x, person.y), []).append(person)
    for cell, company in here.items():
        cells[cell] = _people(company)
    edge = "+" + "-" * (3 * size + 1) + "+"
    rows = [" ".join(cells[x, y] for x in range(size)) for y in range(size)]
    return [edge, *(f"| {row} |" for row in rows), edge]


def _people(company: list[Person]) -> str:
    """Name the one person of a cell, or count them."""
    if len(company) == 1:
        return f"{company[0].number:2d}" if company[0].number < 100 else " @"
    return f"*{len(company)}" if len(company) < 10 else "**"


def _legend(town: list[Place], codes: dict[str, str], temporal: bool) -> list[str]:
    """List the places by code: capitals are open, small letters are closed."""
    lines = ["number: a resident   *2: two residents   CAPITALS: open   small: closed"]
    for title, is_open in (("open", True), ("closed", False)):
        shown = [place for place in town if place.open == is_open]
        entries = []
        for place in shown:
            code = codes[place.name] if is_open else codes[place.name].lower()
            entries.append(f"{code} {place.name}" + (f" {place.hours}" if temporal else ""))
        lines += _wrap(f"{title}: ", entries) if entries else []
    return lines


def _wrap(title: str, entries: list[str]) -> list[str]:
    """Set entries side by side, in lines of at most five."""
    rows = [", ".join(entries[k : k + 5]) for k in range(0, len(entries), 5)]
    return [(title if k == 0 else " " * len(title)) + row for k, row in enumerate(rows)]


def _table(truth: Truth, core: Core, alive: list[Person], town: list[Place]) -> list[str]:
    """Write the first residents' meters as bars, where they are and what they show."""
    names = {(place.x, place.y): place.name for place in town}
    widths = [max(BAR, len(name)) for name in METERS]
    head = " ".join(name.ljust(width) for name, width in zip(METERS, widths, strict=True))
    lines = [f" # {'age':>5} {head} at"]
    living = {person.number: person for person in alive}
    for a in range(min(core.num_agents, MOST)):
        lead = f"{a:2d} {int(truth['age'][a]):5d} "
        if a not in living:
            lines.append(f"{lead}dead")
            continue
        values = zip(truth["meters"][a].tolist(), widths, strict=True)
        bars = " ".join(bar(value).ljust(width) for value, width in values)
        lines.append(f"{lead}{bars} {_place(living[a], names)}")
    if core.num_agents > MOST:
        lines.append(f"   and {core.num_agents - MOST} more")
    return lines + _cues(alive)


def bar(value: float) -> str:
    """Draw a number between 0 and 1; only nothing at all is an empty bar."""
    full = min(max(round(value * BAR), 1 if value > 0 else 0), BAR)
    return "#" * full + "." * (BAR - full)


def _place(person: Person, names: dict[tuple[int, int], str]) -> str:
    """Return where someone is, and how far with what is done there."""
    if person.doing:
        return f"{person.doing} {person.progress}/{person.ticks}"
    return names.get((person.x, person.y), "-")


def _cues(alive: list[Person]) -> list[str]:
    shown = [person for person in alive if person.cues and person.number < MOST]
    return [""] * bool(shown) + [f"{p.number:2d} shows {', '.join(p.cues)}" for p in shown]
