"""How a grid looks: whose land it is, walls, objects, cogs, and who speaks."""

from collections.abc import Iterator, Mapping

import numpy as np

from mesocosm.core.scene import (
    Bars,
    Box,
    Cells,
    Circle,
    Glyph,
    Primitive,
    Rect,
    Scene,
    Text,
    Trail,
)
from mesocosm.worlds.mettagrid.compile.geometry import PAD
from mesocosm.worlds.mettagrid.compile.plan import Plan
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.land import land_owners, tags_of
from mesocosm.worlds.mettagrid.looks import (
    GLYPHS,
    Look,
    Looks,
    looks,
    raster,
    spoken,
    vibe_colour,
)
from mesocosm.worlds.mettagrid.render import headline, words

Truth = Mapping[str, np.ndarray]
LAND_OPACITY, OWNED_OPACITY = 0.22, 0.35
MAX_BUBBLE_CHARS = 24
NONE = -1


def scene(truth: Truth, core: Core) -> Scene:
    """Draw one env."""
    seen = looks(core)
    made = seen.plan
    rows, cols = truth["row"].tolist(), truth["col"].tolist()
    drawn: list[Primitive] = [*_land(truth, core, seen), _walls(truth, core, seen)]
    for k in range(core.num_agents, made.num_things):
        look = seen.kinds[int(made.kind_of[k])]
        if rows[k] >= 0 and cols[k] >= 0 and not look.is_wall:
            drawn += _thing(truth, core, seen, look, k)
    drawn += _cogs(truth, core, seen)
    drawn += _bubbles(truth, core, made)
    return Scene(
        made.width, made.height, tuple(drawn), headline(truth, core), legend=seen.legend,
        focus=_focus(truth, made), glyphs=GLYPHS,
    )  # fmt: skip


def _focus(truth: Truth, made: Plan) -> Box:
    """Return where the map is open, with one cell of what is round it."""
    base = truth["ground"].reshape(made.height + 2 * PAD, made.width + 2 * PAD)
    rows, cols = np.nonzero(base[PAD:-PAD, PAD:-PAD] == 0)
    if not len(rows):
        return Box(0.0, 0.0, made.width, made.height)
    top, left = max(int(rows.min()) - 1, 0), max(int(cols.min()) - 1, 0)
    bottom, right = min(int(rows.max()) + 2, made.height), min(int(cols.max()) + 2, made.width)
    return Box(float(left), float(top), float(right - left), float(bottom - top))


def _land(truth: Truth, core: Core, seen: Looks) -> Iterator[Primitive]:
    """Tint what teams own."""
    if not core.territories:
        return
    owner = land_owners(truth, core, seen.plan)
    numbers = np.full(owner.shape, NONE)
    for k, tag in enumerate(seen.teams):
        numbers[owner == tag] = k
    names = seen.plan.ids.tag_names()
    label = "land of " + ", ".join(names[tag] for tag in seen.teams)
    yield Cells(
        0.0, 0.0, seen.plan.width, seen.plan.height, raster(numbers), tuple(seen.teams.values()),
        LAND_OPACITY, label=label,
    )  # fmt: skip


def _walls(truth: Truth, core: Core, seen: Looks) -> Cells:
    """Draw the ground that nothing passes, and walls that handlers can reach."""
    made = seen.plan
    base = truth["ground"].reshape(made.height + 2 * PAD, made.width + 2 * PAD)
    solid = base[PAD:-PAD, PAD:-PAD] > 0
    for k in range(core.num_agents, made.num_things):
        if seen.kinds[int(made.kind_of[k])].is_wall and truth["row"][k] >= 0:
            solid[int(truth["row"][k]), int(truth["col"][k])] = True
    cells = raster(np.where(solid, 0, NONE))
    return Cells(0.0, 0.0, made.width, made.height, cells, ("wall",), label="wall")


