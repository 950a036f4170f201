"""The `config` commands: show, check, name and document a configuration."""

from pathlib import Path
from typing import Annotated

import typer

from mesocosm.build import load_config
from mesocosm.cli.shared.options import (
    Archetypes,
    Sets,
    Source,
    Variants,
    WorldName,
    resolve_source,
)
from mesocosm.cli.shared.output import print_json, say
from mesocosm.config.identity import behaviour_hash, config_hash, to_yaml
from mesocosm.config.validate import json_schema
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.registry import find, names


def show(
    source: Source,
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
) -> None:
    """Print the whole resolved config as YAML: no default is left out."""
    resolved = resolve_source(source, assignments, archetypes, variants)
    if resolved.provenance.is_changed or resolved.provenance.included:
        print(f"# made of {resolved.provenance.text}")
    print(to_yaml(resolved.config), end="")


def validate(
    source: Source,
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
) -> None:
    """Check a config, and name the world and hash it stands for."""
    config = resolve_source(source, assignments, archetypes, variants).config
    identity = config.identity
    print(f"{source}: valid; {identity.world} version {identity.version}, {config_hash(config)}")


def import_config(
    world: WorldName,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A config or replay of that program.")
    ],
    grid: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The map: rows of names, as JSON.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="Leave out a key, as game.talk.")
    ] = None,
) -> None:
    """Turn a config of the project that a world follows into one of ours, as YAML."""
    imports = find(world).imports
    if imports is None:
        able = ", ".join(name for name in names() if find(name).imports is not None)
        raise ConfigError(f"{world} follows no other program. Available: {able}")
    made = imports(file, grid, without or [])
    for note in made.notes:
        say(note)
    print(to_yaml(load_config(made.config)), end="")


def schema(world: WorldName) -> None:
    """Print the JSON Schema of a world's configs."""
    print_json(json_schema(find(world)))


def print_hash(
    source: Source,
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
    behaviour: Annotated[
        bool, typer.Option("--behaviour", help="Leave out the seed, the preset's name and logging.")
    ] = False,
) -> None:
    """Print the canonical hash of a config."""
    config = resolve_source(source, assignments, archetypes, variants).config
    print(behaviour_hash(config) if behaviour else config_hash(config))
