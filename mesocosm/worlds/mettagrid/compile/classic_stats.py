"""Statistics of the classic profile: of chests, recipes, attacks, gifts and damage.

Agents are told apart by the names of their teams, as in MettaGrid.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.worlds.mettagrid.compile.stat_codes import NUM_FLOWS
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.team import team_name
from mesocosm.worlds.mettagrid.game.thing import AgentKind

# columns of `team`, `strike` and `goods`
FROZEN_TICKS, GIFTS = range(2)
STRUCK, STRUCK_BY, BLOCKED = range(3)
PUT_IN, TOOK_OUT, HARMED, CREATED = range(4)


class ClassicStats(NamedTuple):
    """The columns of the classic statistics, or -1."""

    team: Annotated[np.ndarray, "int16 [kind, 2]"]  # attempts lost, gifts
    # hits or friendly fire, being hit, blocked
    strike: Annotated[np.ndarray, "int16 [kind, kind, 3]"]
    gift: Annotated[np.ndarray, "int16 [kind, kind, resource]"]  # what those of a kind got
    own: Annotated[np.ndarray, "int16 [kind, resource]"]  # what the giver itself got
    # to chests, from chests, lost by harm; made (game)
    goods: Annotated[np.ndarray, "int16 [resource, 4]"]
    store: Annotated[np.ndarray, "int16 [resource, 5]"]  # what chests hold, got and gave (game)
    # where it is counted that one has a resource
    diverse: Annotated[np.ndarray, "int16 [kind, resource]"]


def classic_stat_names(core: Core) -> dict[str, list[str]]:
    """List the statistics that only the classic profile has, by scope."""
    teams = sorted({team_name(kind.team) for kind in core.kinds})
    both = [(one, other) for one in teams for other in teams]
    agent = [f"status.frozen.ticks.{team}" for team in teams]
    agent += [f"action.attack.{team}.friendly_fire" for team in teams]
    for verb in ("hit", "hit_by", "blocked_by"):
        agent += [f"action.attack.{one}.{verb}.{other}" for one, other in both]
    agent += [f"action.transfer.{team}.count" for team in teams]
    agent.append("inventory.diversity")
    game = []
    for item in core.resources:
        agent += [f"action.transfer.{team}.{item}.self" for team in teams]
        agent += [f"action.transfer.{one}.{item}.to.{other}" for one, other in both]
        agent += [f"chest.{item}.deposited_by_agent", f"chest.{item}.withdrawn_by_agent"]
        agent.append(f"damaged.{item}")
        game += [f"chest.{item}.{end}" for end in ("amount", "deposited", "withdrawn")]
        game.append(f"assembler.{item}.created")
    return {"agent": agent, "game": game}


def _table(rows: Iterable[str], names: Sequence[str], *shape: int) -> np.ndarray:
    """Tabulate the columns of names, or -1."""
    columns = {name: k for k, name in enumerate(names)}
    return np.array([columns.get(name, -1) for name in rows], np.int16).reshape(shape)


def _strikes(teams: list[str]) -> Iterator[str]:
    """List what attacks are counted under, by the teams of both."""
    for one in teams:
        for other in teams:
            hit = f"hit.{other}" if one != other else "friendly_fire"
            yield f"action.attack.{one}.{hit}"
            yield f"action.attack.{other}.hit_by.{one}" if one != other else ""
            yield f"action.attack.{one}.blocked_by.{other}"


def _goods(items: Sequence[str], names: Any) -> np.ndarray:  # int16 [resource, 4]
    """Tabulate what chests, damage and assemblers are counted under."""
    made = [
        _table([f"chest.{item}.deposited_by_agent" for item in items], names.agent, len(items)),
        _table([f"chest.{item}.withdrawn_by_agent" for item in items], names.agent, len(items)),
        _table([f"damaged.{item}" for item in items], names.agent, len(items)),
        _table([f"assembler.{item}.created" for item in items], names.game, len(items)),
    ]
    return np.stack(made, axis=-1)


def classic_stat_columns(core: Core, kinds: Any, found: Any) -> ClassicStats:
    """Tabulate where the classic statistics are kept."""
    teams = [team_name(getattr(kind.entry, "team", 0)) for kind in kinds]
    mine, size, items = found.agent, len(kinds), core.resources
    gifts = [f"action.transfer.{x}.{item}.to.{y}" for x in teams for y in teams for item in items]
    store = [
        name
        for item in items
        for name in (*(f"chest.{item}.{x}" for x in ("amount", "deposited", "withdrawn")), "", "")
    ]
    kept = [
        "inventory.diversity" if item in getattr(kind.entry, "diversity", ()) else ""
        for kind in kinds
        for item in items
    ]
    both = [x for t in teams for x in (f"status.frozen.ticks.{t}", f"action.transfer.{t}.count")]
    own = [f"action.transfer.{t}.{x}.self" for t in teams for x in items]
    return ClassicStats(
        team=_table(both, mine, size, 2),
        strike=_table(_strikes(teams), mine, size, size, 3),
        gift=_table(gifts, mine, size, size, len(items)),
        own=_table(own, mine, size, -1),
        goods=_goods(items, found),
        store=_table(store, found.game, len(items), NUM_FLOWS),
        diverse=_table(kept, mine, size, len(items)),
    )


def initial_agent_stats(core: Core, kind: AgentKind) -> dict[str, float]:
    """Return what an agent's statistics begin with: what it holds at first counts as gained."""
    if not core.is_classic:
        return {}
    held = {name: amount for name, amount in kind.inventory.initial.items() if amount > 0}
    made = {f"{name}.gained": float(amount) for name, amount in held.items()}
    return made | {"inventory.diversity": float(len(set(held) & set(kind.diversity)))}


def initial_chest_stats(core: Core, grid: Any) -> dict[str, float]:
    """Return what chests count at first: all they hold, and how much the last of them has."""
    made: dict[str, float] = {}
    for name in grid.reshape(-1):
        thing = core.objects.get(name)
        if thing is not None and thing.kind == "chest":
            for item, amount in thing.inventory.initial.items():
                if amount > 0:
                    put = f"chest.{item}.deposited"
                    made[put] = made.get(put, 0.0) + amount
                    made[f"chest.{item}.amount"] = float(amount)
    return made
