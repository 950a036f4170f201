"""Statistics: which of them a game names, where they are kept, and what they begin with."""

from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.errors import ConfigError, hint
from mesocosm.worlds.mettagrid.compile import classic_stats
from mesocosm.worlds.mettagrid.compile.stat_codes import (
    AGENT_STATS,
    FLOWS,
    GAME_STATS,
    GLIMPSE_VISITED,
    GLIMPSES,
    NUM_END_COLUMNS,
    NUM_FLOWS,
)
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game import scan
from mesocosm.worlds.mettagrid.game.check import is_agent
from mesocosm.worlds.mettagrid.game.maps import layouts
from mesocosm.worlds.mettagrid.game.team import TEAM_NAMES, group_of, teams_of
from mesocosm.worlds.mettagrid.game.thing import AgentKind
from mesocosm.worlds.mettagrid.game.value import Value

ALIKE = 0.85  # of two names, one of which is a slip
GAME_PREFIX, OBJECTS = "game.", "objects."


class Names(NamedTuple):
    """The statistics that a game keeps, one column each."""

    agent: tuple[str, ...]
    game: tuple[str, ...]

    def column(self, name: str, scope: str) -> int:
        """Return where a statistic is kept, or -1."""
        names = self.game if scope == "game" else self.agent
        return names.index(name) if name in names else -1


class Stats(NamedTuple):
    """What rules need to know about statistics."""

    agent: Annotated[np.ndarray, "int16 [..]"]  # column of what the game counts of an agent, or -1
    game: Annotated[np.ndarray, "int16 [..]"]  # column of what it counts of all, or -1
    # columns of what agents hold, gain, lose and give
    flow: Annotated[np.ndarray, "int16 [resource, 5]"]
    first: Annotated[np.ndarray, "float64 [.., statistic]"]
    first_game: Annotated[np.ndarray, "float64 [.., game statistic]"]
    # what ends the episode: column, how large it must be, whether it is there from the start
    ends: Annotated[np.ndarray, "float64 [.., 3]"]
    classic: Any  # classic_stats.ClassicStats


def value_parts(value: Value | None) -> Iterator[Value]:
    """Walk through an expression."""
    if value is not None:
        yield value
        for part in value.of:
            yield from value_parts(part)


def expressions_of(core: Core) -> Iterator[tuple[str, Value]]:
    """Walk through all expressions, with their paths."""
    for path, reward in scan.rewards_of(core):
        if reward.value is not None:
            yield f"{path}.value", reward.value
    for path, entry in scan.conditions_of(core):
        for key, value in (("value", entry.value), ("least", entry.least)):
            if value is not None:
                yield f"{path}.{key}", value
    for path, query in scan.queries_of(core):
        for key, value in (("reach_value", query.reach_value), ("most_value", query.most_value)):
            if value is not None:
                yield f"{path}.{key}", value
    for path, change in scan.changes_of(core):
        for key, value in (("source", change.source), ("reach_value", change.reach_value)):
            if value is not None:
                yield f"{path}.{key}", value


def stats_written(core: Core) -> frozenset[tuple[str, str]]:
    """Return the statistics that handlers write, as (name, scope)."""
    return _stats_written(scan.Itself(core))


@lru_cache(maxsize=16)
def _stats_written(key: scan.Itself) -> frozenset[tuple[str, str]]:
    changes = [change for _, change in scan.changes_of(key.core)]
    gifts = {(name, "game") for change in changes for name in change.gift_stats.values()}
    return frozenset(gifts | {(change.stat, change.scope) for change in changes if change.stat})


def stats_read(core: Core) -> Iterator[tuple[str, str, str]]:
    """Walk through all statistics that are read, as (path, name, scope)."""
    for path, value in expressions_of(core):
        for part in value_parts(value):
            if part.kind == "stat":
                yield path, part.stat, part.scope
            elif part.kind == "inventory" and part.scope == "game":
                yield path, f"{part.resource}.amount", "game"  # to whom nobody acts
    for name in core.end_on:
        yield f"end_on.{name}", name, "game"
    for k, name in enumerate(core.stats):
        scope = "game" if name.startswith(GAME_PREFIX) else "agent"
        yield f"stats.{k}", name.removeprefix(GAME_PREFIX), scope


def known_names(core: Core) -> dict[str, list[str]]:
    """Return the statistics that the game itself counts, by scope."""
    goods = [f"{name}.{flow}" for name in core.resources for flow in FLOWS]
    game = [*GAME_STATS, *(f"objects.{name}" for name in core.objects)]
    extra = classic_stats.classic_stat_names(core) if core.is_classic else {"agent": [], "game": []}
    return {"agent": [*AGENT_STATS, *goods, *extra["agent"]], "game": [*game, *extra["game"]]}


def check_names(core: Core) -> None:
    """Reject a name that nobody writes and that looks like a slip; MettaGrid would read 0."""
    if core.conformance == "upstream":
        return
    known, made = known_names(core), stats_written(core)
    seeded = {name for kind in core.kinds for name in kind.stats}
    for path, name, scope in stats_read(core):
        mine = scope == "agent" and name in seeded
        if name in known[scope] or (name, scope) in made or mine:
            continue
        if get_close_matches(name, known[scope], cutoff=ALIKE):
            help_ = hint(name, known[scope])
            raise ConfigError(f"core.{path}: nothing writes the statistic {name!r}.{help_}")


