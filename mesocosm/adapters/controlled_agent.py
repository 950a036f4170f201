"""One agent of each env in a batch is controlled from outside; policies play the others."""

from typing import Any, NamedTuple

import numpy as np

from mesocosm.adapters.players import Players, Policies
from mesocosm.adapters.spaces import read_actions
from mesocosm.adapters.step_view import Ends, info_at
from mesocosm.core.adapter import AdapterEnv
from mesocosm.core.errors import ConfigError, MesocosmError, short


class Result(NamedTuple):
    """What a step brought the controlled agent of each env."""

    reward: np.ndarray  # float64 [env]
    terminated: np.ndarray  # bool [env]; in the step of the end only
    truncated: np.ndarray  # bool [env]
    reason: np.ndarray  # int16 [env]
    outcome: np.ndarray  # int8 [env]


class ControlledAgent:
    """The place of the controlled agent.

    The env must have been opened with `autoreset="off"`: the controlled agent's end is the end of
    its episode here, also where the world would play on without it, so the caller says when to
    reset. In a role that respawns, one life is one such episode. Nobody else: no policy is asked.
    """

    def __init__(self, env: AdapterEnv, agent: int, *, policies: Policies | None) -> None:
        if isinstance(agent, bool) or not isinstance(agent, int | np.integer):
            raise ConfigError(f"agent: must be an agent's number, got {short(agent)}")
        self._env, self.role = env, env.spec.role_of(agent)
        self._at = (slice(None), agent - self.role.first)
        self._players = Players(env, policies)
        self._is_lone = env.spec.num_agents == 1
        self._ends = Ends(env.spec)

    def reset(self, *, seed: int | None = None, envs: np.ndarray | None = None) -> None:
        """Start new episodes; policies begin anew only when every env does."""
        self._env.reset(seed=seed, envs=envs)
        if envs is None:
            self._players.reset(seed)
        self._follow()
        self._gone = self._absent()

    def play(self, action: Any) -> Result:
        """Play one step: the given actions `[env, ...]` and those of the policies."""
        env, role = self._env, self.role
        if not env.parts:
            raise MesocosmError("call reset() before step()")
        choice, level = read_actions(role, action, (env.num_envs,))
        if self._is_lone:
            env.step(role.action.join(choice[:, None], level[:, None]))
            return self._result()
        given = {name: self._players.act(name) for name in env.spec.roles}
        both = read_actions(role, given[role.name], (env.num_envs, role.num_agents))
        both[0][self._at], both[1][self._at] = choice, level
        given[role.name] = role.action.join(*both)
        env.step(given)
        self._follow()
        return self._result()

    def _follow(self) -> None:
        """Take note of where episodes and lives begin, which policies are told."""
        if not self._is_lone:
            self._env.began()

    def observe(self) -> np.ndarray:  # [env, *observation shape]
        """Copy the controlled agent's observations."""
        return np.array(self._env.parts[self.role.name].obs[self._at])

    def received(self, env: int) -> tuple[np.ndarray, np.ndarray, dict[str, Any], np.ndarray]:
        """Copy what one env's controlled agent received, in arrays `[1, 1, ...]`, as for `act`."""
        part, at = self._env.parts[self.role.name], (slice(env, env + 1), [self._at[1]])
        info = {name: np.array(values[at]) for name, values in part.info.items()}
        began = self._env.began()[self.role.name]
        return np.array(part.obs[at]), np.array(part.mask[at]), info, np.array(began[at])

    def info(self) -> dict[str, Any]:
        """Copy what the controlled agent is told, as arrays `[env, ...]`."""
        return info_at(self.role, self._env.parts[self.role.name], self._at)

    def tell(self, env: int) -> dict[str, Any]:
        """Give what the world makes of all that one env's controlled agent received."""
        return self._env.tell(self.role.name, env=env, agent=self._at[1])

    def ending(self, result: Result, env: int) -> dict[str, str]:
        """Name why and how the controlled agent of one env ended."""
        return self._ends.name(result.reason[env], result.outcome[env])

    @property
    def seed_word(self) -> int:
        """A seed for whoever learns here, of the episode and of no policy."""
        return self._players.word(len(self._env.spec.roles))

    def _absent(self) -> np.ndarray:
        part = self._env.parts[self.role.name]
        gone: np.ndarray = part.terminated[self._at] | part.truncated[self._at]
        return gone

    def _result(self) -> Result:
        """Judge the step; an episode may also end while the slot waits for its next life."""
        part, at = self._env.parts[self.role.name], self._at
        was, self._gone = self._gone, self._absent()
        fresh = self._gone & ~was
        reward = part.reward[at].astype(np.float64)
        if not (fresh.any() or part.episode_over.any()):
            nowhere, never = np.zeros((2, len(fresh)), bool)
            return Result(reward, nowhere, never, part.reason[at], part.outcome[at])
        outside = part.episode_over & ~fresh
        cut = self._ends.truncates[part.episode_reason]
        return Result(
            reward,
            np.where(outside, ~cut, part.terminated[at] & fresh),
            np.where(outside, cut, part.truncated[at] & fresh),
            np.where(outside, part.episode_reason, part.reason[at]),
            np.where(outside, part.episode_outcome, part.outcome[at]),
        )
