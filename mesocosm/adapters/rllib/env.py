"""Mesocosm as an RLlib environment: all agents of one episode, by name, on the new API stack.

Agents are `role_index` in config order; `role_of` maps them to the module of their
role. What an agent is shown is a dict of `"observations"` and, where its role has masked choices,
`"action_mask"`; `RllibModule` reads both. Only those who act next, or have just ended, are shown
anything. `infos` holds the declared info by name, what the world's `tell` makes of it and, in the
step of an end, `"reason"`, `"outcome"` and `"truncated"`.

What RLlib 2.60 makes of endings decides how they are told:
- a slot of a role that respawns is one agent until the episode ends (`"life_ended"` in its info),
  as RLlib ends an episode once everybody whom it knows has ended, whoever is yet to be born;
- in the last step of an episode an agent that was cut off has no flag of its own, for
  `truncateds["__all__"]` says it: with a flag for each of them RLlib would take all for
  terminated, and learners would expect nothing beyond.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Unpack

import numpy as np

from mesocosm.adapters.extra import missing_library

try:
    from ray.rllib.env.env_context import EnvContext
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ImportError as error:
    raise missing_library("RLlib", "Ray", "ray") from error

from mesocosm.adapters.boundary import OpenOptions, open_env
from mesocosm.adapters.rllib.spaces import ACTION_MASK, OBSERVATIONS, read_context, shown_space
from mesocosm.adapters.spaces import action_space, read_actions
from mesocosm.adapters.step_view import copy_value, ending, truncates
from mesocosm.core.adapter import Parts, agent_names
from mesocosm.core.errors import ActionError, MesocosmError
from mesocosm.core.spec import Role
from mesocosm.core.step import Step

ALL = "__all__"


class _Seat(NamedTuple):
    """One agent's place in a role, and what became of it in a step."""

    name: str
    role: Role
    place: int  # in its role
    terminated: bool = False
    truncated: bool = False
    life_ended: bool = False


