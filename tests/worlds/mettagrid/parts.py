"""Parts of configs that tests write often: handlers, changes, game values, recipes."""

from typing import Any


def use(*mutations: dict, filters: tuple | list = ()) -> dict[str, Any]:
    """Return an object that does `mutations` when used, if all `filters` hold."""
    return {"on_use": [{"filters": list(filters), "mutations": list(mutations)}]}


def give(who: str = "target", **amounts: int) -> dict[str, Any]:
    """Return a change that adds resources."""
    return {"kind": "resource_delta", "who": who, "resources": amounts}


def use_on_all(query: dict) -> dict[str, Any]:
    """Return an object that gives one `x` to everything a query finds when used."""
    return use({"kind": "query_inventory", "query": query, "resources": {"x": 1}})


def stat(name: str, scope: str = "agent") -> dict[str, Any]:
    """Return the game value of a statistic."""
    return {"kind": "stat", "stat": name, "scope": scope}


def const(number: float) -> dict[str, Any]:
    """Return a constant game value."""
    return {"kind": "const", "number": number}


def count_of(tag: str, resource: str = "") -> dict[str, Any]:
    """Return the game value that counts what has a tag, or a resource held by it."""
    kind = "query_inventory" if resource else "query_count"
    return {"kind": kind, "resource": resource, "query": {"tag": tag}}


def recipe(inputs: dict | None = None, outputs: dict | None = None, **more: Any) -> dict[str, Any]:
    """Return a protocol of an assembler."""
    return {"inputs": inputs or {}, "outputs": outputs or {}, **more}
