"""What `evaluate` plays: each entrant in the same seats beside the same others, on every preset."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import OUTCOMES, Spec
from mesocosm.evaluation.arena.arena import Arena
from mesocosm.evaluation.arena.bout import Bout
from mesocosm.evaluation.arena.lineup import Lineup, find_agents, rotate

AS_GIVEN = "as given"  # label of the one group that only others play in
SUCCESS = OUTCOMES.index("success")


class Group(NamedTuple):
    """Lineups that are summed up together: the same players, in some order of seats."""

    label: str
    lineups: tuple[Lineup, ...]


def plan_groups(
    spec: Spec,
    names: Sequence[str],
    others: Mapping[int, int],
    *,
    seats: Sequence[str] = (),
    rotated: bool = False,
) -> list[Group]:
    """Let every entrant in turn take the seats that are free.

    Args:
        names: Of the entrants that take turns; they have the first numbers.
        others: By agent, the entrant that plays it in every group.
        seats: Those that entrants take, also if somebody else has them; else all free ones.
        rotated: Whether everybody changes places within a role until all have been everywhere.
    """
    every = range(spec.num_agents)
    free = find_agents(spec, seats) if seats else [a for a in every if a not in others]
    for agent in every:
        if agent not in free and agent not in others:
            role = spec.role_of(agent).name
            raise ConfigError(f"evaluate: nobody plays agent {agent}; --policy {role}=NAME does")
    base = [-1 if agent in free else others[agent] for agent in every]
    if not names:
        return [_group(AS_GIVEN, spec, tuple(base), rotated)]
    if not free:
        raise ConfigError("evaluate: --policy takes every seat; --seat ROLE says which are free")
    made = []
    for k, name in enumerate(names):
        lineup = tuple(k if who < 0 else who for who in base)
        made.append(_group(name, spec, lineup, rotated))
    return made


def _group(label: str, spec: Spec, lineup: Lineup, rotated: bool) -> Group:
    return Group(label, tuple(rotate(spec, lineup)) if rotated else (lineup,))


class Sample(NamedTuple):
    """How an entrant did in a group, in one role: a value for each episode."""

    preset: int
    group: str
    entrant: int
    role: str
    returns: np.ndarray  # float64 [episode]: of an agent, on average; NaN: it did not end
    lengths: np.ndarray  # float64 [episode]: of a life, on average
    success: np.ndarray  # float64 [episode]: share of the lives
    lives: int
    violations: int
    forfeits: tuple[str, ...]


def play_groups(arena: Arena, groups: Mapping[int, Sequence[Group]]) -> list[Sample]:
    """Play the groups of every preset, and give a sample for each entrant and role in them."""
    every = [(preset, group) for preset, own in groups.items() for group in own]
    wanted = [(lineup, preset) for preset, group in every for lineup in group.lineups]
    played = iter(arena.play_all(wanted))
    made = []
    for preset, group in every:
        bouts = list(islice(played, len(group.lineups)))
        made += list(_samples(arena, preset, group.label, bouts))
    return made


def count_bouts(groups: Mapping[int, Sequence[Group]]) -> int:
    """Count what `play_groups` plays."""
    return sum(len(group.lineups) for own in groups.values() for group in own)


def _samples(arena: Arena, preset: int, label: str, bouts: Sequence[Bout]) -> Iterable[Sample]:
    spec = arena.spec(preset)
    for entrant in dict.fromkeys(k for bout in bouts for k in bout.lineup):
        for role in spec.roles.values():
            if any(entrant in bout.lineup[role.span] for bout in bouts):
                yield _sample(arena, preset, label, bouts, entrant, role.name)


def _sample(
    arena: Arena, preset: int, label: str, bouts: Sequence[Bout], entrant: int, role: str
) -> Sample:
    count, span = arena.conditions.episodes.count, arena.spec(preset).roles[role].span
    sums, violations = np.zeros((5, count)), 0  # agents, returns, lives, lengths, successes
    for bout in bouts:
        agents = [a for a in bout.agents_of(entrant).tolist() if span.start <= a < span.stop]
        if bout.forfeits or not agents:
            continue
        done = bout.endings > 0
        lives = bout.lives
        mine = np.isin(lives["agent"], agents)
        at = lives["env"][mine]
        sums[0] += done * len(agents)
        for row, values in enumerate(
            (
                lives["total_return"][mine],
                np.ones(len(at)),
                lives["length"][mine],
                lives["outcome"][mine] == SUCCESS,
            )
        ):
            np.add.at(sums[row + 1], at, values)
        violations += int(bout.violations[agents].sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        returns, lengths, success = sums[1] / sums[0], sums[3] / sums[2], sums[4] / sums[2]
    told = (f"{arena.names[k]}: {why}" for bout in bouts for k, why in bout.forfeits.items())
    lives_in_all = int(sums[2].sum())
    return Sample(
        preset, label, entrant, role, returns, lengths, success, lives_in_all, violations,
        tuple(dict.fromkeys(told)),
    )  # fmt: skip
