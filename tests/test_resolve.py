"""A source is resolved once, and what cannot be played is refused when it is loaded."""

from dataclasses import replace

import pytest

import mesocosm as meso
from mesocosm.build import code_name
from mesocosm.cli.app import status
from mesocosm.config.identity import to_yaml
from mesocosm.core.errors import ConfigError, SpecError
from mesocosm.resolve import resolve
from mesocosm.worlds import registry

PUBLIC_WEALTH = {"agents.roles.harvester.scope": {"wealth": "public"}}


@pytest.fixture
def calls(monkeypatch):
    """Count how often commons is found, and asked for its spec and its parameters."""
    counts = dict.fromkeys(("find", "spec", "params"), 0)
    real = registry.find("commons")

    def counted(name, function):
        def call(*arguments):
            counts[name] += 1
            return function(*arguments)

        return call

    made = replace(real, spec=counted("spec", real.spec), params=counted("params", real.params))
    monkeypatch.setattr(registry, "find", counted("find", lambda name: made))
    return counts


@pytest.mark.parametrize("preset", ["commons", "commons/wardens", "commons/trust"])
def test_make_finds_the_world_once_and_asks_for_one_spec(calls, preset):
    meso.make(preset, target="python")
    assert calls == {"find": 1, "spec": 1, "params": 1}


@pytest.mark.parametrize("use", [meso.load_config, meso.config_spec, code_name, resolve])
def test_every_use_of_a_preset_resolves_it_once(calls, use):
    use("commons")
    assert calls == {"find": 1, "spec": 1, "params": 1}


def test_make_of_a_config_finds_the_world_once(calls):
    config = meso.load_config("commons")
    calls.update(dict.fromkeys(calls, 0))
    meso.make(config, target="python")
    assert calls == {"find": 1, "spec": 1, "params": 1}


def test_make_of_something_resolved_asks_the_world_for_nothing(calls):
    resolved = resolve("commons")
    calls.update(dict.fromkeys(calls, 0))
    env = meso.make(resolved, target="python")
    assert calls == {"find": 0, "spec": 0, "params": 0}
    assert env.config is resolved.config
    assert env.spec is resolved.spec


def test_overrides_of_something_resolved_resolve_its_config_again():
    resolved = resolve("commons", {"core.max_steps": 7})
    again = resolve(resolved, {"core.upkeep": 0.5})
    assert (again.config.core.max_steps, again.config.core.upkeep) == (7, 0.5)


def test_a_spec_has_the_events_agents_and_layers_of_its_config():
    changes = {
        "instrumentation.max_events": 9,
        "agents.roles.harvester.scope": {"stock": "hidden"},
        "layers.temporal": {"intensity": 1.0, "history": 2},
    }
    spec = resolve("commons", changes).spec
    features = {entry.name: entry for entry in spec.roles["harvester"].observation.features}
    assert spec.max_events == 9
    assert features["stock"].visibility == "hidden"
    assert "stock@1" in features


def test_a_scope_that_publishes_a_private_field_is_refused_when_loaded():
    wanted = (
        "agents.roles.harvester.scope.wealth: wealth reads the private field wealth: "
        "must be private or hidden, got 'public'"
    )
    for use in (meso.load_config, meso.make):
        with pytest.raises(ConfigError) as caught:
            use("commons", PUBLIC_WEALTH)
        assert str(caught.value) == f"commons/default: {wanted}"


def test_a_glob_that_publishes_a_private_field_is_named_in_the_error():
    with pytest.raises(ConfigError, match=r"harvester\.scope\.\*: \w+ reads the private field"):
        meso.load_config("commons", {"agents.roles.harvester.scope": {"*": "public"}})


def test_config_validate_refuses_a_scope_that_publishes_a_private_field(tmp_path, capsys):
    path = tmp_path / "town.yaml"
    text = to_yaml(
        meso.load_config("commons", {"agents.roles.harvester.scope": {"wealth": "hidden"}})
    )
    path.write_text(text.replace("wealth: hidden", "wealth: public"))
    assert status(["config", "validate", str(path)]) == 2
    assert f"{path}: agents.roles.harvester.scope.wealth: wealth reads" in capsys.readouterr().err


def test_a_spec_that_contradicts_its_world_is_refused_when_loaded(monkeypatch):
    real = registry.find("commons")
    broken = replace(real, spec=lambda core: replace(real.spec(core), world="other"))
    monkeypatch.setattr(registry, "find", lambda name: broken)
    with pytest.raises(SpecError, match="commons: the spec is of 'other' 1, WORLD is 'commons' 1"):
        meso.load_config("commons")


def test_parameters_that_cannot_be_made_are_refused_when_loaded(monkeypatch):
    def refuse(core, spec):
        raise ConfigError("core.capacity: no such pond")

    broken = replace(registry.find("commons"), params=refuse)
    monkeypatch.setattr(registry, "find", lambda name: broken)
    with pytest.raises(ConfigError, match=r"core\.capacity: no such pond"):
        meso.load_config("commons")
