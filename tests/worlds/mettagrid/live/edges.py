"""Games at the edges of MettaGrid's config: unknown names, disabled actions, endings, extremes."""

from typing import Any

from live.small import ROWS, VIBES, Part, config, count, delta, give, handler, near, query, used


def unknown_names() -> dict[str, Part]:
    """Vibes, tags and resources that a game does not have."""
    none = {
        "vibe": {"filter_type": "vibe", "target": "actor", "vibe": "zzz"},
        "tag": {"filter_type": "tag", "target": "actor", "tag": "zzz"},
        "resource": {"filter_type": "resource", "target": "actor", "resources": {"zzz": 1}},
        "empty": {"filter_type": "resource", "target": "actor", "resources": {}},
        "some": {"filter_type": "resource", "target": "actor", "resources": {"zzz": 1, "x": 3}},
    }
    known = {"filter_type": "resource", "target": "actor", "resources": {"x": 4}}
    shapes = {
        "alone": lambda x: x,
        "not": lambda x: {"filter_type": "not", "inner": x},
        "or": lambda x: {"filter_type": "or", "inner": [x]},
        "not or": lambda x: {"filter_type": "not", "inner": {"filter_type": "or", "inner": [x]}},
        "or known": lambda x: {"filter_type": "or", "inner": [x, known]},
    }
    made = {
        f"{shape} {name}": used(handler(count("n"), delta("actor", x=-1), filters=(wrap(entry),)))
        for name, entry in none.items()
        for shape, wrap in shapes.items()
    }
    limits = {
        "a": {"base": 3, "resources": ["zzz"]},
        "b": {"base": 1, "resources": ["y", "zzz"], "modifiers": {"z": 1, "zzz": 4}},
    }
    put = {"mutation_type": "resource_transfer", "from_target": "actor", "to_target": "target"}
    full = {
        "inventory": {"initial": {"zzz": 4, "z": 3}, "default_limit": 3, "limits": limits},
        "on_use_handler": handler(put | {"resources": {"x": 1, "y": 2}}),
    }
    vibe = {"mutation_type": "change_vibe", "target": "target", "vibe_name": "zzz"}
    event = {"name": "e", "target_query": query("t"), "timesteps": [3], "fallback": "zzz"}
    prefix = {"mutation_type": "remove_tags_with_prefix", "prefix": "zzz"}
    return made | {
        "in a query": used(handler(give(query("type:fo", none["vibe"], none["tag"]), z=1))),
        "limits": used(handler(delta("actor", y=2)), objects={"fo": full}),
        "new vibe": used(None, objects={"ext": {"vibe": 2, "on_use_handler": handler(vibe)}}),
        "fallback": used(None, events={"e": event}),
        "prefix": used(handler(prefix, count("n"))),
        "handlers": used(None, objects={"fo": {"handlers": {"a": handler(delta("actor", z=1))}}}),
    }  # fmt: skip


def disabled_actions() -> dict[str, Part]:
    """Actions that have no name in MettaGrid, though its ids stay as they are."""
    vibes = {"vibes": [{"symbol": "s", "name": name} for name in VIBES]}
    every = ["north", "south", "west", "east", "northwest", "northeast", "southwest", "southeast"]
    made = {}
    for off in (("noop",), ("move",), ("change_vibe",), ("noop", "move"), ("move", "change_vibe")):
        for name, moves in (("four", every[:4]), ("eight", every), ("none", [])):
            actions: dict[str, Any] = {"move": {"allowed_directions": moves}, "change_vibe": vibes}
            for key in off:
                actions[key] = actions.get(key, {}) | {"enabled": False}
            made[f"without {', '.join(off)}, {name}"] = used(None, actions=actions)
    return made


def endings() -> dict[str, Part]:
    """What ends an episode."""
    uses = handler(delta("actor", y=1), count("n"))
    pays = {"rewards": {"n": {"reward": {"name": "n", "scope": "game"}}}}
    return {
        "count": used(uses, end_episode_on_game_stats={"n": 2}),
        "never written": used(uses, end_episode_on_game_stats={"never": 0}),
        "when written": used(uses, end_episode_on_game_stats={"n": 0}),
        "paid from the start": used(uses, end_episode_on_game_stats={"n": 0}, agent=pays),
        "counted": used(uses, end_episode_on_game_stats={"objects.wall": 1}),
        "one of two": used(uses, end_episode_on_game_stats={"never": 1, "n": 1}),
        "time": used(uses, end_episode_on_game_stats={"n": 90}, max_steps=20),
        "cut": used(uses, max_steps=20, episode_truncates=True),
    }


