"""Read MettaGrid's game values: sums of one's inventory, and any other expression."""

from typing import Any

from mesocosm.worlds.mettagrid.upstream.part import Part

FOLD_KINDS = ("min", "max", "sum")


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
        both = [expression(part.part(key)) for key in ("numerator", "denominator")]
        made = {"kind": "ratio", "of": both}
    elif part.has("values"):
        made = _fold(part)
    else:
        raise part.fail("", "this kind of value is not supported")
    part.skip("type", "value_type")
    part.finish()
    return made


def _of_query(part: Part) -> dict[str, Any]:
    from mesocosm.worlds.mettagrid.upstream.query import read_query

    made = {"kind": "query_count", "query": read_query(part, "query")}
    if part.has("item"):
        made |= {"kind": "query_inventory", "resource": part.take("item")}
    return made


def _fold(part: Part) -> dict[str, Any]:
    """Read a sum, which has weights and a logarithm, or a minimum or maximum.

    MettaGrid's own dumps do not tell these two apart, and it reads both back as sums.
    """
    made: dict[str, Any] = {"kind": "sum", "of": [expression(x) for x in part.items("values")]}
    if part.has("weights") or part.has("log"):
        made |= {"weights": part.take("weights", []), "log": part.take("log", False)}
        made["weights"] = [float(x) for x in made["weights"]]
        return made
    kind = part.take("type")
    if kind not in FOLD_KINDS:
        what = "is it a minimum, maximum or sum? The dump does not say: add a key `type`"
        raise part.fail("values", f"{what}, one of {', '.join(FOLD_KINDS)}")
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
