"""Migrations of configs with assemblers and chests, from before inventories were sections."""

from typing import Any

from mesocosm.worlds.mettagrid.upstream.older import bodies

# an agent's or a chest's key then, and that of its inventory now
INVENTORY_KEYS = {
    "default_resource_limit": "default_limit",
    "resource_limits": "limits",
    "initial_inventory": "initial",
    "inventory_regen_amounts": "regen_amounts",
}
ANY_VIBE = "default"  # what comes back at a vibe that has no amounts of its own
IDLE_OBJECT_KEYS = ("map_char", "swappable")


def agent_inventory(game: dict[str, Any]) -> int:
    """Move what an agent holds, and how much it can, into its inventory."""
    agents = game.get("agents")
    found = [game.get("agent"), *(agents if isinstance(agents, list) else [])]
    return sum(_move_inventory(body) for body in found if isinstance(body, dict))


def chest_inventory(game: dict[str, Any]) -> int:
    """Move what a chest holds, and how much it can, into its inventory."""
    chests = [body for body in bodies(game) if body.get("pydantic_type") == "chest"]
    return sum(_move_inventory(body) for body in chests)


def _move_inventory(body: dict[str, Any]) -> bool:
    old = {key: body[key] for key in INVENTORY_KEYS if key in body}
    if not old or "inventory" in body:
        return False
    made = {INVENTORY_KEYS[key]: body.pop(key) for key in old}
    if isinstance(made.get("limits"), dict):
        made["limits"] = {name: _limit(name, entry) for name, entry in made["limits"].items()}
    if made.get("regen_amounts"):
        made["regen_amounts"] = {ANY_VIBE: made["regen_amounts"]}
    body["inventory"] = made
    return True


def _limit(name: str, entry: Any) -> Any:
    """Write a capacity as a section; once it was a number under the resources that share it."""
    return {"limit": entry, "resources": name.split(",")} if isinstance(entry, int) else entry


def vibes_by_number(game: dict[str, Any]) -> int:
    """List the vibes that one can take on, which were the first so many of all."""
    change = _action(game, "change_vibe")
    number, names = change.get("number_of_vibes"), game.get("vibe_names")
    if not isinstance(number, int) or not isinstance(names, list) or number > len(names):
        return 0
    if change.get("vibes"):
        return 0
    del change["number_of_vibes"]
    change["vibes"] = [{"name": name} for name in names[:number]]
    return 1


def agent_gifts(game: dict[str, Any]) -> int:
    """Make what all agents give by moving into others transfers of the game."""
    agent, agents = game.get("agent"), game.get("agents")
    if not isinstance(agent, dict) or agents or not isinstance(game.get("actions"), dict):
        return 0  # of several kinds of agents, each gave its own
    transfer = game["actions"].setdefault("transfer", {})
    if not isinstance(transfer, dict) or transfer.get("vibe_transfers"):
        return 0
    gifts = _gifts_of_a_half(game, agent) + _gifts_by_vibe(agent)
    if gifts:
        transfer["vibe_transfers"] = gifts
    return len(gifts)


def _gifts_by_vibe(agent: dict[str, Any]) -> list[dict[str, Any]]:
    by_vibe = agent.pop("vibe_transfers", None)
    if not isinstance(by_vibe, dict):
        return []
    return [
        {"vibe": vibe, "share": "most", "actor": _taken(amounts)}
        for vibe, amounts in by_vibe.items()
        if isinstance(amounts, dict)
    ]


def _taken(amounts: dict[str, Any]) -> dict[str, int]:
    """Return what a gift takes from the giver; only positive amounts were ever given."""
    return {name: -x for name, x in amounts.items() if isinstance(x, int) and x > 0}


def _gifts_of_a_half(game: dict[str, Any], agent: dict[str, Any]) -> list[dict[str, Any]]:
    shared = agent.pop("shareable_resources", None)
    if not isinstance(shared, list) or not shared:
        return []
    vibes = _action(game, "change_vibe").get("vibes")
    found = vibes if isinstance(vibes, list) else []
    names = [entry["name"] for entry in found if isinstance(entry, dict) and "name" in entry]
    sides = {"actor": dict.fromkeys(shared, -1)}
    return [{"vibe": name, "share": "half"} | sides for name in names]


def whole_costs(game: dict[str, Any]) -> int:
    """Write amounts of resources as whole numbers."""
    actions = game.get("actions")
    names = list(actions) if isinstance(actions, dict) else []
    keys = ("required_resources", "consumed_resources")
    return sum(_make_whole(_action(game, name).get(key)) for name in names for key in keys)


def _make_whole(costs: Any) -> int:
    if not isinstance(costs, dict):
        return 0
    found = [item for item, cost in costs.items() if isinstance(cost, float) and cost.is_integer()]
    costs |= {item: int(costs[item]) for item in found}
    return len(found)


def idle_settings(game: dict[str, Any]) -> int:
    """Drop what changes nothing: how maps are drawn, and actions that nobody has."""
    changed = 0
    objects = game.get("objects")
    for body in objects.values() if isinstance(objects, dict) else ():
        for key in IDLE_OBJECT_KEYS if isinstance(body, dict) else ():
            if key == "map_char" or not body.get(key, True):
                changed += body.pop(key, None) is not None
    attack, modifier = _action(game, "attack"), _action(game, "resource_mod")
    if attack.get("enabled") is False:
        changed += attack.pop("target_locations", None) is not None
    if modifier.get("enabled") is False:
        del game["actions"]["resource_mod"]
        changed += 1
    return changed


def _action(game: dict[str, Any], name: str) -> dict[str, Any]:
    actions = game.get("actions")
    found = actions.get(name) if isinstance(actions, dict) else None
    return found if isinstance(found, dict) else {}
