"""The `archetypes` command: bundles of layer settings that any world can be played with."""

from typing import Annotated, Any

import typer

from mesocosm.cli.shared.options import AsJson, Sets, resolve_source
from mesocosm.cli.shared.output import print_json, print_table
from mesocosm.core.errors import ConfigError
from mesocosm.layers.archetypes import archetype_names, load_archetypes

Chosen = Annotated[str, typer.Argument(metavar="[PRESET]", help="A preset or a config file.")]


def archetypes(source: Chosen = "", as_json: AsJson = False, assignments: Sets = None) -> None:
    """List the archetypes; with a preset or a file, whether each can be put on it.

    Commands take them as --archetype, and a config file may name some: `archetypes: [fog]`.
    """
    if source:
        resolve_source(source, assignments)
    data = [_describe(name, source, assignments) for name in archetype_names()]
    if as_json:
        print_json(data)
        return
    rows = [
        (entry["name"], entry["summary"], ", ".join(entry["layers"]), *_here(entry))
        for entry in data
    ]
    head = ("archetype", "what it does", "layers", *((source,) if source else ()))
    print_table(head, rows)


def _describe(name: str, source: str, assignments: list[str] | None) -> dict[str, Any]:
    (one,) = load_archetypes(name)
    data: dict[str, Any] = {"name": name, "summary": one.summary, "needs": list(one.needs)}
    data["layers"] = one.layers
    if source:
        data["refused"] = None
        try:
            resolve_source(source, assignments, [name])
        except ConfigError as error:
            data["refused"] = str(error)
    return data


def _here(entry: dict[str, Any]) -> tuple[str, ...]:
    """Say whether it works on what was named, if anything was."""
    return (entry["refused"] or "works",) if "refused" in entry else ()
