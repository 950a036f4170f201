"""Mesocosm as PettingZoo environments: all agents of one episode, by name.

Agents are `role_index` in config order. `infos[agent]` holds its declared info by name,
`"acting"`, `"action_mask"` in the form that `action_space(agent).sample(mask=...)` takes, what the
world's `tell` makes of it all and, in the step of an end, `"reason"` and `"outcome"`. An agent
leaves `agents` when it ends. In a role that respawns the slot is the agent and stays until the
episode ends; its info has `"generation"` and `"life_ended"` and, when a life ended,
`"final_observation"` and the reason.

`state()` is what all agents see and, where `critic=` names truth fields, these.
"""

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from mesocosm.adapters.extra import missing_library

try:
    import pettingzoo
    from gymnasium.spaces import Box
except ImportError as error:
    raise missing_library("PettingZoo", "pettingzoo") from error

from mesocosm.adapters.boundary import OpenOptions, open_env
from mesocosm.adapters.render import FPS, Renderer, offered_modes
from mesocosm.adapters.roster import Columns, Roster
from mesocosm.adapters.spaces import Parts, action_space, observation_space
from mesocosm.core.errors import ActionError, MesocosmError

CONTRACT = 1  # the version of the adapter contract that this is written for
LIFE_KEYS = ("life_ended", "final_observation", "reason", "outcome")


class _ZooEnv:
    """What both kinds of PettingZoo environment share.

    Args:
        render_mode: `rgb_array`, `ansi` or `human`.
        open_options: `seed`, `target`, `record`, `critic` and so on, as for `open_env`.
    """

    def __init__(
        self,
        source: Any,
        overrides: Any = None,
        *,
        render_mode: str | None = None,
        **open_options: Unpack[OpenOptions],
    ) -> None:
        self._env = open_env(source, overrides, contract=CONTRACT, autoreset="off", **open_options)
        self._renderer, self.render_mode = Renderer(self._env, render_mode), render_mode
        self._roster = Roster(self._env)
        self.metadata = {
            "name": self._env.title.replace("-", "_"),
            "render_modes": offered_modes(self._env),
            "render_fps": FPS,
            "is_parallelizable": self._env.spec.turns == "simultaneous",
        }
        self.possible_agents = list(self._roster.slots)
        self.agents: list[str] = []
        # One space per agent, not per role: a space carries its own random numbers.
        slots = self._roster.slots.items()
        self.observation_spaces = {name: observation_space(role) for name, (role, _) in slots}
        self.action_spaces = {name: action_space(role) for name, (role, _) in slots}
        self.state_space = Box(*self._env.critic_bounds(), dtype=np.float32)

    def observation_space(self, agent: str) -> Any:
        """Give the space of an agent's observations."""
        self._roster.slot(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Give the space of an agent's actions."""
        self._roster.slot(agent)
        return self.action_spaces[agent]

    def state(self) -> np.ndarray:  # float32 [number]
        """Give what a central critic may know: see `open_env(critic=...)`."""
        seen: np.ndarray = self._env.critic_state()[0]
        return seen

    def render(self) -> Any:
        """Show the episode as the render mode says."""
        return self._renderer.show()

    def close(self) -> None:
        """Complete the recording, if there is one."""
        self._env.close()


class ZooParallelEnv(_ZooEnv, pettingzoo.ParallelEnv):  # type: ignore[misc]
    """All agents act at once.

    In a world with turns every agent in `agents` still gives an action, and those of agents whose
    `"acting"` is False are ignored.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, dict[str, Any]]]:
        """Start episode 0 of a seed, or the next episode."""
        self.agents = self._roster.reset(seed)
        self._renderer.follow()
        first = self._roster.columns()
        return first.obs, first.info

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play one step; give observations, rewards, terminations, truncations and infos."""
        if type(actions) is not dict or actions.keys() != set(self.agents):
            self._check(actions)
        if not self.agents:
            return Columns({}, {}, {}, {}, {})
        self._roster.play(actions)
        made = self._roster.columns()
        if self._roster.leave():
            self.agents = self._roster.agents
        self._renderer.follow()
        return made

    def _check(self, actions: Any) -> None:
        """Require a mapping from exactly the agents that take part."""
        if not isinstance(actions, Mapping):
            got = type(actions).__name__
            raise ActionError(f"actions must be a dict from agent to action, got {got}")
        absent = [name for name in self.agents if name not in actions]
        odd = [name for name in actions if name not in self.agents]
        if absent or odd:
            raise ActionError(
                f"actions must be given for exactly the agents in `agents`: "
                f"missing {absent}, not taking part {odd}"
            )


class ZooAECEnv(_ZooEnv, pettingzoo.AECEnv):  # type: ignore[misc]
    """Agents act one after the other, in the order of `agents`.

    The world moves when everybody whose turn it is has acted: in a simultaneous world after a
    round of all agents, in a world with turns after each action. Rewards accumulate until an
    agent acts again, and so does the news that a life of it ended.
    """

    agent_selection: str

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start episode 0 of a seed, or the next episode."""
        self.agents = self._roster.reset(seed)
        self._skip_agent_selection: str | None = None
        self._chosen: dict[str, Parts | int] = {}
        self._news: dict[str, dict[str, Any]] = {}
        self._seen: dict[str, np.ndarray] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._tell()
        self._await_turn()

    def step(self, action: Any) -> None:
        """Take the action of `agent_selection`; None from one that has ended."""
        if not self.agents:
            raise MesocosmError("no episode is running: call reset() before step()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._chosen[agent] = self._roster.read(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._news.pop(agent, None)
        if self._queue:
            self.agent_selection = self._queue.pop(0)
            return
        self._move()
        self._await_turn()

    def last(self, observe: bool = True) -> Any:
        """Tell what the agent that acts next got since it acted."""
        if not self._roster.is_started:
            raise MesocosmError("no episode is running: call reset() before last()")
        return super().last(observe)

    def observe(self, agent: str) -> np.ndarray:
        """Copy what an agent sees now; one that ended sees its last moment until it leaves."""
        if agent in self.agents:
            return self._seen[agent].copy()
        return self._roster.observe(agent)

    def _move(self) -> None:
        """Play one step of the world with the actions that were collected."""
        self._roster.play_read(self._chosen)
        self._chosen = {}
        for name, reward in self._tell().items():
            self.rewards[name] += reward

    def _tell(self) -> dict[str, float]:
        """Publish what everybody gets, and give the rewards; one that ended got its last."""
        told = self._roster.columns()
        self._roster.leave()
        for name, info in told.info.items():
            if info.get("life_ended"):
                self._news[name] = {key: info[key] for key in LIFE_KEYS}
            info.update(self._news.get(name, {}))
        self._seen |= told.obs
        self.terminations |= told.terminated
        self.truncations |= told.truncated
        self.infos |= told.info
        self._renderer.follow()
        return told.reward

    def _await_turn(self) -> None:
        """Select who acts next; the world moves on alone while nobody can (all await rebirth)."""
        self._queue = self._roster.acting()
        while not self._queue and not self._roster.is_over:
            self._move()
            self._queue = self._roster.acting()
        self.agent_selection = self._queue.pop(0) if self._queue else self.agents[0]
        self._accumulate_rewards()
        self._deads_step_first()