def _thing(truth: Truth, core: Core, seen: Looks, look: Look, k: int) -> Iterator[Primitive]:
    """Draw an object in its team's colour, or its own, with what it holds."""
    r, c, key = int(truth["row"][k]), int(truth["col"][k]), f"thing {k}"
    colour = look.colour
    owners = [tag for tag in seen.teams if tag in tags_of(truth, k)] if seen.teams else []
    if owners:
        colour = seen.teams[owners[0]]
        yield Rect(c + 0.04, r + 0.04, 0.92, 0.92, colour, OWNED_OPACITY, 0.15)
    label = _about(truth, core, k, look.name)
    yield Glyph(look.glyph, c + 0.5, r + 0.42, 0.8, colour, accent="sun", label=label, key=key)
    if look.letter:
        yield Text(c + 0.5, r + 0.5, 0.5, "white", look.letter, room=0.8)
    if "clipped" in truth and truth["clipped"][k]:
        yield Glyph("cross", c + 0.5, r + 0.5, 0.8, "bad", opacity=0.8, label="clipped")
    yield from _holds(truth, seen, look, k)


def _holds(truth: Truth, seen: Looks, look: Look, k: int) -> Iterator[Primitive]:
    """Draw what something holds as bars at its feet; nothing if that is nothing."""
    amounts = truth["amount"][k].tolist()
    if any(amounts[i] for i in seen.shown):
        yield Bars(
            int(truth["col"][k]) + 0.06, int(truth["row"][k]) + 0.74, 0.88, 0.24,
            tuple(amounts[i] / max(look.most[i], 1) for i in seen.shown), seen.bar_colours,
            upright=True, names=seen.bar_names,
        )  # fmt: skip


def _about(truth: Truth, core: Core, k: int, name: str) -> str:
    """Say what a thing is and holds."""
    pairs = zip(core.resources, truth["amount"][k].tolist(), strict=True)
    held = ", ".join(f"{resource} {amount}" for resource, amount in pairs if amount)
    return f"{name}: {held}" if held else name


def _cogs(truth: Truth, core: Core, seen: Looks) -> Iterator[Primitive]:
    rows, cols, vibes = (truth[name].tolist() for name in ("row", "col", "vibe"))
    here = [a for a in range(core.num_agents) if rows[a] >= 0 and cols[a] >= 0]
    for a in here:
        shift = (a * 0.382 % 1.0 - 0.5) * 0.4
        at = (cols[a] + 0.5 + shift, rows[a] + 0.5 + shift)
        yield Trail(*at, 0.08, seen.agent_colours[a], f"agent {a}")
    for a in here:
        x, y, key = cols[a] + 0.5, rows[a] + 0.4, f"agent {a}"
        label = _about(truth, core, a, f"cog {a}")
        yield Glyph("cog", x, y, 0.8, seen.agent_colours[a], label=label, key=key)
        yield Text(x, y, 0.46, seen.agent_writing[a], str(a), room=0.95, key=key)
        if vibes[a] and vibes[a] < len(core.vibes):
            said = f"vibe {core.vibes[vibes[a]]}"
            yield Circle(x + 0.34, y - 0.3, 0.34, "paper")
            yield Circle(x + 0.34, y - 0.3, 0.26, vibe_colour(vibes[a]), label=said)
        if truth["frozen"][a] > 0:
            yield Glyph("frozen", x, y, 0.9, "water", label="frozen")
        kind = seen.kinds[int(seen.plan.kind_of[a])]
        yield from _holds(truth, seen, kind, a)


def _bubbles(truth: Truth, core: Core, made: Plan) -> Iterator[Primitive]:
    """Draw what cogs say above them, kept inside the picture."""
    if not core.talk.enabled:
        return
    for a in range(core.num_agents):
        said = words(truth, core, a)
        if said and int(truth["row"][a]) >= 0:
            shown = spoken(said, MAX_BUBBLE_CHARS)
            wide = min(0.28 * len(shown) + 0.5, made.width)
            x = min(max(int(truth["col"][a]) + 0.5 - wide / 2, 0.0), made.width - wide)
            y = max(int(truth["row"][a]) - 0.75, 0.0)
            yield Rect(x, y, wide, 0.7, "bubble", round=0.2, label=f"cog {a}: {said}")
            yield Text(x + wide / 2, y + 0.35, 0.45, "ink", shown, room=wide)
