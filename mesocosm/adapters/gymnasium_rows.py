"""Every agent of a role, in every episode, as a row of one Gymnasium vector env.

All are played from outside with one call. A row is a slot: when its agent's life ends in
mid-episode, the row is vacant, with the absent observation, no reward and only the no-op allowed,
until the slot's next life or its env's next episode begins, and ends with `terminated` then. The
next life or episode begins in the same step; the last observation is in `infos["final_obs"]`.
"""

from collections.abc import Sequence
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from mesocosm.adapters.boundary import OpenOptions, open_env
from mesocosm.adapters.players import Policies
from mesocosm.adapters.render import FPS, Renderer, offered_modes
from mesocosm.adapters.rows import Rows
from mesocosm.adapters.spaces import observation_space, sample_mask
from mesocosm.core.spec import OUTCOMES

CONTRACT = 1  # the version of the adapter contract that this is written for


class GymRowsEnv(gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """`num_envs` of Mesocosm's envs; its own `num_envs` counts rows: envs × agents.

    `infos` holds declared info by name, `"acting"` and `"action_mask"`, as arrays `[row, ...]`, and
    where something ended `"final_obs"`, `"reason"` and `"outcome"`. Beside each entry,
    `"_" + name` says for which rows it is valid.

    Args:
        role, agents: Who the rows are: a role (the first if not given), or numbers among all agents
            of one role.
        policies: Who plays everybody else, by role; at random where none is given.
        level_bins: Make each level a choice among so many values, evenly spaced; needed where an
            action has choices and levels.
        open_options: `seed`, `target`, `record` and so on, as for `open_env`.
    """

    def __init__(  # noqa: PLR0913 (what an adapter is made of)
        self,
        source: Any,
        overrides: Any = None,
        *,
        num_envs: int,
        role: str | None = None,
        agents: Sequence[int] | None = None,
        policies: Policies | None = None,
        level_bins: int | None = None,
        render_mode: str | None = None,
        **open_options: Unpack[OpenOptions],
    ) -> None:
        self._env = open_env(
            source, overrides, contract=CONTRACT, num_envs=num_envs, **open_options
        )
        self._renderer, self.render_mode = Renderer(self._env, render_mode), render_mode
        self._rows = Rows(
            self._env, role=role, agents=agents, policies=policies, level_bins=level_bins
        )
        self.metadata = {
            "render_modes": offered_modes(self._env),
            "render_fps": FPS,
            "autoreset_mode": AutoresetMode.SAME_STEP,
        }
        self.num_envs = self._rows.num_rows
        self.single_observation_space = observation_space(self._rows.role)
        self.single_action_space = self._rows.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._names = np.array(["", *(reason.name for reason in self._env.spec.reasons)], object)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start episode 0 of a seed, or the next episode, in every env."""
        self._rows.reset(seed)
        super().reset(seed=None if seed is None else int(seed))
        self._renderer.follow()
        return self._observe(), self._infos()

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one step of every env."""
        rows = self._rows
        rows.step(actions)
        truncated = rows.get("ended") & rows.get("truncated")
        infos = self._infos()
        if rows.done.any():
            infos |= self._endings(rows.done, rows.get("ended"))
        self._renderer.follow()
        reward = rows.get("reward").astype(np.float64)
        return self._observe(), reward, rows.done & ~truncated, truncated, infos

    def render(self) -> Any:
        """Show every env as the render mode says, in a tuple; the first alone to a person."""
        if self.render_mode in (None, "human"):
            return self._renderer.show()
        return tuple(self._renderer.show(env) for env in range(self._env.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Complete the recording, if there is one."""
        self._env.close()

    def _observe(self) -> np.ndarray:
        space = self.single_observation_space
        return self._rows.observe(np.empty((self.num_envs, *space.shape), space.dtype))

    def _infos(self) -> dict[str, Any]:
        """Copy what every row is told, and what it may do."""
        rows = self._rows
        made: dict[str, Any] = rows.told() | {"acting": rows.get("acting").copy()}
        if rows.role.action.choices and not rows.role.action.levels:
            made["action_mask"] = sample_mask(rows.role.action, rows.get("mask"))
        elif rows.role.action.choices:
            made["action_mask"] = rows.masks()
        everywhere = np.ones(self.num_envs, bool)
        return made | {f"_{name}": everywhere for name in made}

    def _endings(self, done: np.ndarray, ended: np.ndarray) -> dict[str, Any]:
        """Give the last moments of the rows that are done; a vacancy has no reason."""
        last = np.full(self.num_envs, None, object)
        seen, rows = self._rows.get("final_obs"), np.flatnonzero(done).tolist()
        for row in rows:
            last[row] = seen[row].copy() if ended[row] else self._rows.absent.copy()
        codes = self._rows.get("reason"), self._rows.get("outcome")
        made = {
            "final_obs": last,
            "reason": np.where(ended, self._names[codes[0]], ""),
            "outcome": np.where(ended, np.array(OUTCOMES, object)[codes[1]], ""),
        }
        valid = {"_final_obs": done.copy(), "_reason": ended.copy(), "_outcome": ended.copy()}
        return made | valid
