"""Read a config of MettaGrid's classic version."""

from typing import Any

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.game.hash_order import text_order
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT
from mesocosm.worlds.mettagrid.game.team import team_name
from mesocosm.worlds.mettagrid.upstream.maps import map_section
from mesocosm.worlds.mettagrid.upstream.part import Part, action_section, inventory_section


def classic_game(game: Part) -> dict[str, Any]:
    """Turn a classic game into a core section."""
    game.skip("params", "reward_estimates", "vibe_names")  # vibes are those that can be taken on
    vibes: list[str] = []
    actions, rest = action_section(game, vibes)
    _fights(rest, actions)
    rest.finish()
    resources = list(game.take("resource_names", []))
    area = map_section(game)
    blank = {"empty", ".", " "}
    area["legend"] = {
        char: "empty" if name in blank else name for char, name in area["legend"].items()
    }
    made = {
        "profile": "classic",
        "conformance": "upstream",
        "num_agents": game.take("num_agents", 24),
        "max_steps": game.take("max_steps", 10000),
        "episode_truncates": game.take("episode_truncates", False),
        "resources": resources,
        "vibes": vibes,
        "obs": _window(game),
        "actions": actions,
        **_agents(game, area),
        "objects": {name: _object(name, part) for name, part in game.parts("objects")},
        "regen_interval": game.take("inventory_regen_interval", 0),
        "map": area,
    }
    for kind in (*made.get("agents", []), made.get("agent", {}), *made["objects"].values()):
        _drop_unknown(kind.get("inventory", {}).get("limits", {}), resources)
    clipper = game.take("clipper")
    if clipper:
        made["clipper"] = _clipper(Part(clipper, game.at("clipper")))
    for entry in game.items("collectives"):  # nothing in the game reaches what they hold
        entry.skip("name")
        inventory_section(entry.part("inventory"))
        entry.finish()
    return made


def _drop_unknown(limits: dict[str, Any], resources: list[str]) -> None:
    """Leave out modifiers that are no resources of the game, as MettaGrid does."""
    for limit in limits.values():
        held = limit["modifiers"].items()
        limit["modifiers"] = {name: bonus for name, bonus in held if name in resources}


def _clipper(part: Part) -> dict[str, Any]:
    made = {
        "unclipping": [_protocol(entry) for entry in part.items("unclipping_protocols")],
        "length_scale": part.take("length_scale", 0),
        "cutoff": part.take("scaled_cutoff_distance", 3),
        "period": part.take("clip_period", 0),
    }
    if not made["unclipping"]:
        raise part.fail("unclipping_protocols", "at least one protocol must unclip")
    part.finish()
    return made


def _agents(game: Part, area: dict[str, Any]) -> dict[str, Any]:
    """Read the agents: a place on the map names a team, whose first agent is like all of it."""
    base = _agent(game.part("agent"))
    most = base["inventory"]["default_limit"]
    teams: dict[int, Any] = {}
    for part in game.items("agents"):
        kind = _agent(part)
        first = teams.setdefault(kind["team"], kind)
        if set(kind["tags"]) != set(first["tags"]):
            raise part.fail("tags", f"all agents of team {kind['team']} must have the same")
    if not teams:
        teams = {0: base | {"team": 0}}
    for kind in teams.values():
        kind["inventory"]["default_limit"] = most
    known = {f"agent.{name}": team for team in teams for name in _names(team)}
    found = []
    for char in "".join(area["rows"]):
        name = area["legend"][char]
        if name == "agent" or name.startswith("agent."):
            if name not in known:
                at = f"{game.at('map_builder')}.char_to_map_name.{char}"
                raise ConfigError(f"{at}: no agents are {name!r}. Known: {', '.join(known)}")
            found.append(teams[known[name]])
    tags = sorted({tag for kind in teams.values() for tag in kind["tags"]})
    if all(kind is found[0] for kind in found):
        return {"agent": found[0] if found else base, "tags": tags}
    return {"agents": found, "tags": tags}


def _names(team: int) -> list[str]:
    """Return what maps call the agents of a team."""
    names = [team_name(team), f"team_{team}"]
    return [*names, "default", "agent"] if team == 0 else names


def _window(game: Part) -> dict[str, Any]:
    part, hints = game.part("obs"), game.part("global_obs")
    part.skip("token_dim")
    made = {key: part.take(key) for key in ("width", "height", "num_tokens", "token_value_base")}
    part.finish()
    for key in ("episode_completion_pct", "last_action", "last_reward"):
        made[key] = hints.take(key, True)
    made["compass"] = hints.take("compass", False)
    made["goal"] = hints.take("goal_obs", False)
    hints.finish()
    made["protocol_details"] = game.take("protocol_details_obs", True)
    return {key: value for key, value in made.items() if value is not None}


def _agent(part: Part) -> dict[str, Any]:
    made = {
        "team": part.take("team_id", 0),
        "tags": list(part.take("tags", ["agent"])),
        "vibe": part.take("initial_vibe", 0),
        "inventory": inventory_section(part.part("inventory")),
        "rewards": _rewards(part.part("rewards")),
    }
    damage = part.part("damage")
    made["damage"] = {key: damage.take(key, {}) for key in ("threshold", "resources")}
    damage.finish()
    made["diversity"] = list(part.take("diversity_tracked_resources", []))
    part.skip("freeze_duration", "name", "render_name")
    part.finish()
    return made


