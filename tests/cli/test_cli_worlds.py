"""The `worlds` command: every world and preset."""

import json

import mesocosm as meso
from mesocosm.worlds.registry import find


def test_worlds_lists_every_preset_with_what_it_is_about(cli):
    result = cli("worlds")
    assert result.status == 0
    assert all(preset in result.out for preset in meso.presets())
    assert "shared, regrowing stock" in result.out


def test_worlds_as_json_names_the_version(cli):
    (entry,) = [w for w in json.loads(cli("worlds --json").out) if w["name"] == "commons"]
    assert entry["version"] == 1
    assert "commons/default" in entry["presets"]


def test_worlds_marks_the_preset_that_a_bare_name_means(cli):
    marked = {line.split()[0] for line in cli("worlds").out.splitlines() if "(default)" in line}
    wanted = {f"{name}/{find(name).default_preset}" for name in meso.world_names()}
    assert marked == wanted
    told = json.loads(cli("worlds --json").out)
    assert {entry["default"] for entry in told} == wanted
