"""Play the Gymnasium adapters for `check_adapter`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesocosm.adapters.drivers.layout import (
    Scripted,
    flat_mask,
    one_action,
    put_ending,
    put_final,
    put_info,
    put_step,
)
from mesocosm.adapters.gymnasium import GymEnv, GymRowsEnv, GymVectorEnv
from mesocosm.build import config_spec
from mesocosm.core.action import Action
from mesocosm.core.adapter_driver import AdapterDriver, Received, blank, to_samples


class _GymDriver(AdapterDriver):
    """One controlled agent; policies play the others as they are told."""

    ends_with = "agent"

    def __init__(
        self, config: Any, *, num_envs: int, seed: int, target: str, autoreset: str, agent: int = 0
    ) -> None:
        spec = config_spec(config)
        self._role = spec.role_of(agent)
        self._seat, self._num_envs = agent - self._role.first, num_envs
        self._players = {name: Scripted() for name in spec.roles}
        self._roles = spec.roles

    @property
    def seats(self) -> Mapping[str, list[int]]:
        return {self._role.name: [self._seat]}

    def _blank(self) -> Received:
        return blank(self._role, self._num_envs)

    def _tell_players(self, actions: Mapping[str, Action]) -> None:
        for name, role in self._roles.items():
            self._players[name].plays = role.action.join(*actions[name])

    def _given(self, made: Received) -> dict[str, Received]:
        return {self._role.name: made._replace(generation=None)}


class GymDriver(_GymDriver):
    """Plays `GymEnv`."""

    autoresets = ("off",)
    batched = False

    def __init__(
        self, config: Any, *, num_envs: int, seed: int, target: str, autoreset: str, agent: int = 0
    ) -> None:
        super().__init__(
            config, num_envs=1, seed=seed, target=target, autoreset=autoreset, agent=agent
        )
        self._env = GymEnv(config, agent=agent, policies=self._players, seed=seed, target=target)

    def reset(self, *, seed: int | None, envs: np.ndarray | None) -> dict[str, Received]:
        obs, info = self._env.reset(seed=seed)
        return self._lay_out((obs, 0.0, False, False), info)

    def step(self, actions: Mapping[str, Action]) -> dict[str, Received]:
        self._tell_players(actions)
        mine = one_action(actions[self._role.name], (0, self._seat))
        *step, info = self._env.step(to_samples(self._role, mine))
        return self._lay_out(step, info)

    def _lay_out(self, step: Any, info: dict[str, Any]) -> dict[str, Received]:
        made, at = self._blank(), (0, self._seat)
        put_step(made, at, step)
        put_info(made, self._role, at, info)
        put_ending(made, at, info)
        return self._given(made._replace(ended=None, has_final=None, told={at: info}))

    def close(self) -> None:
        self._env.close()


class GymVectorDriver(_GymDriver):
    """Plays `GymVectorEnv`."""

    autoresets = ("same_step", "next_step", "off")

    def __init__(
        self, config: Any, *, num_envs: int, seed: int, target: str, autoreset: str, agent: int = 0
    ) -> None:
        super().__init__(
            config, num_envs=num_envs, seed=seed, target=target, autoreset=autoreset, agent=agent
        )
        self._mode = autoreset or "same_step"
        self._env = GymVectorEnv(
            config,
            num_envs=num_envs,
            agent=agent,
            policies=self._players,
            seed=seed,
            target=target,
            autoreset=self._mode,
        )

    def reset(self, *, seed: int | None, envs: np.ndarray | None) -> dict[str, Received]:
        options = None if envs is None else {"reset_mask": envs}
        obs, infos = self._env.reset(seed=seed, options=options)
        return self._lay_out((obs, 0.0, False, False), infos)

    def step(self, actions: Mapping[str, Action]) -> dict[str, Received]:
        self._tell_players(actions)
        mine = Action(*(part[:, self._seat] for part in actions[self._role.name]))
        *step, infos = self._env.step(to_samples(self._role, mine))
        return self._lay_out(step, infos)

    def _lay_out(self, step: Any, infos: dict[str, Any]) -> dict[str, Received]:
        made, every = self._blank(), slice(None)
        put_step(made, (every, self._seat), step)
        put_info(made, self._role, (every, self._seat), infos)
        made = made._replace(told=self._told(infos), ended=None)
        last = infos.get("final_info", infos)
        for env in range(self._num_envs):
            at = (env, self._seat)
            if "reason" in last and last["_reason"][env]:
                put_ending(made, at, pick(last, env))
            if "final_obs" in infos and infos["_final_obs"][env] and made.has_final is not None:
                made.has_final[at] = True
                put_final(made, self._role, at, infos["final_obs"][env], pick(last, env))
        if self._mode != "same_step":
            return self._given(made._replace(has_final=None))
        return self._given(made._replace(final_told=self._told(last)))

    def _told(self, infos: dict[str, Any]) -> dict[tuple[int, int], dict[str, Any]]:
        return {(env, self._seat): pick(infos, env) for env in range(self._num_envs)}

    def close(self) -> None:
        self._env.close()


def pick(infos: Mapping[Any, Any], env: int) -> dict[Any, Any]:
    """Take one env's part of infos that Gymnasium joined, where it is valid."""
    made = {}
    for name, values in infos.items():
        valid = infos.get(f"_{name}")
        if not str(name).startswith("_") and (valid is None or valid[env]):
            made[name] = _part(values, env)
    return made


