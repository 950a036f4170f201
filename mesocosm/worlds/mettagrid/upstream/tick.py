"""Read what happens by itself in MettaGrid: events, ticks, materialized tags."""

from typing import Any

from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT
from mesocosm.worlds.mettagrid.upstream.part import TYPED, Part
from mesocosm.worlds.mettagrid.upstream.query import read_filters, read_query
from mesocosm.worlds.mettagrid.upstream.use import handler, optional_handler, read_mutations


def event_section(game: Part) -> dict[str, Any]:
    """Read the events; each must go by its own name."""
    made = {}
    for name, part in game.parts("events"):
        part.skip("name")
        made[name] = {
            "targets": read_query(part, "target_query"),
            "steps": list(part.take("timesteps", [])),
            "filters": read_filters(part, "filters"),
            "mutations": read_mutations(part),
            "priority": part.take("priority", 0),
            "most": part.take("max_targets", -1),
            "fallback": part.take("fallback", ""),
        }
        part.finish()
    return made


def materialized_section(game: Part) -> list[dict[str, Any]]:
    """Read the tags that queries give."""
    made = []
    for part in game.items("materialize_queries"):
        part.skip("query_type", "source", "filters", "max_items", "order_by", TYPED)
        made.append({"tag": part.take("tag"), "query": read_query(part, "query")})
        part.finish()
    return made


def own_handlers(part: Part) -> dict[str, Any]:
    """Read what agents do by themselves."""
    keys = {"on_use": "on_use_handler", "on_after_use": "on_after_use_handler"}
    keys["on_tick"] = "on_tick"
    made = {ours: optional_handler(part, theirs) for ours, theirs in keys.items()}
    return {key: found for key, found in made.items() if found is not None}


def area_section(part: Part) -> list[dict[str, Any]]:
    """Read the areas of effect of a thing."""
    made = []
    for _, area in part.parts("aoes"):
        area.skip("name")
        made.append(
            {
                "radius": min(area.take("radius", 1), MAX_AMOUNT),
                "fixed": area.take("is_static", True),
                "own": area.take("effect_self", False),
                "filters": read_filters(area, "filters"),
                "mutations": read_mutations(area),
                "presence": area.take("presence_deltas", {}),
            }
        )
        area.finish()
    return made


def removal_section(part: Part) -> dict[str, Any]:
    """Read what happens to a thing when it loses a tag, by how the tag begins."""
    return {prefix: handler(entry) for prefix, entry in part.parts("on_tag_remove")}


def move_handlers(move: Part) -> list[dict[str, Any]]:
    """Read the handlers of moves: the last of those with one name, in the place of the first."""
    found: dict[str, Any] = {}
    for k, part in enumerate(move.items("handlers")):
        name = part.take("name") or f"move_handler_{k}"
        found[name] = handler(part)
    return list(found.values())
