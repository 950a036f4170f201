"""The composition root: every way to name a config, and what is refused."""

import json
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from mesocosm.build import load_config, make, policy, presets, world_names
from mesocosm.config.identity import behaviour_hash, config_hash, dump, to_yaml
from mesocosm.core.errors import ConfigError, MesocosmError, TargetError, UnknownName


def test_a_config_can_be_given_in_every_form(tmp_path):
    config = load_config("commons/wardens")
    path = tmp_path / "c.yaml"
    path.write_text(to_yaml(config))
    sources = [config, dump(config), MappingProxyType(dump(config)), path, str(path)]
    for source in sources:
        assert load_config(source) == config
        assert config_hash(load_config(source)) == config_hash(config)
        assert make(source, target="python").config == config


def test_a_bare_world_name_means_its_default_preset():
    assert load_config("commons") == load_config("commons/default")


def test_loading_changes_nothing_in_what_was_given():
    data = dump(load_config("commons"))
    data["agents"] = {}
    before = json.dumps(data)
    load_config(data, {"core.max_steps": 7})
    assert json.dumps(data) == before


def test_overrides_apply_to_every_form():
    config = load_config("commons")
    for source in ("commons", config, dump(config)):
        assert load_config(source, {"core.max_steps": 7}).core.max_steps == 7


def test_overrides_from_numpy_are_numbers():
    config = load_config("commons", {"core.max_steps": np.int64(7), "core.upkeep": np.float64(1)})
    assert config == load_config("commons", {"core.max_steps": 7, "core.upkeep": 1.0})


@pytest.mark.parametrize(
    "name",
    ["../x", "commons/../../etc", "commons/..", "commons/", "/commons", "commons//default", "",
     "commons/default\n", "commons/default/x", "commons\0", "con mons", "commons/dé"],
)  # fmt: skip
def test_a_preset_name_with_path_tricks_is_refused(name):
    with pytest.raises(ConfigError) as caught:
        load_config(name)
    said = str(caught.value)
    what = f"{name!r} is no preset (world or world/preset) and no config file "
    assert said.startswith(f"{what}(.yaml, .yml, .toml, .json).")
    assert said.endswith(f" Available: {', '.join(presets())}")


def test_an_unknown_preset_is_refused_with_the_nearest_one():
    with pytest.raises(UnknownName) as caught:
        load_config("commons/wardns")
    assert str(caught.value) == (
        "no preset named 'commons/wardns'. Did you mean 'commons/wardens'? "
        f"Available: {', '.join(presets('commons'))}"
    )


def test_an_unknown_world_is_refused_with_the_nearest_one():
    with pytest.raises(UnknownName) as caught:
        load_config("comons")
    message = (
        f"no world named 'comons'. Did you mean 'commons'? Available: {', '.join(world_names())}"
    )
    assert str(caught.value) == message


def test_an_unknown_world_in_a_file_is_refused_with_its_place(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(to_yaml(load_config("commons")).replace("world: commons", "world: comons"))
    with pytest.raises(UnknownName) as caught:
        load_config(path)
    assert str(caught.value).startswith(
        f"{path}: identity.world: no world named 'comons'. Did you mean 'commons'?"
    )


@pytest.mark.parametrize("source", [None, 3, 1.5, b"commons", ["commons"], object, {"a"}])
def test_a_source_of_another_type_is_refused(source):
    with pytest.raises(
        ConfigError, match="a config must be a preset, a path, a mapping or a Config"
    ):
        load_config(source)


def test_a_file_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match=r"nowhere\.yaml: cannot be read: No such file"):
        load_config("nowhere.yaml")


def test_a_path_without_a_known_suffix_is_refused():
    with pytest.raises(ConfigError, match=r"commons: must end in \.yaml"):
        load_config(Path("commons"))


def test_errors_in_a_file_name_the_file(tmp_path):
    path = tmp_path / "town.yaml"
    path.write_text(to_yaml(load_config("commons")).replace("max_steps: 200", "max_steps: 0"))
    with pytest.raises(ConfigError) as caught:
        load_config(str(path))
    assert str(caught.value) == f"{path}: core.max_steps: must be between 1 and 100000, got 0"


def test_errors_in_plain_data_say_where_in_it(tmp_path):
    data = dump(load_config("commons"))
    data["core"]["capacity"] = float("inf")
    with pytest.raises(ConfigError) as caught:
        load_config(data)
    assert str(caught.value) == "config: core.capacity: must be a finite number, got inf"


