"""How a grid looks: whose land it is, walls, objects, cogs, and who speaks."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from mesocosm.core.scene import Circle, Primitive, Rect, Scene, Text
from mesocosm.worlds.mettagrid.compile.geometry import PAD
from mesocosm.worlds.mettagrid.compile.plan import Plan, plan
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.thing import Thing
from mesocosm.worlds.mettagrid.land import land_owners, tags_of, team_tags
from mesocosm.worlds.mettagrid.render import headline, symbols, words

PAPER, WALL_COLOUR, INK, BUBBLE = "#f7f5ef", "#6b675f", "#2f2e2a", "#ffffff"
THING_COLOURS = (
    "#c98b3a",
    "#4f8a5b",
    "#7a5ea8",
    "#b3554d",
    "#3f7f9f",
    "#8a8a3a",
    "#a85e8a",
    "#5e8aa8",
    "#d9a441",
    "#6f9f6f",
    "#94703f",
    "#9a86c4",
    "#c47a6a",
)
TEAM_COLOURS = ("#2f6f9f", "#c0392b", "#2e8b57", "#d4a017", "#7d3c98", "#d2691e")
LAND_SHARE = 0.16  # of a team's colour in that of its land
MAX_BUBBLE_CHARS = 24


def scene(truth: Mapping[str, np.ndarray], core: Core) -> Scene:
    """Draw one env."""
    made = plan(core)
    drawn = [*_land(truth, core, made), *_ground(truth, made), *_things(truth, core, made)]
    drawn += [*_cogs(truth, core, made), *_bubbles(truth, core, made)]
    return Scene(made.width, made.height, tuple(drawn), headline(truth, core), PAPER)


def _team_colours(core: Core, made: Plan) -> dict[int, str]:
    """Give the tag of each team a colour: that of its agents, or the next one."""
    found = {}
    for kind in made.kinds:
        for tag in set(kind.tags) & team_tags(core, made):
            if not isinstance(kind.entry, Thing):
                found[tag] = TEAM_COLOURS[kind.group % len(TEAM_COLOURS)]
    rest = [colour for colour in TEAM_COLOURS if colour not in found.values()]
    others = sorted(team_tags(core, made) - set(found))
    return found | {tag: rest[k % max(len(rest), 1)] for k, tag in enumerate(others) if rest}


def _tint(colour: str) -> str:
    """Mix a colour into that of the paper."""
    pairs = [(int(colour[k : k + 2], 16), int(PAPER[k : k + 2], 16)) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(LAND_SHARE * x + (1 - LAND_SHARE) * y):02x}" for x, y in pairs)


def _land(truth: Mapping[str, np.ndarray], core: Core, made: Plan) -> Iterator[Primitive]:
    """Tint what teams own, each run of cells in a row as one rectangle."""
    names, owner = made.ids.tag_names(), land_owners(truth, core, made)
    colours = {tag: _tint(colour) for tag, colour in _team_colours(core, made).items()}
    for r in range(made.height):
        ends = [0, *(np.flatnonzero(np.diff(owner[r])) + 1).tolist(), made.width]
        for left, right in pairwise(ends):
            tag = int(owner[r, left])
            if tag in colours:
                yield Rect(left, r, right - left, 1, colours[tag], f"land of {names[tag]}")


def _ground(truth: Mapping[str, np.ndarray], made: Plan) -> Iterator[Primitive]:
    base = truth["ground"].reshape(made.height + 2 * PAD, made.width + 2 * PAD)
    for r, c in np.argwhere(base[PAD:-PAD, PAD:-PAD] > 0).tolist():
        slot = made.num_things + int(base[r + PAD, c + PAD]) - 1
        yield Rect(c, r, 1, 1, WALL_COLOUR, made.kinds[int(made.kind_of[slot])].name)


def _things(truth: Mapping[str, np.ndarray], core: Core, made: Plan) -> Iterator[Primitive]:
    letter, colours = symbols(core, made), _team_colours(core, made)
    for k in range(core.num_agents, made.num_things):
        r, c, kind = int(truth["row"][k]), int(truth["col"][k]), int(made.kind_of[k])
        if r < 0 or c < 0:
            continue
        name, entry = made.kinds[kind].name, made.kinds[kind].entry
        if isinstance(entry, Thing) and entry.kind == "wall":  # one that handlers can reach
            yield Rect(c, r, 1, 1, WALL_COLOUR, name)
            continue
        colour = THING_COLOURS[kind % len(THING_COLOURS)]
        for tag in tags_of(truth, k) & set(colours):  # a frame in the colour of its team
            yield Rect(c, r, 1, 1, colours[tag], made.ids.tag_names()[tag])
        yield Rect(c + 0.1, r + 0.1, 0.8, 0.8, colour, _about(truth, core, k, name))
        yield Text(c + 0.5, r + 0.5, 0.5, BUBBLE, letter[name])


def _about(truth: Mapping[str, np.ndarray], core: Core, k: int, name: str) -> str:
    """Say what a thing is and holds."""
    pairs = zip(core.resources, truth["amount"][k].tolist(), strict=True)
    held = ", ".join(f"{resource} {amount}" for resource, amount in pairs if amount)
    return f"{name}: {held}" if held else name


def _cogs(truth: Mapping[str, np.ndarray], core: Core, made: Plan) -> Iterator[Primitive]:
    for a in range(core.num_agents):
        r, c = int(truth["row"][a]), int(truth["col"][a])
        if r < 0 or c < 0:
            continue
        group = made.kinds[int(made.kind_of[a])].group
        colour = TEAM_COLOURS[group % len(TEAM_COLOURS)]
        yield Circle(c + 0.5, r + 0.5, 0.8, colour, _about(truth, core, a, f"cog {a}"))
        yield Text(c + 0.5, r + 0.5, 0.4, "#ffffff", str(a))


def _bubbles(truth: Mapping[str, np.ndarray], core: Core, made: Plan) -> Iterator[Primitive]:
    """Draw what cogs say above them, kept inside the picture."""
    for a in range(core.num_agents):
        said = words(truth, core, a)
        if said and int(truth["row"][a]) >= 0:
            shown = said if len(said) <= MAX_BUBBLE_CHARS else said[: MAX_BUBBLE_CHARS - 1] + "…"
            wide = min(0.25 * len(shown) + 0.4, made.width)
            x = min(max(int(truth["col"][a]) + 0.5 - wide / 2, 0.0), made.width - wide)
            y = max(int(truth["row"][a]) - 0.6, 0.0)
            yield Rect(x, y, wide, 0.55, BUBBLE, f"cog {a}: {said}")
            yield Text(x + wide / 2, y + 0.28, 0.4, INK, shown)
