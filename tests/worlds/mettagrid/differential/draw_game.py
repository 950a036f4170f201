"""Draw a whole game from the fields of MettaGrid's config classes."""

import random

from tests.worlds.mettagrid.differential.draw_handler import (
    draw_any_handler,
    draw_event,
    draw_move_handlers,
    draw_territory,
)
from tests.worlds.mettagrid.differential.draw_map import draw_map
from tests.worlds.mettagrid.differential.draw_query import draw_filters, draw_query
from tests.worlds.mettagrid.differential.draw_thing import draw_agent, draw_limit, draw_object
from tests.worlds.mettagrid.differential.draw_value import draw_value
from tests.worlds.mettagrid.differential.names import DIAGONALS, DIRECTIONS, Json, Names

RESOURCES = ("gold", "ore", "hp", "heart", "battery", "armor", "laser", "gear", "carbon", "oxygen",
             "silicon", "a.b", "x y", "Z")  # fmt: skip
TAGS = ("team:red", "team:blue", "team:green", "net", "net:a", "net:b", "hot", "cold", "aaa", "zzz")
VIBES = ("default", "a", "b", "charger", "heart", "gear", "up", "down", "weapon")
TYPES = ("box", "chest", "hub", "junction", "bomb", "fire", "door", "tree")
PLAIN_STATS = (
    "action.noop.success", "action.noop.failed", "action.move.success", "action.move.failed",
    "action.change_vibe.success", "action.change_vibe.failed", "actions.swap",
    "action.invalid_index", "cell.max_distance_from_spawn", "cell.unique_visited", "made", "seen",
    "status.max_steps_without_motion", "hit.points",
)  # fmt: skip


