"""Games for every key of MettaGrid's config that has rules of its own, by group and name."""

from typing import Any

from live import edges, proxies
from live.small import (
    ROWS,
    SHARED_TEAM,
    Part,
    at_least,
    config,
    count,
    delta,
    give,
    handler,
    has_tag,
    near,
    on_land,
    query,
    tagging,
    used,
)


def names() -> dict[str, Part]:
    """Objects whose type, key and name on maps differ."""
    take = {"mutation_type": "resource_transfer", "from_target": "target", "to_target": "actor"}
    objects = {
        "ext": {"name": "hub", "map_name": "red:hub", "tags": ["team:a"],
                "inventory": {"initial": {"y": 5}},
                "on_use_handler": handler(take | {"resources": {"y": 1}})},
        "fo": {"name": "hub", "map_name": "blue"},
        "g1": {"name": "zonk", "map_name": "gg", "tags": ["lost"]},
        "g2": {"name": "zip", "map_name": "gg"},
    }  # fmt: skip
    rewards = {
        "hubs": {"reward": {"query": query("type:hub")}},
        "ore": {"reward": {"item": "y", "query": query("type:hub", has_tag("team:a"))}},
    }
    legend = {"E": "red:hub", "F": "blue", "G": "gg"}
    spawns = handler(
        take | {"resources": {"z": 1}, "remove_source_when_empty": True},
        {"mutation_type": "spawn_object", "object_type": "red:hub"},
    )
    made = {}
    for name, on_use in (("types", None), ("spawned", spawns)):
        objects["fo"] = objects["fo"] | {"on_use_handler": on_use}
        made[name] = config(*ROWS, objects=objects, legend=legend, agent={"rewards": rewards})
    return made


def values_of_targets() -> dict[str, Part]:
    """Values about the target, whose queries take it as the actor; statistics of gifts."""
    gift = give(query("team:a"), "actor", x=1, y=-1) | {"transfer_stats": {"x": "in", "y": "out"}}
    inner = at_least(1, {"query": query("type:g", near(4))})
    stat = {
        "mutation_type": "stats",
        "stat": "n",
        "source": {"query": query("type:g", SHARED_TEAM)},
    }
    tests = {
        "tag": {"query": query("type:fo", has_tag("team:b"))},
        "shared": {"query": query("type:g", SHARED_TEAM)},
        "resource": {"query": query("type:ext", SHARED_TEAM), "item": "y"},
        "near": {"query": query("type:fo", near(3))},
        "nested": {"query": query("type:fo", inner)},
    }
    made = {
        f"{name} of {who}": used(handler(delta("actor", z=1), filters=(at_least(1, value, who),)))
        for name, value in tests.items()
        for who in ("actor", "target")
    }
    made["gift statistics"] = used(handler(gift))
    made["statistic"] = used(handler(stat | {"target": "agent", "entity": "actor"}, stat))
    return made


def values_as_numbers() -> dict[str, Part]:
    """Values that say how many a query finds, and how far rays go."""
    values = {
        "amount": {"item": "x"}, "own": {"item": "y"}, "fraction": {"value": 1.7},
        "minus": {"value": -0.5}, "beyond": {"value": 1e12}, "count": {"query": query("type:g")},
        "game": {"name": "n", "scope": "game"}, "agent": {"name": "action.move.success"},
        "of origin": {"query": query("team:a", SHARED_TEAM, near(3))},
    }  # fmt: skip
    made = {}
    for name, value in values.items():
        rays = {"query_type": "raycast", "source": query("team:a"), "max_range": value}
        spawn = {"mutation_type": "raycast_spawn", "object_type": "g", "max_range": value,
                 "blocker": [has_tag("type:wall")]}  # fmt: skip
        step = delta("actor", x=-1)
        made[f"items {name}"] = used(
            handler(count("n"), give(query("type:fo", max_items=value), z=1), step)
        )
        made[f"rays {name}"] = used(handler(count("n"), give(rays, z=1), step))
        made[f"spawned {name}"] = used(handler(count("n"), spawn, step))
    drawn = query("type:g", order_by="random", max_items=1)
    event = {"name": "e", "timesteps": [3, 6, 9], "mutations": [delta(z=1)]}
    for name, most in (("nobody", {"item": "x"}), ("drawn", {"query": drawn})):
        found = query("type:fo", max_items=most, order_by="random")
        made[f"event {name}"] = used(None, events={"e": event | {"target_query": found}})
    return made


