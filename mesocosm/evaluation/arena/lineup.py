"""Lineups: who plays which agent, and how entrants change seats."""

import re
from collections.abc import Iterator, Sequence

from mesocosm.core.errors import ConfigError, short, unknown
from mesocosm.core.spec import Spec

Lineup = tuple[int, ...]  # by agent, over all roles: the number of the entrant that plays it
SEAT = re.compile(r"(?P<role>[^\[\]]+)(?:\[(?P<slot>\d{1,9})\])?")


def seat_names(spec: Spec) -> list[str]:
    """Name the seats of an env: its roles if there are several, else the agents of the one."""
    if len(spec.roles) > 1:
        return list(spec.roles)
    (role,) = spec.roles.values()
    return [f"{role.name}[{k}]" for k in range(role.num_agents)]


def seats_by_agent(spec: Spec) -> list[int]:
    """Give the seat of every agent."""
    if len(spec.roles) == 1:
        return list(range(spec.num_agents))
    return [k for k, role in enumerate(spec.roles.values()) for _ in range(role.num_agents)]


def pair_lineups(spec: Spec, first: int, second: int) -> list[Lineup]:
    """Seat two entrants in turn, and then with every seat swapped."""
    seats = seats_by_agent(spec)
    if first == second:
        return [(first,) * len(seats)]
    return [tuple((first, second)[(k + swap) % 2] for k in seats) for swap in (0, 1)]


def rotate(spec: Spec, lineup: Lineup) -> list[Lineup]:
    """Move everybody on by one place in each role until all have been everywhere."""
    made: dict[Lineup, None] = {}
    for shift in range(max(role.num_agents for role in spec.roles.values())):
        moved: list[int] = []
        for role in spec.roles.values():
            own = lineup[role.span]
            moved += [own[(k - shift) % len(own)] for k in range(len(own))]
        made[tuple(moved)] = None
    return list(made)


def find_agents(spec: Spec, seats: Sequence[str]) -> list[int]:
    """Give the agents that some seats are of: a role's name, or `role[3]`."""
    found: dict[int, None] = {}
    for text in seats:
        found.update(dict.fromkeys(_agents(spec, text)))
    return sorted(found)


def _agents(spec: Spec, text: str) -> Iterator[int]:
    match = SEAT.fullmatch(text)
    if match is None:
        raise ConfigError(f"--seat: must be a role or ROLE[NUMBER], got {short(text)}")
    if match["role"] not in spec.roles:
        raise unknown("role with agents", match["role"], spec.roles)
    role = spec.roles[match["role"]]
    if match["slot"] is None:
        yield from range(role.first, role.first + role.num_agents)
        return
    if int(match["slot"]) >= role.num_agents:
        last = role.num_agents - 1
        raise ConfigError(f"--seat: {role.name} has agents 0 to {last}, got {short(text)}")
    yield role.first + int(match["slot"])


def describe(spec: Spec, lineup: Lineup, names: Sequence[str]) -> str:
    """Write a lineup for people: `legacy=rush, dynasty=turtle`, `harvester[0,2]=steady`."""
    parts = []
    for role in spec.roles.values():
        own = lineup[role.span]
        for k in dict.fromkeys(own):
            places = [str(slot) for slot, who in enumerate(own) if who == k]
            where = "" if len(places) == len(own) else f"[{','.join(places)}]"
            parts.append(f"{role.name}{where}={names[k]}")
    return ", ".join(parts)
