"""The `worlds` command: which worlds and presets there are."""

from mesocosm.build import presets, world_names
from mesocosm.cli.shared.options import AsJson
from mesocosm.cli.shared.output import print_json, print_table, say
from mesocosm.core.errors import SpecError
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
        print_json([entry | {"presets": own} for entry, (_, own) in zip(about, rows, strict=True)])
        return
    lines = [
        (preset, f"version {world.version}" if k == 0 else "", world.summary if k == 0 else "")
        for world, own in rows
        for k, preset in enumerate(own)
    ]
    print_table(("preset", "world", "about"), lines)
