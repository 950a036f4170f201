"""Read MettaGrid's maps: drawn as text, one of several texts, random from a seed, or built."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mesocosm.core.errors import ConfigError, hint, short
from mesocosm.worlds.mettagrid.game.check import is_agent
from mesocosm.worlds.mettagrid.upstream.build import CellNames, build_grid
from mesocosm.worlds.mettagrid.upstream.part import Part

LEGEND = {"#": "wall", ".": "empty", "@": "agent.agent"}
BUILT = "built"
# what an imported name is drawn as, if MettaGrid has no character for it
MAP_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def map_section(game: Part) -> dict[str, Any]:
    """Read where everything is, as a map drawn as text."""
    part = game.part("map_builder")
    kind = str(part.take("type", "")).removesuffix(".Config").rsplit(".", 1)[-1]
    legend = LEGEND | dict(part.take("char_to_map_name", {}))
    agents = int(game.take("num_agents", 24))
    if kind.removesuffix("Config") in MAKERS:
        names = MAKERS[kind.removesuffix("Config")](part, legend)
        _keep_spawns(names, agents, part)
    else:
        part.skip(*part.keys())
        names = build_grid(game.take("map_builder", {}), agents, part.path)
    part.finish()
    return {"kind": "ascii"} | _drawn(names, legend)


def _seed(part: Part) -> int:
    """Return the seed of a map; MettaGrid draws anew where there is none, so any will do."""
    return int(part.take("seed", 0))


def _named(rows: Any, legend: dict[str, str], path: str) -> CellNames:
    lines = rows.splitlines() if isinstance(rows, str) else rows
    for char in sorted({char for line in lines for char in line}):
        if char not in legend:
            raise ConfigError(f"{path}: {char!r} is not in the legend.{hint(char, list(legend))}")
    return [[legend[char] for char in line] for line in lines]


def _text(part: Part, legend: dict[str, str]) -> CellNames:
    return _named(part.take("map_data", []), legend, part.at("map_data"))


def _choice(part: Part, legend: dict[str, str]) -> CellNames:
    options = part.take("map_options", [])
    if not options:
        raise part.fail("map_options", "needs at least one map")
    chosen = int(np.random.default_rng(_seed(part)).integers(0, len(options)))
    return _named(options[chosen], legend, f"{part.at('map_options')}.{chosen}")


def _random(part: Part, legend: dict[str, str]) -> CellNames:
    """Scatter objects and agents inside a border, as MettaGrid does from the same seed."""
    width, height = int(part.take("width", 10)), int(part.take("height", 10))
    edge = int(part.take("border_width", 0))
    grid = np.full((height, width), str(part.take("border_object", "wall")), dtype=object)
    inside = grid[edge : height - edge, edge : width - edge]
    counts = dict(part.take("objects", {}))
    people = part.take("agents", 0)
    people = {"agent": people} if isinstance(people, int) else dict(people)
    agents = [f"agent.{name}" for name, count in people.items() for _ in range(count)]
    while sum(counts.values()) + len(agents) > inside.size and max(counts.values(), default=1) > 1:
        counts = {name: max(1, count // 2) for name, count in counts.items()}
    cells = [name for name, count in counts.items() for _ in range(count)] + agents
    if inside.size == 0 or len(cells) > inside.size:
        raise part.fail("objects", f"{len(cells)} things do not fit into {inside.size} cells")
    shuffled = np.array(cells + ["empty"] * (inside.size - len(cells))).astype(str)
    np.random.default_rng(_seed(part)).shuffle(shuffled)
    inside[:] = shuffled.reshape(inside.shape)
    return [[str(name) for name in row] for row in grid]


def _built(part: Part, legend: dict[str, str]) -> CellNames:
    """Take a map that MettaGrid itself has built, as names of what is in each cell."""
    cells = part.take("cells", [])
    if not isinstance(cells, list | tuple) or not all(_is_row(row, cells[0]) for row in cells):
        raise part.fail("cells", f"must be rows of names, all of one length, got {short(cells)}")
    return [[str(name) for name in row] for row in cells]


def _is_row(row: Any, first: Any) -> bool:
    """Whether a row of a grid holds names, as many as the first."""
    return (
        isinstance(row, list | tuple)
        and len(row) == len(first)
        and all(isinstance(name, str) for name in row)
    )


MAKERS: dict[str, Callable[[Part, dict[str, str]], CellNames]] = {
    "AsciiMapBuilder": _text,
    "ChoiceAsciiMapBuilder": _choice,
    "RandomMapBuilder": _random,
    BUILT: _built,
}


def _keep_spawns(names: CellNames, agents: int, part: Part) -> None:
    """Empty the places of agents that a game has no agent for, drawn as MettaGrid draws them."""
    spots = [(r, c) for r, row in enumerate(names) for c, name in enumerate(row) if is_agent(name)]
    if len(spots) <= agents:
        return
    order = np.array(spots)
    np.random.default_rng(_seed(part)).shuffle(order)
    for r, c in order[agents:]:
        names[r][c] = "empty"


def _drawn(names: CellNames, legend: dict[str, str]) -> dict[str, Any]:
    """Draw a map of names as text, with the characters it came with where it has some."""
    chars = {name: char for char, name in reversed(legend.items())}
    free = (char for char in MAP_CHARS if char not in legend)
    for name in dict.fromkeys(name for row in names for name in row):
        if name not in chars:
            chars[name] = next(free)
    rows = ["".join(chars[name] for name in row) for row in names]
    used = {chars[name]: name for row in names for name in row}
    return {"rows": rows, "legend": used}
