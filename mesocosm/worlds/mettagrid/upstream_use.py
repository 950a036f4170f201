"""Read the program's handlers: the filters and mutations that this world plays."""

from typing import Any

from mesocosm.worlds.mettagrid.upstream_part import Part
from mesocosm.worlds.mettagrid.upstream_value import expression


def handlers(part: Part) -> dict[str, Any]:
    """Turn an on-use handler, alone or in a list, into ours."""
    kind = part.take("handler_type")
    if kind is None:
        return {"on_use": [_handler(part)], "on_use_mode": "first"}
    if kind not in ("first_match", "all_of"):
        raise part.fail("handler_type", f"is not supported, got {kind!r}")
    found = []
    for entry in part.items("handlers"):
        if entry.take("handler_type") is not None:
            raise entry.fail("handler_type", "handlers within handlers are not supported")
        found.append(_handler(entry))
    part.finish()
    return {"on_use": found, "on_use_mode": "first" if kind == "first_match" else "all"}


def _handler(part: Part) -> dict[str, Any]:
    part.skip("name")
    made = {
        "filters": [_filter(entry) for entry in part.items("filters")],
        "mutations": [_mutation(entry) for entry in part.items("mutations")],
    }
    part.finish()
    return made


def _filter(part: Part) -> dict[str, Any]:
    kind = part.take("filter_type")
    if kind == "not":
        inner = _filter(part.part("inner"))
        part.finish()
        return inner | {"negate": not inner.get("negate", False)}
    made: dict[str, Any] = {"kind": "any_of" if kind == "or" else kind}
    if kind == "or":
        made["inner"] = [_filter(entry) for entry in part.items("inner")]
    elif kind in ("resource", "vibe", "tag"):
        made["who"] = part.take("target", "target")
        key = {"resource": "resources"}.get(kind, kind)
        made[key] = part.take(key)
    elif kind == "max_distance":
        part.skip("target")
        made["radius"] = part.take("radius", 0)
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


def _written(part: Part, kind: str) -> dict[str, Any]:
    """Read what writes a statistic, or adds to it or to a resource."""
    if kind == "stats":
        who, scope = part.take("entity", "target"), part.take("target", "game")
        made = {"kind": "set_stat", "who": who, "scope": scope, "stat": part.take("stat")}
        return made | {"source": expression(part.part("source"))}
    value = expression(part.part("value"))
    where = {key: value[key] for key in ("resource", "stat", "scope") if key in value}
    made = {"kind": "add_value", "who": part.take("target", "actor")} | where
    delta = float(part.take("delta", 0.0))
    if part.take("source") is None:
        return made | {"source": {"kind": "const", "number": delta}}
    return made | {"source": expression(part.part("source"))}


def _mutation(part: Part) -> dict[str, Any]:
    kind = part.take("mutation_type")
    made: dict[str, Any] = {"kind": kind}
    if kind == "resource_delta":
        made |= {"who": part.take("target", "target"), "resources": part.take("deltas", {})}
    elif kind == "resource_transfer":
        made |= {
            "who": part.take("from_target"),
            "to": part.take("to_target"),
            "resources": part.take("resources", {}),
            "remove_when_empty": part.take("remove_source_when_empty", False),
        }
    elif kind == "clear_inventory":
        made |= {"who": part.take("target"), "limit": part.take("limit_name")}
    elif kind == "change_vibe":
        made |= {"who": part.take("target", "target"), "vibe": part.take("vibe_name", "default")}
    elif kind in ("add_tag", "remove_tag"):
        made |= {"who": part.take("target", "target"), "tag": part.take("tag")}
    elif kind in ("stats", "set_game_value"):
        made = _written(part, kind)
    elif kind != "swap":
        raise part.fail("mutation_type", f"is not supported, got {kind!r}")
    part.finish()
    return made