def _rewards(part: Part) -> dict[str, Any]:
    """Read what is paid, in the order in which MettaGrid adds it up: that of its map of names."""
    held, most = part.take("inventory", {}), part.take("inventory_max", {})
    stats, limit = part.take("stats", {}), part.take("stats_max", {})
    part.finish()
    made: dict[str, Any] = {
        name: (name, {"value": stat_reward(name, float(weight), limit.get(name))})
        for name, weight in stats.items()
    }
    for name, weight in held.items():
        if f"{name}.amount" in made:
            raise part.fail(f"stats.{name}.amount", "is rewarded as inventory, too")
        made[f"{name}.amount"] = (name, {"weights": {name: weight}, "high": most.get(name)})
    return dict(made[stat] for stat in text_order(made))


def stat_reward(name: str, weight: float, most: float | None) -> dict[str, Any]:
    """Return what a statistic is worth: the agent's and the game's together, at most so much."""
    both = [{"kind": "stat", "stat": name, "scope": scope} for scope in ("agent", "game")]
    worth = {"kind": "sum", "of": [{"kind": "sum", "of": both}], "weights": [weight]}
    if most is None:
        return worth
    return {"kind": "min", "of": [worth, {"kind": "const", "number": float(most)}]}


def _object(key: str, part: Part) -> dict[str, Any]:
    part.skip("render_symbol", "map_name")
    name = part.take("name", key)
    tags = list(part.take("tags", [])) or [part.take("render_name") or name]
    part.skip("render_name")
    owner = part.take("collective")
    if owner and f"collective:{owner}" not in tags:
        tags.append(f"collective:{owner}")
    kind = part.take("pydantic_type", "wall")
    made: dict[str, Any] = {"kind": kind, "tags": tags, "vibe": part.take("vibe", 0)}
    if kind == "assembler":
        made["protocols"] = [_protocol(entry) for entry in part.items("protocols")]
        _check_protocols(part, made["protocols"])
        for flag in ("allow_partial_usage", "clip_immune", "start_clipped"):
            made[flag] = part.take(flag, False)
        for number in ("max_uses", "chest_search_distance"):
            made[number] = part.take(number, 0)
    elif kind == "chest":
        made["vibe_transfers"] = part.take("vibe_transfers", {})
        made["inventory"] = inventory_section(part.part("inventory")) | {
            "default_limit": MAX_AMOUNT
        }
        made["inventory"].pop("regen", None)  # only agents get something back
    elif kind != "wall":
        raise part.fail("pydantic_type", f"is not supported, got {kind!r}")
    part.finish()
    return made


def _check_protocols(part: Part, protocols: list[dict[str, Any]]) -> None:
    """Refuse, as MettaGrid does, two recipes between which nothing decides."""
    seen = [(sorted(entry["vibes"]), entry["min_agents"]) for entry in protocols]
    for k, entry in enumerate(seen):
        if entry in seen[:k]:
            raise part.fail(f"protocols.{k}", "has the vibes and min_agents of another")


def _protocol(part: Part) -> dict[str, Any]:
    made = {
        "min_agents": part.take("min_agents", 0),
        "vibes": list(part.take("vibes", [])),
        "inputs": part.take("input_resources", {}),
        "outputs": part.take("output_resources", {}),
        "cooldown": part.take("cooldown", 0),
    }
    part.finish()
    return made


def _fights(actions: Part, made: dict[str, Any]) -> None:
    """Read attack and transfer: vibes trigger them, enabled or not; then only costs differ."""
    attack, transfer = actions.part("attack"), actions.part("transfer")
    attack.skip("action_handler", "required_resources")
    cost, outcome = attack.take("consumed_resources", {}), attack.part("success")
    made["attack"] = {
        "vibes": list(attack.take("vibes", [])),
        "cost": cost if attack.take("enabled", True) else {},
        "defense": attack.take("defense_resources", {}),
        "armor": attack.take("armor_resources", {}),
        "weapons": attack.take("weapon_resources", {}),
        "vibe_bonus": attack.take("vibe_bonus", {}),
        "freeze": max(outcome.take("freeze", 0), 0),
        "actor_delta": outcome.take("actor_inv_delta", {}),
        "target_delta": outcome.take("target_inv_delta", {}),
        "loot": list(outcome.take("loot", [])),
    }
    outcome.finish()
    attack.finish()
    transfer.skip("action_handler", "enabled", "consumed_resources")
    needed = transfer.take("required_resources", {})
    gifts = [_gift(entry) | {"required": needed} for entry in transfer.items("vibe_transfers")]
    made["transfers"] = gifts
    transfer.finish()


def _gift(part: Part) -> dict[str, Any]:
    made = {
        "vibe": part.take("vibe", ""),
        "actor": part.take("actor", {}),
        "target": part.take("target", {}),
    }
    if part.has("share"):  # which a migration writes
        made["share"] = part.take("share")
    part.finish()
    return made
