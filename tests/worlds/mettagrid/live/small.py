"""Small configs of MettaGrid, and short ways to write what stands in them."""

from typing import Any

ASCII = "mettagrid.map_builder.ascii.AsciiMapBuilder.Config"
VIBES = ("default", "odd", "hot")
ROWS = ("##########", "#@.E..F.@#", "#..@.F..E#", "#.G..@.G.#", "#........#", "##########")
Part = dict[str, Any]


def config(
    *rows: str, objects: Part | None = None, legend: Part | None = None, **game: Any
) -> Part:
    """Return the config of a game; a capital on the map is the object with this initial."""
    things = {"wall": {"pydantic_type": "wall", "name": "wall"}}
    things |= {name: {"name": name} | entry for name, entry in (objects or {}).items()}
    chars = {"#": "wall", ".": "empty", "@": "agent.agent"}
    chars |= {name[0].upper(): name for name in objects or {}} | (legend or {})
    made = {
        "resource_names": ["x", "y", "z"],
        "num_agents": sum(row.count("@") for row in rows),
        "max_steps": 0,
        "obs": {"width": 7, "height": 7, "num_tokens": 300},
        "actions": {"change_vibe": {"vibes": [{"symbol": "s", "name": name} for name in VIBES]}},
        "objects": things,
        "tags": ["t", "u", "team:a", "team:b"],
        "agent": {"inventory": {"initial": {"x": 5}}},
        "map_builder": {
            "type": ASCII,
            "map_data": [list(row) for row in rows],
            "char_to_map_name": chars,
        },
    }
    return {"game": made | game}


def used(handler: Part | None, **game: Any) -> Part:
    """Return a game in which using an `ext` runs a handler."""
    objects = {
        "ext": {"tags": ["team:a"], "inventory": {"initial": {"y": 9}}, "on_use_handler": handler},
        "fo": {"tags": ["team:b"], "inventory": {"initial": {"z": 3}}},
        "g": {"tags": ["team:a"]},
    }
    return config(*ROWS, objects=objects | game.pop("objects", {}), **game)


def handler(*mutations: Part, filters: tuple[Part, ...] = ()) -> Part:
    return {"filters": list(filters), "mutations": list(mutations)}


def query(tag: str, *filters: Part, **more: Any) -> Part:
    return {"query_type": "query", "source": tag, "filters": list(filters)} | more


def has_tag(tag: str, who: str = "target") -> Part:
    return {"filter_type": "tag", "target": who, "tag": tag}


def near(radius: int) -> Part:
    return {"filter_type": "max_distance", "radius": radius}


def delta(who: str = "target", **amounts: int) -> Part:
    return {"mutation_type": "resource_delta", "target": who, "deltas": amounts}


def tagging(kind: str, tag: str, who: str = "target") -> Part:
    return {"mutation_type": kind, "target": who, "tag": tag}


def give(found: Part, source: str | None = None, **amounts: int) -> Part:
    made = {"mutation_type": "query_inventory", "query": found, "deltas": amounts}
    return made if source is None else made | {"source": source}


def count(name: str, scope: str = "game") -> Part:
    """Add one to a statistic."""
    source = {"values": [{"name": name, "scope": scope}, {"value": 1.0}], "log": False}
    return {"mutation_type": "stats", "stat": name, "target": scope, "source": source}


def at_least(least: int, value: Part, who: str = "target") -> Part:
    return {"filter_type": "game_value", "target": who, "value": value, "min": least}


SHARED_TEAM = {"filter_type": "shared_tag_prefix", "tag_prefix": "team:"}


LAND_ROWS = (
    "###############", "#@.E..F.&..E..#", "#..@.....&....#", "#.G..@.G.....F#",
    "#......&......#", "#..F......@..E#", "###############",
)  # fmt: skip


def on_land(claims: bool = False, use: Part | None = None, **more: Any) -> Part:
    """Return a game of two teams whose objects, or agents too, claim land on which this happens."""
    happens = {key: more.pop(key) for key in ("on_enter", "on_exit", "presence") if key in more}
    control = {"territory": "land", "strength": 4, "decay": 1}
    weak = control | {"strength": 2}
    objects = {
        "ext": {"tags": ["team:a"], "territory_controls": [control], "on_use_handler": use},
        "fo": {"tags": ["team:b"], "territory_controls": [weak]},
        "g": {"territory_controls": [{"territory": "land", "strength": 500, "decay": 200}],
              "on_use_handler": handler(tagging("add_tag", "team:a"))},
    }  # fmt: skip
    limits = {"y": {"base": 20, "resources": ["y"]}}
    agents = [
        {"team_id": k % 2, "tags": [f"team:{'ab'[k % 2]}"],
         "territory_controls": [weak] if claims else [],
         "inventory": {"initial": {"x": 5}, "limits": limits}}
        for k in range(7)
    ]  # fmt: skip
    return config(
        *LAND_ROWS, objects=objects, legend={"&": "agent.blue"}, agents=agents, num_agents=7,
        obs={"width": 7, "height": 7, "num_tokens": 900, "territory": True},
        territories={"land": {"tag_prefix": "team:"} | happens}, **more,
    )  # fmt: skip
