"""The `worlds` command: which worlds and presets there are."""

from mesocosm.build import presets, world_names
from mesocosm.cli.shared.options import AsJson
from mesocosm.cli.shared.output import print_json, print_table, say
from mesocosm.core.errors import SpecError
from mesocosm.core.world import World
from mesocosm.worlds.registry import find


def worlds(as_json: AsJson = False) -> None:
    """List the worlds, what they are about, and their presets."""
    rows = []
    for name in world_names():
        try:
            rows.append((find(name), presets(name)))
        except SpecError as error:  # one broken world must not hide the others
            say(f"mesocosm: {error}")
    if as_json:
        keys = ("name", "version", "summary")
        about = [{key: getattr(world, key) for key in keys} for world, _ in rows]
        more = [
            {"default": f"{world.name}/{world.default_preset}", "presets": names}
            for world, names in rows
        ]
        print_json([entry | own for entry, own in zip(about, more, strict=True)])
        return
    lines = [
        (
            _mark(preset, world),
            f"version {world.version}" if k == 0 else "",
            world.summary if k == 0 else "",
        )
        for world, own in rows
        for k, preset in enumerate(own)
    ]
    print_table(("preset", "world", "about"), lines)


def _mark(preset: str, world: World) -> str:
    """Say which preset the world's bare name stands for."""
    is_default = preset == f"{world.name}/{world.default_preset}"
    return f"{preset} (default)" if is_default else preset
