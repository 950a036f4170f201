"""How the things of a game look: a drawing and a colour for each, and the legend that says so."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mesocosm.core.glyph import load_glyphs
from mesocosm.core.palette import KINDS, team
from mesocosm.core.scene import CELL_CODES, Legend
from mesocosm.worlds.mettagrid.compile.plan import Plan, plan
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.inventory import Inventory
from mesocosm.worlds.mettagrid.game.thing import Thing
from mesocosm.worlds.mettagrid.land import team_tags
from mesocosm.worlds.mettagrid.render import symbols

GLYPHS = load_glyphs(Path(__file__).parent / "data" / "glyphs.json")
# drawings by a part of a type's name, the first that fits
NAMED = (
    ("chest", "chest"), ("extractor", "extractor"), ("mine_", "extractor"), ("miner", "station"),
    ("station", "station"), ("mine", "extractor"), ("lode", "lode"), ("vein", "lode"),
    ("ore", "lode"), ("hub", "hub"), ("altar", "hub"), ("base", "hub"), ("junction", "junction"),
    ("forge", "forge"), ("press", "forge"), ("smith", "forge"), ("assembler", "gear"),
    ("generator", "gear"), ("converter", "gear"), ("nest", "nest"), ("ship", "nest"),
    ("crate", "crate"), ("well", "well"), ("charger", "well"), ("post", "post"), ("heart", "heart"),
)  # fmt: skip
BY_KIND = {"chest": "chest", "assembler": "gear"}
MOST_BARS = 8  # resources shown of one thing
MOST_VIBES = 8  # in the legend
MOST_COUNTED, HANDFUL = 255, 20  # a limit above the one is none: this much fills a bar then
COLOUR_WORDS = {
    "blue": 0, "red": 1, "green": 2, "teal": 2, "amber": 3, "orange": 3, "yellow": 3, "gold": 3,
    "purple": 4, "violet": 4, "black": 5, "grey": 5,
}  # fmt: skip
PLAIN_VIBE = "default"
FIRST_ODD = 0x180  # fonts have the letters before this
CODES = np.frombuffer(f"{CELL_CODES}.".encode("ascii"), np.uint8)  # the last, or -1, is nothing


class Look(NamedTuple):
    """How a type of thing is drawn."""

    name: str
    glyph: str
    colour: str
    letter: str  # written on it where no drawing is its own
    is_wall: bool
    most: tuple[int, ...]  # of each resource


class Looks(NamedTuple):
    """How everything in a game is drawn."""

    plan: Plan
    kinds: tuple[Look, ...]
    teams: dict[int, str]  # colours by tag
    agent_colours: tuple[str, ...]  # by agent
    agent_writing: tuple[str, ...]  # what is written in on them
    shown: tuple[int, ...]  # resources that bars show
    bar_colours: tuple[str, ...]
    bar_names: tuple[str, ...]
    legend: tuple[Legend, ...]


@lru_cache(maxsize=16)
def _looks(text: str) -> Looks:
    core = Core.model_validate_json(text)
    made = plan(core)
    letters = symbols(core, made)
    kinds = tuple(_look(core, made, k, letters) for k in range(len(made.kinds)))
    teams = _team_colours(core, made)
    held = [k for k in range(len(core.resources)) if any(kind.most[k] for kind in kinds)]
    shown = tuple(held[:MOST_BARS])
    colours = _agent_colours(core, made, teams)
    writing = tuple(colour.replace("team", "on") for colour in colours)
    return Looks(
        made, kinds, teams, colours, writing, shown, tuple(resource_colour(k) for k in shown),
        tuple(core.resources[k] for k in shown),
        (*_team_legend(made, colours, teams), *_kind_legend(core, made, kinds),
         *_other_legend(core, shown)),
    )  # fmt: skip


_latest: list[tuple[Core, Looks]] = []  # a game's config is one object from step to step


def looks(core: Core) -> Looks:
    """Work out how everything in a game is drawn, once per config."""
    if not _latest or _latest[0][0] is not core:
        _latest[:] = [(core, _looks(core.model_dump_json()))]
    return _latest[0][1]


def glyph_of(name: str, kind: str = "") -> str:
    """Name the drawing of a type of thing; nothing if it has none of its own."""
    for part, glyph in NAMED:
        if part in name.lower():
            return glyph
    return BY_KIND.get(kind, "")


def _look(core: Core, made: Plan, k: int, letters: dict[str, str]) -> Look:
    kind = made.kinds[k]
    sort = kind.entry.kind if isinstance(kind.entry, Thing) else ""
    glyph = glyph_of(kind.name, sort)
    most = tuple(_most(kind.entry.inventory, name) for name in core.resources)
    letter = "" if glyph else letters.get(kind.name, "")
    is_wall = sort == "wall" or kind.name == "wall"
    return Look(kind.name, glyph or "box", f"kind{k % KINDS}", letter, is_wall, most)


def _most(given: Inventory, name: str) -> int:
    """Return how much of a resource fills its bar; 0 if it can hold none."""
    limits = [limit.most for limit in given.limits.values() if name in limit.resources]
    most = max(given.initial.get(name, 0), *(limits or [given.default_limit]))
    return most if most <= MOST_COUNTED else max(given.initial.get(name, 0), HANDFUL)


def _team_colours(core: Core, made: Plan) -> dict[int, str]:
    """Give the tag of each team a colour: the one it is named after, or that of its agents."""
    names, tags = made.ids.tag_names(), team_tags(core, made)
    found: dict[int, str] = {}
    for kind in made.kinds:
        for tag in set(kind.tags) & tags:
            if not isinstance(kind.entry, Thing):
                word = names[tag].rpartition(":")[2]
                found[tag] = team(COLOUR_WORDS.get(word, kind.group))
    if len(set(found.values())) < len(found):  # two of one colour
        found = {tag: team(k) for k, tag in enumerate(sorted(found))}
    rest = [team(k) for k in (5, 4, 3, 2, 1, 0) if team(k) not in found.values()]
    others = sorted(tags - set(found))
    return found | {tag: rest[k % len(rest)] for k, tag in enumerate(others) if rest}


def _agent_colours(core: Core, made: Plan, teams: dict[int, str]) -> tuple[str, ...]:
    """Give every agent its team's colour."""
    kinds = [made.kinds[int(made.kind_of[a])] for a in range(core.num_agents)]
    return tuple(
        next((teams[tag] for tag in kind.tags if tag in teams), team(kind.group)) for kind in kinds
    )