@lru_cache(maxsize=64)
def _names(text: str) -> Names:
    core = Core.model_validate_json(text)
    check_names(core)
    found = {(name, scope) for _, name, scope in stats_read(core)} | stats_written(core)
    agent, game = (
        tuple(sorted(name for name, its in found if its == scope)) for scope in ("agent", "game")
    )
    return Names(agent, game)


def names_of(core: Core) -> Names:
    """List the statistics that a game keeps."""
    return _names(core.model_dump_json())


def _columns(codes: tuple[str, ...], names: tuple[str, ...]) -> np.ndarray:  # int16 [code]
    return np.array([names.index(x) if x in names else -1 for x in codes], np.int16)


def _flows(core: Core, names: tuple[str, ...]) -> np.ndarray:  # int16 [resource, 5]
    """Return the columns of what agents hold, gain, lose and give, and of deaths."""
    codes = [(*(f"{name}.{flow}" for flow in FLOWS), _death(name)) for name in core.resources]
    return np.array([_columns(row, names) for row in codes], np.int16).reshape(-1, NUM_FLOWS)


def _death(resource: str) -> str:
    return "death" if resource == "hp" else ""


def _agent_cells(core: Core) -> list[str]:
    """List MettaGrid's names of the agents' cells: by team and number, or as the map says."""
    if core.seats:
        return list(core.seats)
    teams = teams_of(core)
    size = {team: sum(kind.team == team for kind in core.kinds) for team in teams}
    legend = core.map.legend if core.map.kind == "ascii" else {}
    seats = [legend[c] for row in core.map.rows for c in row if is_agent(legend.get(c, ""))]
    made, taken = [], dict.fromkeys(teams, 0)
    for k, kind in enumerate(core.kinds):
        name = f"agent.{TEAM_NAMES.get(kind.team, f'group_{group_of(core, kind)}')}"
        alone = seats[k] if k < len(seats) else name
        made.append(f"{name}.{taken[kind.team]}" if size[kind.team] > 1 else alone)
        taken[kind.team] += 1
    return made


def _first_game(core: Core, names: tuple[str, ...]) -> np.ndarray:  # float64 [layout, column]
    """Count what the maps hold, where a game names that."""
    counted = [k for k, name in enumerate(names) if name.startswith(OBJECTS)]
    chests = any(name.startswith("chest.") for name in names) and core.is_classic
    grids = layouts(core) if counted or chests else []
    made = np.zeros((max(len(grids), 1), max(len(names), 1)))
    cells = [] if core.is_classic else _agent_cells(core)  # classic counts no agents
    for k in counted:
        thing = names[k].removeprefix(OBJECTS)
        for layout, grid in enumerate(grids):
            made[layout, k] = float((grid == thing).sum()) + cells.count(thing)
    for layout, grid in enumerate(grids if chests else []):
        for name, amount in classic_stats.initial_chest_stats(core, grid).items():
            if name in names:
                made[layout, names.index(name)] = amount
    return made


def _first(core: Core, kinds: Any, names: Names) -> np.ndarray:  # float64 [kind, column]
    """Tabulate what the agents' statistics begin with."""
    made = np.zeros((len(kinds), max(len(names.agent), 1)))
    for k, kind in enumerate(kinds):
        if isinstance(kind.entry, AgentKind):
            held = {f"{name}.amount": x for name, x in kind.entry.inventory.initial.items()}
            begins = classic_stats.initial_agent_stats(core, kind.entry) | held | kind.entry.stats
            begins |= {"cell.unique_visited": 1}
            begins |= {"cell.max_distance_from_spawn": 0}
            for name, value in begins.items():
                if (column := names.column(name, "agent")) >= 0:
                    made[k, column] = np.float32(value)
    return made


def _ends(core: Core, names: Names) -> np.ndarray:  # float64 [.., 3]
    """Tabulate what ends the episode; MettaGrid has those from the start that it counts or pays."""
    paid = [part for _, reward in scan.rewards_of(core) for part in value_parts(reward.value)]
    there = {part.stat for part in paid if part.kind == "stat" and part.scope == "game"}
    there |= {*GAME_STATS, *(f"{OBJECTS}{name}" for name in core.objects)}
    rows = [(names.column(name, "game"), x, name in there) for name, x in core.end_on.items()]
    return np.array(rows, np.float64).reshape(-1, NUM_END_COLUMNS)


def stat_tables(core: Core, made: Any) -> Stats:
    """Tabulate statistics."""
    names = names_of(core)
    return Stats(
        agent=_columns(AGENT_STATS, names.agent),
        game=_columns(GAME_STATS, names.game),
        flow=_flows(core, names.agent),
        first=_first(core, made.kinds, names),
        first_game=_first_game(core, names.game),
        ends=_ends(core, names),
        classic=classic_stats.classic_stat_columns(core, made.kinds, names),
    )


def views_counted(core: Core) -> tuple[bool, bool]:
    """Whether a game names what is counted while observations are made: tokens, things seen."""
    names = names_of(core)
    return any(x in names.game for x in GAME_STATS), GLIMPSES[GLIMPSE_VISITED] in names.agent


def told_queries(core: Core) -> int:
    """Return how many queries are told, or shrink the view."""
    told = [part for _, reward in scan.told_of(core) for part in value_parts(reward.value)]
    return sum(part.query is not None for part in told)
