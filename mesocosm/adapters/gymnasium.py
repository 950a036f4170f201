"""Mesocosm as Gymnasium environments: one controlled agent, the others played by policies.

`info` holds the agent's declared info by name, `"acting"` (in a world with turns the action of an
agent whose turn it is not is ignored), `"action_mask"` in the form that
`action_space.sample(mask=...)` takes, what the world's `tell` makes of it all and, in the step of
an end, `"reason"` and `"outcome"`.
The controlled agent's end is the end of the Gymnasium episode, even if others live on.

Importing this registers every preset as `mesocosm/WORLD-PRESET-vVERSION`.
"""

from typing import Any, Unpack

import numpy as np

from mesocosm.adapters.extra import missing_library

try:
    import gymnasium
    from gymnasium.envs.registration import EnvSpec
except ImportError as error:
    raise missing_library("Gymnasium", "gymnasium") from error

from mesocosm.adapters.boundary import OpenOptions, open_env
from mesocosm.adapters.controlled_agent import ControlledAgent
from mesocosm.adapters.gymnasium_registry import ENTRY_POINTS, NAMESPACE, register_presets
from mesocosm.adapters.gymnasium_rows import GymRowsEnv
from mesocosm.adapters.gymnasium_vector import AUTORESET_MODES, GymVectorEnv
from mesocosm.adapters.own_agent import OwnView
from mesocosm.adapters.players import Policies
from mesocosm.adapters.render import FPS, MODES, Renderer, offered_modes
from mesocosm.adapters.spaces import action_space, observation_space
from mesocosm.adapters.step_view import copy_value
from mesocosm.core.errors import ConfigError, MesocosmError, short, unknown
from mesocosm.core.spec import Spec

CONTRACT = 1  # the version of the adapter contract that this is written for
__all__ = ["AUTORESET_MODES", "GymEnv", "GymRowsEnv", "GymVectorEnv"]


class GymEnv(gymnasium.Env):  # type: ignore[misc]
    """One agent of one episode at a time.

    Args:
        agent: A number among all agents, or one's own agent class, made with a role and the
            config: its `get_observation` is then what the learner sees, and its
            `calculate_reward` what the learner is paid.
        role: Whose first agent is controlled, if `agent` is a class; else the first role's.
        policies: Who plays everybody else, by role; at random where none is given.
        render_mode: `rgb_array`, `ansi` or `human`.
        open_options: `seed`, `target`, `record` and so on, as for `open_env`.
    """

    metadata: dict[str, Any] = {"render_modes": [*MODES], "render_fps": FPS}  # noqa: RUF012

    def __init__(
        self,
        source: Any,
        overrides: Any = None,
        *,
        agent: int | type = 0,
        role: str | None = None,
        policies: Policies | None = None,
        render_mode: str | None = None,
        **open_options: Unpack[OpenOptions],
    ) -> None:
        self._env = open_env(source, overrides, contract=CONTRACT, autoreset="off", **open_options)
        self._renderer, self.render_mode = Renderer(self._env, render_mode), render_mode
        self.metadata = {"render_modes": offered_modes(self._env), "render_fps": FPS}
        number = _number(self._env.spec, agent, role)
        self._controlled = ControlledAgent(self._env, number, policies=policies)
        self._own = OwnView(agent, self._controlled, self._env) if isinstance(agent, type) else None
        self.observation_space = observation_space(self._controlled.role)
        if self._own is not None:
            self.observation_space = _own_space(agent, self._env.config, number)
        self.action_space = action_space(self._controlled.role)
        repeatable = {k: v for k, v in open_options.items() if k != "record"}
        self.spec = EnvSpec(
            f"{NAMESPACE}/{self._env.title}",
            **ENTRY_POINTS,
            kwargs={"source": source, "overrides": overrides, "agent": agent, "role": role}
            | {"policies": policies, **repeatable},
        )
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start episode 0 of a seed, or the next episode."""
        self._controlled.reset(seed=seed)
        super().reset(seed=None if seed is None else int(seed))
        self._over = False
        seen = self._own.reset(self._controlled.seed_word) if self._own else None
        self._renderer.follow()
        return self._controlled.observe()[0] if seen is None else seen, self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play one step of the world."""
        if self._over:
            raise MesocosmError("no episode is running: call reset() before step()")
        result = self._controlled.play(_batch_of_one(action))
        terminated, truncated = bool(result.terminated[0]), bool(result.truncated[0])
        self._over = terminated or truncated
        info = self._info() | (self._controlled.ending(result, 0) if self._over else {})
        reward = float(result.reward[0])
        self._renderer.follow()
        if self._own is not None:
            return self._own.observe(), self._own.pay(reward), terminated, truncated, info
        return self._controlled.observe()[0], reward, terminated, truncated, info

    def render(self) -> Any:
        """Show the episode as the render mode says."""
        return self._renderer.show()

    def close(self) -> None:
        """Complete the recording, if there is one."""
        self._env.close()

    def _info(self) -> dict[str, Any]:
        plain = {name: _first(value) for name, value in self._controlled.info().items()}
        return plain | self._controlled.tell(0)


def _number(spec: Spec, agent: Any, role: str | None) -> int:
    """Give the number of the controlled agent."""
    if not isinstance(agent, type):
        if role is not None:
            raise ConfigError(f"role: goes with an agent class only, got {short(role)}")
        return agent
    if role is not None and role not in spec.roles:
        raise unknown("role with agents", str(role), spec.roles)
    return spec.roles[role].first if role else next(iter(spec.roles.values())).first


def _own_space(agent: Any, config: Any, number: int) -> gymnasium.spaces.Box:
    """Find out the shape of an agent's own observations, in an env that nobody plays."""
    env = open_env(config, contract=CONTRACT, target="python", autoreset="off")
    twin = ControlledAgent(env, number, policies=None)
    twin.reset(seed=0)
    shape = OwnView(agent, twin, env).reset(0).shape
    return gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32)


def _batch_of_one(action: Any) -> Any:
    if isinstance(action, dict):
        return {name: [value] for name, value in action.items()}
    return [action]


def _first(value: Any) -> Any:
    """Take the first row of every array in an info."""
    if isinstance(value, dict):
        return {name: _first(entry) for name, entry in value.items()}
    if isinstance(value, tuple):
        return tuple(_first(entry) for entry in value)
    return value if value is None else copy_value(value[0])


register_presets()
