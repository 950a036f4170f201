"""Maps: from text, drawn at random, in rooms, or as mazes; a map is names of what is in a cell."""

from itertools import pairwise

import numpy as np

from mesocosm.worlds.mettagrid.game.check import is_agent
from mesocosm.worlds.mettagrid.game.core import Core, Map

AGENT_CELL, EMPTY_CELL, WALL_CELL = "agent", "empty", "wall"
Grid = np.ndarray  # object [row, col]: names


def layouts(core: Core) -> list[Grid]:
    """Make the maps of a game; an episode plays one of them."""
    area = core.map
    if area.kind == "ascii":
        return [_from_text(area)]
    makers = {"random": _random, "rooms": _rooms, "maze": _maze}
    return [
        makers[area.kind](area, core.num_agents, np.random.default_rng((area.seed, k)))
        for k in range(area.layouts)
    ]


def _from_text(area: Map) -> Grid:
    names = [[area.legend[char] for char in row] for row in area.rows]
    grid = np.array(names, dtype=object)
    grid[np.vectorize(is_agent)(grid)] = AGENT_CELL
    return grid


def _bordered(area: Map) -> Grid:
    grid = np.full((area.height, area.width), EMPTY_CELL, dtype=object)
    edge = area.border
    if edge:
        grid[:edge] = grid[-edge:] = WALL_CELL
        grid[:, :edge] = grid[:, -edge:] = WALL_CELL
    return grid


def _scatter(grid: Grid, area: Map, agents: int, rng: np.random.Generator) -> Grid:
    """Put objects and agents on free cells; free cells that lack are made by opening walls."""
    names = [name for name in sorted(area.objects) for _ in range(area.objects[name])]
    names += [AGENT_CELL] * agents
    free = np.argwhere(grid == EMPTY_CELL)
    if len(free) < len(names):
        edge = area.border
        inner = np.argwhere(grid == WALL_CELL)
        rows, cols = inner[:, 0], inner[:, 1]
        inside = (rows >= edge) & (rows < area.height - edge)
        inside &= (cols >= edge) & (cols < area.width - edge)
        lack = len(names) - len(free)
        free = np.concatenate([free, rng.permutation(inner[inside])[:lack]])
    for name, (r, c) in zip(names, rng.permutation(free), strict=False):
        grid[r, c] = name
    return grid


def _random(area: Map, agents: int, rng: np.random.Generator) -> Grid:
    return _scatter(_bordered(area), area, agents, rng)


def _rooms(area: Map, agents: int, rng: np.random.Generator) -> Grid:
    """Divide the map by walls into rooms, with one door in each wall between two rooms."""
    grid, step = _bordered(area), area.room_size - 1
    top, left = area.border - 1, area.border - 1
    rows = [r for r in range(top + step, area.height - area.border - 1, step) if r > 0]
    cols = [c for c in range(left + step, area.width - area.border - 1, step) if c > 0]
    for r in rows:
        grid[r] = WALL_CELL
    for c in cols:
        grid[:, c] = WALL_CELL
    bands = _spans(area.height, area.border, rows)
    aisles = _spans(area.width, area.border, cols)
    for r in rows:
        for low, high in aisles:
            grid[r, int(rng.integers(low, high))] = EMPTY_CELL
    for c in cols:
        for low, high in bands:
            grid[int(rng.integers(low, high)), c] = EMPTY_CELL
    return _scatter(grid, area, agents, rng)


def _spans(size: int, border: int, walls: list[int]) -> list[tuple[int, int]]:
    ends = [border - 1, *walls, size - border]
    spans = [(low + 1, high) for low, high in pairwise(ends)]
    return [(low, high) for low, high in spans if low < high]


def _maze(area: Map, agents: int, rng: np.random.Generator) -> Grid:
    """Dig a maze without loops: from every second cell, to one that was not yet reached."""
    grid, edge = _bordered(area), max(area.border, 1)
    grid[:] = WALL_CELL
    start = (edge, edge)
    grid[start] = EMPTY_CELL
    path = [start]
    while path:
        r, c = path[-1]
        ways = [(r + 2 * dr, c + 2 * dc) for dr, dc in ((-1, 0), (1, 0), (0, -1), (0, 1))]
        ways = [
            (y, x)
            for y, x in ways
            if edge <= y < area.height - edge and edge <= x < area.width - edge
            if grid[y, x] == WALL_CELL
        ]
        if not ways:
            path.pop()
            continue
        y, x = ways[int(rng.integers(len(ways)))]
        grid[(r + y) // 2, (c + x) // 2] = EMPTY_CELL
        grid[y, x] = EMPTY_CELL
        path.append((y, x))
    return _scatter(grid, area, agents, rng)