@pytest.mark.parametrize(
    ("suffix", "written", "got"),
    [
        ("yaml", ".nan", "a finite number, got nan"),
        ("yaml", "-.inf", "a finite number, got -inf"),
        ("yaml", "1e999", "a finite number, got inf"),
        ("yaml", "2024-01-01", "a number, got '2024-01-01'"),
        ("yaml", "1:30", "a number, got '1:30'"),
        ("yaml", "", "a number, got None"),
        ("json", "NaN", "a finite number, got nan"),
        ("json", "-Infinity", "a finite number, got -inf"),
        ("json", "1" + "0" * 400, "a finite number, got " + "1" + "0" * 56 + "..."),
        ("json", "null", "a number, got None"),
    ],
    ids=lambda value: value[:12],
)
def test_a_value_in_a_file_that_is_no_number_is_refused_with_its_place(
    tmp_path, suffix, written, got
):
    path = tmp_path / f"c.{suffix}"
    config = load_config("commons")
    text = to_yaml(config) if suffix == "yaml" else json.dumps(dump(config))
    mark = '"capacity": 100.0' if suffix == "json" else "capacity: 100.0"
    path.write_text(text.replace(mark, mark.replace("100.0", written)))
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert str(caught.value) == f"{path}: core.capacity: must be {got}"


@pytest.mark.parametrize("path", ["core.nope", "nope.x", "agents.roles.harvester.nope"])
def test_an_override_of_what_does_not_exist_is_refused(path):
    with pytest.raises(ConfigError, match="unknown key"):
        load_config("commons", {path: 1})


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("num_envs", 0, "num_envs: must be between 1 and 2147483647, got 0"),
        ("num_envs", 2.0, "num_envs: must be an integer, got 2.0"),
        ("num_envs", True, "num_envs: must be an integer, got True"),
        ("seed", -1, f"seed: must be between 0 and {2**63 - 1}, got -1"),
        ("seed", 2**63, f"seed: must be between 0 and {2**63 - 1}, got {2**63}"),
        ("seed", "1", "seed: must be an integer, got '1'"),
        ("first_env", -1, f"first_env: must be between 0 and {2**63 - 2}, got -1"),
        ("threads", 0, "threads: must be between 1 and 1024, got 0"),
        ("autoreset", "of", "autoreset: must be one of same_step, next_step, off, got 'of'"),
    ],
)
def test_a_wrong_execution_setting_is_refused(setting, value, message):
    with pytest.raises(ConfigError) as caught:
        make("commons", **{"target": "python", setting: value})
    assert str(caught.value) == message


def test_an_unknown_target_is_refused():
    with pytest.raises(TargetError, match="pyton"):
        make("commons", target="pyton")


@pytest.mark.parametrize("setting", ["num_envs", "target", "autoreset", "threads", "first_env"])
def test_execution_settings_are_no_part_of_the_config(setting):
    for section in ("core", "identity", "instrumentation", "agents"):
        with pytest.raises(ConfigError, match=f"{section}.{setting}: unknown key"):
            load_config("commons", {f"{section}.{setting}": 1})


def test_execution_settings_do_not_change_the_hash():
    one = make("commons", target="python")
    other = make("commons", num_envs=3, target="python", seed=9, autoreset="off", first_env=4)
    assert config_hash(one.config) == config_hash(other.config)
    assert behaviour_hash(one.config) == behaviour_hash(other.config)


def test_the_seed_of_the_config_is_used_unless_another_is_given():
    one = make("commons", {"identity.seed": 5}, target="python")
    other = make("commons", target="python", seed=5)
    for env in (one, other):
        env.reset()
    assert one.digest() == other.digest()


def test_presets_of_an_unknown_world_are_refused():
    with pytest.raises(UnknownName, match="no world named 'comons'"):
        presets("comons")


def test_an_unknown_policy_is_refused_with_the_nearest_one():
    with pytest.raises(UnknownName) as caught:
        policy("commons", "stedy")
    assert str(caught.value) == (
        "no policy of commons named 'stedy'. Did you mean 'steady'? "
        "Available: greedy, noop, oracle, random, steady"
    )


def test_a_policy_that_is_no_name_is_refused():
    with pytest.raises(UnknownName, match=r"no policy of commons named \[\]\. Available: greedy"):
        policy("commons", [])


def test_presets_live_in_the_folder_of_their_world():
    assert presets() == [name for world in world_names() for name in presets(world)]
    assert "commons/default" in presets("commons")


def test_every_error_of_loading_is_ours(tmp_path, monkeypatch):
    path = tmp_path / "c.json"
    path.write_text("{}")
    monkeypatch.chdir(tmp_path)
    for source in ("c.json", "d.json", "nope", "commons/nope", {}, {"schema": 1}, 3):
        with pytest.raises(MesocosmError):
            load_config(source)
