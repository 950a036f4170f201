"""What a schema does not say: which names mean something where, and what is too large to try."""

from typing import Any

from tests.fuzz.schema import Slot

# Sizes that would only make a trial slow, and places that are mostly off the map, as (least, most).
# All else has its declared limits.
CAPS: dict[Any, tuple[float, float]] = {
    ("commons", "Core", "num_agents"): (2, 24),
    ("commons", "Core", "num_wardens"): (0, 4),
    ("commons", "Core", "max_steps"): (1, 400),
    ("townlet", "Core", "num_agents"): (1, 12),
    ("townlet", "Core", "grid_size"): (4, 14),
    ("townlet", "Core", "max_steps"): (1, 2000),
    ("townlet", "Core", "max_visible_agents"): (1, 12),
    ("mettagrid", "Core", "num_agents"): (1, 16),
    ("mettagrid", "Core", "max_steps"): (0, 5000),
    ("mettagrid", "Core", "max_spawned"): (0, 50),
    ("mettagrid", "Map", "width"): (6, 26),
    ("mettagrid", "Map", "height"): (6, 26),
    ("mettagrid", "Map", "border"): (0, 2),
    ("mettagrid", "Map", "objects"): (0, 10),
    ("mettagrid", "Map", "layouts"): (1, 8),
    ("mettagrid", "Map", "room_size"): (3, 12),
    ("mettagrid", "Window", "num_tokens"): (10, 250),
    ("island", "Core", "max_entities"): (20, 80),
    ("island", "Core", "max_missiles"): (8, 200),
    ("island", "Core", "max_steps"): (1, 1000),
    ("island", "Core", "substeps"): (1, 8),
    ("island", "Force", "count"): (1, 4),
    ("island", "Force", "depth"): (0, 300),
    ("island", "Force", "lateral"): (-200, 200),
    ("island", "Force", "spread"): (0, 60),
    ("island", "Place", "depth"): (100, 450),
    ("island", "Place", "lateral"): (-150, 150),
    ("island", "Laydown", "jitter_km"): (0, 40),
    ("island", "Core", "map_km"): (900, 5000),
    ("island", "Core", "island_x"): (-100, 100),
    ("island", "Core", "island_y"): (-100, 100),
    ("island", "Package", "count"): (1, 3),
    ("Temporal", "history"): (1, 12),
    ("Blur", "delay"): (0, 40),
    ("Delay", "steps"): (1, 60),
    ("Instrumentation", "max_events"): (1, 4096),
}

