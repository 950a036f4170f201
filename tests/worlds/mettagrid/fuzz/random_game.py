"""Draw random games, as MettaGrid's own config has them."""

from typing import Any

import numpy as np
import random_value
from choice import ALL, CARDINAL, TAGS, VIBES, amounts, pick, some
from random_handler import add_handlers

SYMBOLS = "ABCDEFGHIJ"


def inventory(rng: np.random.Generator, names: list[str], full: bool) -> dict[str, Any]:
    high = int(pick(rng, (3, 20, 300, 20000, 65535)))  # more than 65535 together count from 0
    made: dict[str, Any] = {"initial": amounts(rng, names, high, 6, low=0) if full else {}}
    if rng.random() < 0.3:
        made["default_limit"] = int(rng.integers(1, 40))
    if rng.random() < 0.35:
        group = [names[k] for k in rng.permutation(len(names))[: int(rng.integers(1, 4))]]
        limit = {"base": int(rng.integers(0, 30)), "resources": group}
        if rng.random() < 0.5:
            limit["max"] = int(rng.integers(5, 200))
        if rng.random() < 0.5 and high < 65535:
            limit["modifiers"] = some(rng, names, 5, 2)
        made["limits"] = {"g": limit}
    return made


def condition(rng: np.random.Generator, names: list[str], tags: list[str]) -> dict[str, Any]:
    who = pick(rng, ("actor", "target"))
    draw = rng.random()
    if draw < 0.15:
        made = random_value.condition(rng, names)
    elif draw < 0.5:
        made = {"filter_type": "resource", "target": who, "resources": some(rng, names, 3, 2)}
    elif draw < 0.75:
        made = {"filter_type": "vibe", "target": "actor", "vibe": pick(rng, VIBES)}
    else:
        made = {"filter_type": "tag", "target": who, "tag": pick(rng, tags)}
    return {"filter_type": "not", "inner": made} if rng.random() < 0.2 else made


def single(rng: np.random.Generator, names: list[str], tags: list[str]) -> dict[str, Any]:
    """A condition of one part, as alternatives need."""
    made = condition(rng, names, tags)
    inner = made["inner"] if made["filter_type"] == "not" else made
    if inner["filter_type"] == "resource":
        name = next(iter(inner["resources"]))
        inner["resources"] = {name: inner["resources"][name]}
    return made


def mutation(rng: np.random.Generator, names: list[str], tags: list[str]) -> dict[str, Any]:
    draw, who = rng.random(), pick(rng, ("actor", "target"))
    if draw < 0.2:
        return random_value.mutation(rng, names)
    if draw < 0.4:
        deltas = {name: x * int(pick(rng, (1, -1))) for name, x in some(rng, names, 4, 3).items()}
        return {"mutation_type": "resource_delta", "target": who, "deltas": deltas}
    if draw < 0.75:
        moved = {name: int(pick(rng, (x, x, -1))) for name, x in some(rng, names, 4, 3).items()}
        other = "target" if who == "actor" else "actor"
        made = {"mutation_type": "resource_transfer", "from_target": who, "to_target": other}
        gone = who == "target" and rng.random() < 0.3
        return made | {"resources": moved, "remove_source_when_empty": bool(gone)}
    if draw < 0.85:
        return {"mutation_type": "change_vibe", "target": who, "vibe_name": pick(rng, VIBES)}
    kind = pick(rng, ("add_tag", "remove_tag"))
    return {"mutation_type": kind, "target": who, "tag": pick(rng, tags)}


def handler(rng: np.random.Generator, names: list[str], tags: list[str]) -> dict[str, Any]:
    filters = [condition(rng, names, tags) for _ in range(int(rng.integers(0, 3)))]
    if rng.random() < 0.2:
        inner = [single(rng, names, tags) for _ in range(2)]
        filters.append({"filter_type": "or", "inner": inner})
    mutations = [mutation(rng, names, tags) for _ in range(int(rng.integers(1, 4)))]
    return {"name": "h", "filters": filters, "mutations": mutations}


