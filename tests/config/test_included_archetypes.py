"""A config file may name archetypes, which its own layer settings go on."""

import json

import pytest
import yaml

import mesocosm as meso
from mesocosm.config.identity import config_hash, to_yaml
from mesocosm.core.errors import ConfigError, UnknownName
from mesocosm.resolve import resolve
from mesocosm.worlds.registry import preset_files

BARE = {"commons": "commons", "mettagrid": "mettagrid/forage", "townlet": "townlet/L7"}
PRESETS = {
    "commons/commune": "commune",
    "commons/shocks": "shocks",
    "mettagrid/commune": "commune",
    "mettagrid/fog": "fog",
    "townlet/castes": "castes",
    "townlet/gossip": "gossip",
}
WRITTEN_OUT = """
commons/commune:
  hierarchy:
    intensity: 1.0
    groups: size
    size: 3
    share: {wealth: mean, catch: sum}
    pool: {wealth: 0.5}
  interaction: {intensity: 1.0, contention: split, mixing: shared}
commons/shocks:
  uncertainty:
    intensity: 1.0
    shocks:
      storm: {column: stock, hazard: 0.08, size: -0.35}
      theft: {column: wealth, hazard: 0.1, size: -0.5, who: one}
    drift: {growth_scale: {shape: wave, amount: 0.6, period: 60, every: 5}}
mettagrid/commune:
  hierarchy: {intensity: 1.0, groups: size, size: 4, pool: {score: 0.25}}
  interaction: {intensity: 1.0, mixing: shared, contention: rotation}
mettagrid/fog:
  information:
    intensity: 1.0
    blurs:
      - {features: "inv:*", dropout: 0.3}
      - {features: tag, dropout: 0.15}
      - {features: vibe, delay: 2}
townlet/castes:
  power:
    intensity: 1.0
    castes:
      noble: {priority: 1, effects: {gain: 1.5}}
      serf:
        effects: {gain: 0.6}
        hidden: [window]
        permissions: [act.UP, act.DOWN, act.RIGHT, act.INTERACT, act.WAIT]
    assign: {resident: [noble, serf]}
townlet/gossip:
  information:
    intensity: 1.0
    blurs:
      - {features: other_cues, dropout: 0.5, delay: 3}
      - {features: others, dropout: 0.3}
      - {features: window, noise: 0.1}
  temporal:
    intensity: 1.0
    reputation: {weights: {conflict: -1.0, death: -0.5}, decay: 0.98, shown: seen}
  hierarchy: {intensity: 1.0, groups: size, size: 4, share: {meters: mean}}
"""


def data(archetypes, layers=None, world="commons"):
    identity = {"world": world, "version": 1, "preset": "mine"}
    sections = {"core": {}, "agents": {}, "instrumentation": {}}
    named = {"schema": 1, "identity": identity, "archetypes": archetypes}
    return named | sections | {"layers": layers or {}}


def written(tmp_path, *given):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(data(*given)))
    return str(path)


def test_a_file_with_an_archetype_is_what_putting_it_on_gives(tmp_path):
    included = resolve(written(tmp_path, ["fog:0.5", "shocks"])).config
    put_on = resolve(data([]), archetypes=["fog:0.5", "shocks"]).config
    assert config_hash(included) == config_hash(put_on)
    assert included.layers.information.intensity == 0.5


def test_one_archetype_needs_no_list():
    assert resolve(data("fog,shocks")).config == resolve(data(["fog", "shocks"])).config


def test_settings_of_the_file_win_over_its_archetypes_and_leave_the_others():
    layers = {"hierarchy": {"size": 3, "pool": {"wealth": 0.5}}, "interaction": {"intensity": 0.5}}
    made = resolve(data(["commune"], layers)).config.layers
    assert (made.hierarchy.intensity, made.hierarchy.groups, made.hierarchy.size) == (
        1.0,
        "size",
        3,
    )
    assert made.hierarchy.pool == {"wealth": 0.5}
    assert (made.interaction.intensity, made.interaction.mixing) == (0.5, "group")


def test_a_section_within_a_layer_merges_with_the_archetypes():
    layers = {"temporal": {"reputation": {"shown": "own"}}}
    made = resolve(data(["gossip"], layers)).config.layers.temporal.reputation
    assert (made.shown, made.decay, made.weights["gift"]) == ("own", 0.98, 1.0)