ODD = {("mettagrid", "Window", "width"), ("mettagrid", "Window", "height")}
GROWING = {("Core", "resources"), ("Core", "vibes"), ("Core", "tags"), ("Limit", "resources")}
# Forms of a model: (kind, what it needs, what it may have, whether it holds no model of its kin)
Form = tuple[str | None, tuple[str, ...], tuple[str, ...], bool]
FORMS: dict[Any, list[Form]] = {
    ("mettagrid", "Condition"): [
        ("resource", ("resources",), ("who", "negate"), True),
        ("vibe", ("vibe",), ("who", "negate"), True),
        ("tag", ("tag",), ("who", "negate"), True),
        ("tag_prefix", ("prefix",), ("who", "negate"), True),
        ("shared_tag_prefix", ("prefix",), ("negate",), True),
        ("max_distance", ("radius",), ("negate", "query"), True),
        ("periodic", ("period",), ("start", "negate"), True),
        ("target_loc_empty", (), ("negate",), True),
        ("target_is_usable", (), ("negate",), True),
        ("any_of", ("inner",), ("negate",), False),
        ("game_value", ("value",), ("least", "negate"), False),
    ],
    ("mettagrid", "Change"): [
        ("resource_delta", ("resources",), ("who",), True),
        ("resource_transfer", ("who", "to", "resources"), ("remove_when_empty",), True),
        ("clear_inventory", ("limit",), ("who",), True),
        ("change_vibe", ("vibe",), ("who",), True),
        ("add_tag", ("tag",), ("who",), True),
        ("remove_tag", ("tag",), ("who",), True),
        ("remove_tags_with_prefix", ("prefix",), ("who",), True),
        ("swap", (), (), True),
        ("relocate", (), (), True),
        ("push_object", (), (), True),
        ("use_target", (), (), True),
        ("set_stat", ("stat", "source"), ("scope", "who"), False),
        ("add_value", ("stat", "source"), ("scope", "who"), False),
        ("add_value", ("resource", "source"), ("who",), False),
        ("query_inventory", ("query", "resources"), ("giver",), False),
        ("query_place_adjacent", ("query",), (), False),
        ("set_relative_target", ("direction", "distance"), (), True),
        ("spawn_object", ("object",), (), True),
        ("raycast_spawn", ("object", "reach"), ("directions", "blockers"), False),
        ("recompute_materialized_query", ("prefix",), (), True),
        ("attack", ("on_success",), ("defense", "armor", "weapons", "vibe_bonus"), False),
    ],
    ("mettagrid", "Value"): [
        ("inventory", ("resource",), (), True),
        ("stat", ("stat",), ("scope",), True),
        ("const", ("number",), (), True),
        ("sum", ("of",), ("log", "weights"), False),
        ("min", ("of",), (), False),
        ("max", ("of",), (), False),
        ("query_count", ("query",), (), False),
        ("query_inventory", ("query", "resource"), (), False),
    ],
    ("mettagrid", "Query"): [
        ("tag", ("tag",), ("filters", "shuffled", "most"), True),
        ("filtered", ("source", "filters"), ("shuffled", "most"), False),
        ("closure", ("source", "candidates", "edges"), ("shuffled", "most"), False),
        (
            "raycast",
            ("source", "reach"),
            ("directions", "blockers", "include_blocker", "shuffled", "most"),
            False,
        ),
    ],
    ("mettagrid", "Reward"): [
        (None, ("weights",), ("constant", "low", "high", "per_tick"), True),
        (None, ("value",), ("per_tick",), False),
    ],
    ("mettagrid", "Handler"): [
        (None, ("mutations",), ("filters",), True),
        (None, ("mode", "handlers"), (), False),
    ],
    ("townlet", "Condition"): [
        (None, ("meter", edge), (), True)
        for edge in ("below", "at_most", "above", "at_least", "equals")
    ]
    + [(None, ("at",), (), True), (None, ("action", "times"), (), True)],
}
COGS_FIELDS = {("Core", "territories")}
CLASSIC_FIELDS = {("Thing", "start_clipped"), ("Thing", "clip_immune"), ("Core", "clipper")}
CLASSIC = {"Attack", "Transfer", "Damage", "Clipper"}
COGS = {
    "Condition",
    "Change",
    "Query",
    "Value",
    "Handler",
    "Event",
    "Area",
    "Materialized",
    "Control",
}


class Pools:
    """The names that mean something at each field, from a config's own data and its spec."""

    def __init__(self, by_slot: dict[Slot, list[str]], usual: list[str]) -> None:
        self.by_slot, self.usual = by_slot, usual

    def names(self, slot: Slot) -> list[str]:
        """List names for texts at a field."""
        return self.by_slot.get(slot, [])

    def keys(self, slot: Slot) -> list[str]:
        """List names for keys of a mapping."""
        return self.by_slot.get(slot, self.usual)


def core_pools(world: str, core: dict[str, Any]) -> Pools:
    """List the names that a core section itself declares."""
    return {"commons": _commons, "townlet": _townlet, "island": _island, "mettagrid": _mettagrid}[
        world
    ](core)


def _commons(core: dict[str, Any]) -> Pools:
    return Pools({}, [])


def _townlet(core: dict[str, Any]) -> Pools:
    meters = [entry["name"] for entry in core["meters"]]
    places = [entry["name"] for entry in core["affordances"]]
    cues = [entry["name"] for entry in core["cues"]]
    return Pools(
        {
            ("Core", "deployed"): places,
            ("Core", "shown_cues"): cues,
            ("Cascade", "source"): meters,
            ("Cascade", "target"): meters,
            ("Condition", "meter"): meters,
            ("Condition", "at"): places,
            ("Condition", "action"): ["WAIT", "INTERACT", "UP", "DOWN", "LEFT", "RIGHT"],
            ("Cue", "name"): ["looks_odd", "seems_lost", "is_new"],
            ("Affordance", "name"): ["Museum", "Library", "Pier"],
        },
        meters,
    )


