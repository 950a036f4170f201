"""Shrink a game that differs while it still does, and write down what is left.

python -m tests.worlds.mettagrid.differential.reduce --seed 17 --out found [--config FILE]
"""

import argparse
import copy
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.worlds.mettagrid.differential.draw_game import draw_game
from tests.worlds.mettagrid.differential.names import Json
from tests.worlds.mettagrid.differential.run import UNCOUNTED, Arena

KEPT = ("map_builder", "resource_names", "num_agents", "mutation_type", "filter_type", "query_type",
        "name", "source", "query", "tag", "vibes")  # fmt: skip
LIVE = ("obs", "reward", "success", "objects")


def signature(found: Json) -> str:
    """Return what has to stay the same while a game shrinks."""
    if found["status"] != "differs":
        return found["status"]
    what, when = found["first"]["what"], "later" if found["first"]["step"] else "at once"
    return f"differs in play, {when}" if what in LIVE else f"differs in {what}"


def mend(config: Json) -> Json:
    """Take off the map what is no longer an object; count the agents that are left."""
    game = config["game"]
    builder = game["map_builder"]
    if "map_data" not in builder:
        return config
    objects = game.get("objects", {})
    known = {entry.get("map_name") or entry.get("name", "wall") for entry in objects.values()}
    legend = builder["char_to_map_name"]
    for row in builder["map_data"]:
        for c, symbol in enumerate(row):
            cell = legend.get(symbol, "empty")
            if cell not in known and not cell.startswith("agent."):
                row[c] = "."
    cells = [legend.get(s, "empty") for row in builder["map_data"] for s in row]
    game["num_agents"] = sum(cell.startswith("agent.") for cell in cells)
    return config