class RllibEnv(MultiAgentEnv):  # type: ignore[misc]
    """All agents of one episode at a time.

    Args:
        source: A preset or a config, or RLlib's `env_config` with these arguments by name:
            `PPOConfig().environment(RllibEnv, env_config={"source": "townlet/L6"})`. Of the envs
            that RLlib makes so, each plays another env of the seed, and records into a folder of
            its own within `record`.
    """

    def __init__(self, source: Any, overrides: Any = None, **options: Unpack[OpenOptions]) -> None:
        if isinstance(source, EnvContext):
            source, overrides, options = read_context(source)
        self._env = open_env(source, overrides, contract=1, autoreset="off", **options)
        roles = self._env.spec.roles.values()
        self._seats = {
            name: _Seat(name, role, place)
            for role in roles
            for place, name in enumerate(agent_names(role))
        }
        self._truncates = truncates(self._env.spec)
        self.possible_agents = list(self._seats)
        self.agents = list(self._seats)
        self.observation_spaces = {x.name: shown_space(x.role) for x in self._seats.values()}
        self.action_spaces = {x.name: action_space(x.role) for x in self._seats.values()}
        self._playing: dict[str, _Seat] = {}
        super().__init__()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start episode 0 of a seed, or the next episode."""
        parts = self._env.reset(seed=seed)
        gone = {name: part.terminated[0] | part.truncated[0] for name, part in parts.items()}
        self._playing = {
            x.name: x
            for x in self._seats.values()
            if x.role.respawn or not gone[x.role.name][x.place]
        }
        self.agents = list(self._playing)
        shown = [x for x in self._playing.values() if parts[x.role.name].acting[0, x.place]]
        return self._show(shown), {x.name: self._info(x) for x in shown}

    def step(self, action_dict: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play one step; agents without an action play the no-op."""
        if not self._playing:
            raise MesocosmError("no episode is running: call reset() before step()")
        parts = self._env.step(self._gather(action_dict))
        over = bool(next(iter(parts.values())).episode_over[0])
        now = [self._judge(x, parts[x.role.name], over) for x in self._playing.values()]
        shown = [x for x in now if over or _ends(x) or parts[x.role.name].acting[0, x.place]]
        rewards = {x.name: float(parts[x.role.name].reward[0, x.place]) for x in now}
        self._playing = {
            x.name: self._seats[x.name] for x in now if not (over or x.terminated or x.truncated)
        }
        self.agents = list(self._playing)  # whoever may act next
        infos = {x.name: self._info(x) for x in shown}
        return self._show(shown), rewards, *_flags(now, over), infos

    def close(self) -> None:
        """End the recording, if there is one."""
        self._env.close()

    def _gather(self, actions: Mapping[str, Any]) -> dict[str, Any]:
        """Put the actions of each role's agents into one batch."""
        if not isinstance(actions, Mapping):
            got = type(actions).__name__
            raise ActionError(f"actions must be a dict from agent to action, got {got}")
        made = {}
        for name, role in self._env.spec.roles.items():
            lead = (1, role.num_agents)
            made[name] = read_actions(role, role.action.noop(lead), lead)
        for name, action in actions.items():
            if name not in self._playing:
                playing = ", ".join(self._playing)
                raise ActionError(f"no agent {name!r} takes part now; those who do: {playing}")
            seat = self._playing[name]
            for whole, mine in zip(
                made[seat.role.name], read_actions(seat.role, action), strict=True
            ):
                whole[0, seat.place] = mine
        roles = self._env.spec.roles
        return {name: roles[name].action.join(*both) for name, both in made.items()}

    def _judge(self, seat: _Seat, part: Step, over: bool) -> _Seat:
        """Say whether an agent ended in this step, and how."""
        at = (0, seat.place)
        fresh = bool(part.ended[at])
        terminated, truncated = bool(part.terminated[at]), bool(part.truncated[at])
        if seat.role.respawn and not (over and fresh):
            cut = bool(self._truncates[part.episode_reason[0]])
            terminated, truncated = over and not cut, over and cut
        life_ended = fresh and seat.role.respawn
        return seat._replace(terminated=terminated, truncated=truncated, life_ended=life_ended)

    def _show(self, seats: list[_Seat]) -> dict[str, Any]:
        """Copy what agents see and may do, in the form of their spaces."""
        return dict(_shown(self._env.parts, seats))

    def _info(self, seat: _Seat) -> dict[str, Any]:
        part, at = self._env.parts[seat.role.name], (0, seat.place)
        info = {name: copy_value(values[at]) for name, values in part.info.items()}
        info |= self._env.tell(seat.role.name, env=0, agent=seat.place)
        if seat.role.respawn:
            info |= {"generation": int(part.generation[at]), "life_ended": seat.life_ended}
        if not _ends(seat):
            return info
        whole = not part.ended[at]  # the episode ended while the slot was empty
        reason, outcome = (
            (part.episode_reason[0], part.episode_outcome[0])
            if whole
            else (part.reason[at], part.outcome[at])
        )
        cut = seat.truncated if not seat.life_ended else bool(part.truncated[at])
        return info | ending(self._env.spec, reason, outcome) | {"truncated": cut}


def _shown(parts: Parts, seats: list[_Seat]) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    for seat in seats:
        part, at = parts[seat.role.name], (0, seat.place)
        made = {OBSERVATIONS: np.array(part.obs[at])}
        if seat.role.action.mask_size:
            made[ACTION_MASK] = part.mask[at].astype(np.int8)
        yield seat.name, made


def _ends(seat: _Seat) -> bool:
    return seat.terminated or seat.truncated or seat.life_ended


def _flags(now: list[_Seat], over: bool) -> tuple[dict[str, bool], dict[str, bool]]:
    """Say who was terminated and who was cut off, as RLlib has to be told (see above)."""
    terminateds = {x.name: x.terminated for x in now}
    truncateds = {x.name: x.truncated and not over for x in now}
    cut = any(x.truncated for x in now)
    return terminateds | {ALL: over and not cut}, truncateds | {ALL: over and cut}
