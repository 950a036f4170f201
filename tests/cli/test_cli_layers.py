"""The command that lists layers, and what describe says of those that are on."""

import json

import pytest

from mesocosm.config import layers
from mesocosm.config.section import Section
from mesocosm.core.layer import LAYERS


def test_layers_lists_all_seven_with_what_they_touch_and_their_settings(cli):
    out = cli("layers").out
    for layer in LAYERS:
        assert layer.name in out
        assert ", ".join(layer.touches) in out
    assert "layers.information.blurs" in out
    assert "layers.uncertainty.shocks" in out


NESTED = [
    ("layers.information.blurs[].noise", "float 0..10"),
    ("layers.information.blurs[].scope", "public | private | hidden | null"),
    ("layers.temporal.history", "int 1..64"),
    ("layers.temporal.effects.*.steps", "int 1..1000"),
    ("layers.temporal.reputation.links", "map to float -1..1"),
    ("layers.temporal.trust.decay", "float 0..1"),
    ("layers.hierarchy.members", "list of list of int"),
    ("layers.hierarchy.store", "map to section | null"),
    ("layers.hierarchy.store.*.deposit", "float above 0..1"),
    ("layers.interaction.externalities.*.to", "neighbours | group | all"),
    ("layers.power.castes.*.permissions", "list of text"),
    ("layers.power.matrix", "map to map to list of text"),
    ("layers.incentives.risk.*.fine", "float 0..1e+06"),
    ("layers.uncertainty.shocks.*.relative", "true or false"),
    ("layers.uncertainty.drift.*.every", "int 1..1e+06"),
    ("layers.uncertainty.adaptation.*.goal", "float -1e+09..1e+09"),
]


def listed(cli):
    data = json.loads(cli("layers --json").out)
    return {f"layers.{e['name']}.{name}": kind for e in data for name, kind, _ in e["settings"]}


@pytest.mark.parametrize(("path", "kind"), NESTED)
def test_layers_lists_nested_settings_with_readable_types(cli, path, kind):
    assert listed(cli)[path] == kind
    assert path in cli("layers").out


def test_every_setting_has_a_meaning_and_no_type_is_pythons(cli):
    for entry in json.loads(cli("layers --json").out):
        for name, kind, meaning in entry["settings"]:
            assert meaning, name
            assert not any(x in kind for x in ("FieldInfo", "typing", "class", "mesocosm")), name


def test_every_setting_is_listed(cli):
    """Every class of the section has all its fields listed under some path."""
    names = {path.rpartition(".")[2] for path in listed(cli)}
    kinds = [x for x in vars(layers).values() if isinstance(x, type) and issubclass(x, Section)]
    fields = {name for kind in kinds if kind is not layers.Layers for name in kind.model_fields}
    assert fields == names


def test_layers_of_a_preset_shows_how_far_each_is_turned(cli):
    data = json.loads(cli("layers commons/shocks --json").out)
    assert {entry["name"]: entry["intensity"] for entry in data} == {
        layer.name: "1" if layer.name == "uncertainty" else "0" for layer in LAYERS
    }


def test_describe_says_what_active_layers_did(cli):
    out = cli("describe commons/trust").out
    assert "Active layers" in out
    assert "from events gift, sanction, conflict" in out
    assert "reputation" in out
    assert "Active layers" not in cli("describe commons").out
