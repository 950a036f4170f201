"""Bring a config of an older MettaGrid to today's spelling, by migrations that have names."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.upstream import older, older_classic
from mesocosm.worlds.mettagrid.upstream.refused import find_refused, listed


class Migration(NamedTuple):
    """One change of spelling between two versions of MettaGrid.

    Args:
        name: What it is called in reports.
        what: What it renames or moves, and why that means the same.
        apply: Changes a game in place and returns in how many places.
    """

    name: str
    what: str
    apply: Callable[[dict[str, Any]], int]


class Applied(NamedTuple):
    """A migration that changed something."""

    name: str
    what: str
    places: int

    def __str__(self) -> str:
        return f"{self.name} ({self.places} places): {self.what}"


# in this order
MIGRATIONS = (
    Migration(
        "use_handlers_by_name",
        "on_use_handlers {name: handler} becomes on_use_handler, the first that succeeds",
        older.use_handlers_by_name,
    ),
    Migration(
        "tick_handlers_by_name",
        "on_tick {name: handler} becomes one handler that runs all of them",
        older.tick_handlers_by_name,
    ),
    Migration(
        "agent_inventory",
        "an agent's default_resource_limit, resource_limits, initial_inventory and "
        "inventory_regen_amounts move into its inventory",
        older_classic.agent_inventory,
    ),
    Migration(
        "chest_inventory",
        "a chest's initial_inventory and resource_limits move into its inventory",
        older_classic.chest_inventory,
    ),
    Migration(
        "vibes_by_number",
        "change_vibe.number_of_vibes becomes change_vibe.vibes, the first so many of vibe_names",
        older_classic.vibes_by_number,
    ),
    Migration(
        "agent_gifts",
        "an agent's vibe_transfers and shareable_resources become transfers by vibe, of as much as "
        "fits and of a half of what one has",
        older_classic.agent_gifts,
    ),
    Migration(
        "whole_costs",
        "costs of actions written as 2.0 become 2",
        older_classic.whole_costs,
    ),
    Migration(
        "idle_settings",
        "settings that say nothing are dropped: map_char and swappable of objects, "
        "target_locations of an attack and a resource_mod that are disabled",
        older_classic.idle_settings,
    ),
)


def migrate(config: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Applied, ...]]:
    """Give a config in today's spelling and what was done; refuse what has no counterpart."""
    game = config.get("game")
    if not isinstance(game, Mapping):
        return dict(config), ()  # whoever reads it says what is wrong
    made = deepcopy({key: value for key, value in game.items() if key != "map_builder"})
    applied = [
        Applied(entry.name, entry.what, places)
        for entry in MIGRATIONS
        if (places := entry.apply(made))
    ]
    refused = find_refused(made)
    if refused:
        raise ConfigError(
            f"game: is of an older MettaGrid, and nothing today does the same: {listed(refused)}. "
            "Leave single keys out with without=[...] or --without PATH"
        )
    if "map_builder" in game:
        made["map_builder"] = game["map_builder"]
    return {**config, "game": made}, tuple(applied)
