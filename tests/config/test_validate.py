"""Validation: each kind of mistake gives one error with where, got, allowed and the nearest fix."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesocosm.build import load_config, presets
from mesocosm.config.identity import dump
from mesocosm.config.schema import SECTIONS, Config
from mesocosm.config.source import apply_overrides
from mesocosm.config.validate import check_sections, config_class, json_schema, validate
from mesocosm.core.errors import ConfigError, MesocosmError
from mesocosm.core.layer import LAYERS
from mesocosm.worlds.registry import find, names

COMMONS = find("commons")
WHOLE = dump(load_config("commons/wardens"))


def refused(overrides, error=ConfigError):
    """Give the message that these overrides of commons/wardens are refused with."""
    with pytest.raises(error) as caught:
        load_config(WHOLE, overrides)
    assert type(caught.value) is error
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("core.num_agents", 128, "core.num_agents: must be between 2 and 64, got 128"),
        ("core.num_agents", 10**40, f"core.num_agents: must be between 2 and 64, got {10**40}"),
        ("core.num_agents", 8.0, "core.num_agents: must be an integer, got 8.0"),
        ("core.num_agents", 8.5, "core.num_agents: must be an integer, got 8.5"),
        ("core.num_agents", True, "core.num_agents: must be an integer, got True"),
        ("core.num_agents", "8", "core.num_agents: must be an integer, got '8'"),
        ("core.num_agents", None, "core.num_agents: must be an integer, got None"),
        ("core.capacity", "1", "core.capacity: must be a number, got '1'"),
        ("core.capacity", False, "core.capacity: must be a number, got False"),
        ("core.capacity", 0.5, "core.capacity: must be between 1.0 and 1000000.0, got 0.5"),
        ("core.capacity", {"a": 1}, "core.capacity: must be a number, got {'a': 1}"),
        ("core.turns", 3, "core.turns: must be one of 'simultaneous', 'fixed' or 'state', got 3"),
        (
            "core.turns", "fxed",
            "core.turns: must be one of 'simultaneous', 'fixed' or 'state', got 'fxed'. "
            "Did you mean 'fixed'?",
        ),
        (
            "identity.preset", "A B",
            "identity.preset: must match ^[A-Za-z0-9_-]{1,64}$, got 'A B'",
        ),
        (
            "identity.preset", "../x",
            "identity.preset: must match ^[A-Za-z0-9_-]{1,64}$, got '../x'",
        ),
        ("identity.seed", -1, f"identity.seed: must be between 0 and {2**63 - 1}, got -1"),
        ("identity.seed", 2**63, f"identity.seed: must be between 0 and {2**63 - 1}, got {2**63}"),
        ("identity.version", "1", "identity.version: must be an integer, got '1'"),
        ("identity.version", None, "identity.version: must be an integer, got None"),
        ("layers.power", 3, "layers.power: must be a section, got 3"),
        (
            "layers.power.intensity", 1.5,
            "layers.power.intensity: must be between 0.0 and 1.0, got 1.5",
        ),
        ("agents.roles", None, "agents.roles: must be a section, got None"),
        ("agents.roles", [1], "agents.roles: must be a section, got [1]"),
        ("agents.roles", "x", "agents.roles: must be a section, got 'x'"),
        ("agents.roles.warden", 2, "agents.roles.warden: must be a section, got 2"),
        (
            "agents.roles.warden.count", -1,
            "agents.roles.warden.count: must be between 0 and 65536, got -1",
        ),
        (
            "agents.roles.warden.permissions", "*",
            "agents.roles.warden.permissions: must be a list, got '*'",
        ),
        (
            "agents.roles.warden.permissions", ["*", 3],
            "agents.roles.warden.permissions.1: must be text, got 3",
        ),
        (
            "agents.roles.warden.scope.stock", "hiden",
            "agents.roles.warden.scope.stock: must be one of 'public', 'private' or 'hidden', "
            "got 'hiden'. Did you mean 'hidden'?",
        ),
        (
            "instrumentation.max_events", 0,
            "instrumentation.max_events: must be between 1 and 65536, got 0",
        ),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused(path, value, message):
    assert refused({path: value}) == f"config: {message}"


@pytest.mark.parametrize(
    ("path", "meant", "others"),
    [
        ("cor", "core", "agents, core, identity, instrumentation, layers, schema"),
        ("core.num_agent", "num_agents", "capacity, collapse_level, "),
        ("identity.sed", "seed", "preset, seed, version, world"),
        ("layers.powr", "power", "hierarchy, incentives, information, "),
        ("layers.power.intensty", "intensity", "intensity"),
        ("agents.role", "roles", "roles"),
        ("agents.roles.warden.cout", "count", "attribution, count, permissions, scope"),
        ("instrumentation.max_event", "max_events", "max_events"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_one(path, meant, others):
    message = refused({path: 1})
    assert message.startswith(f"config: {path}: unknown key. Did you mean {meant!r}? Available: ")
    assert others in message


def test_a_key_like_no_other_is_refused_with_all_allowed_ones():
    message = refused({"identity.zzz": 1})
    assert message == ("config: identity.zzz: unknown key. Available: preset, seed, version, world")


def test_the_python_name_of_the_schema_key_is_no_key():
    assert refused({"schema_version": 1}).startswith("config: schema_version: unknown key.")


def test_several_mistakes_are_counted():
    message = refused({"core.num_agents": 1, "core.capacity": "x", "layers.power.x": 1})
    assert message == "config: core.num_agents: must be between 2 and 64, got 1 (and 2 more)"


@pytest.mark.parametrize("section", SECTIONS)
def test_a_missing_section_is_refused(section):
    data = {key: value for key, value in WHOLE.items() if key != section}
    fix = "{world: ..., version: ...}" if section == "identity" else "{}"
    with pytest.raises(ConfigError) as caught:
        load_config(data)
    message = f"config: {section}: section is missing; write '{section}: {fix}'"
    assert str(caught.value) == message


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("value", [None, 3, [], "x"])
def test_a_section_that_is_a_value_is_refused(section, value):
    assert refused({section: value}) == f"config: {section}: must be a section, got {value!r}"


def test_a_config_without_schema_is_refused():
    data = {key: value for key, value in WHOLE.items() if key != "schema"}
    with pytest.raises(ConfigError) as caught:
        load_config(data)
    assert str(caught.value) == "config: schema: is required; write 'schema: 1'"


@pytest.mark.parametrize("schema", [0, 2, "1", 1.0, True, None, []])
def test_another_schema_is_refused_naming_both(schema):
    message = f"config: schema: this is version 1, the config has {schema!r}"
    assert refused({"schema": schema}) == message


@pytest.mark.parametrize("version", [0, 2, -1, 10**30])
def test_another_world_version_is_refused_naming_both(version):
    assert refused({"identity.version": version}) == (
        f"config: identity.version: commons is version 1 here, the config is for version {version}"
    )


def test_a_missing_version_is_refused():
    identity = {"world": "commons"}
    message = "config: identity.version: is required, got nothing"
    assert refused({"identity": identity}) == message


@pytest.mark.parametrize(("world", "got"), [(None, "None"), (3, "3"), ([], "[]"), ({}, "{}")])
def test_a_world_that_is_no_name_is_refused(world, got):
    message = f"config: identity.world: must be the name of a world, got {got}"
    assert refused({"identity.world": world}) == message


def test_a_missing_world_is_refused():
    message = "config: identity.world: must be the name of a world, got nothing"
    assert refused({"identity": {"version": 1}}) == message


def test_incompatible_settings_are_refused_in_the_words_of_the_world():
    message = refused({"core.growth_low": 0.9})
    assert message == "config: core: growth_low 0.9 is above growth_high 0.35"


def test_a_wrong_core_is_reported_before_the_counts_that_it_implies():
    data = apply_overrides(WHOLE, {"core.num_agents": 1, "agents": {}})
    with pytest.raises(ConfigError) as caught:
        load_config(data)
    assert str(caught.value) == "config: core.num_agents: must be between 2 and 64, got 1"


def test_long_values_are_shortened():
    message = refused({"core.capacity": "x" * 1000})
    assert message == "config: core.capacity: must be a number, got '" + "x" * 56 + "..."


def test_a_frame_names_its_world():
    assert check_sections(WHOLE, "config") == "commons"


def test_a_config_is_frozen():
    config = validate(WHOLE, COMMONS, "config")
    with pytest.raises(ValueError, match="frozen"):
        config.core.num_agents = 3
    with pytest.raises(ValueError, match="frozen"):
        config.identity = None


LEAVES = [
    (section, *rest)
    for section, inner in WHOLE.items()
    for rest in ([()] if not isinstance(inner, dict) else [(), *((key,) for key in inner)])
] + [
    ("agents", "roles", "warden"),
    ("agents", "roles", "warden", "count"),
    ("agents", "roles", "harvester", "scope"),
    ("agents", "roles", "harvester", "permissions"),
    ("agents", "roles", "harvester", "attribution"),
    ("layers", "power", "intensity"),
]
SCALAR = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-3, 20)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["*", "stock", "deal.*", "hidden", "shared", "harvester", 2**63, 10**400])
)
VALUE = st.recursive(
    SCALAR,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=6) | st.sampled_from(["count", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
CHANGE = st.tuples(st.sampled_from(LEAVES), st.sampled_from(["delete", "add", "replace"]), VALUE)


def mutate(data, change):
    """Delete, add or replace one entry, wherever the path still leads."""
    path, how, value = change
    at = data
    for key in path[:-1]:
        at = at.get(key) if isinstance(at, dict) else None
    if not isinstance(at, dict):
        return
    if how == "delete":
        at.pop(path[-1], None)
    elif how == "replace":
        at[path[-1]] = value
    elif isinstance(at.get(path[-1]), dict):
        at[path[-1]][str(value)[:10] if not isinstance(value, int) else "extra"] = value


@settings(max_examples=400, deadline=None)
@given(changes=st.lists(CHANGE, min_size=1, max_size=3))
def test_a_mutated_config_loads_or_gives_our_error(changes):
    data = copy.deepcopy(WHOLE)
    for change in changes:
        mutate(data, change)
    try:
        config = load_config(data)
    except MesocosmError as error:
        config, message = None, str(error)
    if config is None:
        assert "\n" not in message
    else:
        assert isinstance(config, Config)
        assert load_config(dump(config)) == config


PATH = st.lists(
    st.sampled_from([*SECTIONS, "schema", "roles", "warden", "scope", "count", "num_agents"])
    | st.text(max_size=4),
    max_size=5,
).map(".".join)


@settings(max_examples=200, deadline=None)
@given(overrides=st.dictionaries(PATH, VALUE, max_size=3))
def test_any_overrides_load_or_give_our_error(overrides):
    try:
        message = repr(load_config("commons/wardens", overrides))
    except MesocosmError as error:
        message = str(error)
    assert "\n" not in message


def nodes(schema):
    """Go through every object schema of a JSON Schema."""
    yield schema
    yield from schema.get("$defs", {}).values()


@pytest.mark.parametrize("name", names())
def test_json_schema_describes_every_field(name):
    schema = json_schema(find(name))
    json.dumps(schema, allow_nan=False)
    for node in nodes(schema):
        assert node["type"] == "object"
        assert node["additionalProperties"] is False
        assert node["description"]
        for key, field in node["properties"].items():
            assert field.get("description"), (node["title"], key)


@pytest.mark.parametrize("name", names())
def test_json_schema_points_only_at_what_it_defines(name):
    schema = json_schema(find(name))
    text = json.dumps(schema)
    used = {part.split('"')[0] for part in text.split('"#/$defs/')[1:]}
    assert used == set(schema["$defs"])


@pytest.mark.parametrize("name", names())
def test_json_schema_requires_the_five_sections(name):
    schema = json_schema(find(name))
    assert schema["required"] == ["schema", *SECTIONS]
    assert list(schema["properties"]) == ["schema", *SECTIONS, "archetypes"]


def test_json_schema_carries_ranges_options_and_defaults():
    core = json_schema(COMMONS)["$defs"]["Core"]["properties"]
    agents = core["num_agents"]
    assert (agents["minimum"], agents["maximum"], agents["default"]) == (2, 64, 6)
    assert agents["type"] == "integer"
    assert core["turns"]["enum"] == ["simultaneous", "fixed", "state"]


@pytest.mark.parametrize("name", names())
def test_every_core_field_has_a_description(name):
    for key, field in find(name).core.model_fields.items():
        assert field.description, key


def test_the_layers_section_has_all_seven_layers():
    fields = config_class(COMMONS).model_fields["layers"].annotation.model_fields
    assert list(fields) == [layer.name for layer in LAYERS]


@pytest.mark.parametrize("name", presets())
def test_every_preset_loads_and_names_itself(name):
    config = load_config(name)
    assert f"{config.identity.world}/{config.identity.preset}" == name


@pytest.mark.parametrize(
    ("path", "meant"),
    [("max_steps", "core.max_steps"), ("layers.history", "layers.temporal.history")],
)
def test_a_setting_in_the_wrong_place_is_told_its_place(path, meant):
    with pytest.raises(ConfigError, match=rf"{path}: unknown key. Did you mean '{meant}'\?$"):
        load_config("commons", {path: 30})


def test_a_key_that_stands_in_many_places_is_compared_with_its_neighbours():
    with pytest.raises(ConfigError, match=r"intensity: unknown key.* Available: agents, core"):
        load_config("commons", {"intensity": 1})