def _island(core: dict[str, Any]) -> Pools:
    codes = [entry["code"] for entry in core["units"]]
    weapons = [entry["name"] for entry in core["weapons"]]
    return Pools(
        {
            ("Unit", "code"): ["ODD", "NEW"],
            ("Unit", "load"): weapons,
            ("Names", "legacy"): ["Heron", "Osprey"],
            ("Names", "dynasty"): ["Crane", "Kite"],
            ("Weapon", "name"): ["lance", "dart"],
            ("Force", "unit"): codes,
            ("Package", "unit"): codes,
        },
        weapons,
    )


def _mettagrid(core: dict[str, Any]) -> Pools:
    resources, vibes = core["resources"], core["vibes"]
    things = [name for name in core["objects"] if name != "wall"]
    tags = sorted({*core["tags"], *(t for o in core["objects"].values() for t in o["tags"])})
    tags += [f"type:{name}" for name in [*things, "agent"]]
    prefixes = sorted({tag.partition(":")[0] + ":" for tag in tags if ":" in tag})
    stats = [
        "action.move.success",
        "action.failed",
        "cell.visited",
        *(f"{r}.gained" for r in resources),
    ]
    limits = sorted(core["agent"]["inventory"]["limits"])
    pools: dict[Slot, list[str]] = {
        ("Core", "resources"): ["silk", "salt"],
        ("Core", "vibes"): ["calm", "wild"],
        ("Core", "tags"): ["team:red", "team:blue", "odd", "net:a"],
        ("Core", "stats"): [*stats, "game.tokens_written", "game.tally"],
        ("Core", "territories"): ["land"],
        ("Core", "objects"): ["shrine", "stone", *things],
        ("Core", "events"): ["storm", "harvest"],
        ("Core", "materialized"): ["net:a"],
        ("Materialized", "tag"): ["net:a", "mat:b"],
        ("Window", "values"): ["wealth", "tally"],
        ("Actions", "vibes"): vibes,
        ("AgentKind", "rewards"): ["extra", "bonus"],
        ("AgentKind", "tags"): ["team:red", "team:blue", "worker"],
        ("AgentKind", "stats"): stats,
        ("AgentKind", "diversity"): resources,
        ("Attack", "vibes"): vibes,
        ("Attack", "vibe_bonus"): vibes,
        ("Attack", "loot"): resources,
        ("Change", "vibe_bonus"): vibes,
        ("Change", "limit"): limits,
        ("Change", "stat"): ["tally", *stats],
        ("Change", "prefix"): prefixes,
        ("Change", "object"): things,
        ("Condition", "prefix"): prefixes,
        ("Control", "territory"): sorted(core["territories"]) or ["land"],
        ("Event", "fallback"): sorted(core["events"]) or ["calm"],
        ("Value", "stat"): stats,
        **_holdings(resources, vibes, things),
    }
    pools |= {(model, "tag"): tags for model in ("Change", "Condition", "Query")}
    pools |= {(model, "vibe"): vibes for model in ("Change", "Condition", "Query")}
    pools |= {(model, "resource"): resources for model in ("Change", "Value")}
    return Pools(pools, resources)


def _holdings(resources: list[str], vibes: list[str], things: list[str]) -> dict[Slot, list[str]]:
    """List the names of what things hold, and what stands on the map."""
    return {
        ("Inventory", "limits"): ["cargo", "gear"],
        ("Inventory", "regen"): vibes,
        ("Limit", "resources"): resources,
        ("Damage", "threshold"): resources[: len(resources) // 2],
        ("Damage", "resources"): resources[len(resources) // 2 :],
        ("Map", "objects"): things,
        ("Map", "legend"): [],
        ("Protocol", "vibes"): vibes,
        ("Thing", "tags"): ["odd", "team:red", "store"],
        ("Thing", "vibe_transfers"): vibes,
        ("Transfer", "vibe"): vibes,
    }
