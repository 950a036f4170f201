"""The command that lists layers, and what describe says of those that are on."""

import json

from mesocosm.core.layer import LAYERS


def test_layers_lists_all_seven_with_what_they_touch_and_their_settings(cli):
    out = cli("layers").out
    for layer in LAYERS:
        assert layer.name in out
        assert ", ".join(layer.touches) in out
    assert "layers.information.blurs" in out
    assert "layers.uncertainty.shocks" in out


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