def draw_game(seed: int, steps: int = 150, *, tame: bool = False) -> Json:
    """Draw the config of a game; minima and maxima carry their `type`."""
    rng = random.Random(seed)
    names = Names(rng, wild=0.0 if tame else rng.choice((0.0, 0.0, 0.01, 0.02, 0.05)), tame=tame)
    shell = draw_words(names)
    teams = draw_teams(names)
    names.territories = [f"land{k}" for k in range(names.pick((0, 0, 1, 1, 2)))]
    names.events = [f"event{k}" for k in range(names.pick((0, 0, 1, 2, 3)))]
    objects = draw_objects(names, shell)
    collect_tags(names, shell, teams)
    fill_objects(names, objects)
    agents, cells = draw_agents(names, teams)
    game: Json = {
        "resource_names": names.resources, "objects": objects, "num_agents": len(cells),
        "tags": shell["tags"], "actions": draw_actions(names), "obs": draw_obs(names),
        "map_builder": draw_map(names, cells, list(dict.fromkeys(names.cells))),
        "territories": {key: draw_territory(names) for key in names.territories},
        "events": {key: draw_event(names, key) for key in names.events},
        "materialize_queries": draw_all_materialized(names),
        "max_steps": names.pick((0, 0, 1000, steps, max(1, steps // 2), 7)),
        "episode_truncates": names.chance(0.4),
    }  # fmt: skip
    game |= agents | draw_rest(names)
    return {"game": game, "label": "drawn", "desync_episodes": names.chance(0.5)}


def draw_words(names: Names) -> Json:
    """Draw resources, vibes, tags and statistics."""
    names.resources = names.some(RESOURCES, 1, names.pick((3, 5, 5, 8, 14)))
    names.vibes = ["default", *names.some(VIBES[1:], 0, 5)]
    if names.chance(0.1):
        names.rng.shuffle(names.vibes)
    if names.chance(0.1):
        names.vibes += [f"v{k}" for k in range(names.rng.randint(1, 30))]
    names.plain_tags = names.some(TAGS, 1, 7)
    names.materialized = [f"found{k}" for k in range(names.pick((0, 0, 0, 1, 2)))]
    names.limits = [f"lim{k}" for k in range(names.pick((1, 2, 3)))]
    return {"tags": [tag for tag in names.plain_tags if names.chance(0.7)]}


def draw_teams(names: Names) -> list[Json]:
    """Draw who plays together: an id, tags and a number of agents for each team."""
    rng = names.rng
    num_teams = names.pick((1, 1, 1, 2, 2, 3, 4, 6))
    ids = rng.sample(range(9), num_teams) if names.odd() else list(range(num_teams))
    total = names.pick((1, 2, 3, 4, 4, 6, 8, 12, 20))
    if names.chance(0.05):
        total = rng.randint(30, 100)
    elif names.chance(0.008):
        total = rng.randint(256, 300)
    counts = [max(1, total // num_teams + rng.randint(-1, 1)) for _ in ids]
    found = []
    for team, count in zip(ids, counts, strict=True):
        tags = names.some(names.plain_tags, 0, 2)
        if names.chance(0.6):
            tags.append(names.pick(("team:red", "team:blue", "team:green")))
        name = names.pick(("cog", "Agent", "zed")) if names.chance(0.12) else "agent"
        found.append({"id": team, "tags": list(dict.fromkeys(tags)), "count": count, "name": name})
    return found


def draw_objects(names: Names, shell: Json) -> Json:
    """Draw the keys, names and tags of objects; what they do comes when all are known."""
    objects: Json = {"wall": {"name": "wall"}}
    if names.odd():
        objects["wall"] = {"name": names.pick(("brick", "box")), "map_name": "wall"}
    for key in names.some(TYPES, 1, 5):
        entry: Json = {"name": key}
        if names.chance(0.15) and not names.tame:
            entry["name"] = names.pick((f"{key}_kind", "thing", names.pick(TYPES), f"c:{key}"))
        if names.chance(0.15) and not names.tame:
            entry["map_name"] = names.pick((f"map_{key}", f"{key}.x", f"m:{key}"))
        objects[key] = entry
    names.types = sorted({entry["name"] for entry in objects.values()})
    names.cells = [e.get("map_name") or e["name"] for k, e in objects.items() if k != "wall"]
    if names.odd():
        names.cells.append("wall")
    return objects


def collect_tags(names: Names, shell: Json, teams: list[Json]) -> None:
    """Settle which tags the game knows, and which statistics may be asked for."""
    shell["tags"] = list(dict.fromkeys([*shell["tags"], *names.plain_tags]))
    kinds = [f"type:{name}" for name in (*names.types, *(team["name"] for team in teams))]
    teams_tags = [tag for team in teams for tag in team["tags"]]
    names.tags = sorted({*names.plain_tags, *kinds, *names.materialized, *teams_tags})
    shell["tags"] = sorted({*shell["tags"], *teams_tags, "team:red"})
    names.tags = sorted({*names.tags, "team:red"})
    names.prefixes = ["team:", "type:"]
    names.prefixes += [
        p for p in ("net", "hot", "", "zz") if any(t.startswith(p) for t in names.tags)
    ]
    ends = ("amount", "gained", "lost", "deposited", "withdrawn")
    names.stats = [f"{name}.{end}" for name in names.resources for end in ends]
    names.stats += PLAIN_STATS
    names.game_stats = ["made", "seen", "tokens_written", "tokens_free_space", "tokens_dropped"]
    names.game_stats += [f"objects.{cell}" for cell in names.cells] + ["objects.wall"]
    names.game_stats += [f"moved.{name}" for name in names.resources]
    names.game_stats += [f"{stem}.{event}" for event in names.events
                         for stem in ("event", "events")]  # fmt: skip


def fill_objects(names: Names, objects: Json) -> None:
    for key, entry in objects.items():
        entry.update(draw_object(names, wall=key == "wall" or names.chance(0.1)))


def draw_agents(names: Names, teams: list[Json]) -> tuple[Json, list[str]]:
    """Draw agents; return their part of the game, and a cell of the map for each."""
    colours = ("red", "blue", "green", "yellow", "purple", "orange")
    if len(teams) == 1 and names.chance(0.5):
        team = teams[0]
        agent = draw_agent(names, names.pick((0, 0, 3)), team["tags"], team["name"])
        mend_limits(names, [agent])
        cell = names.pick(("agent.agent", "agent.red", "agent.team_0", "agent.default"))
        return {"agent": agent}, [cell] * team["count"]
    agents, cells = [], []
    for index, team in enumerate(teams):
        same = (
            draw_agent(names, team["id"], team["tags"], team["name"]) if names.chance(0.6) else None
        )
        colour = colours[team["id"]] if team["id"] < len(colours) else f"group_{index}"
        cell = names.pick((f"agent.{colour}", f"agent.{colour}", f"agent.team_{index}"))
        for _ in range(team["count"]):
            name = team["name"] if not names.odd() else "agent"
            agents.append(same or draw_agent(names, team["id"], team["tags"], name))
            cells.append(cell)
    mend_limits(names, agents)
    return {"agents": mix_agents(names, agents)}, cells


def mix_agents(names: Names, agents: list[Json]) -> list[Json]:
    """Mix the teams, most often without changing which of them comes first."""
    mixed = names.rng.sample(agents, len(agents))
    if names.odd():
        return mixed
    leaders = list({agent["team_id"]: agent for agent in reversed(agents)}.values())[::-1]
    rest = list(mixed)
    for leader in leaders:
        rest.pop(next(k for k, agent in enumerate(rest) if agent is leader))
    return [*leaders, *rest]


def mend_limits(names: Names, agents: list[Json]) -> None:
    """Give the last agent every limit that something may clear and nobody has."""
    held = {key for agent in agents for key in agent["inventory"]["limits"]}
    for key in names.limits:
        if key not in held:
            agents[-1]["inventory"]["limits"][key] = draw_limit(names, agent=True)


def draw_actions(names: Names) -> Json:
    """Draw what agents may do."""
    move: Json = {"enabled": not names.chance(0.03)}
    if names.chance(0.35):
        every = [*DIRECTIONS, *DIAGONALS]
        move["allowed_directions"] = names.pick(
            (every, names.some(every, 1, 8), names.some(DIRECTIONS, 1, 4))
        )
    if names.chance(0.35):
        move["handlers"] = draw_move_handlers(names)
    vibes = [{"symbol": "x", "name": name, "category": "c"} for name in names.vibes]
    vibe: Json = {"enabled": not names.chance(0.12), "vibes": vibes}
    noop: Json = {"enabled": not names.chance(0.04)}
    found = {"noop": noop, "move": move, "change_vibe": vibe}
    if names.chance(0.12):
        found["attack"] = draw_attack_action(names)
    for action in found.values():
        if names.chance(0.15):
            action["consumed_resources"] = names.amounts()
            if names.chance(0.5):
                action["required_resources"] = names.amounts()
        if names.chance(0.02):
            action["action_handler"] = "other"
    return found


def draw_attack_action(names: Names) -> Json:
    found: Json = {"enabled": names.chance(0.8), "vibes": names.some(names.vibes, 1, 2)}
    for key in ("defense_resources", "armor_resources", "weapon_resources"):
        if names.chance(0.5):
            found[key] = names.amounts()
    found["vibe_bonus"] = {names.pick(names.vibes): names.amount()}
    found["success"] = {
        "actor_inv_delta": names.deltas(), "target_inv_delta": names.deltas(),
        "loot": names.some(names.resources, 1, 2),
    }  # fmt: skip
    return found


def draw_obs(names: Names) -> Json:
    """Draw what agents see."""
    sizes = (3, 5, 5, 7, 7, 9, 11, 13, 15, 1)
    width = names.pick(sizes)
    height = width if names.chance(0.6) else names.pick(sizes)
    told: Json = {}
    for key in ("episode_completion_pct", "last_action", "last_reward"):
        if names.chance(0.15):
            told[key] = False
    for key in ("last_action_move", "goal_obs", "local_position"):
        if names.chance(0.3):
            told[key] = True
    if names.chance(0.4):
        told["obs"] = {f"told{k}": draw_value(names) for k in range(names.rng.randint(1, 3))}
    found: Json = {
        "width": width, "height": height, "num_tokens": names.pick((900, 1500, 2500)),
        "global_obs": told, "aoe_mask": names.chance(0.2), "territory": names.chance(0.4),
    }  # fmt: skip
    if names.chance(0.03):
        found["token_dim"] = 4
    if names.chance(0.25):
        found["token_value_base"] = names.pick((100, 10, 16, 255, 200))
    if names.chance(0.15):
        found["observation_radius_value"] = draw_value(names)
    return found


def draw_all_materialized(names: Names) -> list[Json]:
    """Draw one query for each of their tags, and now and then one more that gives another tag."""
    found = [draw_materialized(names, tag) for tag in names.materialized]
    if found and names.odd():
        found.append(draw_materialized(names, names.pick(names.tags)))
    return found


def draw_materialized(names: Names, tag: str) -> Json:
    found: Json = {"tag": tag, "query": draw_query(names, 2)}
    if names.chance(0.1):
        found |= {"filters": draw_filters(names, 0, 1.0), "max_items": 2, "source": names.tag()}
        found["order_by"] = "random"
    return found


def draw_rest(names: Names) -> Json:
    """Draw what belongs to no part of the game."""
    found: Json = {"protocol_details_obs": names.chance(0.7)}
    if names.chance(0.35):
        found["on_tick"] = draw_any_handler(names, rare=True, place="game")
    if names.chance(0.1):
        stats = names.some(names.game_stats, 1, 2)
        found["end_episode_on_game_stats"] = {
            stat: names.pick((1.0, 3.0, 20.0, 500.0)) for stat in stats
        }
    if names.chance(0.15):
        found["talk"] = {
            "enabled": names.chance(0.85), "max_length": names.pick((1, 8, 20, 140)),
            "cooldown_steps": names.pick((0, 1, 3, 50)),
        }  # fmt: skip
        if names.chance(0.4):
            found["talk"]["broadcast_resource"] = names.resource()
    if names.chance(0.1):
        found["params"] = {"any": [1, "thing"]}
        found["reward_estimates"] = {"best": 3.5}
        found["render"] = {"symbols": {"wall": "W"}}
    return found
