"""Read MettaGrid's handlers: their filters and mutations."""

from collections.abc import Mapping
from typing import Any

from mesocosm.worlds.mettagrid.game.value import CARDINALS
from mesocosm.worlds.mettagrid.upstream.part import Part
from mesocosm.worlds.mettagrid.upstream.query import expression, number, read_filters, read_query

MODES = {"first_match": "first", "all_of": "all"}
# mutations that only name who is meant, and a key of ours for each of theirs
NAMED: dict[str, dict[str, str]] = {
    "resource_delta": {"resources": "deltas"},
    "change_vibe": {"vibe": "vibe_name"},
    "add_tag": {"tag": "tag"},
    "remove_tag": {"tag": "tag"},
    "remove_tags_with_prefix": {"prefix": "prefix"},
    "clear_inventory": {"limit": "limit_name"},
}
ALONE = ("swap", "relocate", "use_target", "push_object")


def handler(part: Part) -> dict[str, Any] | None:
    """Turn a handler, alone or with others in it, into ours; None if there is nothing in it."""
    kind = part.take("handler_type")
    if kind is None or kind == "handler":
        part.skip("name")
        made = {"filters": read_filters(part, "filters"), "mutations": read_mutations(part)}
        part.finish()
        return made
    if kind not in MODES:
        raise part.fail("handler_type", f"is not supported, got {kind!r}")
    found = [handler(entry) for entry in part.items("handlers")]
    part.finish()
    inner = [entry for entry in found if entry is not None]
    return {"mode": MODES[kind], "handlers": inner} if inner else None


def optional_handler(part: Part, key: str) -> dict[str, Any] | None:
    """Turn a handler that may be missing into ours."""
    return None if part.take(key) is None else handler(part.part(key))


def use_section(part: Part) -> dict[str, Any]:
    """Read what happens to who uses an object."""
    made = optional_handler(part, "on_use_handler")
    return {} if made is None else {"on_use": [made]}


def read_mutations(part: Part) -> list[dict[str, Any]]:
    """Turn a list of mutations into ours."""
    return [_mutation(entry) for entry in part.items("mutations")]


def settle_names(section: Any, objects: Mapping[str, Any], limits: Mapping[str, Any]) -> None:
    """Write out, in all changes of a section, what names of objects and limits mean."""
    if isinstance(section, list):
        for entry in section:
            settle_names(entry, objects, limits)
    elif isinstance(section, dict):
        kind = section.get("kind")
        if kind in ("spawn_object", "raycast_spawn") and section["object"] not in objects:
            section["object"] = ""
        if kind == "clear_inventory" and section["limit"] in limits:
            section |= {"names": limits[section["limit"]]["resources"], "limit": ""}
        for entry in section.values():
            settle_names(entry, objects, limits)


def _written(part: Part, kind: str) -> dict[str, Any]:
    """Read what writes a statistic, or adds to it or to a resource."""
    if kind == "stats":
        who, scope = part.take("entity", "target"), part.take("target", "game")
        made = {"kind": "set_stat", "who": who, "scope": scope, "stat": part.take("stat")}
        return made | {"source": expression(part.part("source"))}
    value = expression(part.part("value"))
    if value["kind"] == "inventory" and value["scope"] == "game":  # if nobody's, a statistic
        value |= {"stat": f"{value['resource']}.amount"}
    where = {key: value[key] for key in ("resource", "stat", "scope") if key in value}
    made = {"kind": "add_value", "who": part.take("target", "actor")} | where
    delta = float(part.take("delta", 0.0))
    if part.take("source") is None:
        return made | {"source": {"kind": "const", "number": delta}}
    return made | {"source": expression(part.part("source"))}


def _mutation(part: Part) -> dict[str, Any]:
    kind = part.take("mutation_type")
    made: dict[str, Any] = {"kind": kind}
    if kind in NAMED:
        made["who"] = part.take("target", "target")
        made |= {ours: part.take(theirs) for ours, theirs in NAMED[kind].items()}
        if kind == "change_vibe" and made["vibe"] is None:
            made["vibe"] = "default"
    elif kind == "resource_transfer":
        made |= _transfer(part)
    elif kind in ("stats", "set_game_value"):
        made = _written(part, kind)
    elif kind == "attack":
        part.skip(*part.keys())  # MettaGrid reads an attack and leaves it out
    elif kind == "spawn_object":
        made["object"] = part.take("object_type")
    elif kind == "raycast_spawn":
        made |= {"object": part.take("object_type")} | number(part, "max_range", "reach")
        made["directions"] = list(part.take("directions", CARDINALS))
        made["blockers"] = read_filters(part, "blocker")
    elif kind == "set_relative_target":
        made |= {"direction": part.take("direction"), "distance": part.take("distance", 1)}
    elif kind in ("query_inventory", "query_place_adjacent"):
        made |= _by_query(part, kind)
    elif kind == "recompute_materialized_query":
        made["prefix"] = part.take("tag_prefix")
    elif kind not in ALONE:
        raise part.fail("mutation_type", f"is not supported, got {kind!r}")
    part.finish()
    return made


def _transfer(part: Part) -> dict[str, Any]:
    made = {
        "who": part.take("from_target"),
        "to": part.take("to_target"),
        "resources": part.take("resources", {}),
        "remove_when_empty": part.take("remove_source_when_empty", False),
    }
    return made


def _by_query(part: Part, kind: str) -> dict[str, Any]:
    made: dict[str, Any] = {"query": read_query(part, "query")}
    if kind == "query_place_adjacent":
        return made | {"who": part.take("target", "actor")}
    made["resources"] = part.take("deltas", {})
    if part.take("source") is not None:
        made["giver"] = part.take("source")
    made["gift_stats"] = part.take("transfer_stats", {})
    return made
