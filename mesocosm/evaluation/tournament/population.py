"""Populations of two policies: what each earns, and all together, as one becomes more common."""

from collections.abc import Sequence
from itertools import islice

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Role, Spec
from mesocosm.evaluation.arena.arena import Arena
from mesocosm.evaluation.arena.bout import Bout
from mesocosm.evaluation.arena.lineup import Lineup, rotate
from mesocosm.evaluation.arena.tables import Kinds, Row
from mesocosm.evaluation.statistics.describe import estimate_mean
from mesocosm.evaluation.statistics.estimate import Estimate

FOCAL, OTHER = 0, 1  # numbers of the entrants
POPULATION: Kinds = {
    "focal": ("text", "whose return is asked for"),
    "other": ("text", "who becomes more common"),
    "others": ("int64", "agents that the other plays"),
    "agents": ("int64", "of the role in all"),
    "share": ("float64", "of the other among those whom an agent of the focal policy meets"),
    "episodes": ("int64", "played to their end, in every order of places"),
    "focal_return": ("float64", "of an agent of the focal policy in an episode"),
    "focal_low": ("float64", "of its 95 % interval over episodes"),
    "focal_high": ("float64", "of its 95 % interval over episodes"),
    "other_return": ("float64", "of an agent of the other in an episode"),
    "other_low": ("float64", "of its 95 % interval over episodes"),
    "other_high": ("float64", "of its 95 % interval over episodes"),
    "collective_return": ("float64", "of any agent of the role in an episode: what all gain"),
    "collective_low": ("float64", "of its 95 % interval over episodes"),
    "collective_high": ("float64", "of its 95 % interval over episodes"),
    "inequality": ("float64", "mean difference between the returns of two agents of an episode"),
    "gini": ("float64", "of the returns in an episode, where none of them was negative"),
    "length": ("float64", "steps of an episode"),
    "dealings": ("float64", "events between two agents, per agent and 100 steps"),
    "forfeits": ("text", "who forfeited, and why"),
}


def choose_role(spec: Spec) -> Role:
    """Give the role that the population is of: the one with most agents."""
    role = max(spec.roles.values(), key=lambda role: role.num_agents)
    if role.num_agents < 2:
        raise ConfigError(f"population: {role.name} must have at least 2 agents, got 1")
    return role


def population_lineups(spec: Spec) -> list[list[Lineup]]:
    """Give the lineups of every number of others, from none to all, with places rotated.

    Roles beside that of the population are played by the focal policy.
    """
    role = choose_role(spec)
    made = []
    for others in range(role.num_agents + 1):
        base = [FOCAL] * spec.num_agents
        base[role.first : role.first + others] = [OTHER] * others
        made.append(rotate(spec, tuple(base)))
    return made


def count_bouts(spec: Spec) -> int:
    """Count the bouts of a population table."""
    return sum(len(lineups) for lineups in population_lineups(spec))


def play_population(arena: Arena) -> list[Row]:
    """Play every mixture of the first two entrants; give a row for each."""
    if len(arena.entrants) != 2:
        got = len(arena.entrants)
        raise ConfigError(f"population: needs two entrants, the focal one first, got {got}")
    mixtures = population_lineups(arena.spec())
    played = iter(arena.play_all([(lineup, 0) for lineups in mixtures for lineup in lineups]))
    return [
        _row(arena, others, list(islice(played, len(lineups))))
        for others, lineups in enumerate(mixtures)
    ]


def _row(arena: Arena, others: int, bouts: Sequence[Bout]) -> Row:
    spec = arena.spec()
    role = choose_role(spec)
    good = [bout for bout in bouts if not bout.forfeits]
    told = (f"{arena.names[k]}: {why}" for bout in bouts for k, why in bout.forfeits.items())
    count = role.num_agents
    row = {
        "focal": arena.names[FOCAL],
        "other": arena.names[OTHER],
        "others": others,
        "agents": count,
        "share": others / (count - 1) if others < count else None,
        "episodes": sum(bout.num_episodes for bout in good),
        "forfeits": "; ".join(dict.fromkeys(told)),
    }
    for who, name in ((FOCAL, "focal"), (OTHER, "other"), (None, "collective")):
        found = estimate_mean(_returns(good, role, who), kind="number")
        row |= _entries(name, found)
    return row | _society(spec, good, role)


def _entries(name: str, found: Estimate) -> dict[str, float | None]:
    values = {f"{name}_return": found.value, f"{name}_low": found.low, f"{name}_high": found.high}
    return {key: None if np.isnan(value) else float(value) for key, value in values.items()}


def _returns(bouts: Sequence[Bout], role: Role, who: int | None) -> np.ndarray:  # [episode]
    """Give what an agent of somebody (None: of anybody) earned in each episode, over all bouts."""
    parts = []
    for bout in bouts:
        own = np.array(bout.lineup)[role.span]
        chosen = np.ones(len(own), bool) if who is None else own == who
        if chosen.any():
            parts.append(bout.returns()[:, role.span][:, chosen].mean(1))
    values = np.mean(parts, axis=0) if parts else np.zeros(0)
    return values[~np.isnan(values)]


def _society(spec: Spec, bouts: Sequence[Bout], role: Role) -> dict[str, float | None]:
    """Say how unequal agents ended, how long episodes were, and how much agents dealt."""
    returns = [bout.returns()[bout.endings > 0][:, role.span] for bout in bouts]
    rows = np.concatenate(returns) if returns else np.zeros((0, role.num_agents))
    if not len(rows):
        return dict.fromkeys(("inequality", "gini", "length", "dealings"))
    gaps = np.abs(rows[:, :, None] - rows[:, None, :]).sum((1, 2))
    pairs = role.num_agents * (role.num_agents - 1)
    rich = (rows >= 0.0).all(1) & (rows.sum(1) > 0.0)
    gini = gaps[rich] / (2 * role.num_agents * rows[rich].sum(1)) if rich.any() else None
    steps = sum(_lengths(bout).sum() for bout in bouts)
    between = [k for k, kind in enumerate(spec.events) if kind.target == "agent"]
    deals = sum(int(bout.events[between][:, role.span].sum()) for bout in bouts)
    return {
        "inequality": float((gaps / pairs).mean()),
        "gini": None if gini is None else float(gini.mean()),
        "length": float(steps / len(rows)),
        "dealings": float(100.0 * deals / (steps * role.num_agents)),
    }


def _lengths(bout: Bout) -> np.ndarray:  # int64 [episode]
    made = np.zeros(len(bout.endings), np.int64)
    lives = bout.lives
    np.maximum.at(made, lives["env"], lives["began"] + lives["length"])
    return made
