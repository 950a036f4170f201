"""A config says what it was made of, beside itself: no hash knows of it."""

import json

import pytest

import mesocosm as meso
from mesocosm.config.identity import behaviour_hash, config_hash
from mesocosm.config.provenance import provenance_of
from mesocosm.resolve import resolve

CHANGES = {"core.max_steps": 50}


def test_provenance_names_preset_archetypes_and_overrides():
    made = resolve("commons", CHANGES, ["fog:0.5", "shocks"]).provenance
    assert made == ("commons/default", ("fog:0.5", "shocks"), CHANGES, ())
    assert made.text == "commons/default + fog:0.5 + shocks with core.max_steps=50"
    assert resolve("commons").provenance.text == "commons/default"


def test_what_is_resolved_again_keeps_where_it_came_from():
    first = resolve("commons", CHANGES)
    made = resolve(first, {"core.upkeep": 0.5}, ["fog"])
    changes = {"core.max_steps": 50, "core.upkeep": 0.5}
    assert made.provenance == ("commons/default", ("fog",), changes, ())
    assert made.config == resolve("commons", changes, ["fog"]).config


def test_provenance_of_a_file_is_its_path(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"schema": 1, "identity": {"world": "commons", "version": 1}}))
    path.write_text(meso.load_config("commons").model_dump_json(by_alias=True, exclude_none=True))
    assert resolve(str(path)).provenance.text == str(path)


def test_hashes_do_not_depend_on_provenance():
    config = resolve("commons", archetypes=["fog"]).config
    plain = meso.load_config(config)
    assert config_hash(plain) == config_hash(config)
    assert behaviour_hash(plain) == behaviour_hash(config)


def test_an_env_and_its_copy_say_what_they_were_made_of():
    env = meso.make("commons", CHANGES, archetypes=["fog"], target="python")
    expected = {"source": "commons/default", "archetypes": ["fog"], "included": []}
    expected |= {"overrides": CHANGES}
    assert env.provenance == expected
    env.reset()
    from copy import deepcopy

    assert deepcopy(env).provenance == expected


@pytest.mark.parametrize("line", ["config show", "describe"])
def test_commands_say_what_a_config_was_made_of(line, capsys):
    from mesocosm.cli.app import status

    asked = [*line.split(), "commons", "--archetype", "fog", "--set", "core.max_steps=50"]
    assert status(asked) == 0
    assert "made of commons/default + fog with core.max_steps=50" in capsys.readouterr().out


@pytest.mark.parametrize("nonsense", [5, "text", [1], None])
def test_provenance_in_another_form_is_empty(nonsense):
    data = dict.fromkeys(("archetypes", "included", "overrides"), nonsense)
    made = provenance_of({"source": "commons/default", **data})
    assert made.overrides == {}
    assert made.text.startswith("commons/default")
