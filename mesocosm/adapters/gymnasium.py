"""Mesocosm as Gymnasium environments: one controlled agent, the others played by policies.

`info` holds the agent's declared info by name, `"acting"` (in a world with turns the action of an
agent whose turn it is not is ignored), `"action_mask"` in the form that
`action_space.sample(mask=...)` takes, what the world's `tell` makes of it all (`GymEnv` only) and,
in the step of an end, `"reason"` and `"outcome"`.
The controlled agent's end is the end of the Gymnasium episode, even if others live on.
"""

from collections.abc import Iterable
from typing import Any, TypedDict, Unpack

import numpy as np

from mesocosm.adapters.extra import missing_library

try:
    import gymnasium
    from gymnasium.envs.registration import EnvSpec
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise missing_library("Gymnasium", "gymnasium") from error

from mesocosm.adapters.controlled_agent import ControlledAgent, Policies, Result
from mesocosm.adapters.own_agent import OwnView
from mesocosm.adapters.spaces import action_space, observation_space
from mesocosm.adapters.step_view import copy_value
from mesocosm.build import make
from mesocosm.core.errors import ConfigError, MesocosmError, short, unknown
from mesocosm.core.spec import Spec
from mesocosm.sim.engine import Engine

AUTORESET_MODES = {
    "same_step": AutoresetMode.SAME_STEP,
    "next_step": AutoresetMode.NEXT_STEP,
    "off": AutoresetMode.DISABLED,
}


class MakeOptions(TypedDict, total=False):
    """How the batch behind an adapter is made; see `mesocosm.make`."""

    target: str
    seed: int | None
    threads: int
    archetypes: str | Iterable[str]
    variants: str | Iterable[str]


class GymEnv(gymnasium.Env):  # type: ignore[misc]
    """One agent of one episode at a time; `raw` is the Mesocosm env behind it.

    Args:
        agent: A number among all agents, or one's own agent class, made with a role and the
            config: its `get_observation` is then what the learner sees, and its
            `calculate_reward` what the learner is paid.
        role: Whose first agent is controlled, if `agent` is a class; else the first role's.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium's own type)
    render_mode = None

    def __init__(
        self,
        source: Any,
        overrides: Any = None,
        *,
        agent: int | type = 0,
        role: str | None = None,
        policies: Policies | None = None,
        **make_options: Unpack[MakeOptions],
    ) -> None:
        self.raw = make(source, overrides, autoreset="off", **make_options)
        number = _number(self.raw.spec, agent, role)
        self._controlled = ControlledAgent(
            self.raw, number, policies=policies, seed=make_options.get("seed")
        )
        self._own = OwnView(agent, self._controlled) if isinstance(agent, type) else None
        self.observation_space = observation_space(self._controlled.role)
        if self._own is not None:
            self.observation_space = _own_space(agent, self.raw, number)
        self.action_space = action_space(self._controlled.role)
        identity = self.raw.config.identity
        self.spec = EnvSpec(
            f"mesocosm/{identity.world}-{identity.preset}-v{identity.version}",
            entry_point=f"{__name__}:{type(self).__name__}",
            kwargs={"source": source, "overrides": overrides, "agent": agent, "role": role}
            | {"policies": policies, **make_options},
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
        if self._own is not None:
            return self._own.observe(), self._own.pay(reward), terminated, truncated, info
        return self._controlled.observe()[0], reward, terminated, truncated, info

    def _info(self) -> dict[str, Any]:
        plain = {name: _first(value) for name, value in self._controlled.info().items()}
        return plain | self._controlled.structured(0)


class GymVectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """One agent in each of `num_envs` episodes; `raw` is the Mesocosm batch behind it.

    When a controlled agent ends, its env starts the next episode: `same_step` at once (its last
    observation and info are in `infos["final_obs"]` and `infos["final_info"]`), `next_step` in the
    next call, whose action for it is ignored, and `off` when `reset` says so, for some envs with
    `options={"reset_mask": bool [env]}`; until then `step` is refused.

    Every entry of `infos` has a bool `[env]` beside it, under `"_" + name`, that says for which
    envs it is valid. Policies begin anew with a reset of all envs only.
    """

    render_mode = None

    def __init__(
        self,
        source: Any,
        overrides: Any = None,
        *,
        num_envs: int,
        agent: int = 0,
        policies: Policies | None = None,
        autoreset: str | AutoresetMode = "same_step",
        **make_options: Unpack[MakeOptions],
    ) -> None:
        self.raw = make(source, overrides, num_envs=num_envs, autoreset="off", **make_options)
        self._controlled = ControlledAgent(
            self.raw, agent, policies=policies, seed=make_options.get("seed")
        )
        self._mode = _mode(autoreset)
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
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
        return self._controlled.observe(), _mark(self._controlled.info(), valid)

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one step of every env."""
        waiting = self._over
        if self._mode is AutoresetMode.DISABLED and waiting.any():
            raise MesocosmError(
                f"envs {np.flatnonzero(waiting).tolist()} are over: reset them first, "
                "with reset(options={'reset_mask': ...})"
            )
        result = self._controlled.play(actions)
        if waiting.any():
            result = self._begin(waiting, result)
        over = result.terminated | result.truncated
        infos = self._close(over, result)
        self._over = over & (self._mode is not AutoresetMode.SAME_STEP)
        return self._controlled.observe(), result.reward, result.terminated, result.truncated, infos

    def _begin(self, waiting: np.ndarray, result: Result) -> Result:
        """Start the episodes that waited for this call; they were not played."""
        self._controlled.reset(envs=waiting)
        return Result(*(np.where(waiting, np.zeros_like(entry), entry) for entry in result))

    def _close(self, over: np.ndarray, result: Result) -> dict[str, Any]:
        """Gather infos and, where that is the mode, start the next episode of those that ended."""
        everywhere = np.ones(self.num_envs, bool)
        if not over.any():
            return _mark(self._controlled.info(), everywhere)
        last = _mark(self._endings(over, result), over)
        if self._mode is not AutoresetMode.SAME_STEP:
            return _mark(self._controlled.info(), everywhere) | last
        final: dict[str, Any] = {"final_obs": _rows(self._controlled.observe(), over)}
        final["final_info"] = _mark(self._controlled.info(), over) | last
        self._controlled.reset(envs=over)
        return _mark(self._controlled.info(), everywhere) | _mark(final, over)

    def _endings(self, over: np.ndarray, result: Result) -> dict[str, np.ndarray]:
        names = {name: np.full(self.num_envs, None, object) for name in ("reason", "outcome")}
        for env in np.flatnonzero(over).tolist():
            for name, value in self._controlled.ending(result, env).items():
                names[name][env] = value
        return names


def _number(spec: Spec, agent: Any, role: str | None) -> int:
    """Give the number of the controlled agent."""
    if not isinstance(agent, type):
        if role is not None:
            raise ConfigError(f"role: goes with an agent class only, got {short(role)}")
        return agent
    if role is not None and role not in spec.roles:
        raise unknown("role with agents", str(role), spec.roles)
    return spec.roles[role].first if role else next(iter(spec.roles.values())).first


def _own_space(agent: Any, raw: Engine, number: int) -> gymnasium.spaces.Box:
    """Find out the shape of an agent's own observations, in an env that nobody plays."""
    twin = ControlledAgent(
        make(raw.config, target="python", autoreset="off"), number, policies=None, seed=0
    )
    twin.reset(seed=0)
    shape = OwnView(agent, twin).reset(0).shape
    return gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32)


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
