"""Who plays where: the envs and agents that past selves play for, fixed for a whole training."""

from typing import NamedTuple

import numpy as np

from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Role, Spec
from mesocosm.learning.settings import PREFIX, LeagueSettings


class Seat(NamedTuple):
    """What one past self of a role plays for."""

    role: str
    number: int  # among the role's seats
    envs: range
    mask: np.ndarray  # bool [env, agent of the role], over all envs


def arrange_seats(spec: Spec, settings: LeagueSettings, num_envs: int) -> list[Seat]:
    """Give every role's past selves a slice of the envs each, from the first env on.

    Where there are several roles, a past self plays for all agents of its role there, and the
    others are played by those who learn. Where there is one, it plays for half of the agents: the
    first ones in every other env, and the last ones between.
    """
    roles = list(spec.roles.values())
    if spec.num_agents < 2:
        raise ConfigError(
            f"{PREFIX}league.share: must be 0 where nobody plays against another, "
            f"got {settings.share} with one agent"
        )
    seats = len(roles) * settings.seats
    size = int(settings.share * num_envs) // seats
    if size < 1:
        raise ConfigError(
            f"{PREFIX}league.share: {settings.share} of {num_envs} envs are too few for {seats} "
            f"past selves ({settings.seats} of each role); at least {seats / num_envs:.3g}"
        )
    made = []
    for k, role in enumerate(roles):
        for number in range(settings.seats):
            first = (k * settings.seats + number) * size
            envs = range(first, first + size)
            made.append(Seat(role.name, number, envs, _mask(role, envs, num_envs, len(roles))))
    return made


def _mask(role: Role, envs: range, num_envs: int, num_roles: int) -> np.ndarray:
    mask = np.zeros((num_envs, role.num_agents), bool)
    if num_roles > 1:
        mask[envs.start : envs.stop] = True
        return mask
    half = role.num_agents // 2
    mask[envs.start : envs.stop : 2, :half] = True
    mask[envs.start + 1 : envs.stop : 2, -half:] = True
    return mask
