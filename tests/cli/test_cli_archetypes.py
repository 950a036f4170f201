import json

from conftest import SMALL

from mesocosm.layers.archetypes import archetype_names


def test_archetypes_lists_all_with_what_they_do(cli):
    result = cli("archetypes")
    assert result.status == 0
    assert [name for name in archetype_names() if f"{name} " not in result.out] == []
    assert "blurred by 5 % of its range" in result.out


def test_archetypes_of_a_preset_says_which_would_do_nothing_there(cli):
    data = {entry["name"]: entry for entry in json.loads(cli("archetypes townlet/L0 --json").out)}
    assert data["fog"]["refused"] is None
    assert "there is one agent" in data["rivalry"]["refused"]
    assert "works" in cli("archetypes commons").out


def test_archetypes_of_an_unknown_preset_is_an_error(cli):
    assert cli("archetypes comons").status == 2


def test_a_run_records_its_archetypes(cli, tmp_path):
    out = tmp_path / "run"
    line = f"run commons --steps 5 {SMALL} --archetype fog:0.5 --archetype shocks --out {out}"
    done = cli(line)
    assert done.status == 0, done.err
    assert "commons/default + fog:0.5 + shocks with core.max_steps=8" in done.out
    about = json.loads((out / "run.json").read_text())
    assert about["provenance"] == {
        "source": "commons/default",
        "archetypes": ["fog:0.5", "shocks"],
        "included": [],
        "overrides": {"core.max_steps": 8},
    }
    assert "commons/default + fog:0.5 + shocks with core.max_steps=8" in cli(f"runs show {out}").out


def test_config_show_says_what_a_preset_includes_and_shows_it_whole(cli):
    shown = cli("config show mettagrid/fog").out
    assert shown.startswith("# made of mettagrid/fog (includes fog)\n")
    assert "archetypes:" not in shown
    assert "intensity: 1.0" in shown


def test_every_command_that_takes_a_config_takes_archetypes(cli):
    for line in ("config validate", "config hash", "layers", "show --steps 1"):
        command, *options = line.split(" --")
        rest = "".join(f" --{option}" for option in options)
        result = cli(f"{command} commons{rest} --archetype fog,gossip")
        assert (result.status, result.err) == (0, "")
    refused = cli("run commons --archetype commune --archetype rivalry")
    assert (refused.status, refused.out) == (2, "")
    assert "commune sets it to 'group', rivalry to 'rivalry'" in refused.err