def extremes() -> dict[str, Part]:
    """Numbers far from the usual, and a great many agents."""
    crowd = ("#" * 42, *["#" + "@" * 40 + "#"] * 8, *["#" + "." * 40 + "#"] * 4, "#" * 42)
    far = {"mutation_type": "set_relative_target", "direction": "north", "distance": 300}
    area = {"radius": 300, "mutations": [delta(z=1)]}
    rich = {"inventory": {"initial": {"x": 65535, "y": 700}}}
    made = {
        f"base {base}": config(*ROWS, objects={"ext": {}, "fo": {}, "g": {}}, agent=rich,
                               obs={"width": 5, "height": 5, "num_tokens": 900,
                                    "token_value_base": base})
        for base in (2, 10, 255, 300, 65536, 100000)
    }  # fmt: skip
    return made | {
        "radius": used(handler(delta("actor", z=1), filters=(near(100000),))),
        "area": used(None, objects={"g": {"aoes": {"a": area}}}),
        "moving area": used(None, objects={"g": {"aoes": {"a": area | {"is_static": False}}}}),
        "relative target": used(handler(far, delta("actor", z=1))),
        "teams": used(None, agents=[{"team_id": 100000}] * 4),
        "no resources": config(*ROWS, objects={"ext": {}, "fo": {}, "g": {}}, resource_names=[],
                               agent={}),
        "a long episode": used(None, max_steps=3_000_000_000),
        "320 agents": config(*crowd, objects={}, obs={"width": 3, "height": 3, "num_tokens": 99}),
    }  # fmt: skip


def remove(who: str, to: str, **amounts: int) -> Part:
    """Return a transfer after which a giver that has nothing left vanishes."""
    return {"mutation_type": "resource_transfer", "from_target": who, "to_target": to,
            "resources": amounts, "remove_source_when_empty": True}  # fmt: skip


def vanishing() -> dict[str, Part]:
    """Agents that vanish, and come back when they move."""
    poor = {"inventory": {"initial": {"x": 2}}}
    give_all, take_all = (
        remove(*pair, x=-1) for pair in (("actor", "target"), ("target", "actor"))
    )
    every = {"filter_type": "periodic", "period": 7}
    tick = handler(delta("actor", x=-1), remove("actor", "target", x=0), filters=(every,))
    beside = {"mutation_type": "query_place_adjacent", "query": query("type:g")}
    area = {"radius": 2, "is_static": False, "presence_deltas": {"z": 1}, "mutations": [delta(y=1)]}
    event = {"name": "e", "target_query": query("type:agent", max_items=2), "timesteps": [5, 9, 20],
             "mutations": [delta(x=-9), remove("target", "actor", x=1)]}  # fmt: skip
    pays = {"rewards": {"n": {"reward": {"query": query("type:agent")}}}}
    pushes = handler({"mutation_type": "push_object"})
    dark = {"g": {"blocks_vision": True, "on_use_handler": pushes}}
    return {
        "users": used(handler(give_all), agent=poor | pays),
        "used": used(None, agent=poor | {"on_use_handler": handler(take_all)}),
        "ticks": used(None, agent=poor | {"on_tick": tick}),
        "events": used(None, agent=poor, events={"e": event}),
        "areas": used(handler(give_all), agent=poor | {"aoes": {"a": area}}),
        "swaps": used(
            handler(give_all), agent=poor | {"on_use_handler": handler({"mutation_type": "swap"})}
        ),
        "places": used(handler(give_all, beside), agent=poor),
        "pushes itself": used(
            None, agent=poor | {"on_tick": handler(give_all, *pushes["mutations"])}
        ),
        "sight": used(handler(give_all), agent=poor | {"on_use_handler": pushes}, objects=dark),
    }


def ending_areas() -> dict[str, Part]:
    """Areas that end because what they belong to vanishes, some of them only in part."""
    poor = {"inventory": {"initial": {"x": 2}, "limits": {"y": {"base": 9, "resources": ["y"]}}}}
    give_all = handler(remove("actor", "target", x=-1))
    gains = {"radius": 3, "presence_deltas": {"z": 4}, "mutations": [delta(y=1)]}
    small, moving = gains | {"radius": 1, "presence_deltas": {}}, gains | {"is_static": False}
    lone = {"radius": 2, "effect_self": True, "presence_deltas": {"y": 2}}
    claim = {"tags": ["team:a"], "territory_controls": [{"territory": "land", "strength": 4}]}
    land = {
        "land": {"tag_prefix": "team:", "presence": {"a": handler(remove("target", "actor", x=1))}}
    }
    return {
        "fixed": used(give_all, agent=poor | {"aoes": {"a": gains}}),
        "both": used(give_all, agent=poor | {"aoes": {"a": gains, "b": small, "c": moving}}),
        "own": used(give_all, agent=poor | {"aoes": {"a": lone, "b": small}}),
        "on land": used(None, agents=[poor | {"aoes": {"a": moving, "b": small}} | claim] * 4,
                        territories=land),
    }  # fmt: skip


GROUPS = {
    "vanishing": vanishing,
    "ending areas": ending_areas,
    "unknown names": unknown_names,
    "disabled actions": disabled_actions,
    "endings": endings,
    "extremes": extremes,
}
