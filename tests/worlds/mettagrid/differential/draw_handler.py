"""Draw handlers: of objects, agents, moves, events, areas and territories."""

from tests.worlds.mettagrid.differential.draw_mutation import BARRED, draw_mutation
from tests.worlds.mettagrid.differential.draw_query import draw_filters, draw_query
from tests.worlds.mettagrid.differential.names import Json, Names

TURN = "set_relative_target"


def draw_handler(names: Names, *, rare: bool = False, high: int = 3, place: str = "") -> Json:
    """Draw one handler; a rare one runs every step and gets a filter that holds it back."""
    filters = draw_filters(names, 1, 0.55, cells=place != "event")
    if rare and names.chance(0.7):
        filters.append({"filter_type": "periodic", "period": names.rng.randint(2, 9)})
    without = BARRED.get(place, ())
    mutations = draw_recipe(names) if names.chance(0.35) else []
    mutations = [entry for entry in mutations if entry["mutation_type"] not in without]
    if not mutations or names.chance(0.3):
        num = names.rng.randint(1, high)
        mutations += [draw_mutation(names, without=without) for _ in range(num)]
    if names.chance(0.5):
        mutations.insert(names.rng.randint(0, len(mutations)), draw_counter(names))
    found: Json = {"filters": filters, "mutations": put_turns_last(names, mutations)}
    if names.chance(0.3):
        found["name"] = f"h{names.num_handlers}"
    return found


def put_turns_last(names: Names, mutations: list[Json]) -> list[Json]:
    """Put what needs a target before what may leave none, where the wheel would crash."""
    turns = [k for k, entry in enumerate(mutations) if entry["mutation_type"] == TURN]
    if not turns or names.chance(0.01):
        return mutations
    head, tail = mutations[: turns[0]], mutations[turns[0] :]
    early = [entry for entry in tail if needs_target(entry)]
    return [*head, *early, *(entry for entry in tail if not needs_target(entry))]


def needs_target(mutation: Json) -> bool:
    kind = mutation["mutation_type"]
    if kind in ("resource_delta", "clear_inventory", "remove_tags_with_prefix"):
        return mutation.get("target", "target") == "target"
    return kind == "resource_transfer" or mutation.get("source") == "target"


def turns(handler: Json) -> bool:
    """Return whether something in a handler looks for another target."""
    if "handlers" in handler:
        return any(turns(entry) for entry in handler["handlers"])
    return any(entry["mutation_type"] == TURN for entry in handler["mutations"])


def draw_counter(names: Names) -> Json:
    """Draw a mutation that counts, for the coverage, how often its handler ran."""
    names.num_handlers += 1
    stat = f"fired.{names.num_handlers}"
    again = {"name": stat, "scope": "game"}
    source = {"values": [again, {"value": 1.0}], "weights": None, "log": False}
    return {"mutation_type": "stats", "stat": stat, "target": "game", "source": source}


def draw_recipe(names: Names) -> list[Json]:
    """Draw mutations that make sense together."""
    kind = names.rng.randint(0, 5)
    one, other = names.resource(), names.resource()
    if kind == 0:  # an extractor, or a chest
        return [draw_mutation(names, "resource_transfer")]
    if kind == 1:  # a converter
        return [
            {"mutation_type": "resource_delta", "target": "actor", "deltas": {one: -1}},
            {"mutation_type": "resource_delta", "target": "actor", "deltas": {other: 2}},
        ]
    if kind == 2:  # a capture
        return [
            {"mutation_type": "remove_tags_with_prefix", "target": "target", "prefix": "team:"},
            draw_mutation(names, "add_tag"),
            draw_mutation(names, "recompute_materialized_query"),
        ]
    if kind == 3:  # a trap door
        return [
            draw_mutation(names, "set_relative_target"),
            draw_mutation(names, names.pick(("relocate", "spawn_object", "swap", "push_object"))),
        ]
    if kind == 4:  # a bomb
        return [draw_mutation(names, "raycast_spawn"), draw_mutation(names, "query_inventory")]
    return [draw_mutation(names, "resource_delta"), draw_mutation(names, "stats")]


