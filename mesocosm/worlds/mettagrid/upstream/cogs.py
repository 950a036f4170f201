"""Read a config of MettaGrid's current version, the profile cogs."""

from typing import Any

from mesocosm.worlds.mettagrid.game.core import MOST_STEPS
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT
from mesocosm.worlds.mettagrid.upstream.maps import map_section
from mesocosm.worlds.mettagrid.upstream.part import Part, action_section, inventory_section
from mesocosm.worlds.mettagrid.upstream.query import value_section
from mesocosm.worlds.mettagrid.upstream.seats import seat
from mesocosm.worlds.mettagrid.upstream.tick import (
    area_section,
    event_section,
    materialized_section,
    move_handlers,
    own_handlers,
    removal_section,
)
from mesocosm.worlds.mettagrid.upstream.unknown import leave_out_unknown
from mesocosm.worlds.mettagrid.upstream.use import (
    handler,
    optional_handler,
    settle_names,
    use_section,
)

WINDOW = {"width": 13, "height": 13, "num_tokens": 500, "token_value_base": 256}


def cogs_game(game: Part) -> dict[str, Any]:
    """Turn a game of the profile cogs into a core section."""
    game.skip("vibe_names")
    vibes: list[str] = []
    actions, rest = action_section(game, vibes, move_handlers)
    rest.skip("attack")  # it has no id and does nothing in MettaGrid, however it is set
    rest.finish()
    game.skip("params", "reward_estimates", "render")
    talk = game.part("talk")
    area = map_section(game)
    listed = [_agent(part) for part in game.items("agents")]
    agents, seats = seat(area, listed)
    plain = _agent(game.part("agent")) | {"team": 0}
    objects, hidden = _objects(game)
    hidden += [tag for entry in listed for tag in (*entry["tags"], f"type:{entry['type']}")]
    made = {
        "profile": "cogs",
        "conformance": "upstream",
        "num_agents": game.take("num_agents", 24),
        "max_steps": min(game.take("max_steps", 10000), MOST_STEPS),
        "episode_truncates": game.take("episode_truncates", False),
        "resources": list(game.take("resource_names", [])),
        "vibes": vibes,
        "tags": [*game.take("tags", []), *hidden],
        "obs": _window(game),
        "actions": actions,
        "agent": plain,
        "agents": [] if all(entry == plain | {"group": 0} for entry in agents) else agents,
        "seats": seats,
        "objects": objects,
        **_territories(game),
        "end_on": {k: float(x) for k, x in game.take("end_episode_on_game_stats", {}).items()},
        "materialized": materialized_section(game),
        "events": event_section(game),
        "on_tick": optional_handler(game, "on_tick"),
        "map": area,
        "talk": {
            "enabled": talk.take("enabled", False),
            "max_length": talk.take("max_length", 140),
            "cooldown_steps": talk.take("cooldown_steps", 50),
            "broadcast_resource": _loud(game, talk),
        },
    }
    talk.finish()
    leave_out_unknown(made)
    settle_names(made, made["objects"], _limits(listed or [plain]))
    return made


