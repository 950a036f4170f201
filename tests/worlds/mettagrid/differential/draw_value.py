"""Draw game values: what rewards, observations, filters and limits of queries are made of."""

from typing import Any

from tests.worlds.mettagrid.differential.names import Json, Names

KINDS = {
    "inventory": 6.0, "stat": 5.0, "const": 3.0, "query_inventory": 1.5, "query_count": 2.0,
    "sum": 2.0, "ratio": 1.0, "max": 1.0, "min": 1.0,
}  # fmt: skip
SIMPLE = ("inventory", "stat", "const")


def draw_value(names: Names, depth: int = 2) -> Json:
    """Draw any game value; `depth` bounds how far values and queries nest."""
    kind = names.weighted(KINDS) if depth > 0 else names.pick(SIMPLE)
    if kind in SIMPLE:
        return draw_simple_value(names, kind)
    if kind in ("query_inventory", "query_count"):
        return draw_query_value(names, kind, depth - 1)
    if kind == "ratio":
        parts = [draw_value(names, depth - 1) for _ in range(2)]
        return {"numerator": parts[0], "denominator": parts[1]}
    values = [draw_value(names, depth - 1) for _ in range(names.rng.randint(1, 3))]
    if kind == "sum":
        weights = [names.number() for _ in values] if names.chance(0.6) else None
        return {"values": values, "weights": weights, "log": names.chance(0.25)}
    return {"type": kind, "values": values}


def draw_simple_value(names: Names, kind: str) -> Json:
    if kind == "inventory":
        return draw_inventory_value(names)
    return draw_stat_value(names) if kind == "stat" else {"value": names.number()}


def draw_inventory_value(names: Names) -> Json:
    scope = "game" if names.chance(0.03) else "agent"
    return {"item": names.resource(), "scope": scope}


def draw_stat_value(names: Names) -> Json:
    if names.chance(0.35):
        return {
            "name": names.pick(names.game_stats), "scope": "game", "delta": names.chance(0.25),
        }  # fmt: skip
    return {"name": names.pick(names.stats), "scope": "agent", "delta": names.chance(0.25)}


def draw_query_value(names: Names, kind: str, depth: int) -> Json:
    from tests.worlds.mettagrid.differential.draw_query import draw_query

    found: Json = {"query": draw_query(names, depth)}
    if kind == "query_inventory":
        found["item"] = names.resource()
    return found


def draw_count(names: Names, depth: int, *, low: int = 0, high: int = 4) -> Any:
    """Draw a bound of a query: a number, or a value that is one."""
    if depth > 0 and names.chance(0.3):
        return draw_value(names, depth - 1)
    return names.rng.randint(low, high)
