"""Games in which the proxies that act on land are listed by queries, or put on cells."""

from typing import Any

from live.small import (
    Part,
    at_least,
    count,
    delta,
    give,
    handler,
    has_tag,
    near,
    on_land,
    query,
    tagging,
)

MARK = tagging("add_tag", "t", "actor")
PLACE: Part = {"mutation_type": "query_place_adjacent"}


def listed_land() -> dict[str, Part]:
    """Land gets tags that queries list; MettaGrid lists it again each time."""
    marks = {"presence": {"a": handler(MARK)}}
    drawn = query("t", order_by="random", max_items=2)
    back = handler(give(query("t"), "actor", x=1))
    event = {"name": "e", "timesteps": [3, 6, 9, 12, 40, 80]}
    net = {"tag": "net", "query": query("t", near(4))}
    again = {"mutation_type": "recompute_materialized_query", "tag_prefix": "net"}
    closure = {"query_type": "closure", "source": query("t"), "candidates": query("team:a"),
               "edge_filters": [near(2)]}  # fmt: skip
    rays = {"query_type": "raycast", "source": drawn, "max_range": 3}
    many = handler(delta("actor", z=1), filters=(at_least(30, {"query": query("t")}),))

    def at(**more: Any) -> Part:
        return {"e": event | {"target_query": query("t")} | more}

    return {
        "given to": on_land(use=handler(give(query("t"), x=1)), **marks),
        "given by": on_land(use=back, **marks),
        "drawn": on_land(use=handler(give(drawn, y=1), delta("actor", z=1)), **marks),
        "counted": on_land(use=many, **marks),
        "closure": on_land(use=handler(give(closure, z=1)), **marks),
        "rays": on_land(use=handler(give(rays, z=1)), **marks),
        "taken off": on_land(use=handler(give(query("t"), x=1), count("n")), on_exit={
            "a": handler(tagging("remove_tag", "t", "actor")),
            "b": handler(MARK, tagging("remove_tag", "t", "actor"), filters=(near(1),)),
        }, on_enter={"a": handler(MARK)}),
        "two tags": on_land(use=handler(give(query("u", has_tag("t")), x=1)), presence={
            "a": handler(MARK, tagging("add_tag", "u", "actor")), "b": handler(give(drawn, x=1)),
        }),
        "event": on_land(events=at(mutations=[delta(x=1), count("n"), tagging("add_tag", "u")]),
                         use=handler(give(query("u"), x=1)), **marks),
        "event drawn": on_land(events=at(max_targets=2, mutations=[delta(x=1)]), **marks),
        "worked out": on_land(use=handler(again, give(query("net"), z=1)),
                              materialize_queries=[net], **marks),
    }  # fmt: skip


def placed_land() -> dict[str, Part]:
    """Land is put beside things; who was where it acted is not on the map any more."""
    beside = PLACE | {"query": query("type:fo")}
    first = {"filter_type": "periodic", "period": 40, "start_on": 5}
    move = {"target_query": query("t", max_items=1), "name": "e", "timesteps": [5, 9, 30]}
    see = handler(give({"query_type": "raycast", "source": query("type:fo"), "max_range": 2}, z=1))
    return {
        "at once": on_land(on_enter={"a": handler(beside)}),
        "by and by": on_land(presence={"a": handler(beside, filters=(first,))}),
        "seen by rays": on_land(use=see, presence={"a": handler(beside, filters=(first,))}),
        "by an event": on_land(presence={"a": handler(MARK)}, events={
            "e": move | {"mutations": [beside | {"target": "target"}]},
        }),
    }  # fmt: skip


GROUPS = {"listed land": listed_land, "placed land": placed_land}
