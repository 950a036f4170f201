"""Draw maps, with things close enough to each other to be used."""

from tests.worlds.mettagrid.differential.names import Json, Names

ASCII = "mettagrid.map_builder.ascii.AsciiMapBuilder.Config"
RANDOM = "mettagrid.map_builder.random_map.RandomMapBuilder.Config"
SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!$%&*+-=?"


def draw_size(names: Names, num_agents: int) -> tuple[int, int]:
    """Draw height and width: tight most of the time."""
    roomy = names.pick((2.0, 3.0, 4.0, 8.0))
    cells = max(9.0, num_agents * roomy + names.rng.randint(0, 60))
    shape = names.pick((0.4, 0.7, 1.0, 1.0, 1.4, 2.5))
    height = max(3, min(60, round((cells * shape) ** 0.5)))
    width = max(3, min(60, round(cells / height) + 1))
    return height, width


def draw_map(names: Names, agent_cells: list[str], object_cells: list[str]) -> Json:
    """Draw a map that holds every agent and some of each object."""
    height, width = draw_size(names, len(agent_cells))
    if len(set(agent_cells)) == 1 and names.chance(0.15):
        return draw_random_map(names, agent_cells, object_cells, height, width)
    border = names.chance(0.7)
    if border:
        height, width = height + 2, width + 2
    grid = [["." for _ in range(width)] for _ in range(height)]
    legend = {".": "empty", "#": "wall", "@": "agent.agent"}
    margin = 1 if border else 0
    if border:
        for r in range(height):
            for c in range(width):
                if r in (0, height - 1) or c in (0, width - 1):
                    grid[r][c] = "#"
    free = [(r, c) for r in range(margin, height - margin) for c in range(margin, width - margin)]
    names.rng.shuffle(free)
    placed = list(agent_cells)
    room = len(free) - len(placed)
    for cell in object_cells:
        placed += [cell] * max(0, min(room // (2 * len(object_cells)) + 1, names.rng.randint(0, 8)))
    placed += ["wall"] * names.rng.randint(0, max(1, room // 6))
    symbols: dict[str, str] = {"wall": "#", "agent.agent": "@"}
    for (r, c), cell in zip(free, placed, strict=False):
        if cell not in symbols:
            symbols[cell] = SYMBOLS[len(symbols)]
            legend[symbols[cell]] = cell
        grid[r][c] = symbols[cell]
    return {"type": ASCII, "map_data": grid, "char_to_map_name": legend}


def draw_random_map(
    names: Names, agents: list[str], objects: list[str], height: int, width: int
) -> Json:
    """Draw the settings of a map that the wheel's own builder draws."""
    border = names.pick((0, 1, 1, 2))
    found: Json = {
        "type": RANDOM, "seed": names.rng.randint(0, 1000), "height": height + 2 * border,
        "width": width + 2 * border, "border_width": border,
        "objects": {cell: names.rng.randint(0, 5) for cell in objects},
    }  # fmt: skip
    extra = names.pick((0, 0, 1, 5))
    team = agents[0].removeprefix("agent.")
    found["agents"] = len(agents) + extra if team == "agent" else {team: len(agents) + extra}
    if names.odd():
        found["border_object"] = names.pick(objects)
    return found
