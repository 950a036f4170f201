"""Archetypes: bundles of layer settings that go on any world, and say where they do not."""

from pathlib import Path

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.config.identity import config_hash
from mesocosm.core.errors import ConfigError, UnknownName
from mesocosm.layers.archetypes import archetype_names, load_archetypes
from mesocosm.resolve import resolve
from mesocosm.testing.play import wild_actions

NAMES = archetype_names()
PRESETS = ("commons/wardens", "townlet/L7", "mettagrid/forage", "island/skirmish")
OWN = """
summary: wind takes a tenth of the stock
layers:
  uncertainty:
    intensity: 0.8
    shocks: {wind: {column: stock, hazard: 0.5, size: -0.1}}
"""


@pytest.fixture
def wind(tmp_path):
    path = tmp_path / "wind.yaml"
    path.write_text(OWN)
    return str(path)


def played(preset, archetypes, steps=60):
    """Play a few steps; give what was seen and earned on the way."""
    env = meso.make(preset, target="python", archetypes=archetypes, seed=2)
    rng, step = np.random.default_rng(3), env.reset()
    seen = []
    for _ in range(steps):
        step = env.step(wild_actions(env, rng))
        seen += [np.concatenate([np.ravel(part) for part in _parts(entry)]) for entry in step[:2]]
    seen += [env.truth(entry.name).ravel() for entry in env.spec.truth]
    return np.concatenate([part.astype(float) for part in seen])


def _parts(entry):
    return entry.values() if isinstance(entry, dict) else [entry]


def test_there_are_the_archetypes_that_the_docs_name():
    assert NAMES == [
        "castes", "commune", "fog", "gossip", "outcasts", "patience", "rivalry", "shocks",
    ]  # fmt: skip
    docs = (Path(__file__).parents[2] / "docs" / "layers.md").read_text()
    rows = [f"| {name} | {one.summary} |" for name in NAMES for one in load_archetypes(name)]
    assert [row for row in rows if row not in docs] == []


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", NAMES)
def test_every_archetype_turns_its_layers_on_in_every_world(name, preset):
    (archetype,) = load_archetypes(name)
    layers = resolve(preset, archetypes=[name]).config.layers
    active = {layer for layer in archetype.layers if getattr(layers, layer).is_active}
    assert active == set(archetype.layers) - _left_out(name, preset)


def _left_out(name, preset):
    """On island nothing is decided by an order of agents, and rewards are paid at the end."""
    fits = preset != "island/skirmish" or name not in ("outcasts", "patience")
    return set() if fits else {"interaction"}


@pytest.mark.parametrize("name", NAMES)
def test_an_archetype_at_dial_zero_leaves_the_world_as_it_is(name):
    assert resolve("commons", archetypes=[f"{name}:0"]).layering is None


@pytest.mark.parametrize("name", ["fog", "commune", "castes", "shocks", "rivalry", "patience"])
def test_an_archetype_changes_what_is_seen_earned_or_there(name):
    plain = played("commons", ())
    assert not np.array_equal(plain, played("commons", [name])[: plain.size])


def test_a_dial_scales_the_intensity_of_every_layer():
    layers = resolve("commons", archetypes=["commune:0.5"]).config.layers
    assert (layers.hierarchy.intensity, layers.interaction.intensity) == (0.5, 0.5)


def test_archetypes_compose_and_overrides_come_last():
    changes = {"layers.information.intensity": 0.25}
    config = meso.load_config("townlet/L7", changes, archetypes=("fog", "rivalry"))
    assert config.layers.information.intensity == 0.25
    assert config.layers.information.blurs[0].dropout == 0.1
    assert config.layers.interaction.mixing == "rivalry"


def test_an_archetype_replaces_whole_settings_of_a_preset_and_keeps_the_others():
    config = meso.load_config("commons/commune", archetypes=["rivalry"])
    assert config.layers.interaction.mixing == "rivalry"
    assert config.layers.interaction.contention == "split"
    assert meso.load_config("townlet/castes", archetypes="castes").layers.power.castes.keys() == {
        "upper", "lower",
    }  # fmt: skip