def test_archetypes_and_overrides_from_outside_come_last():
    source = data(["commune"], {"interaction": {"contention": "split"}})
    made = resolve(source, {"layers.hierarchy.size": 2}, ["rivalry"])
    assert made.config.layers.interaction.mixing == "rivalry"
    assert made.config.layers.interaction.contention == "split"
    assert made.config.layers.hierarchy.size == 2


def test_a_resolved_config_names_no_archetypes_and_loads_back(tmp_path):
    config = resolve(data(["fog"])).config
    text = to_yaml(config)
    assert "archetypes" not in text
    path = tmp_path / "whole.yaml"
    path.write_text(text)
    assert config_hash(meso.load_config(str(path))) == config_hash(config)


def test_provenance_tells_what_a_file_includes_from_what_was_put_on_it(tmp_path):
    path = written(tmp_path, ["fog"])
    made = resolve(resolve(path, archetypes=["shocks"]), {"core.max_steps": 9}).provenance
    assert made.included == ("fog",)
    assert made.text == f"{path} (includes fog) + shocks with core.max_steps=9"
    assert made.data()["included"] == ["fog"]
    assert not resolve(path).provenance.is_changed


def test_a_path_starts_from_the_folder_of_the_file(tmp_path):
    wind = {"summary": "wind", "layers": {"temporal": {"latency": 2}}}
    (tmp_path / "wind.json").write_text(json.dumps(wind))
    made = resolve(written(tmp_path, ["wind.json:0.5"]))
    assert made.config.layers.temporal.latency == 2
    assert made.provenance.included == ("wind.json:0.5",)


WRONG = [
    (["fgo"], UnknownName, "no archetype named 'fgo'. Did you mean 'fog'?"),
    (["fog:2"], ConfigError, "archetype fog:2: the dial must be between 0 and 1, got '2'"),
    (3, ConfigError, "archetypes: must be a list of names such as 'fog', got 3"),
    (None, ConfigError, "archetypes: must be a list of names such as 'fog', got None"),
    ([3], ConfigError, "archetypes: must be names such as 'fog:0.5', got 3"),
    ({"fog": 0.5}, ConfigError, "archetypes: must be a list of names such as 'fog'"),
    (["commune", "rivalry"], ConfigError, "layers.interaction.mixing: archetypes contradict"),
]


@pytest.mark.parametrize(("archetypes", "kind", "text"), WRONG)
def test_what_is_wrong_with_a_files_archetypes_is_said_of_the_file(
    archetypes, kind, text, tmp_path
):
    path = written(tmp_path, archetypes)
    with pytest.raises(kind) as caught:
        resolve(path)
    assert str(caught.value).startswith(f"{path}: {text}")


def test_an_archetype_that_would_do_nothing_in_the_files_world_is_refused():
    with pytest.raises(ConfigError, match="mettagrid/commune: archetype commune would do nothing"):
        resolve("mettagrid/commune", {"core.num_agents": 1})


def test_archetypes_are_no_override():
    with pytest.raises(ConfigError, match="override 'archetypes': give them as archetypes="):
        resolve("commons", {"archetypes": ["fog"]})


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_with_the_name_of_an_archetype_includes_it_and_is_what_it_was(preset):
    made = resolve(preset)
    assert made.provenance.included == (PRESETS[preset],)
    whole = yaml.safe_load(WRITTEN_OUT)[preset]
    assert config_hash(made.config) == config_hash(resolve(preset, {"layers": whole}).config)


def test_every_preset_with_the_name_of_an_archetype_includes_it():
    from mesocosm.layers.archetypes import archetype_names

    named = [name for name in meso.presets() if name.split("/")[1] in archetype_names()]
    assert named == sorted(PRESETS)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_repeats_nothing_that_its_archetype_says(preset):
    world, _, name = preset.partition("/")
    own = yaml.safe_load(preset_files(world)[name].read_text())["layers"]
    bare = resolve(BARE[world], archetypes=PRESETS[preset]).config.layers.model_dump(mode="json")
    repeated = [
        f"{layer}.{key}"
        for layer, settings in own.items()
        if bare[layer]["intensity"] > 0.0
        for key, value in settings.items()
        if bare[layer][key] == value
    ]
    assert repeated == []
