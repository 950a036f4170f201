"""Agents of one role, in every env of a batch, as rows of flat arrays: one policy plays them all.

A row is a slot. When its agent's life ends in mid-episode, it is vacant, with the absent
observation, no reward and only the no-op allowed, until the slot's next life or its env's next
episode begins. A vacancy ends with `done` too: no return runs from it into the life that follows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mesocosm.adapters.boundary import open_env
from mesocosm.adapters.players import Players, Policies
from mesocosm.adapters.row_choice import check_bins, choose_agents, read_rows, row_action_space
from mesocosm.adapters.spaces import read_actions, sample_mask
from mesocosm.core.adapter import AdapterEnv
from mesocosm.core.errors import ConfigError, MesocosmError
from mesocosm.core.step import Step

EVERYONE = slice(None)


def open_rows(
    source: Any, overrides: Any, *, choice: dict[str, Any], record: Any, **options: Any
) -> tuple[AdapterEnv, "Rows"]:
    """Open an env and choose its rows; what cannot be chosen leaves no recording behind.

    Args:
        choice: What `Rows` takes.
        options: What `open_env` takes beside the recording.
    """
    if record is not None:
        Rows(open_env(source, overrides, **options | {"num_envs": 1}), **choice)
    env = open_env(source, overrides, record=record, **options)
    return env, Rows(env, **choice)


class Rows:
    """The rows: row `env * k + i` is the i-th of the k chosen agents of an env.

    Args:
        env: Opened with `autoreset="same_step"`.
        role: Whose agents are the rows; the first role's if not given.
        agents: Their numbers among all agents; all of the role's if not given.
        policies: Who plays everybody else, by role; at random where none is given.
        level_bins: Among how many evenly spaced values one chooses a level.
    """

    def __init__(
        self,
        env: AdapterEnv,
        *,
        role: str | None = None,
        agents: Sequence[int] | None = None,
        policies: Policies | None = None,
        level_bins: int | None = None,
    ) -> None:
        self._env = env
        self._part: Step | None = None  # of the last reset or step
        self.role, self.places = choose_agents(env.spec, role, agents)
        self._lead = (env.num_envs, len(self.places))
        self.num_rows = env.num_envs * len(self.places)
        whole = self.places == list(range(self.role.num_agents))
        self._at: Any = EVERYONE if whole else self.places
        self._bins = check_bins(self.role, level_bins)
        self.action_space = row_action_space(self.role, self._bins)
        alone = whole and len(env.spec.roles) == 1
        if alone and policies:
            raise ConfigError("policies: every agent is a row, so that nobody is left to play for")
        self._players = None if alone else Players(env, policies)
        layout = self.role.observation
        self.absent = layout.absent.astype(layout.dtype).reshape(layout.shape)

    def reset(self, seed: int | None = None) -> None:
        """Start episode 0 of a seed, or the next episode, in every env."""
        self._part = self._env.reset(seed=seed)[self.role.name]
        if self._players is not None:
            self._players.reset(seed)
        self._vacant = self.get("terminated") | self.get("truncated")
        self._generation = np.array(self.get("generation"))
        self.done = self.was_vacant = self._left = np.zeros(self.num_rows, bool)

    def step(self, actions: Any) -> None:
        """Play one step: the actions of the rows, `[row, ...]`, and those of the policies."""
        if not self._env.parts:
            raise MesocosmError("call reset() before step()")
        mine = read_rows(self.role, actions, self._lead, self._bins)
        given = {name: self._act(name, mine) for name in self._env.spec.roles}
        self._part = self._env.step(given)[self.role.name]
        self._follow()

    def get(self, name: str) -> np.ndarray:
        """Give an entry of the Step by row, in arrays that the next step may write again."""
        if self._part is None:
            raise MesocosmError("call reset() first")
        values = getattr(self._part, name)[:, self._at]
        return values.reshape(self.num_rows, *values.shape[2:])

    def observe(self, out: np.ndarray) -> np.ndarray:
        """Write what every row sees next; a life that ended in mid-episode leaves a vacancy."""
        np.copyto(out, self.get("obs"))
        if self._left.any():
            out[self._left] = self.absent
        return out

    def told(self) -> dict[str, np.ndarray]:
        """Copy what the agent of every row is told beside its observation."""
        return {
            name: np.array(values[:, self._at]).reshape(self.num_rows, *values.shape[2:])
            for name, values in self._env.parts[self.role.name].info.items()
        }

    def tell(self, row: int) -> dict[str, Any]:
        """Make structured info of what the agent of a row received."""
        env, k = divmod(row, self._lead[1])
        return self._env.tell(self.role.name, env=env, agent=self.places[k])

    def masks(self) -> np.ndarray:  # bool [row, option]
        """Copy which options of all choices are allowed, part by part; bins of levels all are."""
        action, mask = self.role.action, self.get("mask")
        if len(action.choices) == 1 and action.choices[0].masked and not self._bins:
            return np.array(mask)
        parts = sample_mask(action, mask)
        parts = parts["choice"] if action.levels else parts
        parts = parts if isinstance(parts, tuple) else (parts,)
        free = np.ones((self.num_rows, self._bins * len(action.levels)), bool)
        return np.concatenate([*(part.astype(bool) for part in parts), free], axis=1)

    def _follow(self) -> None:
        """Find out whose life or vacancy ended with the step."""
        ended = self.get("ended")
        gone = self.get("terminated") | self.get("truncated")
        over = np.repeat(self._env.parts[self.role.name].episode_over, self._lead[1])
        born = ~over & self._births() if self.role.respawn else np.zeros_like(over)
        # who is not there when an episode begins is known only from the step after
        self.was_vacant = (self._vacant | (gone & ~ended) | born) & ~ended
        self.done = ended | (self.was_vacant & (over | born))
        self._vacant = gone & ~over
        self._left = ended & ~over

    def _births(self) -> np.ndarray:
        """Say in which slots a generation began since the step before."""
        before, self._generation = self._generation, np.array(self.get("generation"))
        return self._generation > before

    def _act(self, name: str, mine: tuple[np.ndarray, np.ndarray]) -> Any:
        """Give the actions of all agents of a role: the rows' own, or those of its policy."""
        role = self._env.spec.roles[name]
        if self._players is None or (name == self.role.name and self._at is EVERYONE):
            return role.action.join(*mine)
        given = self._players.act(name)
        if name != self.role.name:
            return given
        both = read_actions(role, given, (self._env.num_envs, role.num_agents))
        for whole, own in zip(both, mine, strict=True):
            whole[:, self._at] = own
        return role.action.join(*both)
