"""The agents of one episode by name: who takes part, and what became of each."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mesocosm.adapters.spaces import Parts, read_actions
from mesocosm.adapters.step_view import ending, info_at, role_steps, structured, truncates
from mesocosm.adapters.whole_role import plain_choices, whole_columns
from mesocosm.core.errors import MesocosmError, unknown
from mesocosm.core.spec import Role
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine


class Report(NamedTuple):
    """What one agent gets after a reset or a step."""

    obs: np.ndarray
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


class Roster:
    """Agents named `role_index` in config order, over a batch of one env without autoreset.

    In a role that respawns the slot is the agent: it ends with the episode only, and the end of a
    life is in its info.
    """

    def __init__(self, raw: Engine) -> None:
        self.raw = raw
        self.slots: dict[str, tuple[Role, int]] = {
            f"{role.name}_{index}": (role, index)
            for role in raw.spec.roles.values()
            for index in range(role.num_agents)
        }
        self._truncates = truncates(raw.spec)
        self._seen: Step | None = None
        self._parts: dict[str, Step] = {}
        self._names = {
            role.name: [f"{role.name}_{index}" for index in range(role.num_agents)]
            for role in raw.spec.roles.values()
        }

    def slot(self, name: str) -> tuple[Role, int]:
        """Find an agent's role and its index in that role."""
        if name not in self.slots:
            raise unknown("agent", name, self.slots)
        return self.slots[name]

    def reset(self, seed: int | None) -> list[str]:
        """Start episode 0 of a seed, or the next; give the agents that take part."""
        self._take(self.raw.reset(seed=seed))
        self._were_gone = self._gone
        return [
            name
            for name, (role, i) in self.slots.items()
            if role.respawn or not self._gone[role.name][i]
        ]

    def read(self, name: str, action: Any) -> Parts:
        """Check the form of an agent's action, and copy it."""
        return read_actions(self.slot(name)[0], action)

    def step(self, actions: Mapping[str, Parts]) -> None:
        """Play one step; agents without an action play the no-op."""
        given = {name: self._gather(role, actions) for name, role in self.raw.spec.roles.items()}
        step = self.raw.step(given if len(given) > 1 else next(iter(given.values())))
        self._were_gone = self._gone
        self._take(step)

    def step_plain(self, actions: Mapping[str, Any]) -> bool:
        """Play one step if everyone takes part with a plain integer; say whether it was played."""
        if len(actions) != len(self.slots):
            return False
        given = {}
        for name, role in self.raw.spec.roles.items():
            given[name] = plain_choices(role, self._names[name], actions)
            if given[name] is None:
                return False
        step = self.raw.step(given if len(given) > 1 else next(iter(given.values())))
        self._were_gone = self._gone
        self._take(step)
        return True

    def columns(self) -> tuple[dict[str, Any], ...] | None:
        """Tell what all agents get, while nobody ended and nobody is born again; else None."""
        made: tuple[dict[str, Any], ...] = ({}, {}, {}, {}, {})
        if self.raw.world.tell is not None:  # such a world says more of each agent
            return None
        for name, role in self.raw.spec.roles.items():
            if role.respawn or self._gone[name].any():
                return None
            columns = whole_columns(role, self._parts[name])
            if columns is None:
                return None
            for table, column in zip(made, columns, strict=True):
                table.update(zip(self._names[name], column, strict=True))
        return made

    def acting(self) -> list[str]:
        """List the agents whose action the next step will take."""
        turns = {name: part.acting[0] for name, part in self._parts.items()}
        return [name for name, (role, i) in self.slots.items() if turns[role.name][i]]

    @property
    def is_started(self) -> bool:
        """Whether there was a reset."""
        return bool(self._parts)

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return bool(next(iter(self._parts.values())).episode_over[0])

    def observe(self, name: str) -> np.ndarray:
        """Copy an agent's observation."""
        role, i = self.slot(name)
        if not self._parts:
            raise MesocosmError("no episode is running: call reset() first")
        return np.array(self._parts[role.name].obs[0, i])

    def report(self, name: str) -> Report:
        """Tell what an agent gets."""
        role, i = self.slot(name)
        part = self._parts[role.name]
        info = info_at(role, part, (0, i)) | structured(self.raw, role, part, (0, i))
        fresh = bool(self._gone[role.name][i] and not self._were_gone[role.name][i])
        terminated, truncated = bool(part.terminated[0, i]), bool(part.truncated[0, i])
        if fresh:
            info |= ending(self.raw.spec, part.reason[0, i], part.outcome[0, i])
        if role.respawn:
            info |= {"generation": int(part.generation[0, i]), "life_ended": fresh}
            info |= {"final_observation": self.observe(name)} if fresh else {}
            terminated, truncated = self._slot_end(part, (terminated, truncated), fresh)
            if (terminated or truncated) and not fresh:
                info |= ending(self.raw.spec, part.episode_reason[0], part.episode_outcome[0])
        return Report(self.observe(name), float(part.reward[0, i]), terminated, truncated, info)

    def _slot_end(self, part: Step, life: tuple[bool, bool], fresh: bool) -> tuple[bool, bool]:
        """Say how a slot that respawns ends: never before the episode."""
        if not part.episode_over[0]:
            return False, False
        cut = bool(self._truncates[part.episode_reason[0]])
        return life if fresh else (not cut, cut)

    def _take(self, step: Step) -> None:
        on_host = isinstance(step.episode_over, np.ndarray)
        if step is not self._seen or not on_host:  # the env writes the same arrays again and again
            self._parts, self._seen = role_steps(step, self.raw.spec), step
        self._gone = {
            name: np.logical_or(part.terminated[0], part.truncated[0])
            for name, part in self._parts.items()
        }

    def _gather(self, role: Role, actions: Mapping[str, Parts]) -> Any:
        """Put the actions of a role's agents into one batch."""
        lead = (1, role.num_agents)
        choice, level = read_actions(role, role.action.noop(lead), lead)
        for i in range(role.num_agents):
            name = f"{role.name}_{i}"
            if name in actions:
                choice[0, i], level[0, i] = actions[name]
        return role.action.join(choice, level)
