"""What configs of older MettaGrids say that nothing today does: found, listed, not guessed."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mesocosm.worlds.mettagrid.upstream.part import is_classic

# sections whose keys are names that people chose
NAMED_SECTIONS = (
    "agents", "aoes", "collectives", "events", "limits", "objects", "on_tick", "on_use_handlers",
    "rewards",
)  # fmt: skip
COLLECTIVE = "collectives, stores that a team shares off the map, are gone from MettaGrid"
ALIGNMENT = "belonging to a collective is gone from MettaGrid; tags took its place"
CLASSIC_KEYS = dict.fromkeys(
    ("vibe_transfers", "shareable_resources"),
    "gifts are the game's (actions.transfer), not those of single kinds of agents",
)
KEYS = {
    "collectives": COLLECTIVE,
    "collective": ALIGNMENT,
    "stats_obs": "statistics as observations were replaced by game values",
    "nums": "rewards as sums and quotients of statistics were replaced by game values",
    "denoms": "rewards as sums and quotients of statistics were replaced by game values",
    "target_tag": "events and filters by a bare tag were replaced by queries",
}
KINDS = {
    ("filter_type", "alignment"): ALIGNMENT,
    ("filter_type", "near"): "filters by a bare tag were replaced by queries",
    ("mutation_type", "alignment"): ALIGNMENT,
    ("scope", "collective"): COLLECTIVE,
    ("source", "collective"): COLLECTIVE,
}
TARGETS = ("target", "from_target", "to_target", "align_to")


class Refused(NamedTuple):
    """A key that was refused: where (names and numbers left out), how often, and why."""

    path: str
    places: int
    why: str


def find_refused(game: Mapping[str, Any]) -> list[Refused]:
    """List what a game says that has no counterpart, one entry for each kind of place."""
    counts: dict[tuple[str, str], int] = {}
    for path, why in _in_agents(game) if is_classic(game) else _search(game, ("game",)):
        counts[path, why] = counts.get((path, why), 0) + 1
    return [Refused(path, count, why) for (path, why), count in counts.items()]


def _in_agents(game: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Search the agents of a classic game."""
    agents = game.get("agents")
    found = [("game.agent", game.get("agent"))]
    found += [("game.agents.*", entry) for entry in (agents if isinstance(agents, list) else [])]
    for path, body in found:
        held = body if isinstance(body, Mapping) else {}
        yield from ((f"{path}.{key}", why) for key, why in CLASSIC_KEYS.items() if held.get(key))


def listed(refused: list[Refused]) -> str:
    """Write refused keys in one line, those with the same reason together."""
    reasons = dict.fromkeys(entry.why for entry in refused)
    return "; ".join(
        f"{why}: {', '.join(_place(entry) for entry in refused if entry.why == why)}"
        for why in reasons
    )


def _place(entry: Refused) -> str:
    return entry.path if entry.places == 1 else f"{entry.path} ({entry.places} times)"


def _search(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for entry in value:
            yield from _search(entry, (*path, "*"))
    if not isinstance(value, Mapping):
        return
    is_named = path[-1] in NAMED_SECTIONS and len(path) > 1
    for key, entry in value.items():
        at = (*path, "*" if is_named else str(key))
        why = None if is_named else _reason(key, entry)
        if why:
            yield ".".join(at), why
        if not why or key == "collective":
            yield from _search(entry, at)


def _reason(key: str, entry: Any) -> str | None:
    """Say why an entry has no counterpart, if it has none."""
    if entry in (None, [], {}, ""):
        return None
    if isinstance(entry, str):
        if key in TARGETS and entry.endswith("_collective"):
            return COLLECTIVE
        return KINDS.get((key, entry)) or KEYS.get(key)
    return KEYS.get(key)
