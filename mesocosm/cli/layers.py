"""List the seven layers: what each touches, what can be set, and how far a config turns it."""

from typing import Annotated, Any

import typer

from mesocosm.cli.shared.options import Archetypes, AsJson, Sets, resolve_source
from mesocosm.cli.shared.output import Section, print_json, print_sections
from mesocosm.cli.shared.settings import list_settings
from mesocosm.config.layers import Layers
from mesocosm.core.layer import LAYERS

Chosen = Annotated[str, typer.Argument(metavar="[PRESET]", help="A preset or a config file.")]


def layers(
    source: Chosen = "",
    as_json: AsJson = False,
    assignments: Sets = None,
    archetypes: Archetypes = None,
) -> None:
    """List the seven layers; with a preset or a file, how far each is turned there."""
    chosen = resolve_source(source, assignments, archetypes).config.layers if source else None
    data = [_describe(layer, chosen) for layer in LAYERS]
    if as_json:
        print_json(data)
        return
    head = ("layer", "intensity", "touches", "controls")
    rows = [
        (entry["name"], entry["intensity"], ", ".join(entry["touches"]), entry["controls"])
        for entry in data
    ]
    settings = [
        (f"layers.{entry['name']}.{name}", kind, meaning)
        for entry in data
        for name, kind, meaning in entry["settings"]
    ]
    print_sections(
        [
            Section("Layers, in the order in which they act", head, rows),
            Section("Settings", ("setting", "type", "meaning"), settings),
        ]
    )


def _describe(layer: Any, chosen: Layers | None) -> dict[str, Any]:
    settings = list(list_settings(Layers.model_fields[layer.name].annotation))
    dial = "" if chosen is None else f"{getattr(chosen, layer.name).intensity:g}"
    return {
        "name": layer.name,
        "intensity": dial,
        "touches": list(layer.touches),
        "controls": layer.controls,
        "settings": settings,
    }