def on_use(rng: np.random.Generator, names: list[str], tags: list[str]) -> dict[str, Any]:
    if rng.random() < 0.7:
        return handler(rng, names, tags)
    kind = pick(rng, ("first_match", "all_of"))
    inner = [handler(rng, names, tags) for _ in range(int(rng.integers(1, 4)))]
    return {"handler_type": kind, "handlers": inner}


def objects(rng: np.random.Generator, names: list[str], territory: bool) -> dict[str, Any]:
    made: dict[str, Any] = {"wall": {"pydantic_type": "wall", "name": "wall"}}
    tags = list(TAGS)
    for k in range(int(rng.integers(1, 5))):
        name = f"thing{k}"
        entry: dict[str, Any] = {"pydantic_type": "object", "name": name}
        entry["tags"] = [tag for tag in tags if rng.random() < 0.3]
        entry["vibe"] = int(pick(rng, (0, 0, 1, 3)))
        entry["inventory"] = inventory(rng, names, full=rng.random() < 0.7)
        if rng.random() < 0.8:
            entry["on_use_handler"] = on_use(rng, names, tags)
        entry["blocks_vision"] = bool(rng.random() < 0.25)
        made[name] = entry
    if rng.random() < 0.2:
        made["wall"]["blocks_vision"] = True
    if territory:
        for team in ("a", "b"):
            control = {"territory": "land", "strength": int(rng.integers(1, 7))}
            control["decay"] = int(rng.integers(1, 4))
            made[f"hub{team}"] = {
                "pydantic_type": "object", "name": f"hub{team}", "tags": [f"team:{team}"],
                "territory_controls": [control],
            }  # fmt: skip
    return made


def draw_map(
    rng: np.random.Generator, names: list[str], agents: int, small: bool
) -> list[list[str]]:
    height, width = int(rng.integers(6, 24)), int(rng.integers(6, 60))
    if small:
        height, width = int(rng.integers(5, 10)), int(rng.integers(5, 16))
    rows = np.full((height, width), ".", dtype=object)
    if rng.random() < 0.7:
        rows[0] = rows[-1] = rows[:, 0] = rows[:, -1] = "#"
    free = rng.permutation(np.argwhere(rows == "."))
    symbols = ["@"] * agents
    symbols += ["#"] * int(len(free) * rng.uniform(0, 0.2))
    for k in range(len(names)):
        symbols += [SYMBOLS[k]] * int(rng.integers(1, 8))
    for char, (r, c) in zip(symbols[: len(free)], free, strict=False):
        rows[r, c] = char
    return [list(row) for row in rows]


def value(rng: np.random.Generator, names: list[str]) -> dict[str, Any]:
    if rng.random() < 0.6:
        return random_value.value(rng, names)
    chosen = list(some(rng, names, 1, 3))
    weights = [float(pick(rng, (0.25, 0.5, 1.0, -0.5, 0.1, 0.3))) for _ in chosen]
    values = [{"item": name, "scope": "agent"} for name in chosen]
    return {"values": values, "weights": weights, "log": False}


def window(rng: np.random.Generator, names: list[str], territory: bool) -> dict[str, Any]:
    height = int(pick(rng, (3, 5, 7, 9, 11, 13, 15)))
    width = height if rng.random() < 0.7 else int(pick(rng, (3, 5, 7, 11, 13, 15)))
    hints: dict[str, Any] = {
        key: bool(rng.random() < 0.8)
        for key in ("episode_completion_pct", "last_action", "last_reward")
    }
    hints |= {key: bool(rng.random() < 0.5) for key in ("last_action_move", "local_position")}
    hints["goal_obs"] = bool(rng.random() < 0.2)
    if rng.random() < 0.3:
        hints["obs"] = {"mine": {"item": names[0], "scope": "agent"}}
    if rng.random() < 0.5 and len(names) < 9:
        hints["obs"] = hints.get("obs", {}) | random_value.observed_values(rng, names)
    made = {
        "width": width, "height": height, "num_tokens": 3000, "global_obs": hints,
        "token_value_base": int(pick(rng, (2, 10, 100, 256)[2 * (len(names) > 9) :])),
        "territory": territory,
    }  # fmt: skip
    if rng.random() < 0.2 and not territory:  # together MettaGrid breaks its own memory
        made["observation_radius_value"] = random_value.radius(rng, names)
    return made


