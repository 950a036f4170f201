"""MettaGrid's configs are read, and what is not supported is named by its path."""

import json

import pytest
from recordings.replay import RECORDINGS, read_recording, recorded_config

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.upstream import import_config, read_config


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_imported_game_has_the_ids_of_mettagrid(path):
    data = json.loads(path.read_text())
    table = read_config(data["config"]).game.id_map()
    assert [list(feature) for feature in table.features()] == data["features"]
    assert table.tag_names() == data["tags"]
    assert table.action_names() == data["actions"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("game.objects.ext.aoes", {"x": {"shape": "square"}}),
        ("game.objects.ext.on_tag_remove", {"x": {"shape": "round"}}),
        ("game.objects.ext.on_use_handler.mutations.0.mutation_type", "earthquake"),
        ("game.objects.ext.on_use_handler.filters.0.filter_type", "moon_phase"),
        ("game.map_builder.type", "mettagrid.mapgen.MapGen.Config"),
        ("game.agent.rewards.o.reward.power", 2),
        ("game.agent.rewards.o.reward.values", [{"moon": "full"}]),
    ],
)
def test_unsupported_key_is_named_by_its_path(path, value):
    config = recorded_config("cogs_extractor_chest")
    *way, last = path.split(".")
    at = config
    for key in way:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[last] = value
    with pytest.raises(ConfigError, match=path.replace(".", r"\.")):
        import_config(config)


def test_config_without_a_game_is_refused():
    with pytest.raises(ConfigError, match="game: is required"):
        import_config({"label": "x"})


def test_config_read_from_a_file_has_the_recorded_features(tmp_path):
    data = read_recording("cogs_extractor_chest")
    path = tmp_path / "game.json"
    path.write_text(json.dumps(data["config"]))
    config = read_config(path)
    table = config.game.id_map()
    assert [list(feature) for feature in table.features()] == data["features"]
    assert table == meso.load_config(config.config).core.id_map()
    with pytest.raises(ConfigError, match=r"nowhere\.json"):
        read_config(tmp_path / "nowhere.json")


def with_reward(reward):
    config = recorded_config("cogs_extractor_chest")
    config["game"]["agent"]["rewards"] = {"o": {"reward": reward}}
    config["game"]["agents"] = [config["game"]["agent"]] * config["game"]["num_agents"]
    return meso.load_config(import_config(config)).core.agent.rewards["o"]


def test_list_of_values_is_a_sum_unless_its_type_says_more():
    parts = [{"item": "ore", "scope": "agent"}, {"value": 2.0}]
    assert with_reward({"values": parts}).value.kind == "sum"
    for kind in ("min", "max"):
        value = with_reward({"values": parts, "type": kind}).value
        assert (value.kind, value.of[0].resource, value.of[1].number) == (kind, "ore", 2.0)
    with pytest.raises(
        ConfigError, match=r"reward\.type: must be one of min, max, sum, got 'mean'"
    ):
        with_reward({"values": parts, "type": "mean"})


def test_inventory_sum_is_read_as_weights_and_other_values_as_expressions():
    ore, stat = {"item": "ore", "scope": "agent"}, {"name": "ore.gained", "delta": True}
    plain = with_reward({"values": [ore], "weights": [0.5], "log": False})
    assert (plain.weights, plain.value) == ({"ore": 0.5}, None)
    for log, parts in ((True, [ore]), (False, [ore, ore]), (False, [ore, stat])):
        value = with_reward({"values": parts, "weights": None, "log": log}).value
        assert (value.kind, value.log, len(value.of)) == ("sum", log, len(parts))
    ratio = with_reward({"numerator": ore, "denominator": stat}).value
    assert [part.kind for part in ratio.of] == ["inventory", "stat"]
    count = with_reward({"query": {"source": "type:agent"}, "item": "ore"}).value
    assert (count.kind, count.query.tag) == ("query_inventory", "type:agent")


SMALL_MAP = {
    "type": "mettagrid.map_builder.ascii.AsciiMapBuilder.Config",
    "map_data": ["###", "#@#", "###"],
    "char_to_map_name": {},
}
SPARSE = {
    "map": {"num_agents": 1, "map_builder": SMALL_MAP, "objects": {"wall": {}}},
    "window": {"num_agents": 1, "map_builder": SMALL_MAP, "obs": {"width": 5}},
    "moves": {"num_agents": 1, "map_builder": SMALL_MAP, "actions": {"move": {}}},
    "no vibes": {
        "num_agents": 1,
        "map_builder": SMALL_MAP,
        "actions": {"change_vibe": {"enabled": False}},
    },
}


@pytest.mark.parametrize("name", SPARSE)
def test_what_a_config_leaves_out_is_what_mettagrid_fills_in(name):
    config_of = pytest.importorskip("mettagrid.config.mettagrid_config").MettaGridConfig
    game = {"objects": {"wall": {"pydantic_type": "wall"}}} | SPARSE[name]
    game["objects"]["wall"] = {"pydantic_type": "wall"}
    dump = json.loads(config_of.model_validate({"game": game}).model_dump_json())
    assert import_config({"game": game}) == import_config(dump)


def test_config_of_nothing_is_the_game_that_mettagrid_starts_with():
    config_of = pytest.importorskip("mettagrid.config.mettagrid_config").MettaGridConfig
    dump = json.loads(config_of().model_dump_json())
    dump["game"]["map_builder"]["seed"] = 0
    assert import_config({"game": {}}) == import_config(dump)


def test_config_that_says_little_has_the_defaults_of_mettagrid():
    config = pytest.importorskip("mettagrid.config.mettagrid_config", reason="no wheel here")
    chars = {"#": "wall", "@": "agent.agent", ".": "empty"}
    builder = {
        "type": "mettagrid.map_builder.ascii.AsciiMapBuilder.Config",
        "map_data": ["#@@.#"],
        "char_to_map_name": chars,
    }
    wall = {"wall": {"name": "wall", "pydantic_type": "wall"}}
    little = {"resource_names": ["ore"], "num_agents": 2, "objects": wall, "map_builder": builder}
    whole = config.MettaGridConfig.model_validate({"game": little}).model_dump_json()
    assert import_config({"game": little}) == import_config(json.loads(whole))
