"""The `worlds` command: every world and preset."""

import json

import mesocosm as meso


def test_worlds_lists_every_preset_with_what_it_is_about(cli):
    result = cli("worlds")
    assert result.status == 0
    assert all(preset in result.out for preset in meso.presets())
    assert "shared, regrowing stock" in result.out


def test_worlds_as_json_names_the_version(cli):
    (entry,) = [w for w in json.loads(cli("worlds --json").out) if w["name"] == "commons"]
    assert entry["version"] == 1
    assert "commons/default" in entry["presets"]
