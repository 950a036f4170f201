"""Mesocosm as a native PufferLib env: every agent of a role is a row of PufferLib's own buffers.

A step writes each buffer once. `terminals` and `truncations` say in which row a life ended, and
`masks` whose action the next step will take. An agent that ended leaves a vacant row until the next
life or episode, and a terminal there too: see `rows`. Infos are summaries of the lives that ended.
"""

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from mesocosm.adapters.extra import missing_library

try:
    import pufferlib
except ImportError as error:
    raise missing_library("PufferLib", "pufferlib-core", "puffer") from error

from mesocosm.adapters.boundary import OpenOptions
from mesocosm.adapters.players import Policies
from mesocosm.adapters.rows import open_rows
from mesocosm.adapters.spaces import observation_space

CONTRACT = 1  # the version of the adapter contract that this is written for
Result = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]


class PufferEnv(pufferlib.PufferEnv):  # type: ignore[misc]
    """`num_envs` of Mesocosm's envs; `num_agents` counts rows: envs × agents of the role.

    Args:
        role, agents: Who the rows are: a role (the first if not given), or numbers among all agents
            of one role.
        policies: Who plays everybody else, by role; at random where none is given.
        level_bins: Make each level a choice among so many values, evenly spaced; needed where an
            action has choices and levels, for which PufferLib has no action space.
        cut_truncated: Set `terminals` where a life was truncated, too: PufferLib's own trainer
            reads nothing else, and would let the next episode's value count for the last one's.
        buf: PufferLib's buffers, if it has made them.
        open_options: `seed`, `target`, `record` and so on, as for `open_env`.
    """

    def __init__(  # noqa: PLR0913 (what an adapter is made of)
        self,
        source: Any,
        overrides: Any = None,
        *,
        num_envs: int = 1,
        role: str | None = None,
        agents: Sequence[int] | None = None,
        policies: Policies | None = None,
        level_bins: int | None = None,
        cut_truncated: bool = False,
        buf: Any = None,
        **open_options: Unpack[OpenOptions],
    ) -> None:
        choice = {"role": role, "agents": agents, "policies": policies, "level_bins": level_bins}
        how = {"contract": CONTRACT, "num_envs": num_envs, "record": None, **open_options}
        self._env, self._rows = open_rows(source, overrides, choice=choice, **how)
        self._cut_truncated = cut_truncated
        self.single_observation_space = observation_space(self._rows.role)
        self.single_action_space = self._rows.action_space
        self.num_agents = self._rows.num_rows
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, list[dict[str, Any]]]:
        """Start episode 0 of a seed, or the next episode of each env."""
        self._rows.reset(seed)
        for buffer in (self.rewards, self.terminals, self.truncations):
            buffer[:] = 0
        self._return = np.zeros(self.num_agents)
        self._length = np.zeros(self.num_agents, np.int64)
        self._write_view()
        return self.observations, []

    def step(self, actions: Any) -> Result:
        """Play one step of every env, into the buffers."""
        rows = self._rows
        rows.step(actions)
        np.copyto(self.rewards, rows.get("reward"))
        np.logical_and(rows.get("ended"), rows.get("truncated"), out=self.truncations)
        np.copyto(self.terminals, rows.done)
        if not self._cut_truncated:
            self.terminals[self.truncations] = False
        self._write_view()
        buffers = (self.observations, self.rewards, self.terminals, self.truncations)
        return (*buffers, self._summarise())

    @property
    def action_masks(self) -> np.ndarray:  # bool [row, option]
        """Which actions are allowed; PufferLib has no buffer for that."""
        return self._rows.masks()

    @property
    def final_observations(self) -> np.ndarray:  # [row, *observation shape]
        """What rows whose life ended in this step saw last; PufferLib has no buffer for that."""
        return np.array(self._rows.get("final_obs"))

    def close(self) -> None:
        """Complete the recording, if there is one."""
        self._env.close()

    def notify(self) -> None:
        """Do nothing: PufferLib asks this of every env."""

    def _write_view(self) -> None:
        self._rows.observe(self.observations)
        np.copyto(self.masks, self._rows.get("acting"))

    def _summarise(self) -> list[dict[str, Any]]:
        """Give the mean return and length of the lives that ended, if any did."""
        self._return += self.rewards
        self._length += 1
        done = self._rows.done
        if not done.any():
            return []
        lives = done & ~self._rows.was_vacant
        summary = (
            {
                "episode_return": float(self._return[lives].mean()),
                "episode_length": float(self._length[lives].mean()),
                "num_lives": int(lives.sum()),
            }
            if lives.any()
            else {}
        )
        self._return[done], self._length[done] = 0.0, 0
        return [summary] if summary else []