def _part(values: Any, env: int) -> Any:
    if isinstance(values, Mapping):
        return pick(values, env)
    if isinstance(values, tuple):
        return tuple(_part(entry, env) for entry in values)
    return None if values is None else values[env]


class GymRowsDriver(AdapterDriver):
    """Plays `GymRowsEnv`: all agents of the first role, and policies as they are told."""

    autoresets = ("same_step",)
    vacates = True
    lost = frozenset({"told"})  # and the info of the last moment

    def __init__(
        self, config: Any, *, num_envs: int, seed: int, target: str, autoreset: str
    ) -> None:
        self._roles = config_spec(config).roles
        self._role, self._num_envs = next(iter(self._roles.values())), num_envs
        others = [name for name in self._roles if name != self._role.name]
        self._players = {name: Scripted() for name in others}
        self._env = GymRowsEnv(
            config, num_envs=num_envs, seed=seed, target=target, policies=self._players
        )

    @property
    def seats(self) -> Mapping[str, list[int]]:
        return {self._role.name: list(range(self._role.num_agents))}

    def reset(self, *, seed: int | None, envs: np.ndarray | None) -> dict[str, Received]:
        obs, infos = self._env.reset(seed=seed)
        nothing = np.zeros(self._env.num_envs)
        return self._lay_out((obs, nothing, nothing > 0, nothing > 0), infos)

    def step(self, actions: Mapping[str, Action]) -> dict[str, Received]:
        for name, player in self._players.items():
            player.plays = self._roles[name].action.join(*actions[name])
        mine = Action(*(part.reshape(self._env.num_envs, -1) for part in actions[self._role.name]))
        *step, infos = self._env.step(to_samples(self._role, mine))
        return self._lay_out(step, infos)

    def _lay_out(self, step: Any, infos: dict[str, Any]) -> dict[str, Received]:
        obs, reward, terminated, truncated = map(self._shape, step)
        made = blank(self._role, self._num_envs)._replace(
            given=np.ones_like(terminated),
            obs=obs,
            reward=reward,
            terminated=terminated,
            truncated=truncated,
            ended=None,
            acting=self._shape(infos["acting"]),
            info={entry.name: self._shape(infos[entry.name]) for entry in self._role.info.features},
            generation=None,
            told=None,
            final_mask=None,
            final_info=None,
            final_told=None,
        )
        if self._role.action.mask_size:
            made = made._replace(mask=self._shape(flat_mask(self._role, infos["action_mask"])))
        if "final_obs" not in infos or made.final_obs is None:
            return {self._role.name: made}
        have = self._shape(infos["_final_obs"])
        rows = self._shape(infos["final_obs"])
        for at in map(tuple, np.argwhere(have).tolist()):
            made.final_obs[at] = rows[at]
        why, how = self._shape(infos["reason"]), self._shape(infos["outcome"])
        return {self._role.name: made._replace(has_final=have, reason=why, outcome=how)}

    def _shape(self, rows: np.ndarray) -> np.ndarray:
        """Give rows as `[env, agent, ...]`."""
        return rows.reshape(self._num_envs, self._role.num_agents, *rows.shape[1:])

    def close(self) -> None:
        self._env.close()
