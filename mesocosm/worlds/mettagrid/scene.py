"""How a grid looks: walls, objects, cogs, whose land it is, and who speaks."""

from collections.abc import Iterator, Mapping

import numpy as np

from mesocosm.core.scene import Circle, Primitive, Rect, Scene, Text
from mesocosm.worlds.mettagrid.compile.geometry import PAD
from mesocosm.worlds.mettagrid.compile.plan import Plan, plan
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.thing import Thing
from mesocosm.worlds.mettagrid.render import words

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
)
TEAM_COLOURS = ("#2f6f9f", "#c0392b", "#2e8b57", "#d4a017", "#7d3c98", "#d2691e")
MAX_BUBBLE_CHARS = 24


def scene(truth: Mapping[str, np.ndarray], core: Core) -> Scene:
    """Draw one env."""
    made = plan(core)
    drawn = [*_ground(truth, made), *_things(truth, core, made), *_cogs(truth, core, made)]
    drawn += _bubbles(truth, core, made)
    caption = f"mettagrid, {core.profile}, step {int(truth['clock'])}"
    return Scene(made.width, made.height, tuple(drawn), caption, PAPER)


def _ground(truth: Mapping[str, np.ndarray], made: Plan) -> Iterator[Primitive]:
    base = truth["ground"].reshape(made.height + 2 * PAD, made.width + 2 * PAD)
    for r, c in np.argwhere(base[PAD:-PAD, PAD:-PAD] > 0).tolist():
        slot = made.num_things + int(base[r + PAD, c + PAD]) - 1
        yield Rect(c, r, 1, 1, WALL_COLOUR, made.kinds[int(made.kind_of[slot])].name)


def _things(truth: Mapping[str, np.ndarray], core: Core, made: Plan) -> Iterator[Primitive]:
    for k in range(core.num_agents, made.num_things):
        r, c, kind = int(truth["row"][k]), int(truth["col"][k]), int(made.kind_of[k])
        if r < 0 or c < 0:
            continue
        pairs = zip(core.resources, truth["amount"][k].tolist(), strict=True)
        held = ", ".join(f"{name} {amount}" for name, amount in pairs if amount)
        name, entry = made.kinds[kind].name, made.kinds[kind].entry
        if isinstance(entry, Thing) and entry.kind == "wall":  # one that handlers can reach
            yield Rect(c, r, 1, 1, WALL_COLOUR, name)
            continue
        colour = THING_COLOURS[kind % len(THING_COLOURS)]
        yield Rect(c + 0.1, r + 0.1, 0.8, 0.8, colour, f"{name}: {held}" if held else name)


def _cogs(truth: Mapping[str, np.ndarray], core: Core, made: Plan) -> Iterator[Primitive]:
    for a in range(core.num_agents):
        r, c = int(truth["row"][a]), int(truth["col"][a])
        if r < 0 or c < 0:
            continue
        group = made.kinds[int(made.kind_of[a])].group
        colour = TEAM_COLOURS[group % len(TEAM_COLOURS)]
        yield Circle(c + 0.5, r + 0.5, 0.8, colour, f"cog {a}")
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
