"""Mesocosm as PettingZoo environments: all agents of one episode, by name.

Agents are `role_index` in config order. `infos[agent]` holds its declared info by name,
`"acting"`, `"action_mask"` in the form that `action_space(agent).sample(mask=...)` takes, what the
world's `tell` makes of it all and, in the step of an end, `"reason"` and `"outcome"`. An agent
leaves `agents` when it ends. In a role that respawns the slot is the agent and stays until the
episode ends; its info has `"generation"` and `"life_ended"` and, when a life ended,
`"final_observation"` and the reason.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mesocosm.adapters.extra import missing_library

try:
    import pettingzoo
except ImportError as error:
    raise missing_library("PettingZoo", "pettingzoo") from error

from mesocosm.adapters.roster import Report, Roster
from mesocosm.adapters.spaces import Parts, action_space, observation_space
from mesocosm.build import make
from mesocosm.core.errors import ActionError, MesocosmError

LIFE_KEYS = ("life_ended", "final_observation", "reason", "outcome")


class _ZooEnv:
    """What both kinds of PettingZoo environment share; `raw` is the Mesocosm env behind them."""

    render_mode = None

    def __init__(
        self,
        source: Any,
        overrides: Any = None,
        *,
        target: str = "cpu",
        seed: int | None = None,
        archetypes: str | Iterable[str] = (),
        variants: str | Iterable[str] = (),
    ) -> None:
        self.raw = make(
            source,
            overrides,
            target=target,
            seed=seed,
            autoreset="off",
            archetypes=archetypes,
            variants=variants,
        )
        self._roster = Roster(self.raw)
        identity = self.raw.config.identity
        self.metadata = {
            "name": f"{identity.world}_{identity.preset}_v{identity.version}",
            "render_modes": [],
            "is_parallelizable": self.raw.spec.turns == "simultaneous",
        }
        self.possible_agents = list(self._roster.slots)
        self.agents: list[str] = []
        # One space per agent, not per role: a space carries its own random numbers.
        slots = self._roster.slots.items()
        self.observation_spaces = {name: observation_space(role) for name, (role, _) in slots}
        self.action_spaces = {name: action_space(role) for name, (role, _) in slots}

    def observation_space(self, agent: str) -> Any:
        """Give the space of an agent's observations."""
        self._roster.slot(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Give the space of an agent's actions."""
        self._roster.slot(agent)
        return self.action_spaces[agent]

    def render(self) -> None:
        """Draw nothing: there is no render mode."""

    def close(self) -> None:
        """Release nothing: the arrays go with the object."""


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
        observations, _, _, _, infos = _columns(self._reports())
        return observations, infos

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play one step; give observations, rewards, terminations, truncations and infos."""
        if not isinstance(actions, Mapping):
            got = type(actions).__name__
            raise ActionError(f"actions must be a dict from agent to action, got {got}")
        if actions.keys() != set(self.agents):
            absent = [name for name in self.agents if name not in actions]
            odd = [name for name in actions if name not in self.agents]
            raise ActionError(
                f"actions must be given for exactly the agents in `agents`: "
                f"missing {absent}, not taking part {odd}"
            )
        if self.agents and not self._roster.step_plain(actions):
            self._roster.step({name: self._roster.read(name, actions[name]) for name in actions})
        if len(self.agents) == len(self.possible_agents):
            columns = self._roster.columns()
            if columns is not None:
                return columns
        reports = self._reports()
        self.agents = [name for name, entry in reports.items() if not _ended(entry)]
        return _columns(reports)

    def _reports(self) -> dict[str, Report]:
        return {name: self._roster.report(name) for name in self.agents}


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
        self._chosen: dict[str, Parts] = {}
        self._news: dict[str, dict[str, Any]] = {}
        self._last: dict[str, Report] = {}
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
            return self._last[agent].obs.copy()
        return self._roster.observe(agent)

    def _move(self) -> None:
        """Play one step of the world with the actions that were collected."""
        self._roster.step(self._chosen)
        self._chosen = {}
        for name, reward in self._tell().items():
            self.rewards[name] += reward

    def _tell(self) -> dict[str, float]:
        """Publish what everybody gets, and give the rewards; one that ended got its last."""
        running = [name for name in self.agents if not self._has_ended(name)]
        told = {name: self._roster.report(name) for name in running}
        for name, entry in told.items():
            if entry.info.get("life_ended"):
                self._news[name] = {key: entry.info[key] for key in LIFE_KEYS}
            entry.info.update(self._news.get(name, {}))
        self._last |= told
        here = {name: self._last[name] for name in self.agents}
        _, _, self.terminations, self.truncations, self.infos = _columns(here)
        return {name: entry.reward for name, entry in told.items()}

    def _has_ended(self, name: str) -> bool:
        return name in self._last and _ended(self._last[name])

    def _await_turn(self) -> None:
        """Select who acts next; the world moves on alone while nobody can (all await rebirth)."""
        self._queue = self._roster.acting()
        while not self._queue and not self._roster.is_over:
            self._move()
            self._queue = self._roster.acting()
        self.agent_selection = self._queue.pop(0) if self._queue else self.agents[0]
        self._accumulate_rewards()
        self._deads_step_first()


def _ended(report: Report) -> bool:
    return report.terminated or report.truncated


def _columns(reports: Mapping[str, Report]) -> tuple[dict[str, Any], ...]:
    """Turn reports by agent into one dict per entry."""
    return tuple(
        {name: entry[k] for name, entry in reports.items()} for k in range(len(Report._fields))
    )
