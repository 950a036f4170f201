"""Small mettagrid games drawn as text, and short ways to play and inspect them.

The folders here are packages, but this one is none: it would hide the wheel `mettagrid`.
"""

from typing import Any

import numpy as np

import mesocosm as meso
from mesocosm.worlds.mettagrid import IdMap
from mesocosm.worlds.mettagrid.client import tokens

NOOP, NORTH, SOUTH, WEST, EAST = range(5)
INVALID = 99  # the id of no action
LEGEND = {".": "empty", "@": "agent.agent", "#": "wall"}
WALL = {"wall": {"kind": "wall"}}
TAKE = {"kind": "resource_transfer", "who": "target", "to": "actor", "resources": {"ore": 2}}
PUT = {"kind": "resource_transfer", "who": "actor", "to": "target", "resources": {"ore": 1}}
OBJECTS = WALL | {
    "ext": {"inventory": {"initial": {"ore": 5}}, "on_use": [{"mutations": [TAKE]}]},
    "chest": {"on_use": [{"mutations": [PUT]}]},
}
ALL_HINTS = {"last_action_move": True, "local_position": True, "territory": True}
MINE = ("#####", "#@E.#", "#..@#", "#####")
PAY = {"kind": "resource_delta", "who": "actor", "resources": {"energy": -1}}
PAID_EXTRACTOR = {"inventory": {"initial": {"ore": 5}}, "on_use": [{"mutations": [TAKE, PAY]}]}
START = {"inventory": {"initial": {"energy": 3}}}
CLASSIC = {"profile": "classic", "conformance": "upstream", "order": "auto"}
CLASSIC_VIBES = ["default", "make", "armor", "fight", "give"]


def config(*rows: str, **core: Any) -> dict[str, Any]:
    """Return the config of a game whose map is `rows`.

    `@` is an agent, `#` a wall, `.` a free cell, a capital the object with this initial.
    """
    objects = core.setdefault("objects", OBJECTS)
    capitals = {name[0].upper(): name for name in objects if name != "wall"}
    legend = LEGEND | {char: capitals[char] for char in "".join(rows) if char not in LEGEND}
    made = {
        "num_agents": sum(row.count("@") for row in rows),
        "obs": {"width": 5, "height": 5, "num_tokens": 100},
        "order": "seeded_shuffle_upstream",
        "map": {
            "kind": "ascii",
            "rows": list(rows),
            "legend": {char: legend[char] for char in sorted(set("".join(rows)))},
        },
    }
    return {
        "schema": 1, "identity": {"world": "mettagrid", "version": 3}, "core": made | core,
        "layers": {}, "agents": {}, "instrumentation": {},
    }  # fmt: skip


def game(*rows: str, **core: Any) -> Any:
    """Make a game in plain Python and reset it with seed 0."""
    env = meso.make(config(*rows, **core), target="python", autoreset="off")
    env.reset(seed=0)
    return env


def scripted_game(
    *rows: str, a: dict | None = None, b: dict | None = None, c: dict | None = None, **core: Any
) -> Any:
    """Make a game with three kinds of objects, whose handlers are under test."""
    made = {
        "resources": ["x", "y", "z"],
        "vibes": ["default", "odd"],
        "tags": ["t", "u", "team:a", "team:b"],
        "objects": WALL | {"a": a or {}, "b": b or {}, "c": c or {}},
        "obs": {"width": 7, "height": 7, "num_tokens": 200},
        "order": "auto",
    }
    return game(*rows, **made | core)


def mining_game(rows: tuple[str, ...] = MINE, **core: Any) -> Any:
    """Make a game in which two agents can take ore from an extractor and pay energy for it."""
    made = {
        "resources": ["energy", "ore", "hp"],
        "vibes": ["calm", "glad"],
        "objects": WALL | {"ext": PAID_EXTRACTOR},
        "obs": {"width": 5, "height": 5, "num_tokens": 200},
        "actions": {"vibes": ["calm", "glad"]},
        "agent": START,
    }
    return game(*rows, **made | core)


def classic_game(
    *rows: str,
    agents: list[dict] | None = None,
    asm: dict | None = None,
    chest: dict | None = None,
    actions: dict | None = None,
    **core: Any,
) -> Any:
    """Make a game of the classic profile; `agents` lists inventories or kinds, in map order."""
    kinds = [
        kind if "inventory" in kind else {"inventory": {"initial": kind}} for kind in agents or []
    ]
    made = CLASSIC | {
        "resources": ["energy", "ore", "heart", "armor"],
        "vibes": CLASSIC_VIBES,
        "agents": kinds,
        "objects": WALL
        | {
            "asm": {"kind": "assembler"} | (asm or {}),
            "chest": {"kind": "chest"} | (chest or {}),
            "depot": {"kind": "chest", "inventory": {"initial": {"ore": 4}}},
        },
        "actions": {"vibes": CLASSIC_VIBES} | (actions or {}),
    }
    return game(*rows, **made | core)


def id_map(**core: Any) -> IdMap:
    """Return the ids of a game with one agent and walls."""
    return IdMap(meso.load_config(config("@#", **{"objects": WALL} | core)).core)


def play(env: Any, *actions: int | str) -> Any:
    """Step with one action per agent, by id or name."""
    names = env.spec.roles["cog"].action.choices[0].options
    ids = [names.index(action) if isinstance(action, str) else action for action in actions]
    return env.step(np.array(ids, np.int32).reshape(1, -1, 1))


def succeeded(step: Any) -> list[bool]:
    """List for each agent whether its action succeeded."""
    return (np.asarray(step.info["success"])[0] != 0).tolist()


def try_actions(env: Any, *actions: int | str) -> list[bool]:
    """Step with one action per agent and list which succeeded."""
    return succeeded(play(env, *actions))


def positions(env: Any) -> list[tuple[int, int]]:
    """List row and column of every agent, then of every object."""
    return [tuple(map(int, x)) for x in zip(env.truth("row")[0], env.truth("col")[0], strict=True)]


def inventory(env: Any, thing: int = 0) -> dict[str, int]:
    """Return what an agent or object holds, without zeros."""
    amounts = zip(env.config.core.resources, env.truth("amount")[0, thing].tolist(), strict=True)
    return {name: amount for name, amount in amounts if amount}


def held(env: Any, resource: str) -> list[int]:
    """List the amounts of a resource: of every agent, then of every object."""
    return env.truth("amount")[0, :, env.config.core.resources.index(resource)].tolist()


def stats(env: Any, agent: int | None = None) -> dict[str, float]:
    """Return the statistics that are kept, by name: of an agent, or of the game."""
    field = "game_stat" if agent is None else "stat"
    row = env.truth(field)[0] if agent is None else env.truth(field)[0, agent]
    return dict(zip(env.spec.state_field(field).labels, row.tolist(), strict=True))


def read_tokens(env: Any, step: Any, agent: int = 0) -> list[Any]:
    """Decode what an agent observes."""
    return tokens.decode(np.asarray(step.obs)[0, agent], IdMap(env.config.core))


def global_features(env: Any, step: Any, agent: int = 0) -> dict[str, int]:
    """Return the features an agent observes without a place."""
    return {x.feature: x.value for x in read_tokens(env, step, agent) if x.row < 0}