def test_the_order_of_archetypes_changes_nothing():
    first = meso.load_config("commons", archetypes="fog,gossip,outcasts")
    other = meso.load_config("commons", archetypes=["outcasts", "fog", "gossip"])
    assert config_hash(first) == config_hash(other)


def test_two_archetypes_that_contradict_each_other_are_refused_by_name():
    text = (
        r"commons/default \+ commune \+ rivalry: layers.interaction.mixing: archetypes contradict "
        r"each other: commune sets it to 'group', rivalry to 'rivalry'"
    )
    with pytest.raises(ConfigError, match=text):
        resolve("commons", archetypes=("commune", "rivalry"))
    with pytest.raises(ConfigError, match=r"layers.temporal.intensity: .* gossip sets it to 1.0"):
        resolve("commons", archetypes=("gossip", "patience:0.5"))


def test_an_archetype_that_would_do_nothing_says_why():
    with pytest.raises(ConfigError, match="archetype castes would do nothing: there is one agent"):
        resolve("townlet/L0", archetypes=["castes"])


def test_events_links_and_effects_that_a_world_lacks_are_left_out():
    commons = resolve("commons", archetypes=["outcasts"]).config.layers.temporal.reputation
    town = resolve("townlet/L7", archetypes=["outcasts"]).config.layers.temporal.reputation
    assert "gift" in commons.weights
    assert "gift" not in town.weights
    assert commons.links
    assert not town.links
    island = resolve("island/skirmish", archetypes=["castes"]).config.layers.power.castes["upper"]
    assert island.priority == 0
    assert island.effects == {"*": 1.5}


def test_castes_alternate_over_all_roles():
    notes = resolve("island/skirmish", archetypes=["castes"]).spec.notes
    assert [note.how for note in notes if note.what.startswith("caste ")] == [
        "agents 0",
        "agents 1",
    ]


def test_an_archetype_may_be_a_file_with_a_dial(wind):
    config = meso.load_config("commons", archetypes=[f"{wind}:0.5"])
    assert config.layers.uncertainty.intensity == pytest.approx(0.4)
    with pytest.raises(ConfigError, match=r"wind.yaml: layers.uncertainty.shocks.wind.column"):
        meso.load_config("townlet/L7", archetypes=[wind])


WRONG = {
    "summary: x": "layers: must have settings of layers",
    "layers: {temporal: {latency: 1}}": "summary: must say what it does",
    "{summary: x, layers: {tempral: {}}}": "no such layer. Did you mean 'temporal'?",
    "{summary: x, layers: {temporal: 3}}": "layers.temporal: must be a section",
    "{summary: x, layers: {temporal: {intensity: much}}}": "intensity: must be a number",
    "{summary: x, needs: [agent], layers: {temporal: {}}}": "Did you mean 'agents'?",
    "{summary: x, nedes: [], layers: {temporal: {}}}": "nedes: unknown key. Did you mean 'needs'?",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_is_no_archetype_is_refused(text, tmp_path):
    path = tmp_path / "it.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        resolve("commons", archetypes=[str(path)])
    assert str(caught.value).startswith(f"archetype {path}: ")
    assert WRONG[text] in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "kind", "text"),
    [
        (["fgo"], UnknownName, "no archetype named 'fgo'. Did you mean 'fog'?"),
        (["fog:2"], ConfigError, "archetype fog:2: the dial must be between 0 and 1, got '2'"),
        (["fog:x"], ConfigError, "archetype fog:x: the dial must be between 0 and 1, got 'x'"),
        (["fog:nan"], ConfigError, "the dial must be between 0 and 1"),
        ([3], ConfigError, "archetypes: must be names such as 'fog:0.5', got 3"),
        (3, ConfigError, "archetypes: must be a list of names such as 'fog', got 3"),
        ({"fog": 1}, ConfigError, "archetypes: must be a list of names such as 'fog'"),
    ],
)
def test_what_names_no_archetype_is_refused(asked, kind, text):
    with pytest.raises(kind) as caught:
        resolve("commons", archetypes=asked)
    assert text in str(caught.value)
