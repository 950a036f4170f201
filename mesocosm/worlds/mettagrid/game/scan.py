"""Walk through everything that the handlers of a game mention."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from mesocosm.worlds.mettagrid.game.value import Query

# what can turn any object of the map into the one that things happen to
REACHING = ("set_relative_target", "raycast_spawn")
PLACES = "query_place_adjacent"
LAND_KEYS = ("on_enter", "on_exit", "presence")


def kinds_of(core: Any) -> list[tuple[str, Any]]:
    """List every kind of agent with its path."""
    found = [("agent", core.agent)] + [(f"agents.{k}", x) for k, x in enumerate(core.agents)]
    return found + [(f"teams.{k}", x.kind(core.agent, k)) for k, x in enumerate(core.teams)]


def handlers_of(core: Any) -> Iterator[tuple[str, Any]]:
    """List every handler of a game with its path; what holds filters and mutations counts."""
    for path, kind in kinds_of(core):
        for key in ("on_use", "on_after_use", "on_tick"):
            if getattr(kind, key) is not None:
                yield from _within(f"{path}.{key}", getattr(kind, key))
        yield from _on_parts(path, kind)
    for name, thing in core.objects.items():
        for k, handler in enumerate(thing.on_use):
            yield from _within(f"objects.{name}.on_use.{k}", handler)
        yield from _on_parts(f"objects.{name}", thing)
    for k, handler in enumerate(core.actions.handlers):
        yield from _within(f"actions.handlers.{k}", handler)
    for name, event in core.events.items():
        yield f"events.{name}", event
    for name, land in core.land.items():
        for key in LAND_KEYS:
            for k, handler in enumerate(getattr(land, key)):
                yield from _within(f"land.{name}.{key}.{k}", handler)
    if core.on_tick is not None:
        yield from _within("on_tick", core.on_tick)


def _on_parts(path: str, entry: Any) -> Iterator[tuple[str, Any]]:
    for k, area in enumerate(entry.areas):
        yield f"{path}.areas.{k}", area
    for prefix, handler in entry.on_tag_remove.items():
        yield from _within(f"{path}.on_tag_remove.{prefix}", handler)


def _within(path: str, handler: Any) -> Iterator[tuple[str, Any]]:
    yield path, handler
    for k, inner in enumerate(handler.handlers):
        yield from _within(f"{path}.handlers.{k}", inner)


class Itself(NamedTuple):
    """A config as a key of a cache: one that is equal but another object is another key."""

    core: Any

    def __hash__(self) -> int:
        return id(self.core)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self.core is other.core


def changes_of(core: Any) -> tuple[tuple[str, Any], ...]:
    """List every change that a handler can make, with its path."""
    return _changes_of(Itself(core))


@lru_cache(maxsize=16)
def _changes_of(key: Itself) -> tuple[tuple[str, Any], ...]:
    return tuple(
        entry
        for path, handler in handlers_of(key.core)
        for entry in _changes(f"{path}.mutations", handler.mutations)
    )


def _changes(path: str, changes: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    for k, change in enumerate(changes):
        yield f"{path}.{k}", change
        yield from _changes(f"{path}.{k}.on_success", change.on_success)


def _roots(core: Any) -> Iterator[tuple[str, Iterable[Any], str, Query | None]]:
    """List where conditions and queries begin: path, conditions, path, query."""
    for path, handler in handlers_of(core):
        found = getattr(handler, "targets", None)
        yield f"{path}.filters", handler.filters, f"{path}.targets", found
    for path, change in changes_of(core):
        yield f"{path}.blockers", change.blockers, f"{path}.query", change.query
    for k, made in enumerate(core.materialized):
        yield "", (), f"materialized.{k}.query", made.query


def conditions_of(core: Any) -> Iterator[tuple[str, Any]]:
    """List every condition, those within queries and other conditions too, with its path."""
    for path, found in _walk(core):
        if not isinstance(found, Query):
            yield path, found


def queries_of(core: Any) -> Iterator[tuple[str, Query]]:
    """List every query, those within conditions and other queries too, with its path."""
    for path, found in _walk(core):
        if isinstance(found, Query):
            yield path, found


def _walk(core: Any) -> Iterator[tuple[str, Any]]:
    for path, conditions, at, query in _roots(core):
        yield from _all(path, conditions)
        if query is not None:
            yield from _query(at, query)
    for path, change in changes_of(core):
        yield from _value(f"{path}.source", change.source)
        yield from _value(f"{path}.reach_value", change.reach_value)
    for path, reward in rewards_of(core):
        yield from _value(f"{path}.value", reward.value)


def _all(path: str, conditions: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    for k, entry in enumerate(conditions):
        yield f"{path}.{k}", entry
        yield from _all(f"{path}.{k}.inner", entry.inner)
        if entry.query is not None:
            yield from _query(f"{path}.{k}.query", entry.query)
        for key in ("value", "least"):
            yield from _value(f"{path}.{k}.{key}", getattr(entry, key))


def _value(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """List the queries of an expression."""
    if value is not None:
        if value.query is not None:
            yield from _query(f"{path}.query", value.query)
        for k, part in enumerate(value.of):
            yield from _value(f"{path}.of.{k}", part)


def rewards_of(core: Any) -> Iterator[tuple[str, Any]]:
    """List all that is paid or told, with its paths."""
    for path, kind in kinds_of(core):
        for name, reward in kind.rewards.items():
            yield f"{path}.rewards.{name}", reward
    yield from told_of(core)


def told_of(core: Any) -> Iterator[tuple[str, Any]]:
    """List all that is told or shrinks the view, with its paths."""
    for name, reward in core.obs.values.items():
        yield f"obs.values.{name}", reward
    if core.obs.radius is not None:
        yield "obs.radius", core.obs.radius


def _query(path: str, query: Query) -> Iterator[tuple[str, Any]]:
    yield path, query
    for key in ("edges", "filters", "blockers"):
        yield from _all(f"{path}.{key}", getattr(query, key))
    for key in ("reach_value", "most_value"):
        yield from _value(f"{path}.{key}", getattr(query, key))
    for key in ("source", "candidates"):
        if getattr(query, key) is not None:
            yield from _query(f"{path}.{key}", getattr(query, key))


def spawned(core: Any) -> set[str]:
    """Name the types of objects that can appear."""
    kinds = ("spawn_object", "raycast_spawn")
    named = {change.object for _, change in changes_of(core) if change.kind in kinds}
    return named - {""}


def asked_tags(core: Any) -> frozenset[str]:
    """Name the tags whose holders some query lists."""
    return _asked_tags(Itself(core))


@lru_cache(maxsize=16)
def _asked_tags(key: Itself) -> frozenset[str]:
    made = {entry.tag for entry in key.core.materialized}
    asked = {query.tag for _, query in queries_of(key.core) if query.kind == "tag"}
    return frozenset(made | asked)


def reaches_all(core: Any) -> bool:
    """Whether anything on the map can be meant, walls included."""
    if core.actions.handlers:
        return True
    if any(query.kind == "raycast" for _, query in queries_of(core)):
        return True
    return any(change.kind in REACHING for _, change in changes_of(core))


def vanishes(core: Any) -> bool:
    """Whether agents can vanish from the map, or something removed be moved, as upstream."""
    if moves_proxies(core):
        return True
    gone = [(path, x) for path, x in changes_of(core) if x.remove_when_empty]
    if not gone or core.conformance != "upstream":
        return False
    moved = ("relocate", "push_object", "query_place_adjacent", "set_relative_target", "swap")
    if any(change.kind in moved for _, change in changes_of(core)):
        return True
    return any(
        change.who == "actor" or not (path.startswith("objects.") and ".on_use." in path)
        for path, change in gone
    )


def lists_proxies(core: Any) -> bool:
    """Whether proxies of land get a tag that queries list, as upstream."""
    if not core.land or core.conformance != "upstream":
        return False
    asked = asked_tags(core)
    return any(
        path.startswith("land.")
        and change.kind == "add_tag"
        and change.who == "actor"
        and change.tag in asked
        for path, change in changes_of(core)
    )


def moves_proxies(core: Any) -> bool:
    """Whether proxies of land can be put on cells, as upstream."""
    if not core.land or core.conformance != "upstream":
        return False
    moved = [path for path, x in changes_of(core) if x.kind in ("push_object", PLACES)]
    lands = [path for path, x in changes_of(core) if x.kind == PLACES and path.startswith("land.")]
    return bool(lands) or (bool(moved) and lists_proxies(core))


def keeps_proxies(core: Any) -> bool:
    """Whether proxies of land can be in lists of queries or on cells, as upstream."""
    return lists_proxies(core) or moves_proxies(core)


def keeps_land(core: Any) -> bool:
    """Whether things that claim land can vanish and still claim it, as upstream."""
    claims = any(thing.controls for thing in core.objects.values())
    vanish = any(change.remove_when_empty for _, change in changes_of(core))
    return core.conformance == "upstream" and claims and vanish


def keeps_areas(core: Any) -> bool:
    """Whether areas can outlast what they are of, as upstream."""
    vanish = any(change.remove_when_empty for _, change in changes_of(core))
    fields = [kind.areas for _, kind in kinds_of(core)]
    fields += [thing.areas for thing in core.objects.values()]
    return core.conformance == "upstream" and vanish and any(fields)


def mixes_land(core: Any) -> bool:
    """Whether whose land a cell is may be told of another cell, as upstream."""
    return core.conformance == "upstream" and core.obs.territory and core.obs.radius is not None


def moves_things(core: Any) -> bool:
    """Whether something but an agent's own move can take an agent elsewhere."""
    kinds = ("swap", "relocate", "push_object", "query_place_adjacent")
    return any(change.kind in kinds for _, change in changes_of(core))
