"""What is shown loads back to the same hash, and equal configs have one hash."""

import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mesocosm.build import load_config, presets
from mesocosm.config.identity import behaviour_hash, config_hash, dump, to_yaml
from mesocosm.config.source import parse_yaml

GOLDEN = "c220e99c849f8847a225b984ab758c4c"
GOLDEN_BEHAVIOUR = "e63204376e7dbb893b989c2f9137a197"


def toml_value(value):
    """Write one value as TOML; for plain data that is JSON, sections aside."""
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(k)} = {toml_value(v)}" for k, v in value.items())
        return "{" + inner + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return json.dumps(value)


def to_toml(config):
    return "\n".join(f"{key} = {toml_value(value)}" for key, value in dump(config).items())


def to_json(config):
    return json.dumps(dump(config))


WRITERS = {"yaml": to_yaml, "yml": to_yaml, "toml": to_toml, "json": to_json}


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("preset", presets())
def test_what_is_shown_loads_back_to_the_same_hash(tmp_path, preset, suffix):
    config = load_config(preset)
    path = tmp_path / f"shown.{suffix}"
    path.write_text(WRITERS[suffix](config))
    loaded = load_config(path)
    assert loaded == config
    assert config_hash(loaded) == config_hash(config)
    assert behaviour_hash(loaded) == behaviour_hash(config)


def test_the_hash_of_the_default_config_stays():
    config = load_config("commons/default")
    assert config_hash(config) == GOLDEN
    assert behaviour_hash(config) == GOLDEN_BEHAVIOUR


def reverse(data):
    """Turn the key order of every mapping round."""
    if not isinstance(data, dict):
        return data
    return {key: reverse(data[key]) for key in reversed(data)}


def test_key_order_does_not_matter():
    scope = {"near_*": "hidden", "near_catch": "public", "*": "private"}
    data = dump(load_config("commons", {"agents.roles.harvester.scope": scope}))
    assert config_hash(load_config(reverse(data))) == config_hash(load_config(data))


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("core.harvest_rate", 3, 3.0),
        ("core.capacity", 1000, 1e3),
        ("core.upkeep", 0.0, -0.0),
        ("core.upkeep", 0, -0.0),
        ("layers.power.intensity", 0, 0.0),
    ],
)
def test_the_spelling_of_a_number_does_not_matter(path, one, other):
    hashes = {config_hash(load_config("commons", {path: value})) for value in (one, other)}
    assert len(hashes) == 1


def test_the_spelling_of_a_number_in_yaml_does_not_matter(tmp_path):
    text = to_yaml(load_config("commons", {"core.capacity": 1000}))
    assert "capacity: 1000.0\n" in text
    hashes = set()
    for spelling in ("1000", "1000.0", "1e3", "1.0E+3", "+1000", "1000."):
        path = tmp_path / "c.yaml"
        path.write_text(text.replace("capacity: 1000.0", f"capacity: {spelling}"))
        hashes.add(config_hash(load_config(path)))
    assert len(hashes) == 1


def test_what_the_config_leaves_out_hashes_as_its_default():
    whole = dump(load_config("commons"))
    short = {key: {} for key in ("core", "layers", "agents", "instrumentation")}
    bare = {
        "schema": 1,
        "identity": {"world": "commons", "version": 1, "preset": "default"},
    } | short
    assert config_hash(load_config(bare)) == config_hash(load_config(whole)) == GOLDEN


def leaves(data, path=()):
    """List the paths of all values."""
    if not isinstance(data, dict) or not data:
        return [path]
    return [leaf for key, value in data.items() for leaf in leaves(value, (*path, key))]


def test_the_shown_config_leaves_no_field_out():
    shown = dump(load_config("commons/wardens"))
    fields = {
        "identity": {"world", "version", "preset", "seed"},
        "instrumentation": {
            "max_events",
            "part_steps",
            "episode",
            "step",
            "agent",
            "event",
            "artefacts",
        },
        "agents": {"roles"},
    }
    for section, keys in fields.items():
        assert set(shown[section]) == keys
    assert len(shown["core"]) == 27
    for role in shown["agents"]["roles"].values():
        assert set(role) == {"count", "scope", "permissions", "attribution"}


@pytest.mark.parametrize(
    ("path", "value", "behaves"),
    [
        ("identity.seed", 5, False),
        ("identity.preset", "mine", False),
        ("instrumentation.max_events", 5, False),
        ("core.max_steps", 5, True),
        ("agents.roles.harvester.scope", {"stock": "hidden"}, True),
        ("agents.roles.harvester.permissions", ["deal.give"], True),
        ("agents.roles.harvester.attribution", {"*": "shared"}, True),
    ],
)
def test_every_change_changes_the_hash_and_rules_change_the_behaviour(path, value, behaves):
    config = load_config("commons", {path: value})
    assert config_hash(config) != GOLDEN
    assert (behaviour_hash(config) != GOLDEN_BEHAVIOUR) == behaves


@pytest.mark.parametrize(
    "preset",
    ["1e3", "1E5", "12e-3", "010", "0x1f", "1_000", "yes", "null", "true", "-", "2024-01-01"],
)
def test_a_preset_name_that_looks_like_something_else_stays_text(preset):
    config = load_config("commons", {"identity.preset": preset})
    shown = parse_yaml(to_yaml(config))
    assert shown["identity"]["preset"] == preset
    assert load_config(shown) == config
    assert yaml.safe_load(to_yaml(config)) == dump(config)


@settings(max_examples=100, deadline=None)
@given(
    capacity=st.floats(1.0, 1e6),
    upkeep=st.floats(0.0, 1e3),
    seed=st.integers(0, 2**63 - 1),
    preset=st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True),
)
def test_any_numbers_survive_being_shown(capacity, upkeep, seed, preset):
    config = load_config(
        "commons",
        {
            "core.capacity": capacity,
            "core.upkeep": upkeep,
            "identity.seed": seed,
            "identity.preset": preset,
        },
    )
    for shown in (parse_yaml(to_yaml(config)), json.loads(to_json(config))):
        assert config_hash(load_config(shown)) == config_hash(config)


def test_what_is_shown_has_no_yaml_aliases():
    overrides = {
        f"agents.roles.{role}.permissions": ["target.*"] for role in ("harvester", "warden")
    }
    text = to_yaml(load_config("commons/wardens", overrides))
    assert "&" not in text
    assert parse_yaml(text)["agents"]["roles"]["warden"]["permissions"] == ["target.*"]
