"""MettaGrid's map builders are read as it builds them."""

import random

import pytest
from recordings.replay import recorded_config

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.upstream import build, import_config, import_core, read_config

RANDOM = "mettagrid.map_builder.random_map.RandomMapBuilder.Config"
CHOICE = "mettagrid.map_builder.choice_ascii.ChoiceAsciiMapBuilder.Config"


def game_with(builder, agents=2):
    config = recorded_config("cogs_extractor_chest")
    game = config["game"]
    game["map_builder"], game["num_agents"] = builder, agents
    game["agents"] = []
    return config


def drawn(builder, agents=2):
    area = import_core(game_with(builder, agents))["map"]
    return [[area["legend"][char] for char in row] for row in area["rows"]]


def builder_of(**settings):
    return {"type": RANDOM, "seed": 5, "width": 12, "height": 9, "border_width": 1} | settings


def test_random_map_has_the_objects_and_agents_asked_for():
    names = drawn(builder_of(objects={"ext": 7, "wall": 3}, agents=2))
    flat = [name for row in names for name in row]
    assert (flat.count("ext"), flat.count("agent.agent")) == (7, 2)
    assert flat.count("wall") == 3 + 2 * 12 + 2 * 7
    assert set(names[0]) == {"wall"}


def test_too_many_objects_are_halved_and_too_many_agents_refused():
    flat = [name for row in drawn(builder_of(objects={"ext": 500}, agents=2)) for name in row]
    assert 0 < flat.count("ext") <= 70 - 2
    with pytest.raises(ConfigError, match=r"game\.map_builder\.objects: 80 things"):
        drawn(builder_of(agents=80))


def test_spawn_cells_beyond_num_agents_are_emptied():
    rows = ["#####", "#@@@#", "#####"]
    kind = "mettagrid.map_builder.ascii.AsciiMapBuilder.Config"
    names = drawn({"type": kind, "map_data": rows, "char_to_map_name": {}}, agents=1)
    assert [name for row in names for name in row].count("agent.agent") == 1


def test_character_outside_the_legend_is_refused():
    builder = {"type": CHOICE, "map_options": [["@?"]], "char_to_map_name": {}, "seed": 0}
    with pytest.raises(ConfigError, match=r"game\.map_builder\.map_options\.0: '\?' is not in"):
        drawn(builder)


def test_object_goes_by_its_map_name_and_keeps_its_type():
    config = game_with(builder_of(objects={"pit": 4}, agents=2))
    config["game"]["objects"]["ext"] |= {"name": "ext", "map_name": "pit"}
    core = import_core(config)
    area, legend = core["map"], {name: char for char, name in core["map"]["legend"].items()}
    assert "".join(area["rows"]).count(legend["pit"]) == 4
    assert core["objects"]["pit"]["type"] == "ext"
    assert "ext" not in core["objects"]


MAPGEN = "mettagrid.mapgen.mapgen.MapGen.Config"


def test_map_that_only_mettagrid_builds_can_be_handed_in(monkeypatch):
    monkeypatch.setattr(build, "find_spec", lambda name: None)
    config = game_with({"type": MAPGEN}, agents=1)
    told = r"map_builder\.type: only MettaGrid builds .*\[oracle\].*grid=\[.*--grid FILE"
    with pytest.raises(ConfigError, match=told):
        read_config(config)
    grid = [["wall", "agent.agent", "empty", "ext"]]
    assert read_config(config, grid).game.map.rows == ("#@.A",)
    assert import_config(config, grid=grid)["core"]["map"]["rows"] == ["#@.A"]


