"""List every game, map and replay inside MettaGrid's wheel, as configs that it plays itself."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from benchmarks.shipped.scenes import FILES, SCENES, S

Json = dict[str, Any]
SEED = 7
AGENTS = 8
SIDE = 30
MAPGEN = "mettagrid.mapgen.mapgen.MapGen.Config"
MAZE = {"width": 21, "height": 15, "start_pos": [1, 1], "end_pos": [19, 13], "seed": SEED}
NAMES = "mettagrid.test_support.map_builders.ObjectNameMapBuilder.Config"
SMALL = ["#######", "#@.A.@#", "#.#.#.#", "#@...@#", "#######"]
LEGEND = {"A": "box", "#": "wall", ".": "empty", "@": "agent.agent"}


class Entry(NamedTuple):
    """One thing of the wheel: its name, and its config or where its replay is."""

    name: str
    make: Callable[[], Json] | None = None
    replay: Path | None = None
    why: str = ""  # if it is no game by itself


def root() -> Path:
    """Return where the wheel is."""
    import mettagrid

    return Path(mettagrid.__file__).parent


def entries() -> Iterator[Entry]:
    """List everything, made when it is asked for."""
    yield from (Entry(f"replay {path.name}", replay=path) for path in sorted(root().rglob("*.z")))
    yield from _presets()
    yield from _builders()
    for name, settings in SCENES.items():
        scene = {"type": f"{S}.{name}.Config"} | settings
        yield Entry(f"scene {name}", partial(_scene_game, scene))
    yield from _file_scenes()
    for folder in ("convchain", "wfc"):
        for path in sorted((root() / "mapgen" / "scenes" / "dcss" / folder).glob("*.yaml")):
            scene = yaml.safe_load(path.read_text(encoding="utf-8"))
            walls = ["agent.agent"] * AGENTS  # these scenes have nothing else
            yield Entry(f"dcss/{folder}/{path.stem}", partial(_scene_game, scene, walls))


def _presets() -> Iterator[Entry]:
    from mettagrid.builder import envs
    from mettagrid.config.mettagrid_config import MettaGridConfig

    made: dict[str, Callable[[], Any]] = {
        "default config": MettaGridConfig,
        "EmptyRoom": partial(MettaGridConfig.EmptyRoom, AGENTS, 12, 12),
        "make_arena": partial(envs.make_arena, 24),
        "make_arena without combat": partial(envs.make_arena, 12, combat=False),
        "make_navigation": partial(envs.make_navigation, 4),
    }
    for terrain in ("no-terrain", "sparse", "balanced", "dense"):
        game = partial(envs.make_assembly_lines, 4, 100, {}, {"box": 3}, 9, 9, terrain)
        made[f"make_assembly_lines {terrain}"] = game
    for name, config in made.items():
        yield Entry(name, partial(_dumped, config))
    yield Entry("demo", _demo)


def _dumped(make: Callable[[], Any]) -> Json:
    """Dump a config of the wheel, with objects for what its map has, and with seeds."""
    config = _seeded(json.loads(make().model_dump_json()))
    game = config["game"]
    names = {name for row in build(game["map_builder"], game["num_agents"]) for name in row}
    boxes = {name: _box(name) for name in sorted(names) if is_object(name)}
    game["objects"] = boxes | game["objects"]
    if "ore" not in game["resource_names"] and "box" in game["objects"]:
        game["resource_names"].append("ore")
    return config


def _demo() -> Json:
    """The game of `mettagrid.demo`."""
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.config.vibes import VIBES

    config = json.loads(MettaGridConfig().model_dump_json())
    game = config["game"]
    game |= {"num_agents": 4, "max_steps": 100, "objects": {"wall": _wall()}}
    game["actions"]["change_vibe"] |= {
        "enabled": True,
        "vibes": [asdict(vibe) for vibe in VIBES[:10]],
    }
    game["map_builder"] |= {"agents": 4, "width": 10, "height": 10, "objects": {"wall": 10}}
    game["map_builder"] |= {"border_width": 1, "border_object": "wall"}
    return _seeded(config)


def _builders() -> Iterator[Entry]:
    path = "mettagrid.map_builder"
    names = [[LEGEND[char] for char in row] for row in SMALL]
    kinds: dict[str, Json] = {
        "ascii.AsciiMapBuilder": {"map_data": SMALL, "char_to_map_name": LEGEND},
        "choice_ascii.ChoiceAsciiMapBuilder": {
            "map_options": [SMALL, SMALL[::-1]], "char_to_map_name": LEGEND, "seed": SEED,
        },
        "maze.MazePrimMapBuilder": MAZE,
        "maze.MazeKruskalMapBuilder": MAZE,
        "perimeter_incontext.PerimeterInContextMapBuilder": {
            "objects": {"box": 4}, "width": 9, "seed": SEED,
        },
    }  # fmt: skip
    made = {name: settings | {"type": f"{path}.{name}.Config"} for name, settings in kinds.items()}
    made["ObjectNameMapBuilder"] = {"type": NAMES, "map_data": names}
    random_map = {"type": f"{path}.random_map.RandomMapBuilder.Config", "seed": SEED}
    random_map |= {"agents": AGENTS, "width": 20, "height": 20, "objects": {"box": 9, "wall": 40}}
    yield Entry("builder RandomMapBuilder", partial(game_on, random_map, AGENTS))
    for name, builder in made.items():
        agents = 1 if "Maze" in name or "Perimeter" in name else 4
        yield Entry(f"builder {name.split('.')[-1]}", partial(game_on, builder, agents))
    grown = {"type": MAPGEN, "seed": SEED, "num_agents": 12, "instance": random_map | {"agents": 4}}
    yield Entry("builder MapGen of instances", partial(game_on, grown, 12))


def _file_scenes() -> Iterator[Entry]:
    """List the scenes that read a file, each with one of the wheel's own."""
    file = str(root() / "mapgen" / "scenes" / "dcss" / "convchain" / "psy_arrival_basics.yaml")
    for name, key in FILES.items():
        if key == "uri":
            yield Entry(f"scene {name}", why="reads a map file, of which the wheel ships none")
            continue
        scene: Json = {"type": f"{S}.{name}.Config", key: file}
        if name.startswith("random"):
            scene = {"type": scene["type"], "candidates": [{"scene_file": file}]}
        yield Entry(f"scene {name}", partial(_scene_game, scene))


