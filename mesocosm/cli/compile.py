"""The `compile` command: make worlds ready to run, ahead of their use."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from mesocosm.build import world_names
from mesocosm.cli.shared.interrupt import compiling
from mesocosm.cli.shared.options import AsJson
from mesocosm.cli.shared.output import print_json, print_table
from mesocosm.core.errors import ConfigError
from mesocosm.precompile import Variant, compile_variant, list_variants
from mesocosm.sim.compile.code_cache import COMPILED, KEPT, SHIPPED, Origin
from mesocosm.sim.targets.launch import check_target

HEAD = ("world", "layers", "presets", "")
MEANINGS = {SHIPPED: "came with the package", KEPT: "was there"}


def compile(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORLD|PRESET]...", help="What to compile; a world: all presets."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Compile all worlds.")] = False,
    layers: Annotated[
        bool, typer.Option("--layers", help="Also for layers that no preset turns on.")
    ] = False,
    target: Annotated[str, typer.Option(help="What to compile for: cpu or cuda.")] = "cpu",
    as_json: AsJson = False,
) -> None:
    """Compile what is missing, and say what it took."""
    if every == bool(names):
        raise ConfigError("compile: needs worlds or presets, or --all, and not both")
    if target not in ("cpu", "cuda"):
        raise ConfigError(f"--target: must be cpu or cuda, got {target!r}")
    check_target(target)
    variants = list_variants(names or world_names(), layers=layers)
    origins = []
    for variant in variants:
        with compiling():
            origins.append(compile_variant(variant, target))
    rows = list(zip(variants, origins, strict=True))
    if as_json:
        print_json([{**variant_data(variant), **origin._asdict()} for variant, origin in rows])
    else:
        print_table(HEAD, [_row(variant, origin) for variant, origin in rows])


def variant_data(variant: Variant) -> dict[str, Any]:
    """Give a variant as plain data."""
    return {
        "world": variant.world,
        "layered": variant.layered,
        "presets": list(variant.presets),
        "overrides": dict(variant.overrides),
    }


def _row(variant: Variant, origin: Origin) -> tuple[str, ...]:
    took = f"{'compiled' if origin.source == COMPILED else 'ready'} in {origin.seconds:.1f} s"
    return (
        variant.world,
        "layered" if variant.layered else "plain",
        describe_presets(variant_data(variant)),
        MEANINGS.get(origin.source, took),
    )


def describe_presets(variant: Mapping[str, Any]) -> str:
    """Name the presets that need a variant, without their world."""
    if variant["overrides"]:
        return "(other configs)"
    return " ".join(preset.removeprefix(f"{variant['world']}/") for preset in variant["presets"])
