"""Draw queries and filters, which hold each other."""

from typing import Any

from tests.worlds.mettagrid.differential.draw_value import draw_count, draw_value
from tests.worlds.mettagrid.differential.names import DIRECTIONS, Json, Names

QUERIES = {"tag": 6.0, "filtered": 1.5, "closure": 1.5, "raycast": 1.5, "materialized": 1.0}
FILTERS = {
    "vibe": 2.0, "resource": 4.0, "tag": 3.0, "shared_tag_prefix": 1.0, "tag_prefix": 1.0,
    "max_distance": 1.5, "game_value": 2.0, "not": 1.5, "or": 1.0, "target_loc_empty": 0.5,
    "target_is_usable": 0.5, "periodic": 2.0,
}  # fmt: skip
NESTED = ("not", "or")
CELL_FILTERS = ("target_loc_empty", "target_is_usable")  # the wheel has them in handlers only
BLOCKERS = ("vibe", "resource", "tag", "tag_prefix")  # and no others stop rays


def draw_source(names: Names, depth: int) -> Any:
    """Draw a source of a query: a tag's name, or another query."""
    if depth <= 0 or names.chance(0.6):
        return names.tag()
    return draw_query(names, depth - 1)


def draw_bounds(names: Names, depth: int) -> Json:
    """Draw the order and the number of what a query returns."""
    found: Json = {}
    if names.chance(0.35):
        found["max_items"] = draw_count(names, depth)
    if names.chance(0.25):
        found["order_by"] = "random"
    return found


def draw_query(names: Names, depth: int = 1) -> Json:
    """Draw any query."""
    kind = names.weighted(QUERIES) if depth > 0 else "tag"
    found = draw_bounds(names, depth)
    if kind == "closure":
        found |= {
            "query_type": "closure", "source": draw_source(names, depth - 1),
            "candidates": draw_source(names, depth - 1),
            "edge_filters": draw_edges(names, depth - 1),
            "filters": draw_filters(names, depth - 1, 0.3),
        }  # fmt: skip
        return found
    if kind == "raycast":
        return found | draw_rays(names, depth) | {"query_type": "raycast"}
    if kind == "materialized" and names.materialized:
        found["query_type"] = "materialized"
        found["tag"] = names.pick(names.materialized if not names.odd() else names.tags)
        found["query"] = draw_query(names, 0)
        return found
    found["query_type"] = "query"
    found["source"] = draw_query(names, depth - 1) if kind == "filtered" else names.tag()
    found["filters"] = draw_filters(names, depth - 1, 0.4)
    return found


def draw_edges(names: Names, depth: int) -> list[Json]:
    edges = draw_filters(names, depth, 0.2)
    if names.chance(0.85):
        edges.insert(0, {"filter_type": "max_distance", "radius": names.rng.randint(0, 4)})
    return edges


def draw_rays(names: Names, depth: int) -> Json:
    """Draw a query along rays."""
    found: Json = {"source": draw_source(names, depth - 1)}
    if names.chance(0.8):
        found["max_range"] = draw_count(names, depth, low=0, high=5)
    if names.chance(0.4):
        found["directions"] = names.some(DIRECTIONS, 1, 4)
    if names.chance(0.6):
        found["blocker"] = draw_blockers(names, depth - 1)
    if names.chance(0.3):
        found["include_blocker"] = False
    return found


def draw_blockers(names: Names, depth: int) -> list[Json]:
    """Draw filters that stop a ray; the wheel takes none here that it would drop."""
    wild, names.wild = names.wild, 0.0
    found = [
        draw_filter(names, depth, kind=names.pick(BLOCKERS)) for _ in range(names.rng.randint(1, 2))
    ]
    names.wild = wild
    return found


def draw_filters(
    names: Names, depth: int, chance: float, *, high: int = 2, cells: bool = False
) -> list[Json]:
    if not names.chance(chance):
        return []
    return [draw_filter(names, depth, cells=cells) for _ in range(names.rng.randint(1, high))]


def draw_filter(names: Names, depth: int = 1, *, cells: bool = False, kind: str = "") -> Json:
    """Draw any filter; those about a cell only where asked."""
    kind = kind or names.weighted(FILTERS)
    if kind in CELL_FILTERS and not cells:
        kind = "tag"
    if depth <= 0 and kind in NESTED:
        kind = "resource"
    found: Json = {"filter_type": kind}
    if kind == "not":
        found["inner"] = draw_filter(names, depth - 1)
    elif kind == "or":
        found["inner"] = [draw_filter(names, depth - 1) for _ in range(names.rng.randint(0, 3))]
    elif kind == "periodic":
        found["period"] = names.rng.randint(1, 7)
        if names.chance(0.4):
            found["start_on"] = names.rng.randint(0, 12)
    elif kind in ("shared_tag_prefix", "tag_prefix"):
        found["tag_prefix"] = names.pick(names.prefixes)
    if kind not in ("not", "or", "periodic", "shared_tag_prefix", *CELL_FILTERS):
        found["target"] = names.entity()
        found |= draw_check(names, kind, depth)
    return found


def draw_check(names: Names, kind: str, depth: int) -> Json:
    """Draw what a filter about one entity asks of it."""
    if kind == "vibe":
        return {"vibe": "unheard_of" if names.odd() else names.pick(names.vibes)}
    if kind == "resource":
        return draw_needs(names)
    if kind == "tag":
        return {"tag": "no:such" if names.odd() else names.tag()}
    if kind == "max_distance":
        found: Json = {"radius": names.rng.randint(0, 5)}
        if names.chance(0.6):
            found["query"] = draw_query(names, depth)
        return found
    if kind == "game_value":
        return {"value": draw_value(names, depth), "min": draw_minimum(names, depth)}
    return {}


def draw_needs(names: Names) -> Json:
    needs = names.amounts()
    if names.chance(0.1):
        needs[names.resource()] = 0
    if names.odd():
        needs["unheard_of"] = 1
    return {"resources": needs}


def draw_minimum(names: Names, depth: int) -> Any:
    if names.chance(0.3):
        return draw_value(names, depth)
    return names.pick((0, 0, 1, 1, 2, 3, 5, 10, -1, 300))