def _team_legend(made: Plan, colours: tuple[str, ...], teams: dict[int, str]) -> list[Legend]:
    names = made.ids.tag_names()
    owners = {colour: names[tag].rpartition(":")[2] for tag, colour in teams.items()}
    found = []
    for number, colour in enumerate(dict.fromkeys(colours)):
        whose = f" of {owners[colour]}" if colour in owners else f" of team {number}"
        is_one = len(set(colours)) == 1 and colour not in owners
        found.append(Legend("cog", colour, "cogs" if is_one else f"cogs{whose}"))
        owners.pop(colour, None)
    return found + [Legend("", colour, f"land of {name}") for colour, name in owners.items()]


def _kind_legend(core: Core, made: Plan, kinds: tuple[Look, ...]) -> list[Legend]:
    used = sorted(set(made.kind_of[core.num_agents :].tolist()))
    owned = team_tags(core, made)
    found = []
    for k in used:
        look = kinds[k]
        if look.is_wall:
            found.append(Legend("", "wall", look.name))
        elif not look.name.startswith("land of"):
            colour = "faint" if owned & set(made.kinds[k].tags) else look.colour
            found.append(Legend(look.glyph, colour, look.name.replace("_", " ")))
    return found


def _other_legend(core: Core, shown: tuple[int, ...]) -> list[Legend]:
    found = [Legend("", resource_colour(k), core.resources[k]) for k in shown]
    if 1 < len(core.vibes) <= MOST_VIBES:
        found += [
            Legend("dot", vibe_colour(k), f"vibe {name}")
            for k, name in enumerate(core.vibes)
            if name != PLAIN_VIBE
        ]
    return found


def resource_colour(k: int) -> str:
    """Name the colour of a resource's bar."""
    return f"kind{(k + 3) % KINDS}"


def vibe_colour(k: int) -> str:
    """Name the colour of a vibe's badge."""
    return f"kind{(k + 1) % KINDS}"


def raster(numbers: np.ndarray) -> str:
    """Write the numbers of colours, -1 for nothing, as the characters of `Cells`."""
    return CODES[numbers.reshape(-1)].tobytes().decode("ascii")


def spoken(words: str, most: int) -> str:
    """Return what is said for a bubble: of at most so many letters, with dots for odd ones."""
    plain = "".join(c if c.isprintable() and ord(c) < FIRST_ODD else "·" for c in words)
    return plain if len(plain) <= most else plain[: most - 1] + "…"
