"""What MettaGrid fills in where a config is silent: its dumps say everything, people do not."""

from typing import Any

from mesocosm.worlds.mettagrid.game.vibes import COGS_VIBES

RESOURCES = (
    "ore_red", "ore_blue", "ore_green", "battery_red", "battery_blue", "battery_green", "heart",
    "armor", "laser", "blueprint",
)  # fmt: skip
WINDOW = {"width": 13, "height": 13, "num_tokens": 500}
RANDOM_MAP = {"type": "mettagrid.map_builder.random_map.RandomMapBuilder.Config", "agents": 24}


def with_defaults(game: dict[str, Any]) -> dict[str, Any]:
    """Return a game of the profile cogs in which nothing that matters is left out."""
    made = {"resource_names": list(RESOURCES), "map_builder": RANDOM_MAP} | game
    made["obs"] = _over(WINDOW, game.get("obs"))
    made["actions"] = _over({}, game.get("actions"))
    if isinstance(made["actions"], dict):
        vibes = [{"name": vibe.name} for vibe in COGS_VIBES]
        chosen = made["actions"].get("change_vibe")
        made["actions"]["change_vibe"] = _over({"vibes": vibes}, chosen)
    return made


def _over(defaults: dict[str, Any], given: Any) -> Any:
    """Lay what was given over defaults; what is no section is left for whoever reads it."""
    if given is None:
        return dict(defaults)
    return defaults | given if isinstance(given, dict) else given
