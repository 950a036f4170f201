"""Count what games contain and what happened in them, so that nothing is missed unseen."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from tests.worlds.mettagrid.differential.build import make_config
from tests.worlds.mettagrid.differential.names import Json

KIND_FIELDS = ("filter_type", "mutation_type", "query_type", "handler_type")
FIXED = {  # fields with one possible value
    "AgentConfig.blocks_vision", "AgentConfig.pydantic_type", "GridObjectConfig.pydantic_type",
    "WallConfig.pydantic_type", "MettaGridConfig.game_engine", "MapBuilderConfig",
}  # fmt: skip
IGNORED = {"RenderConfig", "RenderHudConfig", "RenderStatusBarConfig", "RenderAssetConfig"}


def list_features(config: Json) -> list[str]:
    """Return every field that a game sets to something else than its default, and every kind."""
    try:
        made = make_config(config)
    except ValueError:
        return []
    found: set[str] = set()
    for model in walk_models(made):
        kind = type(model).__name__
        found.add(kind)
        for key, info in type(model).model_fields.items():
            value = getattr(model, key)
            if key not in KIND_FIELDS and value != info.get_default(call_default_factory=True):
                found.add(f"{kind}.{key}")
    game = config["game"]
    found |= {f"fires:{kind}" for entry in walk_handlers(game) for kind in kinds_of(entry)}
    return sorted(found)


def walk_models(part: Any) -> Iterator[Any]:
    """Yield all parts of a config that are models."""
    from pydantic import BaseModel

    if isinstance(part, BaseModel):
        yield part
        for key in type(part).model_fields:
            yield from walk_models(getattr(part, key))
    elif isinstance(part, dict):
        for entry in part.values():
            yield from walk_models(entry)
    elif isinstance(part, list | tuple):
        for entry in part:
            yield from walk_models(entry)


def walk_handlers(part: Any) -> Iterator[Json]:
    """Yield all handlers of a drawn game."""
    if isinstance(part, dict):
        if "mutations" in part:
            yield part
        for entry in part.values():
            yield from walk_handlers(entry)
    elif isinstance(part, list):
        for entry in part:
            yield from walk_handlers(entry)


def kinds_of(handler: Json) -> set[str]:
    """Return the kinds of filters and mutations of a handler that counts how often it ran."""
    if not counters_of(handler):
        return set()
    kinds = {f"filter {entry['filter_type']}" for entry in handler.get("filters", [])}
    return kinds | {f"mutation {entry['mutation_type']}" for entry in handler["mutations"]}


def counters_of(handler: Json) -> list[str]:
    return [e["stat"] for e in handler["mutations"] if e.get("stat", "").startswith("fired.")]


def list_fired(notes: Json) -> list[str]:
    """Return the counters of handlers that ran."""
    last = max(notes["stats"], key=int)
    game = notes["stats"][last]["game"]
    return [name for name, value in game.items() if name.startswith("fired.") and value > 0]


@cache
def all_features() -> frozenset[str]:
    """Return every class of the wheel's config and each of its fields."""
    from mettagrid.config import handler_config
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from pydantic import BaseModel

    seen: set[Any] = set()

    def visit(kind: Any) -> None:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            if kind in seen or kind.__name__ in IGNORED:
                return
            seen.add(kind)
            for info in kind.model_fields.values():
                visit(info.annotation)
        for part in get_args(kind):
            visit(part)

    for kind in (MettaGridConfig, handler_config.Handler):
        visit(kind)
    found = {kind.__name__ for kind in seen}
    return frozenset(found | {
        f"{kind.__name__}.{key}" for kind in seen for key in kind.model_fields
        if key not in KIND_FIELDS
    })  # fmt: skip


def count(results: dict[int, Json]) -> Json:
    """Return in how many games each feature was, and in how many each kind of handler ran."""
    from tests.worlds.mettagrid.differential.draw_game import draw_game

    has: Counter[str] = Counter()
    fired: Counter[str] = Counter()
    for seed, found in results.items():
        has.update(found["has"])
        ran = set(found.get("fired", ()))
        if ran:
            handlers = walk_handlers(draw_game(seed)["game"])
            kinds = {k for h in handlers if ran & set(counters_of(h)) for k in kinds_of(h)}
            fired.update(f"fired:{kind}" for kind in kinds)
    return {"has": dict(has.most_common()), "fired": dict(fired.most_common())}


def find_holes(results: dict[int, Json]) -> list[str]:
    """Return what no game contained, and kinds of filters and mutations that never ran."""
    counted = count(results)
    wanted = {
        name.replace("fires:", "fired:") for name in counted["has"] if name.startswith("fires:")
    }
    return sorted((all_features() - FIXED - set(counted["has"])) | (wanted - set(counted["fired"])))
