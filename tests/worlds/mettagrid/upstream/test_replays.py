"""Replays of MettaGrid become games: their config, on the map of their first record."""

import gzip
import json
import zlib
from pathlib import Path

import pytest
from recordings.replay import recorded_config

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.upstream import import_replay, read_config, replay

SIZE = [4, 2]


def replay_of(**changes):
    """A replay of a recorded game on a map of two rows, with an agent and an extractor."""
    config = recorded_config("cogs_extractor_chest")
    config["game"]["num_agents"], config["game"]["agents"] = 1, []
    config["game"]["map_builder"] = {"type": "mettagrid.mapgen.mapgen.MapGen.Config"}
    things = [
        {"type_name": "wall", "location": [0, 0]},
        {"type_name": "ext", "location": [3, 0], "alive": True},
        {"type_name": "agent", "agent_id": 0, "location": [[0, [2, 1]], [4, [1, 1]]]},
        {"type_name": "ext", "location": [[0, [0, 0]], [7, [1, 1]]], "alive": [[0, False]]},
    ]
    return {"version": 4, "mg_config": config, "map_size": SIZE, "objects": things} | changes


def packed(data):
    return zlib.compress(json.dumps(data).encode())


def test_replay_gives_the_map_of_its_first_record():
    assert import_replay(packed(replay_of())).game.map.rows == ("#..A", "..@.")


def test_replay_is_read_from_a_file_and_when_compressed_by_gzip(tmp_path):
    path = tmp_path / "game.json.z"
    path.write_bytes(packed(replay_of()))
    assert read_config(path).config == read_config(str(path)).config
    other = tmp_path / "game.json.gz"
    other.write_bytes(gzip.compress(json.dumps(replay_of()).encode()))
    assert read_config(other).config == read_config(path).config


def test_replay_is_played_on_another_grid_if_there_is_one():
    game = import_replay(packed(replay_of()), [["agent.agent", "empty"]]).game
    assert game.map.rows == ("@.",)


def test_object_is_known_by_its_tags_where_several_share_its_name():
    data = replay_of(tags={"team:a": 0, "team:b": 1})
    entry = data["mg_config"]["game"]["objects"].pop("ext")
    for team in ("a", "b"):
        own = entry | {"map_name": f"ext_{team}", "tags": [f"team:{team}"]}
        data["mg_config"]["game"]["objects"][f"{team}:ext"] = own
    data["objects"][1]["tag_ids"] = [1]
    grid = replay.read_replay(packed(data)).grid
    assert grid[0] == ["wall", "empty", "empty", "ext_b"]
    data["objects"][1]["tag_ids"] = [0, 1]
    with pytest.raises(ConfigError, match=r"objects\.1\.type_name: 'ext' is a:ext or b:ext"):
        replay.read_replay(packed(data))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mg_config": None}, "holds no config"),
        ({"version": 9}, "version: must be one of 2, 3, 4, got 9"),
        ({"version": None}, "version: must be one of 2, 3, 4, got None"),
        ({"map_size": [4, 0]}, "map_size: must be width and height"),
        ({"map_size": [1 << 20, 2]}, "map_size: must be at most 1,048,576 cells"),
        ({"objects": {}}, "objects: must be a list"),
        ({"objects": [7]}, r"objects\.0: must be a mapping"),
        ({"objects": [{"type_name": "wall", "location": [4, 0]}]}, "outside the map"),
        ({"objects": [{"type_name": "wall", "location": [-1, 0]}]}, "must be column and row"),
        ({"objects": [{"type_name": "wal", "location": [0, 0]}]}, "'wal' is nothing in game.obj"),
        ({"objects": [{"type_name": 3, "location": [0, 0]}]}, "type_name: must be text"),
        ({"objects": [{"type_name": "wall", "location": [0, 0]}] * 2}, "is taken by 'wall'"),
    ],
)
def test_bad_replay_is_refused_with_its_path(changes, message):
    with pytest.raises(ConfigError, match=message):
        import_replay(packed(replay_of(**changes)))


def test_file_that_is_no_replay_is_refused_in_one_line(tmp_path):
    good = packed(replay_of())
    cases = {
        b"": "ends too early",
        good[:-9]: "ends too early",
        b"PK" + good: "is not compressed by zlib or gzip",
        zlib.compress(b"{"): "not valid JSON",
        zlib.compress(b"[" * 100_000): "not valid JSON: nested too deeply",
        zlib.compress(b"[1]"): "must hold a replay's mapping",
    }
    for data, message in cases.items():
        path = tmp_path / "odd.json.z"
        path.write_bytes(data)
        with pytest.raises(ConfigError, match=f"odd.json.z: {message}"):
            import_replay(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        import_replay(tmp_path)


def test_replay_that_unpacks_to_too_much_is_refused_before_it_does(monkeypatch):
    monkeypatch.setattr(replay, "MAX_TEXT", 1 << 20)
    with pytest.raises(ConfigError, match="must hold at most 1,048,576 bytes, got more"):
        import_replay(zlib.compress(bytes(1 << 24)))
    monkeypatch.setattr(replay, "MAX_PACKED", 100)
    with pytest.raises(ConfigError, match="must be at most 100 bytes, got more"):
        import_replay(packed(replay_of()))


def test_replays_without_a_config_that_mettagrid_ships_are_refused():
    folder = Path(pytest.importorskip("mettagrid").__file__).parent / "nim" / "mettascope"
    older = folder / "tests" / "data" / "replays" / "sequence.json.z"
    with pytest.raises(ConfigError, match=r"holds no config .*, this is version 1"):
        import_replay(older)
