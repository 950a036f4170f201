"""Draw random game values and statistics, as MettaGrid's own config has them."""

from typing import Any

import numpy as np
from choice import TAGS, pick

ACTIONS = ("noop", "move", "change_vibe")
MINE = (
    *(f"action.{name}.{end}" for name in ACTIONS for end in ("success", "failed")),
    "action.failed", "action.invalid_index", "status.max_steps_without_motion",
    "cell.unique_visited", "cell.max_distance_from_spawn", "cell.visited", "death",
)  # fmt: skip
GAME = ("tokens_written", "tokens_dropped", "tokens_free_space", "objects.wall", "objects.thing0")
WRITTEN = ("hits", "mood", "hp.amount")  # what handlers write, of agents and of the game
SOURCES = (*TAGS, "type:agent")
FLOWS = ("amount", "gained", "lost", "deposited")


def stat_names(names: list[str]) -> tuple[list[str], list[str]]:
    """List all statistics that a random game may name: of agents, of the game."""
    goods = [f"{name}.{flow}" for name in names for flow in FLOWS]
    agent = [*MINE, *goods, *WRITTEN, "no.such.thing", "objects.wall"]
    return agent, [*GAME, *WRITTEN, "no.such.thing", names[0] + ".amount"]


def leaf(rng: np.random.Generator, names: list[str]) -> dict[str, Any]:
    """Draw a value without parts that is never negative."""
    draw = rng.random()
    if draw < 0.4:
        return {"item": pick(rng, names), "scope": pick(rng, ("agent", "game"))}
    if draw < 0.5:
        return {"value": float(pick(rng, (0.0, 1.0, 2.5, 7.0, 0.1)))}
    if draw < 0.6:
        made = {"query": {"query_type": "query", "source": pick(rng, SOURCES), "filters": []}}
        return made | ({"item": pick(rng, names)} if rng.random() < 0.5 else {})
    agent, game = stat_names(names)
    scope = pick(rng, ("agent", "agent", "game"))
    name = pick(rng, [x for x in (game if scope == "game" else agent) if x not in WRITTEN])
    return {"name": name, "scope": scope, "delta": bool(rng.random() < 0.2)}


def value(rng: np.random.Generator, names: list[str], depth: int = 2) -> dict[str, Any]:
    """Draw a game value of at most `depth` levels."""
    draw = rng.random()
    if depth == 0 or draw < 0.25:
        if rng.random() < 0.2:
            return {"name": pick(rng, WRITTEN), "scope": pick(rng, ("agent", "game"))}
        return leaf(rng, names)
    count = int(rng.integers(1, 4))
    if draw < 0.45:
        parts = [leaf(rng, names) for _ in range(count)]
        return {"values": parts, "weights": weights(rng, count), "log": True}
    if draw < 0.6:
        return {
            "numerator": value(rng, names, depth - 1),
            "denominator": value(rng, names, depth - 1),
        }
    parts = [value(rng, names, depth - 1) for _ in range(count)]
    if draw < 0.8:
        return {"type": pick(rng, ("min", "max")), "values": parts}
    return {"values": parts, "weights": weights(rng, count), "log": False}


def weights(rng: np.random.Generator, count: int) -> list[float] | None:
    if rng.random() < 0.3:
        return None
    return [float(pick(rng, (0.25, 0.5, 1.0, -0.5, 0.1, 0.3, 1.7))) for _ in range(count)]


def within(inner: dict[str, Any], low: float, high: float) -> dict[str, Any]:
    """Cut a value to a range: MettaGrid lets a value beyond two bytes spill over."""
    least = {"type": "max", "values": [inner, {"value": low}]}
    return {"type": "min", "values": [least, {"value": high}]}


def observed_values(rng: np.random.Generator, names: list[str]) -> dict[str, Any]:
    """Draw configured observation values."""
    count = int(rng.integers(1, 4))
    return {f"value{k}": within(value(rng, names), 0.0, 65535.0) for k in range(count)}


def radius(rng: np.random.Generator, names: list[str]) -> dict[str, Any]:
    if rng.random() < 0.3:
        return {"value": float(rng.integers(0, 8))}
    return within(value(rng, names, 1), 0.0, 8.0)


def condition(rng: np.random.Generator, names: list[str]) -> dict[str, Any]:
    least: Any = int(rng.integers(0, 6)) if rng.random() < 0.6 else value(rng, names, 1)
    who = pick(rng, ("actor", "target"))
    made = {"filter_type": "game_value", "target": who, "value": value(rng, names, 1)}
    return made | {"min": least}


def mutation(rng: np.random.Generator, names: list[str]) -> dict[str, Any]:
    """Draw a change that writes a statistic, or adds to it or to a resource."""
    who, name = pick(rng, ("actor", "target")), pick(rng, (*WRITTEN, *MINE[:4], "cell.visited"))
    scope = pick(rng, ("agent", "game"))
    if rng.random() < 0.5:
        me = {"name": name, "scope": scope}
        source = {"values": [me, {"value": float(pick(rng, (1.0, 0.1, 3.0)))}], "log": False}
        if rng.random() < 0.4:
            source = within(value(rng, names, 1), -1000.0, 1000.0)
        made = {"mutation_type": "stats", "stat": name, "target": scope, "entity": who}
        return made | {"source": source}
    made = {"mutation_type": "set_game_value", "target": who}
    made["value"] = {"item": pick(rng, names)} if rng.random() < 0.5 else stat_value(name, scope)
    if rng.random() < 0.5:
        return made | {"delta": float(pick(rng, (1.0, -1.0, 2.7, -3.9, 0.3)))}
    source = leaf(rng, names)
    while "query" in source:  # MettaGrid takes no query here
        source = leaf(rng, names)
    return made | {"source": source}


def stat_value(name: str, scope: str) -> dict[str, Any]:
    return {"name": name, "scope": scope}


def build(config: Any) -> Any:
    """Build MettaGrid's objects from what its dumps cannot tell apart: minimum and maximum."""
    from mettagrid.config.game_value import MaxGameValue, MinGameValue

    if isinstance(config, list):
        return [build(entry) for entry in config]
    if not isinstance(config, dict):
        return config
    made = {key: build(entry) for key, entry in config.items()}
    if set(made) == {"type", "values"} and made["type"] in ("min", "max"):
        kind = MinGameValue if made["type"] == "min" else MaxGameValue
        return kind(values=made["values"])
    return made


def mark(model: Any, dump: Any) -> None:
    """Note in a dump which values are minima and maxima."""
    from mettagrid.config.game_value import MaxGameValue, MinGameValue
    from pydantic import BaseModel

    if isinstance(model, MinGameValue | MaxGameValue):
        dump["type"] = "min" if isinstance(model, MinGameValue) else "max"
    if isinstance(model, BaseModel):
        for key in type(model).model_fields:
            if key in dump:
                mark(getattr(model, key), dump[key])
    elif isinstance(model, dict):
        for key, entry in model.items():
            if key in dump:
                mark(entry, dump[key])
    elif isinstance(model, list | tuple):
        for entry, part in zip(model, dump, strict=True):
            mark(entry, part)