def _limits(agents: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the limits of agents by name, of the first in the list that has it."""
    found: dict[str, Any] = {}
    for entry in reversed(agents):
        found |= entry["inventory"]["limits"]
    return found


def _loud(game: Part, talk: Part) -> str:
    """Read whose holders hear each other; of an unknown resource, nobody holds any."""
    name = str(talk.take("broadcast_resource", ""))
    return name if name in game.take("resource_names", []) else ""


def _territories(game: Part) -> dict[str, Any]:
    """Read the territories, and what happens on the land of each."""
    prefixes, land = {}, {}
    for name, part in game.parts("territories"):
        prefixes[name] = part.take("tag_prefix", "team:")
        happens = {
            key: [found for _, entry in part.parts(key) if (found := handler(entry))]
            for key in ("on_enter", "on_exit", "presence")
        }
        if any(happens.values()):
            land[name] = happens
        part.finish()
    return {"territories": prefixes, "land": land}


def _controls(part: Part) -> list[dict[str, Any]]:
    """Read how something claims the land around it."""
    return [
        {key: entry.take(key, 1) for key in ("territory", "strength", "decay")}
        for entry in part.items("territory_controls")
    ]


def _window(game: Part) -> dict[str, Any]:
    part = game.part("obs")
    hints = part.part("global_obs")
    part.skip("token_dim")
    made = {key: part.take(key, default) for key, default in WINDOW.items()}
    for key, default in (
        ("episode_completion_pct", True), ("last_action", True), ("last_reward", True),
        ("last_action_move", False), ("local_position", False),
    ):  # fmt: skip
        made[key] = hints.take(key, default)
    made["goal"] = hints.take("goal_obs", False)
    made["values"] = {name: value_section(value) for name, value in hints.parts("obs")}
    hints.finish()
    made["territory"] = part.take("territory", False)
    made["aoe_mask"] = part.take("aoe_mask", False)
    if part.take("observation_radius_value") is not None:
        made["radius"] = value_section(part.part("observation_radius_value"))
    part.finish()
    made["protocol_details"] = game.take("protocol_details_obs", True)
    return made


def _agent(part: Part) -> dict[str, Any]:
    part.skip("pydantic_type", "map_name", "handlers")  # MettaGrid reads handlers, and that is all
    made = {
        "type": part.take("name", "agent"),
        "team": part.take("team_id", 0),
        "tags": list(part.take("tags", [])),
        "vibe": part.take("vibe", 0),
        "inventory": inventory_section(part.part("inventory")),
        "rewards": {},
        "stats": {name: float(x) for name, x in part.take("initial_stats", {}).items()},
        **own_handlers(part),
        "areas": area_section(part),
        "controls": _controls(part),
        "on_tag_remove": removal_section(part),
    }
    for name, reward in part.parts("rewards"):
        value = value_section(reward.part("reward"))
        made["rewards"][name] = value | {"per_tick": reward.take("per_tick", False)}
        reward.finish()
    part.finish()
    return made


def _own_limits(made: dict[str, Any]) -> dict[str, Any]:
    """An object's default limit holds for what it has at first, and for nothing else."""
    grouped = {name for limit in made["limits"].values() for name in limit["resources"]}
    most = made["default_limit"]
    own = {
        f"{name} alone": {"base": most, "most": most, "resources": [name], "modifiers": {}}
        for name in made["initial"]
        if name not in grouped and most < MAX_AMOUNT
    }
    return made | {"default_limit": MAX_AMOUNT, "limits": made["limits"] | own}


def _objects(game: Part) -> tuple[dict[str, Any], list[str]]:
    """Read the objects by what maps call them; the last of one name counts.

    Returns the tags of those that do not count too: they have ids all the same.
    """
    made: dict[str, Any] = {}
    hidden: list[str] = []
    for key, part in game.parts("objects"):
        name = part.take("map_name") or part.take("name", key)
        if name in made:
            hidden += [*made[name]["tags"], f"type:{made[name]['type'] or name}"]
        made[name] = _object(name, part)
    return made, hidden


def _object(name: str, part: Part) -> dict[str, Any]:
    kind, type_ = part.take("pydantic_type", "object"), part.take("name", name)
    held = inventory_section(part.part("inventory"))
    made: dict[str, Any] = {
        "kind": kind,
        "type": "" if type_ == name else type_,
        "tags": list(part.take("tags", [])),
        "vibe": part.take("vibe", 0),
        "inventory": {} if kind == "wall" else _own_limits(held),  # walls are given nothing
        "blocks_vision": part.take("blocks_vision", False),
    }
    made |= use_section(part)
    part.skip("handlers")
    made["areas"] = area_section(part)
    made["controls"] = _controls(part)
    made["on_tag_remove"] = removal_section(part)
    part.finish()
    return made
