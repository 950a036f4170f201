"""Play the PettingZoo adapters for `check_adapter`."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mesocosm.adapters.drivers.layout import (
    one_action,
    put_ending,
    put_final,
    put_info,
    put_step,
)
from mesocosm.adapters.pettingzoo import ZooAECEnv, ZooParallelEnv
from mesocosm.build import config_spec
from mesocosm.core.action import Action
from mesocosm.core.adapter import agent_names
from mesocosm.core.adapter_driver import AdapterDriver, Received, blank, to_samples


class _ZooDriver(AdapterDriver):
    """All agents of one episode, by name."""

    autoresets = ("off",)
    batched = False
    tells_lives = True

    def __init__(
        self, config: Any, *, num_envs: int, seed: int, target: str, autoreset: str
    ) -> None:
        self._roles = config_spec(config).roles
        self._slots = {
            name: (role, i)
            for role in self._roles.values()
            for i, name in enumerate(agent_names(role))
        }

    def _sample(self, name: str, actions: Mapping[str, Action]) -> Any:
        role, i = self._slots[name]
        return to_samples(role, one_action(actions[role.name], (0, i)))

    def _lay_out(self, rows: Iterable[tuple[str, Any, dict[str, Any]]]) -> dict[str, Received]:
        """Lay out (agent, (obs, reward, terminated, truncated), info)."""
        made = {name: blank(role, 1) for name, role in self._roles.items()}
        for agent, step, info in rows:
            role, i = self._slots[agent]
            put_row(made[role.name], role, i, step, info)
        return made


def put_row(made: Received, role: Any, i: int, step: Any, info: dict[str, Any]) -> None:
    """Lay out one agent; where slots respawn, the end of a life is in its info."""
    if made.ended is None or made.generation is None or made.has_final is None:
        raise AssertionError("made by blank()")
    at = (0, i)
    put_step(made, at, step)
    put_info(made, role, at, info)
    made.told[at] = info  # type: ignore[index]
    life = bool(info.get("life_ended", False))
    over = bool(step[2] or step[3])
    made.ended[at] = life if role.respawn else over
    made.generation[at] = info.get("generation", 0)
    if life or over:
        put_ending(made, at, info)
    if life:
        made.has_final[at] = True
        put_final(made, role, at, info["final_observation"], info)


class ZooParallelDriver(_ZooDriver):
    """Plays `ZooParallelEnv`."""

    def __init__(
        self, config: Any, *, num_envs: int, seed: int, target: str, autoreset: str
    ) -> None:
        super().__init__(config, num_envs=1, seed=seed, target=target, autoreset=autoreset)
        self._env = ZooParallelEnv(config, seed=seed, target=target)

    def reset(self, *, seed: int | None, envs: np.ndarray | None) -> dict[str, Received]:
        observations, infos = self._env.reset(seed=seed)
        return self._lay_out(
            (name, (obs, 0.0, False, False), infos[name]) for name, obs in observations.items()
        )

    def step(self, actions: Mapping[str, Action]) -> dict[str, Received]:
        given = {name: self._sample(name, actions) for name in self._env.agents}
        *step, infos = self._env.step(given)
        return self._lay_out(
            (name, tuple(entry[name] for entry in step), infos[name]) for name in infos
        )

    def close(self) -> None:
        self._env.close()


class ZooAECDriver(_ZooDriver):
    """Plays `ZooAECEnv`: everybody whose turn it is acts once, and then the world has moved."""

    moves_alone = True

    def __init__(
        self, config: Any, *, num_envs: int, seed: int, target: str, autoreset: str
    ) -> None:
        super().__init__(config, num_envs=1, seed=seed, target=target, autoreset=autoreset)
        self._env = ZooAECEnv(config, seed=seed, target=target)
        self._news: dict[str, Any] = {}  # the last observation of the life whose end was told

    def reset(self, *, seed: int | None, envs: np.ndarray | None) -> dict[str, Received]:
        self._env.reset(seed=seed)
        self._news = {}
        return self._collect()

    def step(self, actions: Mapping[str, Action]) -> dict[str, Received]:
        env = self._env
        self._bury()
        acting = {name for name in env.agents if env.infos[name]["acting"]}
        for _ in range(len(acting)):
            env.step(self._sample(env.agent_selection, actions))
        return self._collect()

    def _bury(self) -> None:
        """Let those that ended go."""
        env = self._env
        while env.agents and (
            env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
        ):
            env.step(None)

    def _collect(self) -> dict[str, Received]:
        env, rows = self._env, []
        for name in env.agents:
            info = dict(env.infos[name])
            if info.get("life_ended"):  # told again and again, until the agent acts
                last = info["final_observation"]
                info["life_ended"] = last is not self._news.get(name)
                self._news[name] = last
            ends = (env.terminations[name], env.truncations[name])
            rows.append((name, (env.observe(name), env.rewards[name], *ends), info))
        # the mask and the info of a life's last moment are not kept until they are told
        made = self._lay_out(rows)
        return {k: v._replace(final_mask=None, final_info=None) for k, v in made.items()}

    def close(self) -> None:
        self._env.close()
