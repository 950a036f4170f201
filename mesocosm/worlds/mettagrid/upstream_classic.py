"""Read a config of the older version of the program."""

from typing import Any

from mesocosm.worlds.mettagrid.upstream_part import (
    Part,
    action_section,
    inventory_section,
    map_section,
)


def classic_game(game: Part) -> dict[str, Any]:
    """Turn a game of the older version into a core section."""
    vibes = list(game.take("vibe_names", []))
    actions, rest = action_section(game, vibes)
    _fights(rest, actions)
    rest.finish()
    resources = list(game.take("resource_names", []))
    game.skip("params", "reward_estimates")
    agents = [_agent(part) for part in game.items("agents")]
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
        "agent": _agent(game.part("agent")),
        "agents": agents,
        "objects": {name: _object(name, part) for name, part in game.parts("objects")},
        "regen_interval": game.take("inventory_regen_interval", 0),
        "map": map_section(game),
    }
    return made


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
    rewards = part.part("rewards")
    most = rewards.take("inventory_max", {})
    limit = rewards.take("stats_max", {})
    made = {
        "team": part.take("team_id", 0),
        "tags": list(part.take("tags", [])),
        "vibe": part.take("initial_vibe", 0),
        "inventory": inventory_section(part.part("inventory")),
        "freeze_duration": part.take("freeze_duration", 10),
        "rewards": {
            name: {"weights": {name: weight}, "high": most.get(name)}
            for name, weight in rewards.take("inventory", {}).items()
        }
        | {
            name: {"value": stat_reward(name, float(weight), limit.get(name))}
            for name, weight in rewards.take("stats", {}).items()
        },
    }
    rewards.finish()
    part.skip("diversity_tracked_resources", "name", "render_name")
    part.finish()
    return made


def stat_reward(name: str, weight: float, most: float | None) -> dict[str, Any]:
    """What a statistic is worth: the agent's and the game's together, at most so much."""
    both = [{"kind": "stat", "stat": name, "scope": scope} for scope in ("agent", "game")]
    worth = {"kind": "sum", "of": [{"kind": "sum", "of": both}], "weights": [weight]}
    if most is None:
        return worth
    return {"kind": "min", "of": [worth, {"kind": "const", "number": float(most)}]}


def _object(name: str, part: Part) -> dict[str, Any]:
    part.skip("name", "map_name", "render_name", "render_symbol")
    kind = part.take("pydantic_type", "wall")
    made: dict[str, Any] = {
        "kind": kind,
        "tags": list(part.take("tags", [])),
        "vibe": part.take("vibe", 0),
    }
    if kind == "assembler":
        made["protocols"] = [_protocol(entry) for entry in part.items("protocols")]
        for key in ("allow_partial_usage", "max_uses", "clip_immune", "start_clipped"):
            made[key] = part.take(key, 0 if key == "max_uses" else False)
    elif kind == "chest":
        made["vibe_transfers"] = part.take("vibe_transfers", {})
        made["inventory"] = inventory_section(part.part("inventory"))
    elif kind != "wall":
        raise part.fail("pydantic_type", f"is not supported, got {kind!r}")
    part.finish()
    return made


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
    """Read attack and transfer, where they are enabled."""
    attack, transfer = actions.part("attack"), actions.part("transfer")
    attack.skip("action_handler")
    if attack.take("enabled", False):
        outcome = attack.part("success")
        made["attack"] = {
            "vibes": list(attack.take("vibes", [])),
            "required": attack.take("required_resources", {}),
            "cost": attack.take("consumed_resources", {}),
            "defense": attack.take("defense_resources", {}),
            "armor": attack.take("armor_resources", {}),
            "weapons": attack.take("weapon_resources", {}),
            "vibe_bonus": attack.take("vibe_bonus", {}),
            "freeze": outcome.take("freeze", 0),
            "actor_delta": outcome.take("actor_inv_delta", {}),
            "target_delta": outcome.take("target_inv_delta", {}),
            "loot": list(outcome.take("loot", [])),
        }
        outcome.finish()
        attack.finish()
    if transfer.take("enabled", False):
        transfer.skip("action_handler")
        made["transfers"] = [_gift(entry) for entry in transfer.items("vibe_transfers")]
        transfer.finish()


def _gift(part: Part) -> dict[str, Any]:
    made = {
        "vibe": part.take("vibe", ""),
        "actor": part.take("actor", {}),
        "target": part.take("target", {}),
    }
    part.finish()
    return made
