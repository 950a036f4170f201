"""MettaGrid's map builders are read as it builds them."""

import random

import pytest
from recordings.replay import recorded_config

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.upstream import import_core, read_config

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


def test_object_is_placed_under_its_map_name():
    config = game_with(builder_of(objects={"pit": 4}, agents=2))
    config["game"]["objects"]["ext"]["map_name"] = "pit"
    area = import_core(config)["map"]
    assert (
        "".join(area["rows"]).count(next(k for k, v in area["legend"].items() if v == "ext")) == 4
    )


def test_map_of_an_unknown_builder_is_refused_unless_handed_in():
    config = game_with({"type": "mettagrid.mapgen.mapgen.MapGen.Config"}, agents=1)
    with pytest.raises(ConfigError, match="hand in the map it builds"):
        read_config(config)
    grid = [["wall", "agent.agent", "empty", "ext"]]
    assert read_config(config, grid).game.map.rows == ("#@.A",)


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
