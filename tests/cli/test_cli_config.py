import json
import zlib
from pathlib import Path

import mesocosm as meso
from mesocosm.config.identity import behaviour_hash, config_hash

GAMES = Path(__file__).parent.parent / "worlds" / "mettagrid" / "recordings"
RECORDING = GAMES / "cogs_extractor_chest.json"


def test_config_show_prints_yaml_that_loads_to_the_same_hash(cli, tmp_path):
    shown = cli("config show commons --set core.max_steps=50")
    path = tmp_path / "mine.yaml"
    path.write_text(shown.out)
    expected = meso.load_config("commons", {"core.max_steps": 50})
    assert cli(f"config hash {path}").out.strip() == config_hash(expected)


def test_config_validate_names_the_world(cli):
    result = cli("config validate commons/scarce")
    assert (result.status, result.err) == (0, "")
    assert "valid; commons version 1" in result.out


def test_config_hash_of_behaviour_ignores_the_seed(cli):
    plain = cli("config hash commons --behaviour").out
    assert cli("config hash commons --behaviour --set identity.seed=5").out == plain
    assert plain.strip() == behaviour_hash(meso.load_config("commons"))


def test_config_schema_is_json_schema_with_the_worlds_core(cli):
    schema = json.loads(cli("config schema commons").out)
    assert schema["$defs"]["Core"]["properties"]["num_agents"]["maximum"] == 64


def test_config_import_takes_over_a_config_of_the_program_a_world_follows(cli, tmp_path):
    theirs = tmp_path / "theirs.json"
    theirs.write_text(json.dumps(json.loads(RECORDING.read_text())["config"]))
    taken = cli(f"config import mettagrid {theirs}")
    assert (taken.status, taken.err) == (0, "")
    ours = tmp_path / "ours.yaml"
    ours.write_text(taken.out)
    assert meso.load_config(str(ours)).core.resources == ("energy", "ore", "heart")
    refused = cli(f"config import commons {theirs}")
    assert (refused.status, refused.out) == (2, "")
    assert "commons follows no other program. Available: mettagrid" in refused.err


def test_config_import_takes_a_grid_and_leaves_out_keys(cli, tmp_path):
    config = json.loads(RECORDING.read_text())["config"]
    config["game"] |= {"map_builder": {"type": "elsewhere.Map"}, "num_agents": 1, "agents": []}
    config["game"]["nosuch"] = 3
    theirs, grid = tmp_path / "theirs.json", tmp_path / "grid.json"
    theirs.write_text(json.dumps(config))
    grid.write_text('[["agent.agent", "ext", "wall"]]')
    refused = cli(f"config import mettagrid {theirs}")
    assert (refused.status, refused.out) == (2, "")
    assert "only classes of mettagrid itself" in refused.err
    assert "--grid FILE" in refused.err
    assert "game.nosuch: is not supp" in cli(f"config import mettagrid {theirs} --grid {grid}").err
    done = cli(f"config import mettagrid {theirs} --grid {grid} --without game.nosuch")
    assert (done.status, done.err) == (0, "")
    assert "@A#" in done.out


def test_config_import_reads_a_replay_and_says_what_it_migrated(cli, tmp_path):
    config = json.loads(RECORDING.read_text())["config"]
    config["game"] |= {"num_agents": 1, "agents": []}
    config["game"]["on_tick"] = {"a": {"filters": [], "mutations": []}}
    things = [{"type_name": "agent", "agent_id": 0, "location": [1, 0]}]
    replay = {"version": 4, "mg_config": config, "map_size": [3, 1], "objects": things}
    path = tmp_path / "game.json.z"
    path.write_bytes(zlib.compress(json.dumps(replay).encode()))
    done = cli(f"config import mettagrid {path}")
    assert done.status == 0
    assert done.err.startswith("migrated: tick_handlers_by_name (1 places)")
    assert ".@." in done.out
