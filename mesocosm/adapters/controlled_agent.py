"""One agent of each env in a batch is controlled from outside; policies play the others."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mesocosm.adapters.spaces import Parts, read_actions
from mesocosm.adapters.step_view import ending, info_at, role_steps, structured, truncates
from mesocosm.core.beginnings import Beginnings
from mesocosm.core.errors import ConfigError, MesocosmError, short, unknown
from mesocosm.core.policy import Policy, check_policy
from mesocosm.core.step import Step
from mesocosm.learning.policies.load import load_policy
from mesocosm.sim.engine import Engine

Policies = Mapping[str, Policy | str]


class Result(NamedTuple):
    """What a step brought the controlled agent of each env."""

    reward: np.ndarray  # float64 [env]
    terminated: np.ndarray  # bool [env]; in the step of the end only
    truncated: np.ndarray  # bool [env]
    reason: np.ndarray  # int16 [env]
    outcome: np.ndarray  # int8 [env]


class ControlledAgent:
    """The place of the controlled agent.

    The batch must have been made with `autoreset="off"`: the controlled agent's end is the end of
    its episode here, also where the world would play on without it, so the caller says when to
    reset. In a role that respawns, one life is one such episode.
    """

    def __init__(
        self, raw: Engine, agent: int, *, policies: Policies | None, seed: int | None
    ) -> None:
        if isinstance(agent, bool) or not isinstance(agent, int | np.integer):
            raise ConfigError(f"agent: must be an agent's number, got {short(agent)}")
        self.raw, self.role = raw, raw.spec.role_of(agent)
        self._at = (slice(None), agent - self.role.first)
        self._players = _players(raw, policies or {})
        self._truncates = truncates(raw.spec)
        self._seed: int = raw.config.identity.seed if seed is None else seed
        self._resets = -1
        self._parts: dict[str, Step] = {}
        self._beginnings = Beginnings(raw)

    def reset(self, *, seed: int | None = None, envs: np.ndarray | None = None) -> None:
        """Start new episodes; policies begin anew only when every env does."""
        step = self.raw.reset(seed=seed, envs=envs)
        if envs is None:
            self._reset_players(seed)
        self._take(step)
        self._gone = self._absent()

    def play(self, action: Any) -> Result:
        """Play one step: the given actions `[env, ...]` and those of the policies."""
        if not self._parts:
            raise MesocosmError("call reset() before step()")
        mine = read_actions(self.role, action, (self.raw.num_envs,))
        actions = {name: self._choose(name, mine) for name in self._players}
        alone = len(actions) == 1
        self._take(self.raw.step(actions[self.role.name] if alone else actions))
        return self._result()

    def _take(self, step: Step) -> None:
        """Keep what a step brought every role, and where an episode or a life begins with it."""
        self._parts = role_steps(step, self.raw.spec)
        began = self._beginnings.follow(step)
        self._began = began if isinstance(began, dict) else {self.role.name: began}

    def observe(self) -> np.ndarray:  # [env, *observation shape]
        """Copy the controlled agent's observations."""
        return np.array(self._parts[self.role.name].obs[self._at])

    def received(self, env: int) -> tuple[np.ndarray, np.ndarray, dict[str, Any], np.ndarray]:
        """Copy what one env's controlled agent received, in arrays `[1, 1, ...]`, as for `act`."""
        part, at = self._parts[self.role.name], (slice(env, env + 1), [self._at[1]])
        info = {name: np.array(values[at]) for name, values in part.info.items()}
        began = self._began[self.role.name]
        return np.array(part.obs[at]), np.array(part.mask[at]), info, np.array(began[at])

    def info(self) -> dict[str, Any]:
        """Copy what the controlled agent is told, as arrays `[env, ...]`."""
        return info_at(self.role, self._parts[self.role.name], self._at)

    def structured(self, env: int) -> dict[str, Any]:
        """Give what the world makes of all that one env's controlled agent received."""
        part = self._parts[self.role.name]
        return structured(self.raw, self.role, part, (env, self._at[1]))

    def ending(self, result: Result, env: int) -> dict[str, str]:
        """Name why and how the controlled agent of one env ended."""
        return ending(self.raw.spec, result.reason[env], result.outcome[env])

    @property
    def seed_word(self) -> int:
        """A seed for whoever learns here, of the episode and of no policy."""
        return _word(self._seed, self._resets, len(self._players))

    def _reset_players(self, seed: int | None) -> None:
        self._seed, self._resets = (self._seed, self._resets + 1) if seed is None else (seed, 0)
        for k, (name, player) in enumerate(self._players.items()):
            word = _word(self._seed, self._resets, k)
            player.reset(self.raw.spec.roles[name], self.raw.num_envs, word)

    def _choose(self, name: str, mine: Parts) -> Any:
        role, part = self.raw.spec.roles[name], self._parts[name]
        given = self._players[name].act(part.obs, part.mask, part.info, self._began[name])
        if name != self.role.name:
            return given
        choice, level = read_actions(role, given, (self.raw.num_envs, role.num_agents))
        choice[self._at], level[self._at] = mine
        return role.action.join(choice, level)

    def _absent(self) -> np.ndarray:
        part = self._parts[self.role.name]
        return np.array(part.terminated[self._at] | part.truncated[self._at])

    def _result(self) -> Result:
        """Judge the step; an episode may also end while the slot waits for its next life."""
        part, at = self._parts[self.role.name], self._at
        was, self._gone = self._gone, self._absent()
        fresh = self._gone & ~was
        outside = part.episode_over & ~fresh
        cut = self._truncates[part.episode_reason]
        return Result(
            part.reward[at].astype(np.float64),
            np.where(outside, ~cut, part.terminated[at] & fresh),
            np.where(outside, cut, part.truncated[at] & fresh),
            np.where(outside, part.episode_reason, part.reason[at]),
            np.where(outside, part.episode_outcome, part.outcome[at]),
        )


def _word(*numbers: int) -> int:
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint32)[0])


def _players(raw: Engine, given: Policies) -> dict[str, Policy]:
    """Make the policy of every role; random where none is given."""
    if not isinstance(given, Mapping):
        raise ConfigError(f"policies: must map roles to policies, got {short(given)}")
    for name in given:
        if name not in raw.spec.roles:
            raise unknown("role", name, raw.spec.roles)
    made: dict[str, Policy] = {}
    for name in raw.spec.roles:
        chosen = given.get(name, "random")
        if not isinstance(chosen, str) and not hasattr(chosen, "act"):
            raise ConfigError(f"policies.{name}: must be a policy or its name, got {short(chosen)}")
        player = (
            load_policy(chosen, raw.spec.world).policy
            if isinstance(chosen, str)
            else check_policy(chosen)
        )
        if player.privileged:
            player.truth = raw.truth  # type: ignore[attr-defined]
        made[name] = player
    return made
