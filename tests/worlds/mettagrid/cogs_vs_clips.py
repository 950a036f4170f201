"""Small maps with the rules of the preset cogs_vs_clips, and short ways to look into them."""

from typing import Any

import mesocosm as meso
from mesocosm.worlds.mettagrid.compile.plan import plan
from mesocosm.worlds.mettagrid.land import tags_of

PRESET = "mettagrid/cogs_vs_clips"
TEAMS = [team.model_dump() for team in meso.load_config(PRESET).core.teams]
AMBER, TEAL = 0, 1
START = {"hull": 50, "charge": 30, "solar": 2}


def small_game(
    *rows: str, teams: tuple[int, ...] = (AMBER,), holds: dict | None = None, **core: Any
) -> Any:
    """Make a game with the letters of the preset's map and one agent for each of `teams`."""
    overrides = {f"core.{key}": value for key, value in core.items()} | {
        "core.num_agents": len(teams),
        "core.teams": [TEAMS[k] | {"size": 1} for k in teams],
        "core.map.rows": list(rows),
        "core.agent.inventory.initial": START | (holds or {}),
    }
    env = meso.make(PRESET, overrides, target="python", autoreset="off")
    env.reset(seed=0)
    return env


def things(env: Any, name: str) -> list[int]:
    """List the slots of the things of a kind, in the order of the map."""
    made = plan(env.config.core)
    return [k for k in range(made.num_things) if made.kinds[made.kind_of[k]].name == name]


def held(env: Any, k: int, resource: str) -> int:
    """Return how much of a resource a thing has."""
    return int(env.truth("amount")[0, k, env.config.core.resources.index(resource)])


def tags(env: Any, k: int) -> set[str]:
    """Return the tags of a thing, its type aside."""
    names = env.spec.extras["tags"]
    found = {names[tag] for tag in tags_of({"tag": env.truth("tag")[0]}, k)}
    return {name for name in found if not name.startswith("type:")}


def place(env: Any, k: int) -> tuple[int, int]:
    """Return where a thing is; (-1, -1) when it is gone."""
    return int(env.truth("row")[0, k]), int(env.truth("col")[0, k])


def paid(env: Any, a: int = 0) -> dict[str, float]:
    """Return what an agent was paid in the last step, by reward term."""
    return dict(zip(plan(env.config.core).terms, env.truth("earned")[0, a].tolist(), strict=True))