def draw_any_handler(names: Names, *, rare: bool = False, depth: int = 2, place: str = "") -> Json:
    """Draw a handler, or several tried in turn or all done."""
    if depth <= 0 or names.chance(0.55):
        return draw_handler(names, rare=rare, place=place)
    parts = [
        draw_any_handler(names, rare=rare, depth=depth - 1, place=place)
        for _ in range(names.rng.randint(0 if names.odd() else 1, 3))
    ]
    if not names.chance(0.01):
        parts.sort(key=turns)
    return {"handler_type": names.pick(("first_match", "all_of")), "handlers": parts}


def draw_move_handlers(names: Names) -> list[Json]:
    """Draw handlers tried before a plain move, some of which reach further than one cell."""
    found = []
    for k in range(names.rng.randint(1, 3)):
        handler = draw_handler(names)
        if names.chance(0.4):
            reach = {"filter_type": "max_distance", "radius": names.rng.randint(1, 4)}
            handler["filters"].append(reach | ({"target": "target"} if names.chance(0.5) else {}))
        if names.chance(0.3):
            handler["filters"].append({"filter_type": names.pick(
                ("target_loc_empty", "target_is_usable"))})  # fmt: skip
        if names.chance(0.25):
            handler["mutations"] = [{"mutation_type": names.pick(("relocate", "use_target"))}]
        handler["name"] = names.pick(("", f"move{k}", "same"))
        found.append(handler)
    return found


def draw_event(names: Names, key: str) -> Json:
    """Draw an event."""
    rng = names.rng
    found = draw_handler(names, place="event")
    found["name"] = key if names.chance(0.8) else names.pick(("", *names.events))
    found["target_query"] = names.tag() if names.chance(0.5) else draw_query(names, 1)
    start, period = rng.randint(0, 6), rng.randint(1, 20)
    steps = list(range(start, 400, period))
    if names.odd():
        rng.shuffle(steps)
        steps += steps[:3]
    found["timesteps"] = steps
    if names.chance(0.4):
        found["priority"] = rng.randint(-2, 3)
    if names.chance(0.4):
        found["max_targets"] = rng.randint(1, 3)
    if names.chance(0.3):
        later = names.events[names.events.index(key) + 1 :]
        if names.odd():
            later = ["unheard_of"]
        found["fallback"] = names.pick(later) if later else None
    return found


def draw_area(names: Names) -> Json:
    """Draw an area of effect."""
    found = draw_handler(names, rare=True, high=2)
    if names.chance(0.3):
        found["mutations"] = []
    found["radius"] = names.pick((0, 1, 1, 2, 2, 3, 4, 6))
    found["is_static"] = names.chance(0.55)
    found["effect_self"] = names.chance(0.3)
    if names.chance(0.5):
        found["presence_deltas"] = names.deltas()
    return found


def draw_territory(names: Names) -> Json:
    """Draw a kind of land."""
    found: Json = {"tag_prefix": "team:" if names.chance(0.85) else names.pick(names.prefixes)}
    for key in ("on_enter", "on_exit", "presence"):
        if names.chance(0.45):
            rare = key == "presence"
            found[key] = {f"{key}{k}": draw_land_handler(names, rare)
                          for k in range(names.rng.randint(1, 2))}  # fmt: skip
    return found


def draw_land_handler(names: Names, rare: bool) -> Json:
    found = draw_handler(names, rare=rare, high=2)
    if names.chance(0.4):
        shared: Json = {"filter_type": "shared_tag_prefix", "tag_prefix": "team:"}
        if names.chance(0.4):
            shared = {"filter_type": "not", "inner": shared}
        found["filters"].insert(0, shared)
    return found
