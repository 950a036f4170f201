"""Seats: which agents a player of a match plays."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.errors import ActionError, ConfigError, short, unknown
from mesocosm.core.policy import Policy
from mesocosm.core.spec import Role, Spec
from mesocosm.core.step import Step
from mesocosm.evaluation.acting import to_host
from mesocosm.learning.policies.answer import Answer, read_answer
from mesocosm.sim.engine import Engine

SEAT = re.compile(r"(?P<role>[^\[\]]+)(?:\[(?P<slots>\d+(?:,\d+)*)\])?")


class Seat(NamedTuple):
    """Agents of one role.

    Args:
        name: `role`, or `role[0,2]` where it is not all of them.
        slots: Of the role, counted from 0.
    """

    name: str
    role: str
    slots: tuple[int, ...]


def read_seats(names: Iterable[str], spec: Spec) -> dict[str, Seat]:
    """Read seats by their names; together they must be all agents, each once."""
    given, seats = list(names), dict[str, Seat]()
    for name in given:
        match = SEAT.fullmatch(name)
        if match is None:
            raise ConfigError(f"a seat is ROLE or ROLE[0,2], got {short(name)}")
        if match["role"] not in spec.roles:
            raise unknown("role with agents", match["role"], spec.roles)
        count = spec.roles[match["role"]].num_agents
        slots = tuple(map(int, match["slots"].split(","))) if match["slots"] else range(count)
        if any(slot >= count for slot in slots):
            raise ConfigError(f"{name}: {match['role']} has agents 0 to {count - 1}")
        seats[name] = Seat(name, match["role"], tuple(slots))
    taken = sorted((seat.role, slot) for seat in seats.values() for slot in seat.slots)
    every = sorted((role.name, k) for role in spec.roles.values() for k in range(role.num_agents))
    if taken != every:
        raise ActionError(f"programs must be given for {list(spec.roles)}, each once, got {given}")
    return seats


def divide(spec: Spec, count: int) -> list[str]:
    """Name a seat for each of some players: a role each, or every so many agents of the only one.

    Args:
        count: Of players.
    """
    roles = list(spec.roles.values())
    if len(roles) == count:
        return [role.name for role in roles]
    if len(roles) == 1 and roles[0].num_agents >= count:
        slots = [range(k, roles[0].num_agents, count) for k in range(count)]
        return [f"{roles[0].name}[{','.join(map(str, own))}]" for own in slots]
    have = ", ".join(f"{role.num_agents} {role.name}" for role in roles)
    raise ConfigError(f"{count} players need {count} roles, or {count} agents of one; got {have}")


class SeatedPlayer:
    """A policy on its seat, in an env of one episode at a time."""

    def __init__(self, seat: Seat, policy: Policy, role: Role) -> None:
        self.seat, self.policy, self._role = seat, policy, role
        self._alone = bool(getattr(policy, "independent", False))
        self._rows: Any = np.array(seat.slots) if self._alone else slice(None)
        own = replace(role, num_agents=len(seat.slots))
        self._asked = own if self._alone else role

    def begin(self, env: Engine, seed: int) -> None:
        """Prepare for an episode."""
        if self.policy.privileged:
            vars(self.policy)["truth"] = env.truth
        self.policy.reset(self._asked, 1, seed)

    def choose(self, step: Step, began: Any, *, alone: bool) -> Answer:
        """Give the choices and levels `[1, slot, part]` of its agents.

        Args:
            alone: Whether the env has one role only, whose arrays stand alone.
        """
        name, rows = self.seat.role, self._rows
        obs, mask, info, fresh = (
            value if alone else value[name] for value in (step.obs, step.mask, step.info, began)
        )
        told = {key: to_host(value)[:, rows] for key, value in info.items()}
        given = self.policy.act(to_host(obs)[:, rows], to_host(mask)[:, rows], told, fresh[:, rows])
        lead = (1, self._asked.num_agents)
        choice, level = read_answer(given, self._role, lead, type(self.policy).__name__)
        if self._alone:
            return choice, level
        slots = list(self.seat.slots)
        return choice[:, slots], level[:, slots]


def join_actions(spec: Spec, answers: Mapping[Seat, Answer]) -> Any:
    """Put the answers of all seats together, as `env.step` takes them."""
    made = {}
    for name, role in spec.roles.items():
        lead = (1, role.num_agents)
        choice = np.zeros((*lead, len(role.action.choices)), np.int32)
        level = np.zeros((*lead, len(role.action.levels)), np.float32)
        for seat, (own_choice, own_level) in answers.items():
            if seat.role == name:
                choice[:, seat.slots], level[:, seat.slots] = own_choice, own_level
        made[name] = role.action.join(choice, level)
    return made if len(made) > 1 else next(iter(made.values()))