def _scene_game(scene: Json, cells: Sequence[str] = ()) -> Json:
    """Make a game on a map of one scene, with agents strewn over it; `cells` is what is on it."""
    strewn = {"type": f"{S}.random.Random.Config", "agents": AGENTS}
    children = [*scene.get("children", []), {"scene": strewn, "where": "full"}]
    instance = scene | {"children": children}
    builder = {"type": MAPGEN, "seed": SEED, "width": SIDE, "height": SIDE, "border_width": 2}
    return game_on(builder | {"instance": instance}, AGENTS, cells)


def game_on(builder: Json, agents: int, cells: Sequence[str] = ()) -> Json:
    """Make a game on a map: agents gather from whatever objects the map has."""
    cells = cells or [name for row in build(builder, agents) for name in row]
    reward = {"reward": {"item": "ore", "scope": "agent"}}
    agent = {"inventory": {"initial": {"energy": 9}}, "rewards": {"ore": reward}}
    teams = sorted(_team(name) for name in cells if name.startswith("agent"))
    boxes = {name: _box(name) for name in sorted(set(cells)) if is_object(name)}
    game = {
        "resource_names": ["ore", "energy"], "num_agents": agents, "max_steps": 0, "agent": agent,
        "agents": [agent | {"team_id": team} for team in teams], "map_builder": builder,
        "objects": {"wall": _wall()} | boxes,
        "obs": {"width": 11, "height": 11, "num_tokens": 1000},
    }  # fmt: skip
    return dumped({"game": game})


def _team(name: str) -> int:
    number = name.removeprefix("agent.team_")
    return int(number) if number.isdigit() else 0


def dumped(config: Json) -> Json:
    """Write a config as the wheel does, with all its defaults; not all builders it can write."""
    from mettagrid.config.mettagrid_config import MettaGridConfig

    builder = {"type": NAMES, "map_data": []}
    plain = {**config, "game": {**config["game"], "map_builder": builder}}
    made: Json = json.loads(MettaGridConfig.model_validate(plain).model_dump_json())
    made["game"]["map_builder"] = config["game"]["map_builder"]
    return made


def is_object(name: str) -> bool:
    """Whether a cell of a map holds something to use."""
    return name not in ("empty", "wall") and not name.startswith("agent")


def _wall() -> Json:
    return {"pydantic_type": "wall", "name": "wall"}


def _box(name: str) -> Json:
    take = {"mutation_type": "resource_transfer", "from_target": "target", "to_target": "actor"}
    handler = {"filters": [], "mutations": [take | {"resources": {"ore": 1}}]}
    made = {"pydantic_type": "object", "name": name, "on_use_handler": handler}
    return made | {"inventory": {"initial": {"ore": 5}}}


def _seeded(config: Json) -> Json:
    """Give every builder of a dumped config a seed, so that both sides play one map."""
    part = config["game"]["map_builder"]
    while isinstance(part, dict):
        if "seed" in part and "Scene" not in part["type"]:
            part["seed"] = SEED
        part = part.get("instance")
    return config


def build(builder: Json, agents: int) -> list[list[str]]:
    """Build a map with the wheel alone."""
    import random

    from mettagrid.map_builder.map_builder import MapBuilderConfig

    random.seed(0)  # one builder draws from the global generator
    grid = MapBuilderConfig.model_validate(builder).create().build_for_num_agents(agents).grid
    return [[str(name) for name in row] for row in grid]
