"""The `config` commands: show, check, name and document a configuration."""

from typing import Annotated

import typer

from mesocosm.build import load_config
from mesocosm.cli.option import Sets, Source, WorldName
from mesocosm.cli.output import print_json
from mesocosm.config.identity import behaviour_hash, config_hash, to_yaml
from mesocosm.config.source import parse_assignments
from mesocosm.config.validate import config_class
from mesocosm.worlds.registry import find


def show(source: Source, assignments: Sets = None) -> None:
    """Print the whole resolved config as YAML: no default is left out."""
    print(to_yaml(load_config(source, parse_assignments(assignments or []))), end="")


def validate(source: Source, assignments: Sets = None) -> None:
    """Check a config, and name the world and hash it stands for."""
    config = load_config(source, parse_assignments(assignments or []))
    identity = config.identity
    print(f"{source}: valid; {identity.world} version {identity.version}, {config_hash(config)}")


def schema(world: WorldName) -> None:
    """Print the JSON Schema of a world's configs."""
    print_json(config_class(find(world)).model_json_schema())


def name(
    source: Source,
    assignments: Sets = None,
    behaviour: Annotated[
        bool, typer.Option("--behaviour", help="Leave out the seed, the preset's name and logging.")
    ] = False,
) -> None:
    """Print the canonical hash of a config."""
    config = load_config(source, parse_assignments(assignments or []))
    print(behaviour_hash(config) if behaviour else config_hash(config))
