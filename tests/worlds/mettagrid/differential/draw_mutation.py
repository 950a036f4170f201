"""Draw mutations: what handlers do."""

from typing import Any

from tests.worlds.mettagrid.differential.draw_query import (
    draw_blockers,
    draw_query,
)
from tests.worlds.mettagrid.differential.draw_value import (
    draw_count,
    draw_inventory_value,
    draw_stat_value,
    draw_value,
)
from tests.worlds.mettagrid.differential.names import DIAGONALS, DIRECTIONS, Json, Names

MUTATIONS = {
    "resource_delta": 6.0, "resource_transfer": 5.0, "clear_inventory": 1.2, "attack": 0.3,
    "stats": 3.0, "add_tag": 2.5, "remove_tag": 2.0, "remove_tags_with_prefix": 0.8,
    "set_game_value": 2.0, "query_place_adjacent": 0.8, "recompute_materialized_query": 1.5,
    "query_inventory": 2.0, "relocate": 1.0, "set_relative_target": 1.0, "spawn_object": 1.2,
    "swap": 0.8, "use_target": 0.4, "change_vibe": 1.5, "raycast_spawn": 0.6, "push_object": 1.0,
}  # fmt: skip
BARRED = {
    "event": ("use_target", "push_object", "swap"),  # the wheel has no such events
    "use": ("use_target",),  # the wheel calls the same handler again until its stack is full
    "after": ("use_target",),
    # the wheel reads through a null pointer, there is neither actor nor target
    "game": ("resource_delta", "resource_transfer", "clear_inventory", "remove_tags_with_prefix",
             "query_inventory"),
}  # fmt: skip
PLAIN = ("use_target", "swap", "relocate", "push_object")


def draw_mutation(names: Names, kind: str = "", without: tuple[str, ...] = ()) -> Json:
    """Draw any mutation, or one that a place allows."""
    kind = kind or names.weighted(MUTATIONS)
    if kind in without and not names.chance(0.01):
        kind = "stats" if "resource_delta" in without else "resource_delta"
    if kind == "clear_inventory" and not names.limits:
        kind = "resource_delta"
    if kind == "recompute_materialized_query" and not names.materialized:
        kind = "add_tag"
    draw = next((draw for kinds, draw in DRAWN_BY if kind in kinds), draw_tag_mutation)
    return {"mutation_type": kind} | draw(names, kind)


def draw_nothing(names: Names, kind: str) -> Json:
    return {}


def draw_inventory_mutation(names: Names, kind: str) -> Json:
    if kind == "resource_delta":
        return {"target": names.entity(), "deltas": names.deltas()}
    if kind == "resource_transfer":
        resources = names.amounts()
        if names.chance(0.25):
            resources[names.resource()] = -1
        ends = ["target", "actor"] if names.chance(0.6) else ["actor", "target"]
        if names.odd():
            ends = [ends[0], ends[0]]
        return {
            "from_target": ends[0], "to_target": ends[1], "resources": resources,
            "remove_source_when_empty": names.chance(0.15),
        }  # fmt: skip
    if kind == "clear_inventory":
        return {"target": names.entity(), "limit_name": names.pick(names.limits)}
    draw = draw_inventory_value if names.chance(0.6) else draw_stat_value
    found: Json = {"value": draw(names), "target": names.entity()}
    if names.chance(0.5):
        found["delta"] = names.number() or 1.0
    else:
        sources: Any = (draw_inventory_value(names), draw_stat_value(names))
        found["source"] = names.pick((*sources, {"value": names.number()}))
    return found


def draw_query_mutation(names: Names, kind: str) -> Json:
    found: Json = {"query": draw_query(names, 1)}
    if kind == "query_place_adjacent":
        return found | {"target": names.entity()}
    found["deltas"] = names.deltas()
    if names.chance(0.6):
        found["source"] = names.entity()
    if names.chance(0.4):
        told = names.some(found["deltas"], 1, 2)
        found["transfer_stats"] = {name: f"moved.{name}" for name in told}
    return found


def draw_spawn(names: Names, kind: str) -> Json:
    cell = "unheard_of" if names.chance(0.01) else names.pick(names.cells)
    if kind == "spawn_object":
        return {"object_type": cell}
    found: Json = {"object_type": cell, "max_range": draw_count(names, 1, low=0, high=3)}
    if names.chance(0.5):
        found["directions"] = names.some(DIRECTIONS, 1, 4)
    if names.chance(0.6):
        found["blocker"] = draw_blockers(names, 0)
    return found


def draw_attack(names: Names, kind: str) -> Json:
    found: Json = {"on_success": [draw_mutation(names, "resource_delta")]}
    for key in ("defense_resources", "armor_resources", "weapon_resources"):
        if names.chance(0.5):
            found[key] = names.amounts()
    if names.chance(0.4):
        found["vibe_bonus"] = {names.pick(names.vibes): names.amount()}
    return found


def draw_stats_mutation(names: Names, kind: str) -> Json:
    """Draw a statistic that is set, most often to itself and something more."""
    game = names.chance(0.5)
    stat = names.pick(names.game_stats if game else names.stats)
    if names.chance(0.5):
        stat = names.pick(("made", "seen", "hit.points"))
    source = draw_value(names, 1)
    if names.chance(0.7):
        again = {"name": stat, "scope": "game" if game else "agent"}
        source = {"values": [again, source], "weights": None, "log": False}
    return {
        "stat": stat, "target": "game" if game else "agent", "entity": names.entity(),
        "source": source,
    }  # fmt: skip


def draw_tag_mutation(names: Names, kind: str) -> Json:
    if kind in ("add_tag", "remove_tag"):
        return {"target": names.entity(), "tag": names.tag()}
    if kind == "remove_tags_with_prefix":
        prefix = "no:such" if names.odd() else names.pick(names.prefixes)
        return {"target": names.entity(), "prefix": prefix}
    if kind == "recompute_materialized_query":
        tag = names.pick(names.materialized) if not names.odd() else names.pick(names.prefixes)
        return {"tag_prefix": tag}
    if kind == "set_relative_target":
        direction = names.pick((*DIRECTIONS, *DIAGONALS))
        return {"direction": direction, "distance": names.pick((1, 1, 1, 2, 3))}
    vibe = "unheard_of" if names.odd() else names.pick(names.vibes)
    return {"target": names.entity(), "vibe_name": vibe}


DRAWN_BY = (
    (PLAIN, draw_nothing),
    (("resource_delta", "resource_transfer", "clear_inventory", "set_game_value"),
     draw_inventory_mutation),
    (("query_inventory", "query_place_adjacent"), draw_query_mutation),
    (("spawn_object", "raycast_spawn"), draw_spawn),
    (("attack",), draw_attack),
    (("stats",), draw_stats_mutation),
)  # fmt: skip
