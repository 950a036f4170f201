"""Read MettaGrid's game values, filters and queries, which contain each other."""

from typing import Any

from mesocosm.core.errors import short
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT
from mesocosm.worlds.mettagrid.game.value import CARDINALS
from mesocosm.worlds.mettagrid.upstream.part import QUERY_FILTERS, TYPED, Part

FOLD_KINDS = ("min", "max", "sum")
# filters about one of the two, and a key of ours for each of theirs
NAMED = {
    "resource": {"resources": "resources"},
    "vibe": {"vibe": "vibe"},
    "tag": {"tag": "tag"},
    "tag_prefix": {"prefix": "tag_prefix"},
}


def read_filters(part: Part, key: str) -> list[dict[str, Any]]:
    """Turn a list of filters into ours."""
    return [read_filter(entry) for entry in part.items(key)]


def read_filter(part: Part) -> dict[str, Any]:
    """Turn a filter into a condition."""
    kind = part.take("filter_type")
    if kind == "not":
        inner = read_filter(part.part("inner"))
        part.finish()
        return inner | {"negate": not inner.get("negate", False)}
    made: dict[str, Any] = {"kind": "any_of" if kind == "or" else kind}
    if kind == "or":
        made["inner"] = read_filters(part, "inner")
    elif kind in NAMED:
        made["who"] = part.take("target", "target")
        made |= {ours: part.take(theirs) for ours, theirs in NAMED[kind].items()}
    elif kind == "shared_tag_prefix":
        made["prefix"] = part.take("tag_prefix")
    elif kind == "max_distance":
        made |= {
            "who": part.take("target", "target"),
            "radius": min(part.take("radius", 1), MAX_AMOUNT),
        }
        if part.take("query") is not None:
            made["query"] = read_query(part, "query")
    elif kind == "periodic":
        made["period"] = part.take("period", 1)
        made["start"] = part.take("start_on", made["period"])
    elif kind == "game_value":
        made |= {"who": part.take("target", "target"), "value": expression(part.part("value"))}
        made["least"] = _least(part)
    elif kind not in ("target_loc_empty", "target_is_usable"):
        raise part.fail("filter_type", f"is not supported, got {kind!r}")
    part.finish()
    return made


def _least(part: Part) -> dict[str, Any]:
    """Read a threshold: a number, or a value."""
    least = part.take("min", 0)
    if isinstance(least, (int, float)):
        return {"kind": "const", "number": float(least)}
    return expression(part.part("min"))


def number(part: Part, key: str, ours: str) -> dict[str, Any]:
    """Take a number, or a value instead of it, under our names; nothing if it is missing."""
    found = part.take(key)
    if found is None:
        return {}
    if isinstance(found, int):
        return {ours: max(found, -1) if ours == "most" else min(max(found, 0), MAX_AMOUNT)}
    return {f"{ours}_value": expression(part.part(key))}


def read_query(part: Part, key: str) -> dict[str, Any]:
    """Turn a query, or a tag that stands for one, into ours."""
    if isinstance(part.take(key), str):
        return {"kind": "tag", "tag": part.take(key)}
    query = part.part(key)
    query.skip(TYPED)
    kind = query.take("query_type", "query")
    made: dict[str, Any]
    if kind == "materialized":
        query.skip(*query.keys())
        return {"kind": "tag", "tag": query.take("tag")}
    if kind == "query":
        made = {"kind": "tag", "tag": query.take("source")}
        if not isinstance(made["tag"], str):
            made = {"kind": "filtered", "source": read_query(query, "source")}
        made["filters"] = read_filters(query, "filters")
    elif kind == "closure":
        made = {"kind": kind, "source": read_query(query, "source")}
        made["candidates"] = read_query(query, "candidates")
        made |= {"edges": read_filters(query, "edge_filters")}
        made["filters"] = read_filters(query, "filters")
    elif kind == "raycast":
        made = {"kind": kind, "source": read_query(query, "source")}
        made["directions"] = list(query.take("directions", CARDINALS))
        made |= number(query, "max_range", "reach")
        made["blockers"] = read_filters(query, "blocker")
        made["include_blocker"] = query.take("include_blocker", True)
    else:
        raise query.fail("query_type", f"is not supported, got {kind!r}")
    shuffled = query.take("order_by") == "random"
    made["shuffled"] = shuffled and kind != "raycast"  # MettaGrid does not hand it on
    made |= number(query, "max_items", "most")
    query.finish()
    return made


