"""What there is, whether a config is valid, and what differs from its preset."""

import shlex
from typing import Any

import mesocosm
from mesocosm.build import load_config
from mesocosm.config.identity import config_hash
from mesocosm.config.source import parse_assignments
from mesocosm.core.layer import LAYERS


def test_every_preset_is_listed_with_a_sentence(server):
    found = server.get("presets")
    assert {preset["name"] for preset in found} == set(mesocosm.presets())
    assert all(len(preset["sentence"]) > 10 for preset in found)
    worlds = server.get("worlds")
    assert [world["name"] for world in worlds] == mesocosm.world_names()
    assert server.http.get("/api/worlds/nowhere").status_code == 404


def test_schema_describes_all_five_sections(server):
    schema = server.get("worlds/commons/schema")
    assert {"identity", "core", "layers", "agents", "instrumentation"} <= set(schema["properties"])
    assert [layer["name"] for layer in server.get("layers")] == [layer.name for layer in LAYERS]


def test_refused_config_names_every_field(server):
    asked = {"preset": "commons", "overrides": {"core.num_agents": -1, "core.max_steps": "x"}}
    found = server.post("configs/validate", asked)
    assert not found["valid"]
    problems = {problem["path"]: problem["message"] for problem in found["problems"]}
    assert problems["core.num_agents"] == "must be between 2 and 64, got -1"
    assert problems["core.max_steps"] == "must be an integer, got 'x'"
    answer = server.http.post("/api/runs", json=asked)
    assert answer.status_code == 400
    assert answer.json()["problems"] == found["problems"]


def test_valid_config_says_what_differs_and_what_layers_touch(server):
    asked = {"preset": "commons", "overrides": {"core.max_steps": 9}, "archetypes": ["fog:0.5"]}
    found = server.post("configs/validate", asked)
    differs = {entry["path"]: entry for entry in found["differences"]}
    assert differs["core.max_steps"] == {
        "path": "core.max_steps",
        "keys": ["core", "max_steps"],
        "preset": 200,
        "value": 9,
    }
    assert differs["layers.information.intensity"]["value"] > 0
    assert {note["layer"] for note in found["layers"]} == {"information"}
    assert "--set core.max_steps=9" in found["written"]["command"]
    again = server.post("configs/validate", {"config": found["config"]})
    assert again["config_hash"] == found["config_hash"]


def test_archetypes_say_where_they_cannot_be_used(server):
    found = server.get("archetypes", params={"preset": "commons"})
    assert any(entry["refused"] is None for entry in found)
    assert all("layers" in entry for entry in found)


def test_policies_of_a_world_are_listed_by_kind(server):
    found = {entry["name"]: entry["kind"] for entry in server.get("policies?world=commons")}
    assert found["steady"] == found["random"] == "scripted"
    assert found["given/raises"] == "given"


def test_thumbnail_has_all_that_its_scene_names(server):
    found = server.get("presets/commons/default/thumbnail")
    glyphs = {item[1] for item in found["scene"]["items"] if item[0] == "glyph"}
    assert glyphs
    assert glyphs <= set(found["drawings"]["glyphs"])
    assert found["agents"] == {"harvester": 6}
    assert server.http.get("/api/presets/commons/nothing/thumbnail").status_code == 404


def test_film_goes_on_from_the_thumbnail_and_moves(server):
    first = server.get("presets/commons/default/thumbnail")["scene"]
    scenes = server.get("presets/commons/default/film")["scenes"]
    assert len(scenes) > 10
    assert scenes[0]["items"] == first["items"]
    assert scenes[0]["items"] != scenes[-1]["items"]
    assert server.http.get("/api/presets/commons/nothing/film").status_code == 404


def test_presets_name_a_policy_that_plays_them(server):
    for preset in server.get("presets"):
        known = {entry["name"] for entry in server.get(f"policies?world={preset['world']}")}
        assert preset["policy"] in known


def test_command_and_python_give_the_config_that_was_asked_for(server):
    asked = {
        "preset": "commons/default",
        "overrides": {"core.max_steps": 9, "layers.hierarchy.pool": {"wealth": 0.1}},
        "archetypes": ["fog:0.5"],
    }
    found = server.post("configs/validate", asked)
    _, _, *words = shlex.split(found["written"]["command"])
    assert words[:3] == ["commons/default", "--archetype", "fog:0.5"]
    sets = [word for word in words if "=" in word]
    config = load_config(words[0], parse_assignments(sets), archetypes=["fog:0.5"])
    assert config_hash(config) == found["config_hash"]
    made: dict[str, Any] = {}
    exec(found["written"]["python"], made)  # noqa: S102 (what a person would run)
    assert config_hash(made["env"].config) == found["config_hash"]
    whole = server.post("configs/validate", {"config": found["config"]})["written"]
    assert whole["command"] == "mesocosm run config.yaml"


def test_colours_of_scenes_are_given_in_light_and_dark(server):
    palette = server.get("palette")
    assert palette["light"].keys() == palette["dark"].keys()
