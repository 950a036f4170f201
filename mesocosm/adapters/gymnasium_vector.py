"""Many episodes as one Gymnasium vector env: one controlled agent in each."""

from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from mesocosm.adapters.boundary import OpenOptions, open_env
from mesocosm.adapters.controlled_agent import ControlledAgent, Result
from mesocosm.adapters.players import Policies
from mesocosm.adapters.render import FPS, Renderer, offered_modes
from mesocosm.adapters.spaces import action_space, observation_space
from mesocosm.core.errors import ConfigError, MesocosmError, short, unknown

CONTRACT = 1  # the version of the adapter contract that this is written for
AUTORESET_MODES = {
    "same_step": AutoresetMode.SAME_STEP,
    "next_step": AutoresetMode.NEXT_STEP,
    "off": AutoresetMode.DISABLED,
}


class GymVectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """One agent in each of `num_envs` episodes.

    When a controlled agent ends, its env starts the next episode: `same_step` at once (its last
    observation and info are in `infos["final_obs"]` and `infos["final_info"]`), `next_step` in the
    next call, whose action for it is ignored, and `off` when `reset` says so, for some envs with
    `options={"reset_mask": bool [env]}`; until then `step` is refused.

    Every entry of `infos` has a bool `[env]` beside it, under `"_" + name`, that says for which
    envs it is valid. What the world's `tell` makes of it all is joined as Gymnasium joins infos.
    Policies begin anew with a reset of all envs only.

    Args:
        agent: A number among all agents.
        policies: Who plays everybody else, by role; at random where none is given.
        open_options: `seed`, `target`, `record` and so on, as for `open_env`.
    """

    def __init__(  # noqa: PLR0913 (what an adapter is made of)
        self,
        source: Any,
        overrides: Any = None,
        *,
        num_envs: int,
        agent: int = 0,
        policies: Policies | None = None,
        autoreset: str | AutoresetMode = "same_step",
        render_mode: str | None = None,
        **open_options: Unpack[OpenOptions],
    ) -> None:
        self._env = open_env(
            source,
            overrides,
            contract=CONTRACT,
            num_envs=num_envs,
            autoreset="off",
            **open_options,
        )
        self._renderer, self.render_mode = Renderer(self._env, render_mode), render_mode
        self._controlled = ControlledAgent(self._env, agent, policies=policies)
        self._mode = _mode(autoreset)
        self.metadata = {
            "render_modes": offered_modes(self._env),
            "render_fps": FPS,
            "autoreset_mode": self._mode,
        }
        self.num_envs = num_envs
        self.single_observation_space = observation_space(self._controlled.role)
        self.single_action_space = action_space(self._controlled.role)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start episode 0 of a seed, or the next episode, in all envs or those of a mask."""
        if not isinstance(options, dict | None):
            raise ConfigError(f"options: must be a dict, got {short(options)}")
        chosen = (options or {}).get("reset_mask")
        self._controlled.reset(seed=seed, envs=chosen)
        super().reset(seed=None if seed is None else int(seed))
        valid = np.ones(self.num_envs, bool) if chosen is None else np.array(chosen)
        self._over &= ~valid
        self._renderer.follow()
        return self._controlled.observe(), self._infos(valid)

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one step of every env."""
        waiting = self._over
        waits = bool(waiting.any())
        if waits and self._mode is AutoresetMode.DISABLED:
            raise MesocosmError(
                f"envs {np.flatnonzero(waiting).tolist()} are over: reset them first, "
                "with reset(options={'reset_mask': ...})"
            )
        result = self._controlled.play(actions)
        if waits:
            result = self._begin(waiting, result)
        over = result.terminated | result.truncated
        infos = self._close(over, result)
        self._over = over if self._mode is not AutoresetMode.SAME_STEP else waiting & False
        self._renderer.follow()
        return self._controlled.observe(), result.reward, result.terminated, result.truncated, infos

    def render(self) -> Any:
        """Show every env as the render mode says, in a tuple; the first alone to a person."""
        if self.render_mode in (None, "human"):
            return self._renderer.show()
        return tuple(self._renderer.show(env) for env in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Complete the recording, if there is one."""
        self._env.close()

    def _begin(self, waiting: np.ndarray, result: Result) -> Result:
        """Start the episodes that waited for this call; they were not played."""
        self._controlled.reset(envs=waiting)
        return Result(*(np.where(waiting, np.zeros_like(entry), entry) for entry in result))

    def _close(self, over: np.ndarray, result: Result) -> dict[str, Any]:
        """Gather infos and, where that is the mode, start the next episode of those that ended."""
        everywhere = np.ones(self.num_envs, bool)
        if not over.any():
            return self._infos(everywhere)
        last = _mark(self._endings(over, result), over)
        if self._mode is not AutoresetMode.SAME_STEP:
            return self._infos(everywhere) | last
        final: dict[str, Any] = {"final_obs": _rows(self._controlled.observe(), over)}
        final["final_info"] = self._infos(over) | last
        self._controlled.reset(envs=over)
        return self._infos(everywhere) | _mark(final, over)

    def _infos(self, valid: np.ndarray) -> dict[str, Any]:
        """Copy what the controlled agents are told, joined over envs."""
        infos = _mark(self._controlled.info(), valid)
        if not self._env.tells:
            return infos
        told: dict[str, Any] = {}
        for env in np.flatnonzero(valid).tolist():
            told = self._add_info(told, self._controlled.tell(env), env)
        return infos | told

    def _endings(self, over: np.ndarray, result: Result) -> dict[str, np.ndarray]:
        names = {name: np.full(self.num_envs, None, object) for name in ("reason", "outcome")}
        for env in np.flatnonzero(over).tolist():
            for name, value in self._controlled.ending(result, env).items():
                names[name][env] = value
        return names


def _mode(given: str | AutoresetMode) -> AutoresetMode:
    if isinstance(given, AutoresetMode):
        return given
    if not isinstance(given, str) or given not in AUTORESET_MODES:
        raise unknown("autoreset mode", str(given), AUTORESET_MODES)
    return AUTORESET_MODES[given]


def _mark(infos: dict[str, Any], valid: np.ndarray) -> dict[str, Any]:
    """Put beside each info for which envs it is valid."""
    return infos | {f"_{name}": valid.copy() for name in infos}


def _rows(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Give the chosen rows in an object array, None elsewhere, as Gymnasium does."""
    rows = np.full(len(values), None, object)
    for env in np.flatnonzero(chosen).tolist():
        rows[env] = values[env].copy()
    return rows