def list_paths(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of everything that might be left out, outer parts first."""
    keys: list[Any] = []
    if isinstance(part, dict):
        keys = [key for key in part if key not in KEPT]
    elif isinstance(part, list):
        keys = list(reversed(range(len(part))))
    for key in keys:
        yield (*path, key)
    for key in keys:
        yield from list_paths(part[key], (*path, key))


def without(config: Json, path: tuple[Any, ...]) -> Json | None:
    found = copy.deepcopy(config)
    part: Any = found
    for key in path[:-1]:
        if not (isinstance(part, list | dict)) or (isinstance(part, list) and key >= len(part)):
            return None
        if isinstance(part, dict) and key not in part:
            return None
        part = part[key]
    try:
        del part[path[-1]]
    except (KeyError, IndexError, TypeError):
        return None
    return mend(found)


def without_parts(config: Json) -> Iterator[Json]:
    """Yield configs without a good part of all agents, handlers or other things in lists."""
    for path in list_paths(config["game"], ("game",)):
        part: Any = config
        for key in path:
            part = part[key]
        if not isinstance(part, list) or len(part) < 4:
            continue
        for pieces in (2, 4):
            size = len(part) // pieces
            for first in range(0, len(part), size):
                found = copy.deepcopy(config)
                holder: Any = found
                for key in path:
                    holder = holder[key]
                del holder[first : first + size]
                yield mend(found)


def emptier_maps(config: Json, grid: list[Any]) -> Iterator[Json]:
    """Yield maps without half, a quarter or an eighth of the things on them."""
    things = [(r, c) for r, row in enumerate(grid) for c, s in enumerate(row) if s not in ".#"]
    for pieces in (2, 4, 8):
        size = len(things) // pieces
        for first in range(0, len(things) if size > 1 else 0, max(1, size)):
            cleared = copy.deepcopy(grid)
            for r, c in things[first : first + size]:
                cleared[r][c] = "."
            yield with_grid(config, cleared)


def smaller_maps(config: Json) -> Iterator[Json]:
    """Yield maps with a row or a column less, or an agent less, or a thing less."""
    builder = config["game"]["map_builder"]
    grid = builder.get("map_data")
    if grid is None:
        return
    yield from emptier_maps(config, grid)
    for r in range(len(grid)):
        if len(grid) > 1:
            yield with_grid(config, grid[:r] + grid[r + 1 :])
    for c in range(len(grid[0])):
        if len(grid[0]) > 1:
            yield with_grid(config, [row[:c] + row[c + 1 :] for row in grid])
    for r, row in enumerate(grid):
        for c, symbol in enumerate(row):
            if symbol != ".":
                cleared = copy.deepcopy(grid)
                cleared[r][c] = "."
                yield with_grid(config, cleared)


def with_grid(config: Json, grid: list[Any]) -> Json:
    found = copy.deepcopy(config)
    found["game"]["map_builder"]["map_data"] = copy.deepcopy(grid)
    return mend(found)


class Reducer:
    """Shrinks one game."""

    def __init__(self, play: Callable[[Json, int], Json], steps: int, patience_s: float) -> None:
        self._play, self.steps = play, steps
        self._until = time.time() + patience_s
        self.tries = 0

    def late(self) -> bool:
        return time.time() > self._until

    def holds(self, config: Json | None, wanted: str) -> bool:
        """Return whether a game still differs; if so, play no longer than it needs."""
        if config is None or self.late():
            return False
        self.tries += 1
        found = self._play(config, self.steps)
        if signature(found) != wanted:
            return False
        if "first" in found:
            self.steps = min(self.steps, max(1, found["first"]["step"] + 1))
        return True

    def reduce(self, config: Json) -> Json:
        wanted = signature(self._play(config, self.steps))
        print(f"keeping: {wanted}")
        if wanted == "equal":
            raise SystemExit("this game does not differ")
        size = -1
        while size != len(json.dumps(config)) and not self.late():
            size = len(json.dumps(config))
            config = self._drop_parts(config, wanted, depth=5)
            config = self._climb_down(config, wanted, smaller_maps, most=12)
            config = self._climb_down(config, wanted, without_parts, most=12)
            config = self._drop_parts(config, wanted)
            config = self._climb_down(config, wanted, smaller_maps)
        return config

    def _drop_parts(self, config: Json, wanted: str, depth: int = 100) -> Json:
        paths = [path for path in list_paths(config["game"], ("game",)) if len(path) <= depth]
        for path in sorted(paths, key=len):
            smaller = without(config, path)
            if smaller is not None and smaller != config and self.holds(smaller, wanted):
                config = smaller
        return config

    def _climb_down(self, config: Json, wanted: str, options: Any, most: int = 1000) -> Json:
        """Take the first smaller game that still differs, again and again."""
        again = True
        while again and not self.late() and most:
            again = False
            most -= 1
            for smaller in options(config):
                if smaller != config and self.holds(smaller, wanted):
                    config, again = smaller, True
                    break
        return config


def show(result: Json) -> str:
    return f"{result['status']} {result.get('first') or result.get('why')}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="shrink a game that differs")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--config", type=Path, default=None, help="a game instead of a drawn one")
    parser.add_argument("--out", type=Path, default=Path("found"))
    parser.add_argument("--name", default="")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--ignore", default=UNCOUNTED, help="statistics not to compare")
    parser.add_argument("--tame", action="store_true")
    parser.add_argument("--minutes", type=float, default=4.0)
    options = parser.parse_args(arguments)
    config = draw_game(options.seed, options.steps, tame=options.tame)
    if options.config is not None:
        config = json.loads(options.config.read_text())
        config = config.get("config", config)
    with tempfile.TemporaryDirectory() as folder:
        arena = Arena(options.target, Path(folder), options.ignore, twice=False)
        reducer = Reducer(
            lambda one, steps: arena.play(one, options.seed, steps), options.steps,
            options.minutes * 60,
        )  # fmt: skip
        small = reducer.reduce(config)
        result = arena.play(small, options.seed, reducer.steps)
        arena.close()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"{options.name or options.seed}.json"
    told = {"config": small, "seed": options.seed, "steps": reducer.steps, "result": result}
    path.write_text(json.dumps(told, indent=1))
    print(f"{path}: {reducer.tries} tries, {len(json.dumps(small))} characters, {show(result)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