def test_grid_is_read_from_a_file(tmp_path):
    path = tmp_path / "grid.json"
    path.write_text('[["agent.agent", "ext"]]')
    config = game_with({"type": MAPGEN}, agents=1)
    assert read_config(config, path).game.map.rows == ("@A",)
    path.write_text("[[")
    with pytest.raises(ConfigError, match=r"grid\.json: must hold rows of names as JSON"):
        read_config(config, path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_config(config, tmp_path / "nowhere.json")


@pytest.mark.parametrize("grid", [7, [7], [["wall"], ["wall", "wall"]], [[1]], "wall"])
def test_grid_that_is_no_rows_of_names_is_refused(grid):
    config = game_with({"type": MAPGEN}, agents=1)
    with pytest.raises(ConfigError, match=r"game\.map_builder\.cells: must be rows|cannot be read"):
        read_config(config, grid)


@pytest.mark.parametrize("name", ["os.path.join", "cogames.Arena.Config", "mettagridx.Evil"])
def test_builder_may_not_name_classes_from_elsewhere(name):
    told = rf"only classes of mettagrid itself \(mettagrid\.\*\), got '{name}'"
    for builder in ({"type": name}, {"type": MAPGEN, "instance": {"type": name}}):
        with pytest.raises(ConfigError, match=told):
            drawn(builder)
    deep = {"type": MAPGEN, "instance": {"type": MAPGEN, "children": [{"scene": {"type": name}}]}}
    with pytest.raises(ConfigError, match=r"map_builder\.instance\.children\.0\.scene\.type"):
        drawn(deep)


def test_builder_may_not_read_files_from_elsewhere(tmp_path):
    scene = {"type": "mettagrid.mapgen.scenes.yaml.YamlScene.Config"}
    for name in (str(tmp_path / "x.yaml"), "../x.yaml", "\0"):
        builder = {"type": MAPGEN, "instance": scene | {"file": name}}
        with pytest.raises(ConfigError, match=r"instance\.file: .*only files inside the package"):
            drawn(builder)


def test_builder_that_mettagrid_refuses_is_one_error():
    pytest.importorskip("mettagrid")
    with pytest.raises(ConfigError, match=r"game\.map_builder: MettaGrid cannot build it: "):
        drawn({"type": MAPGEN, "nosuch": 1})
    with pytest.raises(ConfigError, match=r"game\.map_builder\.type: MettaGrid has no such class"):
        drawn({"type": "mettagrid.nosuch.Config"})


MAZE = {"width": 9, "height": 7, "start_pos": [1, 1], "end_pos": [7, 5]}
ROOM = {"type": "mettagrid.mapgen.scenes.random.Random.Config", "agents": 4, "objects": {"ext": 5}}
INNER = "mettagrid.map_builder.perimeter_incontext.PerimeterInContextMapBuilder.Config"
BUILDERS = {
    "scene": {"type": MAPGEN, "width": 9, "height": 8, "border_width": 1, "instance": ROOM},
    "instances": {"type": MAPGEN, "instances": 3, "instance": {"type": INNER, "density": "dense"}},
    "prim": MAZE | {"type": "mettagrid.map_builder.maze.MazePrimMapBuilder.Config"},
    "kruskal": MAZE | {"type": "mettagrid.map_builder.maze.MazeKruskalMapBuilder.Config"},
}


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("name", BUILDERS)
def test_map_of_every_builder_is_the_same_each_time(name, seed):
    pytest.importorskip("mettagrid")
    builder = BUILDERS[name] | {"seed": seed}
    config = game_with(builder, agents=1)
    config["game"]["objects"]["hub"] = dict(config["game"]["objects"]["ext"], name="hub")
    rows = import_core(config)["map"]["rows"]
    assert import_core(config)["map"]["rows"] == rows
    assert "".join(rows).count("@") == 1


def test_builder_without_a_seed_is_built_from_seed_0():
    pytest.importorskip("mettagrid")
    builder = BUILDERS["scene"]
    assert drawn(builder) == drawn(builder | {"seed": 0}) != drawn(builder | {"seed": 1})


def test_building_leaves_the_global_generator_as_it_was():
    pytest.importorskip("mettagrid")
    random.seed(5)
    expected = random.random()
    random.seed(5)
    drawn(BUILDERS["instances"], agents=1)
    assert random.random() == expected


@pytest.mark.parametrize("name", ["scene", "maze"])
def test_config_object_gives_the_map_that_its_builder_builds(name):
    config_of = pytest.importorskip("mettagrid.config.mettagrid_config").MettaGridConfig
    builder = BUILDERS["scene"]
    if name == "maze":  # which MettaGrid writes as JSON that it cannot read
        builder = builder | {"instance": {"type": "mettagrid.mapgen.scenes.maze.Maze.Config"}}
        builder["instance"]["children"] = [{"scene": ROOM, "where": "full"}]
    config = game_with(builder, agents=2)
    made = config_of.model_validate(config)
    assert read_config(made).game.map.rows == read_config(config).game.map.rows
    assert made.game.map_builder.seed is None  # the object given is not changed
    assert read_config(made, [["agent.agent", "agent.agent"]]).game.map.rows == ("@@",)


@pytest.mark.parametrize("seed", range(4))
def test_mapgen_map_equals_that_of_mettagrid(seed):
    config_of = pytest.importorskip("mettagrid.config.mettagrid_config").MettaGridConfig
    builder = BUILDERS["scene"] | {"seed": seed}
    built_by = config_of.model_validate(game_with(builder, agents=3)).game.map_builder
    built = built_by.create().build_for_num_agents(3).grid
    assert drawn(builder, agents=3) == [[str(name) for name in row] for row in built]


@pytest.mark.parametrize("seed", range(12))
def test_map_equals_that_of_mettagrid(seed):
    config_of = pytest.importorskip("mettagrid.config.mettagrid_config").MettaGridConfig
    rng = random.Random(seed)
    people = rng.choice([3, {"red": 2, "blue": 2}])
    builder = builder_of(
        seed=seed,
        width=rng.randint(5, 30),
        height=rng.randint(5, 30),
        agents=people,
        border_width=rng.randint(0, 2),
        objects={"ext": rng.randint(0, 40), "wall": 9},
    )
    if seed % 4 == 3:
        rows = ["@" * 7, "#.@.#.#", "@" * 7]
        builder = {"type": CHOICE, "map_options": [rows, rows[::-1]], "seed": seed}
        builder["char_to_map_name"] = {}
    built_by = config_of.model_validate(game_with(builder, agents=3)).game.map_builder
    built = built_by.create().build_for_num_agents(3).grid
    assert drawn(builder, agents=3) == [[str(name) for name in row] for row in built]