def territories() -> dict[str, Part]:
    """What happens on owned land, to whom, and who claims it."""
    foreign = {"filter_type": "not", "inner": SHARED_TEAM}
    friend, foe = (handler(delta(y=2), filters=(x,)) for x in (SHARED_TEAM, foreign))
    enters, leaves = handler(delta(z=1), count("in")), handler(delta(z=-1), count("out"))
    take = {"mutation_type": "resource_transfer", "from_target": "actor", "to_target": "target"}
    odd = {"filter_type": "vibe", "target": "actor", "vibe": "odd"}
    vibe = {"mutation_type": "change_vibe", "target": "actor", "vibe_name": "odd"}
    flips = handler(tagging("remove_tag", "team:a"), tagging("add_tag", "team:b"))
    return {
        "nothing": on_land(),
        "presence": on_land(presence={"a": friend, "b": foe, "c": handler(count("n", "agent"))}),
        "in and out": on_land(on_enter={"a": enters}, on_exit={"b": leaves}),
        "flips": on_land(use=flips, on_enter={"a": enters}, on_exit={"b": leaves | friend}),
        "what the proxy has": on_land(presence={
            "a": handler(delta("actor", y=2), take | {"resources": {"y": 1}}),
            "b": handler(vibe), "c": handler(delta(y=1), filters=(odd, near(1))),
        }),
        "failures": on_land(presence={"a": handler({"mutation_type": "use_target"}, delta(z=1))}),
        "agents claim": on_land(True, presence={"a": friend, "b": foe}),
        "agents claim and flip": on_land(True, use=flips),
    }  # fmt: skip


def lost(use: Part, removal: dict[str, Part], **game: Any) -> Part:
    """Return a game in which an `ext` loses tags when it is used."""
    things = {"ext": {"tags": ["team:a", "t"], "inventory": {"initial": {"y": 9}},
                      "on_use_handler": use, "on_tag_remove": removal}}  # fmt: skip
    return used(None, objects=things, **game)


def tag_removal() -> dict[str, Part]:
    """What happens to things that lose a tag."""
    loses = handler(tagging("remove_tag", "team:a"), count("used"), delta("actor", z=1))
    notes, recompute = (
        handler(delta(z=1), count("n")),
        {"mutation_type": "recompute_materialized_query", "tag_prefix": "net"},
    )
    turn = {"mutation_type": "set_relative_target", "direction": "north"}
    fails = handler({"mutation_type": "use_target"}, delta(z=1))
    full = {"filter_type": "resource", "target": "target", "resources": {"y": 7}}
    net = [{"tag": "net", "query": query("type:ext", full)}]
    spawn = {"mutation_type": "spawn_object", "object_type": "fo"}
    empties = {"mutation_type": "resource_transfer", "from_target": "target", "to_target": "actor",
               "resources": {"y": 1}, "remove_source_when_empty": True}  # fmt: skip
    prefix = {"mutation_type": "remove_tags_with_prefix", "prefix": "t"}
    area = {"radius": 2, "mutations": [tagging("remove_tag", "team:b"), delta(y=1)]}
    agent = {"tags": ["team:b"], "inventory": {"limits": {"y": {"base": 3, "resources": ["y"]}}},
             "on_use_handler": handler(tagging("add_tag", "team:b")),
             "on_tag_remove": {"team": handler(delta(y=3, z=2), count("n", "agent"))}}  # fmt: skip
    return {
        "one": lost(loses, {"team:": notes}),
        "several": lost(loses, {"team:": notes, "team:a": handler(delta(x=1))}),
        "failure": lost(loses, {"team:": fails, "t": notes, "team:a": notes}),
        "within": lost(loses, {"team:": handler(tagging("remove_tag", "t")), "t": notes}),
        "comes back": lost(loses, {"team:": handler(tagging("add_tag", "team:a"), delta(y=-1))}),
        "another target": lost(loses, {"team:": handler(turn, count("n"))}),
        "spawns where it is": lost(loses, {"team:": handler(count("n"), spawn, count("n"))}),
        "spawns where it was": lost(
            loses, {"team:": handler(delta(y=-9), empties, count("n"), spawn, count("n"))}
        ),
        "by prefix": lost(handler(prefix), {"t": notes}),
        "worked out": lost(
            handler(delta(y=-1), recompute), {"net": notes}, materialize_queries=net
        ),
        "in an area": used(None, objects={"g": {"aoes": {"a": area}}}, agent=agent),
    }


GROUPS = {
    "names": names,
    "values of targets": values_of_targets,
    "values as numbers": values_as_numbers,
    "territories": territories,
    "tag removal": tag_removal,
    **edges.GROUPS,
    **proxies.GROUPS,
}
