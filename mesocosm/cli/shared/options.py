"""Arguments that several commands take."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from mesocosm.config.source import parse_assignments
from mesocosm.core.errors import ConfigError, short
from mesocosm.resolve import Resolved, resolve

MOST = 2**63 - 1  # of what is counted
Source = Annotated[
    str,
    typer.Argument(
        metavar="PRESET", help="A preset (world or world/preset) or a YAML, TOML or JSON file."
    ),
]
WorldName = Annotated[str, typer.Argument(metavar="WORLD", help="The world's name.")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Override a setting; may be repeated."),
]
Archetypes = Annotated[
    list[str] | None,
    typer.Option(
        "--archetype",
        metavar="NAME[:DIAL]",
        help="Put an archetype (or the file of one) on it, as strongly as the dial says (0 to 1); "
        "may be repeated.",
    ),
]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        "-v", "--variant", metavar="NAME", help="Play a mission variant of it; may be repeated."
    ),
]
Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="[ROLE=]NAME",
        help="Who plays: a scripted policy's name, FILE.mesop or FILE.py:CLASS; ROLE[3]=... is for "
        "one agent; may be repeated.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Seed = Annotated[int, typer.Option(help="Seed of the first episodes; 0 is a seed.")]
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]
EnvId = Annotated[int, typer.Option(help="Global index of the env.")]
Target = Annotated[str, typer.Option(help="Where rules run: python, cpu or cuda.")]
ResumableTarget = Annotated[
    str | None,
    typer.Option(
        help="Where rules run: python, cpu or cuda; if not said cpu, with --resume where they ran."
    ),
]
DEFAULT_TARGET = "cpu"


def choose_target(asked: str | None, about: Mapping[str, Any]) -> str:
    """Give the target that was asked for; else the one that a run which goes on was played on."""
    return asked or str(about.get("target") or DEFAULT_TARGET)


def resolve_source(
    source: str,
    assignments: list[str] | None,
    archetypes: list[str] | None = None,
    variants: list[str] | None = None,
) -> Resolved:
    """Resolve a preset or a file, with `--archetype`, `--variant` and `--set`."""
    overrides = parse_assignments(assignments or [])
    return resolve(source, overrides, archetypes or (), variants or ())


def at_least(low: int, **values: int | None) -> None:
    """Reject a number that is too small, or that nothing could count to, by the option's name."""
    for name, value in values.items():
        option = "--" + name.replace("_", "-")
        if value is not None and value < low:
            raise ConfigError(f"{option}: must be at least {low}, got {short(value)}")
        if value is not None and value > MOST:
            raise ConfigError(f"{option}: must be at most {MOST}, got {short(value)}")
