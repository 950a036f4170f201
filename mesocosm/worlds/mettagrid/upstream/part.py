"""A piece of a foreign config that knows where it is and what of it was understood."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mesocosm.core.errors import ConfigError, short
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT

TYPED = "typed"  # a mark of queries whose filters MettaGrid does not leave out
QUERY_FILTERS = ("filters", "edge_filters", "blocker")
NOTHING: tuple[Any, ...] = (None, [], {}, "", 0, False)


def is_classic(game: Mapping[str, Any]) -> bool:
    """Whether a config is of the classic version, which keeps `global_obs` outside `obs`."""
    window = game.get("obs")
    if isinstance(window, Mapping) and "global_obs" in window:
        return False
    return "global_obs" in game or "inventory_regen_interval" in game


class Part:
    """A mapping of which every key must be taken, skipped, or idle."""

    def __init__(self, data: Any, path: str) -> None:
        if not isinstance(data, Mapping):
            raise ConfigError(f"{path}: must be a mapping, got {short(data)}")
        self._data, self.path = data, path
        self._left = set(data)

    def at(self, key: str) -> str:
        """Return the path of a key."""
        return f"{self.path}.{key}" if self.path else key

    def take(self, key: str, default: Any = None) -> Any:
        """Take a value."""
        self._left.discard(key)
        value = self._data.get(key, default)
        return default if value is None else value

    def has(self, key: str) -> bool:
        """Whether there is a key, whatever it says."""
        return key in self._data

    def skip(self, *keys: str) -> None:
        """Leave out what changes no behaviour."""
        self._left -= set(keys)

    def keys(self) -> list[str]:
        """List all keys."""
        return list(self._data)

    def part(self, key: str) -> "Part":
        """Take a mapping."""
        return Part(self.take(key, {}), self.at(key))

    def parts(self, key: str) -> Iterator[tuple[str, "Part"]]:
        """Take the entries of a mapping of mappings."""
        found = self.take(key, {}) or {}
        if not isinstance(found, Mapping):
            raise self.fail(key, f"must be a mapping, got {short(found)}")
        for name, value in found.items():
            yield name, Part(value, f"{self.at(key)}.{name}")

    def items(self, key: str) -> Iterator["Part"]:
        """Take the entries of a list of mappings."""
        found = self.take(key, []) or []
        if not isinstance(found, list | tuple):
            raise self.fail(key, f"must be a list, got {short(found)}")
        for k, value in enumerate(found):
            yield Part(value, f"{self.at(key)}.{k}")

    def fail(self, key: str, what: str) -> ConfigError:
        """Return an error about a key."""
        return ConfigError(f"{self.at(key)}: {what}")

    def finish(self) -> None:
        """Reject what was not understood, unless it says nothing."""
        for key in sorted(self._left):
            value = self._data[key]
            if not any(value is idle or value == idle for idle in NOTHING):
                raise self.fail(key, f"is not supported, got {short(value)}")


def inventory_section(part: Part) -> dict[str, Any]:
    """Read what something holds and how much it can."""
    limits = {}
    for name, limit in part.parts("limits"):
        limits[name] = {
            "base": limit.take("base", limit.take("limit", MAX_AMOUNT)),
            "most": limit.take("max", MAX_AMOUNT),
            "resources": list(limit.take("resources", [])),
            "modifiers": limit.take("modifiers", {}),
        }
        limit.finish()
    made = {
        "default_limit": part.take("default_limit", MAX_AMOUNT),
        "limits": limits,
        "initial": part.take("initial", {}),
    }
    regen = part.take("regen_amounts", {})
    if regen:
        made["regen"] = regen
    part.finish()
    return made


def action_costs(actions: Part, key: str, prefix: str, made: dict[str, Any]) -> tuple[Part, bool]:
    """Read an action's costs, and whether it has a name; one that has none costs nothing."""
    part = actions.part(key)
    part.skip("action_handler")
    enabled = bool(part.take("enabled", True))
    required, cost = part.take("required_resources", {}), part.take("consumed_resources", {})
    if enabled:
        made |= {f"{prefix}_required": required, f"{prefix}_cost": cost}
    return part, enabled


def action_section(
    game: Part, vibes: list[str], handlers: Callable[[Part], Any] | None = None
) -> tuple[dict[str, Any], Part]:
    """Read noop, move and change_vibe; give them and what is left of `actions`."""
    actions = game.part("actions")
    made: dict[str, Any] = {}
    noop, stays = action_costs(actions, "noop", "noop", made)
    noop.finish()
    move, moves = action_costs(actions, "move", "move", made)
    if handlers is not None:
        made["handlers"] = handlers(move)
    made["directions"] = list(move.take("allowed_directions", ["north", "south", "west", "east"]))
    move.finish()
    vibe, changes = action_costs(actions, "change_vibe", "vibe", made)
    names = [entry["name"] for entry in vibe.take("vibes", [])]
    made["vibes"] = names if changes else []
    vibe.finish()
    vibes += [name for name in names if name not in vibes]
    if not (stays and moves):  # they have no name, but the ids of the others do not shift
        if handlers is None:
            what = "noop" if not stays else "move"
            raise actions.fail(f"{what}.enabled", "this action cannot be disabled: ids would shift")
        steps = [f"move_{name}" for name in made["directions"]] if moves else []
        made["named"] = ["noop"] * stays + steps + [f"change_vibe_{x}" for x in made["vibes"]]
        made["named"] = made["named"] or ["nothing"]
    return made, actions