def agent(rng: np.random.Generator, names: list[str], team: int, territory: bool) -> dict[str, Any]:
    tags = ["red"] if rng.random() < 0.3 else []
    tags += [f"team:{'ab'[team % 2]}"] if territory else []
    made: dict[str, Any] = {"tags": tags, "team_id": team * 3, "vibe": int(pick(rng, (0, 0, 2)))}
    made["inventory"] = inventory(rng, names, full=rng.random() < 0.8)
    made["rewards"] = {
        f"r{k}": {"reward": value(rng, names), "per_tick": bool(rng.random() < 0.2)}
        for k in range(int(rng.integers(0, 5)))
    }
    if rng.random() < 0.3:
        made["initial_stats"] = {"mood": 2.5, f"{names[0]}.amount": 7.0, "action.failed": 3.0}
    return made


def draw_config(rng: np.random.Generator, level: int = 0) -> dict[str, Any]:
    """Draw a game; its handlers are plain at level 0 and of every kind at level 4."""
    config = _draw_config(rng, small=level > 0)
    return add_handlers(config, rng, level) if level else config


def _draw_config(rng: np.random.Generator, small: bool) -> dict[str, Any]:
    count = int(pick(rng, (1, 2, 3, 5, 6, 9, 18)))
    names = [f"res{k}" for k in range(count - 1)] + ["hp"]
    agents, territory = int(rng.integers(1, 25)), bool(rng.random() < 0.25)
    things = objects(rng, names, territory)
    legend = {"#": "wall", ".": "empty", "@": "agent.agent", "%": "agent.team_1"}
    kinds = [name for name in things if name != "wall"]
    legend |= {SYMBOLS[k]: name for k, name in enumerate(kinds)}
    rows = draw_map(rng, kinds, agents, small)
    agents = sum(row.count("@") for row in rows)
    if agents > 1 and rng.random() < 0.4:
        teams = [agent(rng, names, team, territory) for team in range(2)]
        people = [teams[k % 2] for k in range(agents)]
        second = rng.permutation(agents)[: agents // 2]
        flat = [(r, c) for r, row in enumerate(rows) for c, x in enumerate(row) if x == "@"]
        for k in second:
            rows[flat[k][0]][flat[k][1]] = "%"
    else:
        people = [agent(rng, names, 0, territory)] * agents
    vibes = [{"symbol": "x", "name": name, "category": "c"} for name in VIBES]
    game = {
        "resource_names": names,
        "vibe_names": list(VIBES),
        "num_agents": agents,
        "max_steps": int(pick(rng, (0, 37, 1000))),
        "episode_truncates": bool(rng.random() < 0.3),
        "obs": window(rng, names, territory),
        "agents": people,
        "agent": people[0],
        "actions": {
            "move": {"allowed_directions": ALL if rng.random() < 0.3 else CARDINAL},
            "change_vibe": {"vibes": vibes},
        },
        "objects": things,
        "protocol_details_obs": count < 10 and bool(rng.random() < 0.5),
        "tags": list(TAGS),
        "territories": {"land": {"tag_prefix": "team:"}} if territory else {},
        "map_builder": {
            "type": "mettagrid.map_builder.ascii.AsciiMapBuilder.Config",
            "map_data": rows,
            "char_to_map_name": legend,
        },
    }
    return {"game": game}
