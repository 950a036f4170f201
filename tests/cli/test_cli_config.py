import json
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