def value_section(part: Part) -> dict[str, Any]:
    """Turn a game value into a reward or into what is told: a plain sum where it is one."""
    value = expression(part)
    weights = _plain(value)
    return {"value": value} if weights is None else {"weights": weights}


def expression(part: Part) -> dict[str, Any]:
    """Turn a game value into an expression; the parts have no names, their keys tell them apart."""
    made: dict[str, Any]
    if part.has("query"):
        made = _of_query(part)
    elif part.has("item"):  # for whom anybody acts, it is their own in either scope
        made = {"kind": "inventory", "resource": part.take("item")}
        made["scope"] = part.take("scope", "agent")
    elif part.has("name"):
        part.skip("delta")  # has no effect in MettaGrid
        made = {"kind": "stat", "stat": part.take("name"), "scope": part.take("scope", "agent")}
    elif part.has("value"):
        made = {"kind": "const", "number": float(part.take("value"))}
    elif part.has("numerator"):
        both = {key: part.take(key) for key in ("numerator", "denominator")}
        made = {"kind": "ratio", "of": [_inner(x, part.at(key)) for key, x in both.items()]}
    elif part.has("values"):
        made = _fold(part)
    else:
        raise part.fail("", "this kind of value is not supported")
    part.skip("type", "value_type")
    part.finish()
    return made


def _inner(value: Any, path: str) -> dict[str, Any]:
    """Turn a value within another into an expression.

    MettaGrid reads the filters of queries there from JSON without their types, and then leaves
    them out; those that a config object has are marked by `dumped`.
    """
    return expression(Part(_without_filters(value), path))


def _without_filters(data: Any) -> Any:
    if isinstance(data, list):
        return [_without_filters(entry) for entry in data]
    if not isinstance(data, dict) or data.get(TYPED):
        return data
    lost = QUERY_FILTERS if "query_type" in data else ()
    return {key: _without_filters(entry) for key, entry in data.items() if key not in lost}


def _of_query(part: Part) -> dict[str, Any]:
    made = {"kind": "query_count", "query": read_query(part, "query")}
    if part.has("item"):
        made |= {"kind": "query_inventory", "resource": part.take("item")}
    return made


def _fold(part: Part) -> dict[str, Any]:
    """Read a sum, which has weights and a logarithm, or a minimum or maximum.

    MettaGrid's own dumps do not tell them apart, and it reads all of them back as sums; those of
    its config objects are marked by `dumped`.
    """
    at, values = part.at("values"), enumerate(part.take("values", []))
    made: dict[str, Any] = {"kind": "sum", "of": [_inner(x, f"{at}.{k}") for k, x in values]}
    if part.has("weights") or part.has("log"):
        made |= {"weights": part.take("weights", []), "log": part.take("log", False)}
        made["weights"] = [float(x) for x in made["weights"]]
        return made
    kind = part.take("type", "sum")
    if kind not in FOLD_KINDS:
        raise part.fail("type", f"must be one of {', '.join(FOLD_KINDS)}, got {short(kind)}")
    return made | {"kind": kind}


def _plain(value: dict[str, Any]) -> dict[str, float] | None:
    """Return the weights of a sum of different resources, or nothing if it is none."""
    if value["kind"] == "inventory":
        return {value["resource"]: 1.0}
    if value["kind"] != "sum" or value.get("log"):
        return None
    if any(part["kind"] != "inventory" for part in value["of"]):
        return None
    names = [part["resource"] for part in value["of"]]
    if len(set(names)) < len(names):
        return None
    weights = value.get("weights") or [1.0] * len(names)
    return dict(zip(names, weights, strict=True))
